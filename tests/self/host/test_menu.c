/* The menu without a screen: lists, drawing, what it makes of options, and what it shows of results. */
#include "arch/identity.h"
#include "boot/config.h"
#include "boot/experiments.h"
#include "boot/menu/keys.h"
#include "boot/menu/list.h"
#include "boot/menu/page.h"
#include "boot/menu/results.h"
#include "boot/menu/save.h"
#include "boot/menu/start.h"
#include "boot/menu/widgets.h"
#include "tests/judge/check.h"
#include "tests/self/host/support/report_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct suite control = {.name = "control", .title = "control logic"},
			  events = {.name = "events", .title = "events"};
const struct suite *const suites[] = {&control, &events, NULL};

void identity_name(char out[IDENTITY_NAME])
{
	strcpy(out, "TheVendor-6-F-B");
}

void identity_title(char out[IDENTITY_TITLE])
{
	strcpy(out, "The Processor");
}

void identity_details(identity_each *each, void *to)
{
	each(to, "CPUID.0H.0", "0x1");
}

/* --- a terminal of memory ---------------------------------------------------------------------------- */

#define COLUMNS 1024
#define ROWS    100

static char shown[ROWS][COLUMNS + 1];
static const int *script; /* keys that are pressed, KEY_NONE ends: then nobody presses any */
static unsigned asked, cells_put;

static void open_fake(struct terminal *t)
{
	(void)t;
	for (unsigned i = 0; i < ROWS; i++)
		snprintf(shown[i], sizeof shown[i], "%*s", COLUMNS, "");
}

static void put_fake(struct terminal *t, unsigned row, unsigned column, enum style style, const char *text,
		     size_t size)
{
	assert_true(style <= STYLE_BAD);
	assert_true(row < t->rows);
	assert_true(column + size < t->columns); /* the last column stays free */
	memcpy(shown[row] + column, text, size);
	cells_put += (unsigned)size;
}

static void look(unsigned key);

static int key_fake(struct terminal *t)
{
	(void)t;
	look(asked++);
	return *script ? *script++ : KEY_NONE;
}

static void close_fake(struct terminal *t)
{
	(void)t;
}

static struct terminal fake = {
	.columns = 80, .rows = 25, .open = open_fake, .put = put_fake, .key = key_fake, .close = close_fake};

#define LOOKS 16
static const char *watched;   /* NULL: nothing is */
static bool was_shown[LOOKS]; /* before the key of that number was pressed */

static bool is_shown(const char *text)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (strstr(shown[i], text))
			return true;
	return false;
}

static void (*on_look)(unsigned key); /* NULL: nothing more is asked */

static void look(unsigned key)
{
	if (on_look)
		on_look(key);
	if (watched && key < LOOKS)
		was_shown[key] = is_shown(watched);
}

/* --- lists ------------------------------------------------------------------------------------------- */

static void what_is_chosen_is_seen(void **state)
{
	static const int keys[] = {KEY_DOWN, KEY_PAGE_DOWN, KEY_UP, KEY_END, KEY_PAGE_UP, KEY_HOME};
	unsigned seed = 1;

	(void)state;
	for (unsigned count = 0; count < 40; count++) {
		struct list l = {0};

		list_set(&l, count, 10);
		for (unsigned i = 0; i < 500; i++) {
			seed = seed * 1103515245 + 12345;
			assert_true(list_key(&l, keys[(seed >> 16) % 6]));
			assert_true(count ? l.chosen < count : !l.chosen);
			assert_true(l.chosen >= l.top && l.chosen < l.top + l.rows);
			assert_true(l.top == 0 || l.top + l.rows <= count);
		}
		list_key(&l, KEY_END);
		assert_int_equal(l.chosen, count ? count - 1 : 0);
		list_set(&l, 3, 10);
		assert_true(l.chosen < 3 && l.top == 0);
		assert_false(list_key(&l, 'x'));
	}
}

