/* What a Multiboot 2 loader tells, as the first version has it. The list lies below 4 GiB, as a loader has
 * it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "boot/direct/files.h"
#include "boot/direct/multiboot2.h"

static uint8_t *list;
static uint32_t end;

static void put(const void *bytes, uint32_t size)
{
	memcpy(list + end, bytes, size);
	end += size;
}

static void put_tag(uint32_t type, const void *bytes, uint32_t size)
{
	uint32_t head[] = {type, size + 8};

	put(head, sizeof head);
	put(bytes, size);
	end = (end + 7) & ~7u;
}

static const struct multiboot_info *read_list(const void **rsdp)
{
	memcpy(list, &end, sizeof end);
	return multiboot2_info(list, rsdp);
}

static int begin(void **state)
{
	(void)state;
	if (!list)
		list = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
			    -1, 0);
	memset(list, 0xee, 1 << 16);
	end = 8;
	return list == MAP_FAILED;
}

static const char *text(uint32_t at)
{
	return (const char *)(uintptr_t)at;
}

static void nothing_is_told(void **state)
{
	const void *rsdp = list;

	(void)state;
	put_tag(0, "", 0);
	const struct multiboot_info *info = read_list(&rsdp);
	assert_int_equal(info->flags, MULTIBOOT_SCREEN);
	assert_int_equal(info->screen_address, 0);
	assert_null(rsdp);
}

static void all_is_told(void **state)
{
	static const uint64_t map[] = {24, 0x1000, 0x8f000, 1, 0x100000, 0x7f00000, 2};
	static const uint32_t module[] = {0x500000, 0x500010, 'f' | ' ' << 8 | '/' << 16};
	static const uint8_t screen[] = {0, 0,    0, 0x80, 1, 0,  0, 0, 0, 0x14, 0, 0, 0, 5, 0,
					 0, 0x20, 3, 0,    0, 32, 1, 0, 0, 16,   8, 8, 8, 0, 8};
	const void *rsdp;
	struct __attribute__((packed)) {
		uint32_t size;
		uint64_t start, length;
		uint32_t type;
	} entry[2];

	(void)state;
	put_tag(1, "direct.bin reps=2", 18);
	put_tag(2, "GRUB 2.06", 10);
	put_tag(3, module, sizeof module);
	put_tag(99, "a type of later", 16);
	put_tag(6, map, sizeof map);
	put_tag(8, screen, sizeof screen);
	put_tag(14, "RSD PTR of version 0", 20);
	put_tag(15, "RSD PTR of version 2, 36 bytes long", 36);
	put_tag(0, "", 0);
	const struct multiboot_info *info = read_list(&rsdp);
	assert_int_equal(info->flags, MULTIBOOT_SCREEN | MULTIBOOT_COMMAND_LINE | MULTIBOOT_LOADER_NAME |
					      MULTIBOOT_MODULES | MULTIBOOT_MAP);
	assert_string_equal(text(info->command_line), "direct.bin reps=2");
	assert_string_equal(text(info->loader_name), "GRUB 2.06");
	assert_int_equal(info->modules_count, 1);
	/* Its path lies in the list, and where the modules are listed is below 4 GiB in an image alone. */
	assert_int_equal(info->map_length, sizeof entry);
	memcpy(entry, text(info->map_address), sizeof entry);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(entry[i].size, 20);
		assert_int_equal(entry[i].start, map[1 + 3 * i]);
		assert_int_equal(entry[i].length, map[2 + 3 * i]);
		assert_int_equal(entry[i].type, map[3 + 3 * i]);
	}
	assert_int_equal(info->screen_address, 0x180000000);
	assert_int_equal(info->screen_pitch, 0x1400);
	assert_int_equal(info->screen_width, 1280);
	assert_int_equal(info->screen_height, 800);
	assert_int_equal(info->screen_bits, 32);
	assert_int_equal(info->screen_type, MULTIBOOT_SCREEN_RGB);
	assert_int_equal(info->red_place, 16);
	assert_int_equal(info->green_place, 8);
	assert_int_equal(info->blue_place, 0);
	assert_int_equal(info->blue_bits, 8);
	assert_non_null(rsdp);
	assert_string_equal(rsdp, "RSD PTR of version 2, 36 bytes long");
	assert_false((const uint8_t *)rsdp >= list && (const uint8_t *)rsdp < list + end);
}

static void modules_beyond_the_most_are_counted(void **state)
{
	static const uint32_t module[] = {1, 2, 'f'};
	const void *rsdp;

	(void)state;
	for (unsigned i = 0; i < DIRECT_FILES_MAX + 2; i++)
		put_tag(3, module, sizeof module);
	assert_int_equal(read_list(&rsdp)->modules_count, DIRECT_FILES_MAX + 2);
}

/* A tag that is longer than the list ends it, and so does one that is shorter than its head. */
static void damaged_lists_end(void **state)
{
	static const uint32_t small[] = {1, 4};
	const void *rsdp;

	(void)state;
	put_tag(2, "GRUB", 5);
	put_tag(1, "cut short", 10);
	end -= 8;
	assert_int_equal(read_list(&rsdp)->flags, MULTIBOOT_SCREEN | MULTIBOOT_LOADER_NAME);
	end = 8;
	put(small, sizeof small);
	put_tag(2, "GRUB", 5);
	assert_int_equal(read_list(&rsdp)->flags, MULTIBOOT_SCREEN);
	end = 4;
	assert_int_equal(read_list(&rsdp)->flags, MULTIBOOT_SCREEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_told, begin),
		cmocka_unit_test_setup(all_is_told, begin),
		cmocka_unit_test_setup(modules_beyond_the_most_are_counted, begin),
		cmocka_unit_test_setup(damaged_lists_end, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
