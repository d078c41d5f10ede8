#include "boot/direct/screen.h"

#include <string.h>

#define MODE    0x49
#define COLUMNS 0x4a
#define ROWS    0x84

#define COLOUR_TEXT     0xb8000
#define MONOCHROME_TEXT 0xb0000
#define LAST_TEXT_MODE  3 /* 0 to 3 are text in colours ... */
#define MONOCHROME      7 /* ... and this is text without */
#define PIXEL_BITS      32
#define CELL_BYTES      2

static uint32_t mask(unsigned place, unsigned bits)
{
	return (uint32_t)(((1ull << bits) - 1) << place);
}

/* A screen whose pixels are numbers of a palette, or have fewer bits, is none. */
static struct framebuffer of_loader(const struct multiboot_info *i)
{
	struct framebuffer f = {
		.address = i->screen_address,
		.width = i->screen_width,
		.height = i->screen_height,
		.pitch = i->screen_pitch,
		.text = i->screen_type == MULTIBOOT_SCREEN_TEXT,
	};

	if (i->screen_type == MULTIBOOT_SCREEN_RGB && i->screen_bits == PIXEL_BITS) {
		f.red = mask(i->red_place, i->red_bits);
		f.green = mask(i->green_place, i->green_bits);
		f.blue = mask(i->blue_place, i->blue_bits);
	} else if (!f.text) {
		f.address = 0;
	}
	return f;
}

struct framebuffer direct_screen(const struct multiboot_info *info, const uint8_t *bios_data)
{
	struct framebuffer f = {.text = true, .height = bios_data[ROWS] + 1u};
	uint16_t columns;

	if (info->flags & MULTIBOOT_SCREEN)
		return of_loader(info);
	memcpy(&columns, bios_data + COLUMNS, sizeof columns);
	f.width = columns;
	f.pitch = f.width * CELL_BYTES;
	if (bios_data[MODE] == MONOCHROME)
		f.address = MONOCHROME_TEXT;
	else if (bios_data[MODE] <= LAST_TEXT_MODE)
		f.address = COLOUR_TEXT;
	return f;
}