/* Where a key leads to, by what it is called. */
static unsigned led_to(int key, unsigned from, unsigned count, unsigned rows)
{
	long at = (long)from;

	switch (key) {
	case KEY_UP:
		at -= 1;
		break;
	case KEY_DOWN:
		at += 1;
		break;
	case KEY_PAGE_UP:
		at -= (long)rows;
		break;
	case KEY_PAGE_DOWN:
		at += (long)rows;
		break;
	case KEY_HOME:
		at = 0;
		break;
	case KEY_END:
		at = (long)count;
		break;
	}
	at = at < (long)count ? at : (long)count - 1;
	return at < 0 ? 0 : (unsigned)at;
}

/* Of all places for the first row from which the chosen one is seen, with no blank row below the last one,
 * the nearest to the last place. */
static unsigned nearest_top(unsigned top, unsigned chosen, unsigned count, unsigned rows)
{
	unsigned best = 0, distance = UINT32_MAX;

	for (unsigned t = 0; !t || t + rows <= count; t++) {
		unsigned d = t > top ? t - top : top - t;

		if (chosen >= t && chosen < t + rows && d < distance) {
			distance = d;
			best = t;
		}
	}
	return best;
}

static const int moving[] = {KEY_DOWN,    KEY_PAGE_DOWN, KEY_UP,   KEY_END,
			     KEY_PAGE_UP, KEY_HOME,      KEY_DOWN, KEY_UP};

static void rows_go_by_only_as_needed(void **state)
{
	static const unsigned heights[] = {1, 2, 7, 19, 50};
	unsigned seed = 7;

	(void)state;
	for (unsigned h = 0; h < sizeof heights / sizeof heights[0]; h++)
		for (unsigned count = 0; count < 60; count++) {
			struct list l = {0};
			unsigned chosen = 0, top = 0, rows = heights[h];

			list_set(&l, count, rows);
			for (unsigned i = 0; i < 200; i++) {
				int key;

				seed = seed * 1103515245 + 12345;
				key = moving[(seed >> 16) % 8];
				list_key(&l, key);
				chosen = led_to(key, chosen, count, rows);
				top = nearest_top(top, chosen, count, rows);
				assert_int_equal(l.chosen, chosen);
				assert_int_equal(l.top, top);
			}
		}
}

/* --- the menu ---------------------------------------------------------------------------------------- */

static struct options o;
static struct experiments experiments;
static bool attended;

static bool narrowed; /* the configuration has chosen already */

static bool start(const int *keys)
{
	static struct platform platform = {.boot.firmware = "the firmware", .terminal = &fake};

	options_default(&o);
	o.menu = 10;
	if (narrowed) {
		strcpy(o.suite, "control");
		strcpy(o.kernel, "one");
		strcpy(o.event, "ONE");
		strcpy(o.check, "some");
	}
	script = keys;
	asked = 0;
	return menu_start(&platform, &o, &experiments, &attended);
}

static void nobody_is_there(void **state)
{
	(void)state;
	assert_true(start((const int[]){KEY_NONE}));
	assert_false(attended);
	assert_int_equal(asked, 10 * 1000 / TERMINAL_TICK_MS + 1);
	assert_string_equal(o.suite, "control,events");
	/* Noise is nobody. */
	int noise[3000];
	for (unsigned i = 0; i < 3000; i++)
		noise[i] = i < 2999 ? 'x' : KEY_NONE;
	assert_true(start(noise));
	assert_false(attended);
}

