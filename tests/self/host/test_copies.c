/*
 * The image's own memcpy() and memset() against the host library's: every length through all turns of their
 * loops, every alignment of both ends, and nothing is written outside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTHS   140
#define MARGIN    16
#define ROOM      (LENGTHS + 2 * MARGIN)
#define UNTOUCHED 0xee

void *image_memcpy(void *restrict to, const void *restrict from, size_t n);
void *image_memset(void *to, int byte, size_t n);

static uint8_t from[ROOM], to[ROOM], expected[ROOM];

static void fill(void)
{
	for (unsigned i = 0; i < ROOM; i++)
		from[i] = (uint8_t)(i * 37 + 1);
	memset(to, UNTOUCHED, ROOM);
	memset(expected, UNTOUCHED, ROOM);
}

static void test_copies(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= LENGTHS; n++)
		for (unsigned a = 0; a < 8; a++)
			for (unsigned b = 0; b < 8; b++) {
				fill();
				memcpy(expected + MARGIN + a, from + MARGIN + b, n);
				assert_ptr_equal(image_memcpy(to + MARGIN + a, from + MARGIN + b, n),
						 to + MARGIN + a);
				assert_memory_equal(to, expected, ROOM);
			}
}

static void test_sets(void **state)
{
	static const int bytes[] = {0, 0xff, 0x5a, -1, 0x1234};

	(void)state;
	for (unsigned n = 0; n <= LENGTHS; n++)
		for (unsigned a = 0; a < 8; a++)
			for (unsigned i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
				fill();
				memset(expected + MARGIN + a, bytes[i], n);
				assert_ptr_equal(image_memset(to + MARGIN + a, bytes[i], n), to + MARGIN + a);
				assert_memory_equal(to, expected, ROOM);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_sets),
	};

	return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
