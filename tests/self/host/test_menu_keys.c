/* Keys of the menu: what the bytes of terminals mean. */
#include "boot/menu/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void a_terminal_s_bytes_are_keys(void **state)
{
	static const struct {
		const char *bytes;
		int key;
	} rows[] = {{"\x1b[A", KEY_UP},
		    {"\x1bOA", KEY_UP},
		    {"\x1b[B", KEY_DOWN},
		    {"\x1b[C", KEY_RIGHT},
		    {"\x1b[D", KEY_LEFT},
		    {"\x1b[H", KEY_HOME},
		    {"\x1b[1~", KEY_HOME},
		    {"\x1b[4~", KEY_END},
		    {"\x1bOF", KEY_END},
		    {"\x1b[5~", KEY_PAGE_UP},
		    {"\x1b[6~", KEY_PAGE_DOWN},
		    {"\x1b[7~", KEY_HOME},
		    {"\x1b[8~", KEY_END},
		    {"\x1b[1;5A", KEY_UP},
		    {"\r", KEY_ENTER},
		    {"\n", KEY_ENTER},
		    {"\x7f", KEY_BACKSPACE},
		    {"\b", KEY_BACKSPACE},
		    {"x", 'x'},
		    {"~", '~'},
		    {"\x1b[20~", KEY_NONE},
		    {"\x1b[999999~", KEY_NONE},
		    {"\xff", KEY_NONE},
		    {"\x01", KEY_NONE},
		    {"\x1b[Z", KEY_NONE},
		    {"\x1bx", KEY_NONE},
		    {"\x1b\x1b", KEY_ESCAPE}};

	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct keys k = {0};
		const char *c = rows[i].bytes;

		for (; c[1]; c++)
			assert_int_equal(keys_take(&k, (unsigned char)*c), KEY_NONE);
		if (keys_take(&k, (unsigned char)*c) != rows[i].key)
			fail_msg("sequence %u", i);
	}
}

/* What came before is forgotten: a key is what its own bytes say. */
static void a_key_is_the_same_behind_any_other(void **state)
{
	static const struct {
		const char *bytes;
		int key;
	} rows[] = {{"\x1b[A", KEY_UP},
		    {"\x1bOB", KEY_DOWN},
		    {"\x1b[1~", KEY_HOME},
		    {"\x1b[4~", KEY_END},
		    {"\x1b[5~", KEY_PAGE_UP},
		    {"\x1b[6~", KEY_PAGE_DOWN},
		    {"\x1b[1;5A", KEY_UP},
		    {"\x1b[999999~", KEY_NONE},
		    {"\x1b[Z", KEY_NONE},
		    {"\x1bx", KEY_NONE},
		    {"x", 'x'},
		    {"\r", KEY_ENTER}};
	enum { ROWS_OF_KEYS = sizeof rows / sizeof rows[0] };

	(void)state;
	for (unsigned i = 0; i < ROWS_OF_KEYS * ROWS_OF_KEYS; i++) {
		struct keys k = {0};
		int key = KEY_NONE;

		for (const char *c = rows[i / ROWS_OF_KEYS].bytes; *c; c++)
			keys_take(&k, (unsigned char)*c);
		for (const char *c = rows[i % ROWS_OF_KEYS].bytes; *c; c++)
			key = keys_take(&k, (unsigned char)*c);
		if (key != rows[i % ROWS_OF_KEYS].key)
			fail_msg("sequence %u behind sequence %u", i % ROWS_OF_KEYS, i / ROWS_OF_KEYS);
	}
}

static void an_escape_alone_is_a_key_in_time(void **state)
{
	struct keys k = {0};
	int key = KEY_NONE;
	unsigned ticks = 0;

	(void)state;
	assert_int_equal(keys_idle(&k), KEY_NONE);
	keys_take(&k, 27);
	while (!key && ticks < 100) {
		key = keys_idle(&k);
		ticks++;
	}
	assert_int_equal(key, KEY_ESCAPE);
	assert_in_range(ticks, 4, 50);
	/* A sequence that was cut off is none, and what follows is read as ever. */
	keys_take(&k, 27);
	keys_take(&k, '[');
	for (ticks = 0; ticks < 100; ticks++)
		assert_int_equal(keys_idle(&k), KEY_NONE);
	assert_int_equal(keys_take(&k, 'x'), 'x');
}

static void any_bytes_do(void **state)
{
	struct keys k = {0};
	unsigned seed = 1;

	(void)state;
	for (unsigned i = 0; i < 1000000; i++) {
		seed = seed * 1103515245 + 12345;
		int key = seed >> 30 ? keys_take(&k, (unsigned char)(seed >> 16)) : keys_idle(&k);
		assert_true(key >= 0 && key <= KEY_END);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_s_bytes_are_keys),
		cmocka_unit_test(a_key_is_the_same_behind_any_other),
		cmocka_unit_test(an_escape_alone_is_a_key_in_time),
		cmocka_unit_test(any_bytes_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
