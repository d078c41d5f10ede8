/*
 * Every limit of what options and assay.cfg may say: one byte less than there is room for is kept to the last
 * byte and ends there, and as many bytes as the room has, or one more, are refused. What is kept is read back
 * between neighbours, since a byte too many stays inside its structure, where no sanitizer sees it.
 */
#include "boot/experiments.h"
#include "boot/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct options o;
static struct experiments all;
static struct option_error error;

/* A value of n bytes that the option takes. */
static void fill(char *text, size_t n, const char *key)
{
	bool scan = !strcmp(key, "scan"), cpus = !strcmp(key, "cpus");

	for (size_t i = 0; i < n; i++)
		text[i] = scan ? "0c"[i + 1 == n] : cpus ? "1,"[i % 2 && i + 1 < n] : (char)('a' + i % 26);
	text[n] = 0;
}

static bool parse_options(const char *text)
{
	options_default(&o);
	return options_parse(&o, text, strlen(text), "assay.cfg", &error);
}

static bool parse_file(const char *text)
{
	options_default(&o);
	memset(&all, 0xa5, sizeof all); /* a NUL that nobody writes is not there by chance */
	return experiments_parse(&o, &all, text, strlen(text), "assay.cfg", &error);
}

/* As much as there is room for, in a field of `size` bytes. */
static void assert_kept(const char *field, size_t size, const char *wanted)
{
	assert_true(memchr(field, 0, size) != NULL);
	assert_string_equal(field, wanted);
}

static void assert_too_long(size_t n, size_t most)
{
	char wanted[64];

	snprintf(wanted, sizeof wanted, "%zu bytes long: at most %zu are allowed", n, most);
	if (!strstr(error.text, wanted))
		fail_msg("%s", error.text);
}

/* Each text among the options of a run. */
static void texts_of_a_run(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (const struct option_row *r = option_rows(); r->name; r++) {
		char value[TOKEN_TEXT_MAX + 2], text[TOKEN_TEXT_MAX + 64];

		if (r->kind != OPTION_TEXT)
			continue;
		for (size_t n = r->size - 1; n <= r->size + 1; n++) {
			struct options before;

			options_default(&before);
			fill(value, n, r->name);
			snprintf(text, sizeof text, "%s=%s n=7", r->name, value);
			assert_int_equal(parse_options(text), n < r->size);
			if (n >= r->size) {
				assert_too_long(n, r->size - 1);
				assert_memory_equal(&o, &before, sizeof o);
				continue;
			}
			assert_kept((const char *)&o + r->offset, r->size, value);
			assert_int_equal(o.n, 7);
			/* The others are what they were. */
			memset((char *)&o + r->offset, 0, r->size);
			memset((char *)&before + r->offset, 0, r->size);
			o.n = before.n;
			assert_memory_equal(&o, &before, sizeof o);
		}
		seen++;
	}
	assert_int_equal(seen, 9);
}

/* Each text of an experiment. */
static void texts_of_an_experiment(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (const struct option_row *r = experiment_rows; r->name; r++) {
		char value[TOKEN_TEXT_MAX + 2], text[TOKEN_TEXT_MAX + 64];

		if (r->kind != OPTION_TEXT)
			continue;
		for (size_t n = r->size - 1; n <= r->size + 1; n++) {
			fill(value, n, r->name);
			snprintf(text, sizeof text, "[experiment x] %s pmu=p events=A %s=%s n=7",
				 strcmp(r->name, "code") ? "kernel=k" : "", r->name, value);
			assert_int_equal(parse_file(text), n < r->size);
			if (n >= r->size) {
				assert_too_long(n, r->size - 1);
				continue;
			}
			assert_kept((const char *)&all.experiment[0] + r->offset, r->size, value);
			assert_int_equal(all.experiment[0].n, 7);
			assert_string_equal(all.experiment[0].events.item[0].text, "A");
		}
		seen++;
	}
	assert_int_equal(seen, 3);
}