static void a_choice_becomes_options(void **state)
{
	(void)state;
	assert_true(start((const int[]){KEY_DOWN, KEY_ENTER, KEY_NONE})); /* everything */
	assert_true(attended);
	assert_string_equal(o.suite, "all");
	assert_string_equal(o.event, "*");
	/* Choose suites: the first one off, then run. */
	assert_true(start(
		(const int[]){KEY_DOWN, KEY_DOWN, KEY_ENTER, ' ', KEY_ENTER, KEY_HOME, KEY_ENTER, KEY_NONE}));
	assert_string_equal(o.suite, "events");
	/* One event. */
	assert_true(start((const int[]){KEY_DOWN, KEY_DOWN, KEY_DOWN, KEY_ENTER, 'A', 'B', KEY_BACKSPACE, '*',
					KEY_ENTER, KEY_NONE}));
	assert_string_equal(o.event, "A*");
	assert_string_equal(o.kernel, "all");
	assert_string_equal(o.suite, "events");
	/* No suite at all is refused. */
	assert_true(start((const int[]){KEY_DOWN, KEY_DOWN, KEY_ENTER, ' ', KEY_DOWN, ' ', KEY_ENTER, 'x',
					KEY_HOME, KEY_ENTER, KEY_NONE}));
	assert_string_equal(o.suite, "control,events");
	/* Exit goes back to firmware, whatever exit= says. */
	assert_false(start((const int[]){KEY_END, KEY_ENTER, KEY_NONE}));
	assert_int_equal(o.exit, EXIT_RETURN);
}

/* Whatever the configuration has chosen, an entry of the menu runs what it says. */
static void a_choice_takes_the_place_of_the_configuration_s(void **state)
{
	(void)state;
	narrowed = true;
	assert_true(start((const int[]){KEY_ENTER, KEY_NONE})); /* as it is */
	assert_string_equal(o.suite, "control");
	assert_string_equal(o.kernel, "one");
	assert_string_equal(o.event, "ONE");
	assert_string_equal(o.check, "some");
	assert_true(start((const int[]){KEY_DOWN, KEY_ENTER, KEY_NONE})); /* everything */
	assert_string_equal(o.suite, "all");
	assert_string_equal(o.kernel, "all");
	assert_string_equal(o.event, "*");
	assert_string_equal(o.check, "*");
	assert_true(start((const int[]){KEY_DOWN, KEY_DOWN, KEY_DOWN, KEY_ENTER, KEY_BACKSPACE, KEY_BACKSPACE,
					KEY_BACKSPACE, 'A', KEY_ENTER, KEY_NONE})); /* one event */
	assert_string_equal(o.suite, "events");
	assert_string_equal(o.kernel, "all");
	assert_string_equal(o.event, "A");
	narrowed = false;
}

/* Held down, on a small, a wide and a high screen: no cell is drawn outside. */
static void keys_held_down_on_any_screen(void **state)
{
	static const int held[] = {KEY_DOWN, KEY_UP, KEY_RIGHT, KEY_ESCAPE, KEY_PAGE_DOWN, ' '};
	static const unsigned sizes[][2] = {{80, 24}, {80, 25}, {100, 31}, {1024, 100}, {40, 12}};
	static int keys[2002];

	(void)state;
	for (unsigned s = 0; s < 5; s++)
		for (unsigned i = 0; i < sizeof held / sizeof held[0]; i++) {
			fake.columns = sizes[s][0];
			fake.rows = sizes[s][1];
			for (unsigned n = 0; n < 2000; n++)
				keys[n] = held[i];
			/* Out of whatever page that led to, then exit. */
			keys[1998] = KEY_ESCAPE;
			keys[1999] = KEY_END;
			keys[2000] = KEY_ENTER;
			if (held[i] != KEY_RIGHT)
				start(keys);
		}
	fake.columns = 80;
	fake.rows = 25;
}

static void only_what_changes_is_drawn(void **state)
{
	(void)state;
	script = (const int[]){KEY_NONE};
	page_open(&fake);
	page_begin("heading", "help");
	page_show();
	assert_true(is_shown("heading") && is_shown("help"));
	cells_put = 0;
	page_begin("heading", "help");
	page_print(5, 3, STYLE_PLAIN, "%s", "new");
	page_show();
	assert_int_equal(cells_put, 3);
	page_print(6, 70, STYLE_PLAIN, "%s", "cut off at the edge");
	page_print(200, 0, STYLE_PLAIN, "%s", "nowhere");
	page_show();
	assert_true(is_shown("cut off a ") && !is_shown("nowhere"));
}

