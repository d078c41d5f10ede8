#include "boot/direct/multiboot2.h"

#include "boot/direct/files.h"

#include <string.h>

/* Types of tags. */
enum {
	TAG_END = 0,
	TAG_COMMAND_LINE = 1,
	TAG_LOADER_NAME = 2,
	TAG_MODULE = 3,
	TAG_MEMORY = 4,
	TAG_MAP = 6,
	TAG_SCREEN = 8,
	TAG_RSDP_OLD = 14,
	TAG_RSDP_NEW = 15,
};

#define LIST_HEAD    8  /* its size, and four reserved bytes */
#define MODULE_PATH  8  /* behind start and end */
#define MAP_HEAD     8  /* size of an entry, and a version */
#define MAP_ENTRY    24 /* start, length, type and four reserved bytes */
#define MAP_TYPE     16
#define SCREEN_PLACE 22 /* address to type, as in the first version */
#define SCREEN_RGB   24 /* behind two reserved bytes */
#define RSDP_BYTES   36

struct tag {
	uint32_t type, size; /* its own eight bytes count */
};

static uint32_t number(const uint8_t *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof n);
	return n;
}

static uint32_t place(const uint8_t *at)
{
	return (uint32_t)(uintptr_t)at;
}

/** From start, length, type, reserved to size, start, length, type. */
static void take_map(struct multiboot_info *info, uint8_t *data, uint32_t size)
{
	uint32_t each, type, behind;

	if (size < MAP_HEAD || number(data) < MAP_ENTRY)
		return;
	each = number(data);
	behind = each - (uint32_t)sizeof behind;
	info->flags |= MULTIBOOT_MAP;
	info->map_address = place(data + MAP_HEAD);
	info->map_length = (size - MAP_HEAD) / each * each;
	for (uint8_t *at = data + MAP_HEAD; at < data + MAP_HEAD + info->map_length; at += each) {
		type = number(at + MAP_TYPE);
		memmove(at + sizeof behind, at, MAP_TYPE);
		memcpy(at, &behind, sizeof behind);
		memcpy(at + sizeof behind + MAP_TYPE, &type, sizeof type);
	}
}

static void take_screen(struct multiboot_info *info, const uint8_t *data, uint32_t size)
{
	if (size >= SCREEN_PLACE)
		memcpy(&info->screen_address, data, SCREEN_PLACE);
	if (size >= SCREEN_RGB + 6)
		memcpy(&info->red_place, data + SCREEN_RGB, 6);
}

static void take_module(struct multiboot_info *info, struct multiboot_module *modules, const uint8_t *data,
			uint32_t size)
{
	if (size <= MODULE_PATH)
		return;
	if (info->modules_count < DIRECT_FILES_MAX)
		modules[info->modules_count] = (struct multiboot_module){
			.start = number(data), .end = number(data + 4), .text = place(data + MODULE_PATH)};
	info->flags |= MULTIBOOT_MODULES;
	info->modules_count++;
}

const struct multiboot_info *multiboot2_info(uint8_t *list, const void **rsdp)
{
	static struct multiboot_info info;
	static struct multiboot_module modules[DIRECT_FILES_MAX];
	static uint8_t root[RSDP_BYTES];
	uint32_t total = number(list), root_size = 0;
	struct tag tag;

	info = (struct multiboot_info){.flags = MULTIBOOT_SCREEN,
				       .modules_address = place((uint8_t *)modules)};
	for (uint32_t at = LIST_HEAD; total >= sizeof tag && at <= total - sizeof tag;
	     at += (tag.size + 7) & ~7u) {
		memcpy(&tag, list + at, sizeof tag);
		if (tag.type == TAG_END || tag.size < sizeof tag || tag.size > total - at)
			break;

		uint8_t *data = list + at + sizeof tag;
		uint32_t size = tag.size - (uint32_t)sizeof tag;

		switch (tag.type) {
		case TAG_COMMAND_LINE:
			info.flags |= MULTIBOOT_COMMAND_LINE;
			info.command_line = place(data);
			break;
		case TAG_LOADER_NAME:
			info.flags |= MULTIBOOT_LOADER_NAME;
			info.loader_name = place(data);
			break;
		case TAG_MODULE:
			take_module(&info, modules, data, size);
			break;
		case TAG_MEMORY:
			if (size >= 8)
				memcpy(&info.mem_lower, data, 8);
			break;
		case TAG_MAP:
			take_map(&info, data, size);
			break;
		case TAG_SCREEN:
			take_screen(&info, data, size);
			break;
		case TAG_RSDP_OLD:
		case TAG_RSDP_NEW: /* the longer one is the newer */
			if (size > root_size && size <= sizeof root)
				memcpy(root, data, root_size = size);
			break;
		}
	}
	*rsdp = root_size ? root : NULL;
	return &info;
}