/* Those of bytes= are pairs of digits, in place of a kernel; those of beside= share their room with events=,
 * as test_experiments has it. */
static bool is_special(const struct option_row *r)
{
	return !strcmp(r->name, "bytes") || !strcmp(r->name, "beside");
}

static void bytes_of_an_experiment(void **state)
{
	static const struct {
		size_t digits;
		unsigned items;
	} cases[] = {{OPTION_ITEM_TEXT - 2, OPTION_ITEMS}, {OPTION_ITEM_TEXT, 1}, {2, OPTION_ITEMS + 1}};

	(void)state;
	for (unsigned c = 0; c < 3; c++) {
		char text[4096] = "[experiment x] events=A";
		size_t used = strlen(text);

		for (unsigned i = 0; i < cases[c].items; i++) {
			used += (size_t)snprintf(text + used, sizeof text - used, " bytes=");
			memset(text + used, 'c', cases[c].digits);
			used += cases[c].digits;
		}
		assert_int_equal(parse_file(text), !c);
	}
	assert_non_null(strstr(error.text, "has more than 16 items"));
}

/* One of `length` bytes at every place of a full list, the others short. */
static void check_item(const struct option_row *r, unsigned place, size_t length)
{
	const struct option_list *list = (const void *)((const char *)&all.experiment[0] + r->offset);
	char value[OPTION_ITEM_TEXT + 2], text[1024];
	size_t used = (size_t)snprintf(text, sizeof text, "[experiment x] kernel=k%s",
				       strcmp(r->name, "events") ? " events=A" : "");

	fill(value, length, r->name);
	for (unsigned i = 0; i < OPTION_ITEMS; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, " %s=%s", r->name,
					 i == place ? value : "s");
	assert_int_equal(parse_file(text), length < OPTION_ITEM_TEXT);
	if (length >= OPTION_ITEM_TEXT) {
		assert_too_long(length, OPTION_ITEM_TEXT - 1);
		return;
	}
	assert_int_equal(list->count, OPTION_ITEMS);
	for (unsigned i = 0; i < OPTION_ITEMS; i++) {
		assert_kept(list->item[i].text, sizeof list->item[i].text, i == place ? value : "s");
		assert_int_equal(list->item[i].at.line, 1);
	}
}

static void items_of_lists(void **state)
{
	unsigned seen = 0;

	(void)state;
	for (const struct option_row *r = experiment_rows; r->name; r++) {
		if (r->kind != OPTION_LIST || is_special(r))
			continue;
		for (unsigned place = 0; place < OPTION_ITEMS; place++)
			for (size_t n = OPTION_ITEM_TEXT - 1; n <= OPTION_ITEM_TEXT + 1; n++)
				check_item(r, place, n);
		seen++;
	}
	assert_int_equal(seen, 3);
}

/* In one value, and in one for each; a list that is full takes blanks and commas, and nothing else. */
static void numbers_of_items(void **state)
{
	(void)state;
	for (const struct option_row *r = experiment_rows; r->name; r++) {
		const struct option_list *list = (const void *)((const char *)&all.experiment[0] + r->offset);

		for (unsigned n = OPTION_ITEMS - 1;
		     n <= OPTION_ITEMS + 1 && r->kind == OPTION_LIST && !is_special(r); n++)
			for (unsigned at_once = 0; at_once < 2; at_once++) {
				char text[512] = "[experiment x] kernel=k ";

				if (strcmp(r->name, "events"))
					strcat(text, "events=A ");
				for (unsigned i = 0; i < n; i++) {
					size_t used = strlen(text);

					snprintf(text + used, sizeof text - used, "%s%s%cI%u",
						 at_once && i ? "" : " ", at_once && i ? "" : r->name,
						 at_once && i ? ',' : '=', i);
				}
				strcat(text, at_once ? ",," : "");
				assert_int_equal(parse_file(text), n <= OPTION_ITEMS);
				if (n > OPTION_ITEMS) {
					assert_non_null(strstr(error.text, "has more than 16 items"));
					continue;
				}
				assert_int_equal(list->count, n);
				for (unsigned i = 0; i < n; i++) {
					char wanted[8];

					snprintf(wanted, sizeof wanted, "I%u", i);
					assert_string_equal(list->item[i].text, wanted);
				}
			}
	}
}