/* --- widgets ----------------------------------------------------------------------------------------- */

/* A field of any size takes what it has room for, and not a byte more: a block of its own, so that the
 * sanitizer sees one. */
static void a_text_stays_in_its_field(void **state)
{
	int keys[40];

	(void)state;
	page_open(&fake);
	for (unsigned i = 0; i < 38; i++)
		keys[i] = 'a' + (int)i % 26;
	keys[38] = KEY_ENTER;
	for (size_t size = 1; size < 36; size++)
		for (size_t there = 0; there < size; there++) {
			char *text = malloc(size);

			memset(text, '-', there);
			text[there] = 0;
			script = keys;
			assert_true(widget_edit("heading", "help", text, size));
			assert_int_equal(strlen(text), size - 1);
			for (size_t i = 0; i < size - 1; i++)
				assert_int_equal(text[i], i < there ? '-' : 'a' + (int)(i - there) % 26);
			free(text);
		}
	/* A quote would end the value that the configuration gives. */
	char text[8] = "";

	script = (const int[]){KEY_BACKSPACE, '"', ' ', '~', KEY_UP, '"', KEY_ESCAPE};
	assert_false(widget_edit("heading", "help", text, sizeof text));
	assert_string_equal(text, " ~");
}

static bool named(void *from, unsigned i, const char **name, const char **text)
{
	const char *const *names = from;

	*name = names[i];
	*text = "";
	return *name != NULL;
}

/* A letter goes on to the next item that begins with it, round, and stays where there is no other. */
static void a_letter_goes_to_the_next_of_its_items(void **state)
{
	static const char *names[] = {"apple", "Bean", "avocado", "cherry", "Artichoke", "beet", NULL};

	(void)state;
	page_open(&fake);
	for (unsigned first = 0; first < 6; first++)
		for (const char *letter = "aAbBcx"; *letter; letter++)
			for (unsigned presses = 0; presses < 8; presses++) {
				int keys[10];
				unsigned expected = first;

				for (unsigned p = 0; p < presses; p++) {
					unsigned step = 1;

					keys[p] = *letter;
					while (step < 6 &&
					       (names[(expected + step) % 6][0] | 32) != (*letter | 32))
						step++;
					expected = (expected + step) % 6;
				}
				keys[presses] = KEY_ENTER;
				script = keys;
				assert_int_equal(widget_pick("heading", named, names, first), expected);
			}
}

#define ITEMS     60
#define ITEM_ROWS 19 /* of a screen of 25: two are above, four below */
#define STROKES   120

static const int *strokes;
static unsigned item_chosen, item_top;

static bool numbered(void *from, unsigned i, const char **name, const char **text)
{
	static char names[ITEMS][16];

	(void)from;
	if (i >= ITEMS)
		return false;
	snprintf(names[i], sizeof names[i], "item %u.", i);
	*name = names[i];
	*text = "";
	return true;
}

/* What is on the screen before a key, by the keys before it. */
static void items_are_those_of_the_list(unsigned key)
{
	char of[32];

	if (key) {
		item_chosen = led_to(strokes[key - 1], item_chosen, ITEMS, ITEM_ROWS);
		item_top = nearest_top(item_top, item_chosen, ITEMS, ITEM_ROWS);
	}
	for (unsigned row = 0; row < ITEM_ROWS; row++) {
		char name[16];

		snprintf(name, sizeof name, "item %u.", item_top + row);
		assert_memory_equal(shown[2 + row] + 1, name, strlen(name));
	}
	assert_null(strstr(shown[2 + ITEM_ROWS], "item"));
	snprintf(of, sizeof of, "%u of %u ", item_chosen + 1, ITEMS);
	assert_non_null(strstr(shown[1], of));
}

