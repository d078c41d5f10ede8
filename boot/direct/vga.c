#include "boot/direct/vga.h"

#include "boot/direct/bios_call.h"
#include "boot/direct/screen.h"

#define SCREEN   0x10 /* the interrupt */
#define SET_MODE 0x0000
#define GRAPHICS 0x12
#define MODE     (BIOS_DATA + 0x49)
#define PIXELS   0xa0000
#define WIDTH    640
#define HEIGHT   480

struct framebuffer vga_graphics(void)
{
	struct framebuffer f = {.width = WIDTH, .height = HEIGHT, .pitch = WIDTH / 8, .planes = true};
	struct bios_registers r = {.ax = SET_MODE | GRAPHICS};

	bios_call(SCREEN, &r); /* it tells nothing of whether it did */
	if (*(volatile uint8_t *)bios_memory_at(MODE) == GRAPHICS)
		f.address = PIXELS;
	return f;
}