static void names_of_experiments(void **state)
{
	(void)state;
	for (size_t n = EXPERIMENT_NAME - 1; n <= EXPERIMENT_NAME + 1; n++) {
		char name[EXPERIMENT_NAME + 2], text[128];

		fill(name, n, "");
		snprintf(text, sizeof text, "[experiment %s] kernel=k events=A", name);
		assert_int_equal(parse_file(text), n < EXPERIMENT_NAME);
		if (n < EXPERIMENT_NAME) {
			assert_kept(all.experiment[0].name, EXPERIMENT_NAME, name);
			assert_int_equal(all.experiment[0].at.line, 1);
		} else {
			assert_non_null(strstr(error.text, "1 to 31 characters"));
		}
	}
}

static void numbers_of_experiments(void **state)
{
	(void)state;
	for (unsigned n = EXPERIMENTS_MAX - 1; n <= EXPERIMENTS_MAX + 1; n++) {
		static char text[64 * (EXPERIMENTS_MAX + 1)];
		size_t used = 0;

		for (unsigned i = 0; i < n; i++)
			used += (size_t)snprintf(text + used, sizeof text - used,
						 "[experiment x%u] kernel=k%u events=A%u\n", i, i, i);
		assert_int_equal(parse_file(text), n <= EXPERIMENTS_MAX);
		assert_int_equal(all.count, n <= EXPERIMENTS_MAX ? n : EXPERIMENTS_MAX);
		for (unsigned i = 0; i < all.count; i++) {
			char wanted[16];

			snprintf(wanted, sizeof wanted, "k%u", i);
			assert_string_equal(all.experiment[i].kernel, wanted);
			wanted[0] = 'A';
			assert_string_equal(all.experiment[i].events.item[0].text, wanted);
		}
	}
}

/* What a token itself has room for: its key, its value, plain and in quotes. */
static void tokens(void **state)
{
	(void)state;
	static struct token t;
	static char value[TOKEN_TEXT_MAX + 2], text[TOKEN_TEXT_MAX + 64];

	for (unsigned what = 0; what < 3; what++) {
		size_t room = what ? sizeof t.value : sizeof t.key;

		for (size_t n = room - 1; n <= room + 1; n++) {
			struct source s;

			fill(value, n, "");
			snprintf(text, sizeof text,
				 what == 0   ? "%s=v"
				 : what == 1 ? "k=%s"
					     : "k=\"%s\"",
				 value);
			memset(&t, 0xa5, sizeof t);
			assert_true(source_open(&s, text, strlen(text), "assay.cfg", &error));
			assert_int_equal(token_next(&s, &t), n < room ? TOKEN_PAIR : TOKEN_BAD);
			assert_true(memchr(t.key, 0, sizeof t.key) != NULL);
			if (n >= room) {
				assert_too_long(n, room - 1);
				continue;
			}
			assert_kept(t.key, sizeof t.key, what ? "k" : value);
			assert_kept(t.value, sizeof t.value, what ? value : "v");
			assert_int_equal(token_next(&s, &t), TOKEN_END);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_a_run),         cmocka_unit_test(texts_of_an_experiment),
		cmocka_unit_test(bytes_of_an_experiment), cmocka_unit_test(items_of_lists),
		cmocka_unit_test(numbers_of_items),       cmocka_unit_test(names_of_experiments),
		cmocka_unit_test(numbers_of_experiments), cmocka_unit_test(tokens),
	};

	return cmocka_run_group_tests_name("text limits", tests, NULL, NULL);
}
