/*
 * What a Multiboot loader hands over; Multiboot specification 0.6.96, 3.3.
 */
#ifndef BOOT_DIRECT_MULTIBOOT_H
#define BOOT_DIRECT_MULTIBOOT_H

#include <stddef.h>
#include <stdint.h>

struct multiboot_info {
	uint32_t flags;
	uint32_t mem_lower, mem_upper;
	uint32_t boot_device;
	uint32_t command_line;
	uint32_t modules_count, modules_address;
	uint32_t symbols[4];
	uint32_t map_length, map_address;
	uint32_t drives_length, drives_address;
	uint32_t config_table;
	uint32_t loader_name;
	uint32_t apm_table;
	uint32_t vbe_control, vbe_mode_info;
	uint16_t vbe_mode, vbe_segment, vbe_offset, vbe_length;
	uint64_t screen_address;
	uint32_t screen_pitch, screen_width, screen_height;
	uint8_t screen_bits, screen_type;
	/* of MULTIBOOT_SCREEN_RGB: where each colour's bits begin in a pixel, and how many they are */
	uint8_t red_place, red_bits, green_place, green_bits, blue_place, blue_bits;
};
_Static_assert(offsetof(struct multiboot_info, screen_address) == 88, "as the specification has it");
_Static_assert(offsetof(struct multiboot_info, blue_bits) == 115, "as the specification has it");

/* Flags: which of the fields are valid. */
#define MULTIBOOT_BOOT_DEVICE  (1u << 1)
#define MULTIBOOT_COMMAND_LINE (1u << 2)
#define MULTIBOOT_MODULES      (1u << 3)
#define MULTIBOOT_MAP          (1u << 6)
#define MULTIBOOT_LOADER_NAME  (1u << 9)
#define MULTIBOOT_SCREEN       (1u << 12)

/* Screen types. */
#define MULTIBOOT_SCREEN_RGB  1
#define MULTIBOOT_SCREEN_TEXT 2

#endif