static void a_long_list_scrolls_on_the_screen(void **state)
{
	static int keys[STROKES + 1];
	unsigned seed = 3;

	(void)state;
	for (unsigned i = 0; i < STROKES; i++) {
		seed = seed * 1103515245 + 12345;
		keys[i] = moving[(seed >> 16) % 8];
	}
	keys[STROKES] = KEY_ESCAPE;
	strokes = script = keys;
	item_chosen = item_top = asked = 0;
	page_open(&fake);
	on_look = items_are_those_of_the_list;
	assert_int_equal(widget_pick("heading", numbered, NULL, 0), -1);
	on_look = NULL;
	assert_int_equal(asked, STROKES + 1);
}

/* --- results ----------------------------------------------------------------------------------------- */

static void observations_are_read_from_a_record(void **state)
{
	static const char list[] =
		"{\"n\":5,\"low\":240,\"high\":240,\"total\":3,\"distinct\":2,\"min\":1,\"max\":240,"
		"\"values\":[[240,2],[\"-9223372036854775808\",1]]},{\"n\":\"18446744073709551615\","
		"\"total\":0,"
		"\"values\":[]},{\"n\":10,\"low\":1,\"high\":2,\"values\":[[1,2";
	struct results_seen seen;
	const char *at = results_next(list, &seen);

	(void)state;
	assert_non_null(at);
	assert_true(seen.n == 5 && seen.bounded && seen.low == 240 && seen.high == 240 && seen.bars == 2);
	assert_true(seen.bar[0].value == 240 && seen.bar[0].frequency == 2);
	assert_true(seen.bar[1].value == INT64_MIN && seen.bar[1].frequency == 1);
	at = results_next(at, &seen);
	assert_non_null(at);
	assert_true(!seen.bounded && !seen.bars);
	assert_null(results_next(at, &seen)); /* cut off */
	assert_null(results_next("]}", &seen));
	assert_null(results_next("", &seen));
}

static void the_worst_come_first_and_open(void **state)
{
	static const struct results_about about = {"heading", "\\assay\\runs\\0001", "leaves"};
	unsigned order[64], n;
	struct report_check c;
	char record[4096];

	(void)state;
	mixed_run(false);
	report_end(true);
	n = results_sort(RESULTS_WORST_FIRST, false, order, 64);
	assert_int_equal(n, report_totals()->checks);
	for (unsigned i = 0, rank = 0; i < n; i++) {
		assert_true(report_check(order[i], &c));
		assert_true(verdict_rank(c.verdict) >= rank);
		rank = verdict_rank(c.verdict);
		/* Each has its own record. */
		assert_true(report_check_record(order[i], record, sizeof record) > 0);
		const char *name = strstr(record, "\"name\":\"");
		assert_non_null(name);
		if (!strpbrk(c.name, "\"\\"))
			assert_true(!strncmp(name + 8, c.name, strlen(c.name)) && name < record + 5);
	}
	assert_false(report_check(n, &c));
	assert_int_equal(report_check_record(n, record, sizeof record), 0);
	assert_int_equal(results_sort(RESULTS_AS_RUN, true, order, 64), 5); /* 3 biased, 1 wrong, 1 error */
	for (unsigned v = 0; v < VERDICT_COUNT; v++)
		assert_true(verdict_rank(v) < VERDICT_COUNT);

	/* Scrolled down in one check, the next one begins at its top. */
	static const int both[] = {KEY_RIGHT, KEY_LEFT};

	fake.rows = 8;
	for (unsigned i = 0; i < 2; i++) {
		script = (const int[]){KEY_DOWN,   KEY_ENTER,  KEY_DOWN,   KEY_DOWN, both[i],
				       KEY_ESCAPE, KEY_ESCAPE, KEY_ESCAPE, KEY_NONE};
		watched = "  check       ";
		asked = 0;
		menu_results(&fake, &about);
		assert_true(was_shown[2] && !was_shown[4] && was_shown[5]);
	}
	watched = NULL;
	fake.rows = 25;
	/* The page of all, then of the first one, then back and out. */
	script = (const int[]){KEY_ENTER, KEY_DOWN, KEY_RIGHT, KEY_LEFT,   KEY_ESCAPE, 's',
			       'b',       KEY_END,  KEY_ENTER, KEY_ESCAPE, KEY_ESCAPE, KEY_NONE};
	menu_results(&fake, &about);
	assert_true(is_shown("bad ones, as they were run") && is_shown("report: in \\assay\\runs\\0001") &&
		    is_shown("29 checks:"));
}

#define SHEET_ROWS 5 /* of a screen of 8: a heading and a blank row above, help below */

static char sheet[50][COLUMNS + 1]; /* all of a check, as a screen that is high enough has it */
static unsigned sheet_lines, sheet_from;

static void whole_sheet(unsigned key)
{
	if (key != 1)
		return;
	memcpy(sheet, shown, sizeof sheet);
	for (unsigned row = 2; row < 49; row++)
		if (strspn(shown[row], " ") < COLUMNS)
			sheet_lines = row - 2 + 1;
}

/* The first key opened the check. */
static void part_of_the_sheet(unsigned key)
{
	if (!key || strokes[key - 1] == KEY_ESCAPE)
		return;
	if (key > 1)
		sheet_from = led_to(strokes[key - 1], sheet_from, sheet_lines - SHEET_ROWS + 1, SHEET_ROWS);
	for (unsigned row = 0; row < SHEET_ROWS; row++)
		assert_string_equal(shown[2 + row], sheet[2 + sheet_from + row]);
	assert_non_null(strstr(shown[7], " Up/Down scroll, "));
}

/* Up to its last line, which is then the lowest one, and no further. */
static void all_of_a_check_is_seen(void **state)
{
	static const struct results_about about = {"heading", "\\assay\\runs\\0001", "leaves"};
	static const int open_it[] = {KEY_ENTER, KEY_ESCAPE, KEY_ESCAPE, KEY_NONE};
	static int keys[STROKES + 1] = {KEY_ENTER};
	unsigned seed = 5;

	(void)state;
	mixed_run(false);
	report_end(true);
	fake.rows = 50;
	asked = 0;
	script = open_it;
	on_look = whole_sheet;
	menu_results(&fake, &about);
	assert_in_range(sheet_lines, SHEET_ROWS + 2, 47);
	for (unsigned i = 1; i < STROKES - 2; i++) {
		seed = seed * 1103515245 + 12345;
		keys[i] = moving[(seed >> 16) % 8];
	}
	keys[STROKES - 2] = keys[STROKES - 1] = KEY_ESCAPE;
	fake.rows = 8;
	asked = sheet_from = 0;
	strokes = script = keys;
	on_look = part_of_the_sheet;
	menu_results(&fake, &about);
	on_look = NULL;
	assert_int_equal(asked, STROKES);
	fake.rows = 25;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_chosen_is_seen),
		cmocka_unit_test(rows_go_by_only_as_needed),
		cmocka_unit_test(a_long_list_scrolls_on_the_screen),
		cmocka_unit_test(all_of_a_check_is_seen),
		cmocka_unit_test(nobody_is_there),
		cmocka_unit_test(a_choice_becomes_options),
		cmocka_unit_test(a_choice_takes_the_place_of_the_configuration_s),
		cmocka_unit_test(keys_held_down_on_any_screen),
		cmocka_unit_test(only_what_changes_is_drawn),
		cmocka_unit_test(a_text_stays_in_its_field),
		cmocka_unit_test(a_letter_goes_to_the_next_of_its_items),
		cmocka_unit_test(observations_are_read_from_a_record),
		cmocka_unit_test(the_worst_come_first_and_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
