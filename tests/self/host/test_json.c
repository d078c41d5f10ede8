/* The JSON writer and the document when memory runs out: whatever was complete stays, and stays valid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static unsigned allocations_left = ~0u;

static void *scarce_malloc(size_t size)
{
	if (!allocations_left)
		return NULL;
	allocations_left--;
	return malloc(size);
}

#define malloc scarce_malloc
#include "tests/report/json.c"
#include "tests/report/document.c"
#include "tests/self/host/support/report_run.h"
#undef malloc

static char *text_of(const struct json *j)
{
	char *text = malloc(j->size + 1), *at = text;

	for (const struct json_chunk *c = j->first; c; c = c->next) {
		memcpy(at, c->text, c->used);
		at += c->used;
	}
	*at = 0;
	assert_int_equal(at - text, j->size);
	return text;
}

static void expect(struct json *j, const char *text)
{
	char *is = text_of(j);

	assert_string_equal(is, text);
	free(is);
	json_free(j);
}

static void commas_and_brackets(void **state)
{
	struct json j = {0}, part = {0};

	(void)state;
	json_open(&j, NULL, '{');
	json_open(&j, "a", '[');
	json_close(&j, ']');
	json_bool(&j, "b", true);
	json_null(&j, "c");
	json_open(&j, "d", '[');
	json_unsigned(&j, NULL, 1);
	json_open(&j, NULL, '[');
	json_close(&j, ']');
	json_string(&j, NULL, "{");
	json_open(&j, NULL, '{');
	json_close(&j, '}');
	json_open(&j, NULL, '{');
	json_string(&j, "e", NULL);
	json_close(&j, '}');
	json_close(&j, ']');
	json_nest(&j, "f", '[', &part);
	json_members(&j, &part);
	json_unsigned(&part, "g", 1);
	json_members(&j, &part);
	json_nest(&j, "h", '{', &part);
	json_close(&j, '}');
	json_free(&part);
	expect(&j, "{\"a\":[],\"b\":true,\"c\":null,\"d\":[1,[],\"{\",{},\n{\"e\":null}],\"f\":[],\"g\":1,"
		   "\"h\":{\"g\":1}}");
}

static void numbers(void **state)
{
	struct json j = {0};

	(void)state;
	json_unsigned(&j, NULL, 0);
	json_unsigned(&j, NULL, UINT64_C(1) << 53);
	json_unsigned(&j, NULL, (UINT64_C(1) << 53) + 1);
	json_unsigned(&j, NULL, UINT64_MAX);
	json_signed(&j, NULL, -1);
	json_signed(&j, NULL, -(INT64_C(1) << 53));
	json_signed(&j, NULL, -(INT64_C(1) << 53) - 1);
	json_signed(&j, NULL, INT64_MIN);
	json_hex(&j, NULL, 0);
	json_hex(&j, NULL, UINT64_MAX);
	expect(&j, "0,9007199254740992,\"9007199254740993\",\"18446744073709551615\",-1,-9007199254740992,\"-"
		   "9007199254740993\","
		   "\"-9223372036854775808\",\"0x0\",\"0xffffffffffffffff\"");
}

static void text_is_escaped(void **state)
{
	static const struct {
		const char *in, *out;
	} rows[] = {
		{"", "\"\""},
		{"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"\n\t\x1f\x7f", "\"\\u000a\\u0009\\u001f\\u007f\""},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
		{"\xc3", "\"\\ufffd\""}, /* cut short */
		{"\xe2\x82", "\"\\ufffd\\ufffd\""},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\""}, /* overlong */
		{"\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""},
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},            /* surrogate */
		{"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}, /* beyond U+10FFFF */
		{"\xff"
		 "a",
		 "\"\\ufffda\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct json j = {0};

		json_string(&j, NULL, rows[i].in);
		expect(&j, rows[i].out);
	}
}

static void a_rollback_leaves_what_was_before(void **state)
{
	(void)state;
	for (unsigned left = 0; left < 12; left++) {
		struct json j = {0};
		struct json_mark mark;
		static char big[3 * CHUNK];
		char *text;

		memset(big, 'x', sizeof big - 1);
		json_string(&j, NULL, "kept");
		mark = json_mark(&j);
		allocations_left = left;
		json_string(&j, NULL, big);
		allocations_left = ~0u;
		assert_int_equal(j.failed, left < 6); /* three more chunks, two pieces each */
		if (j.failed) {
			json_rollback(&j, &mark);
			assert_false(j.failed);
		}
		json_unsigned(&j, NULL, 7); /* and it goes on */
		text = text_of(&j);
		assert_int_equal(strncmp(text, "\"kept\",", 7), 0);
		assert_string_equal(text + strlen(text) - 2, ",7");
		free(text);
		json_free(&j);
	}
}

/* Wherever something had no room, what follows is written as if it had never begun: commas and all. */
static void a_rollback_forgets_where_it_was(void **state)
{
	static const char *const begun[] = {"{", "[", "{\"a\":1", "[1", "1", "\"x\"", "{\"a\":{", "[]"};

	(void)state;
	for (unsigned members = 0; members < 3; members++)
		for (unsigned i = 0; i < sizeof begun / sizeof begun[0]; i++) {
			struct json j = {0}, whole = {0};
			struct json_mark mark;
			char *text;

			json_open(&j, NULL, '[');
			json_open(&whole, NULL, '[');
			for (unsigned m = 0; m < members; m++) {
				json_unsigned(&j, NULL, m);
				json_unsigned(&whole, NULL, m);
			}
			mark = json_mark(&j);
			for (const char *c = begun[i]; *c; c++)
				switch (*c) {
				case '{':
				case '[':
					json_open(&j, c == begun[i] || c[-1] == '[' ? NULL : "b", *c);
					break;
				case ']':
					json_close(&j, ']');
					break;
				case '1':
				case 'x':
					json_unsigned(&j, NULL, 1);
					break;
				default:
					break;
				}
			json_rollback(&j, &mark);
			json_open(&j, NULL, '{');
			json_close(&j, '}');
			json_close(&j, ']');
			json_open(&whole, NULL, '{');
			json_close(&whole, '}');
			json_close(&whole, ']');
			text = text_of(&whole);
			expect(&j, text);
			free(text);
			json_free(&whole);
		}
}

struct pieces {
	char text[1 << 20];
	size_t size, most;
};

static bool take_piece(void *to, const char *text, size_t size)
{
	struct pieces *p = to;

	if (p->most - p->size <= size)
		return false;
	memcpy(p->text + p->size, text, size);
	p->size += size;
	return true;
}

static void a_sink_gets_what_chunks_would_hold(void **state)
{
	static struct pieces p = {.most = 64};
	struct json j = {.sink = take_piece, .to = &p}, part = {0};

	(void)state;
	json_string(&part, NULL, "x");
	json_unsigned(&part, NULL, 1);
	allocations_left = 0;
	json_open(&j, NULL, '{');
	json_nest(&j, "a", '[', &part);
	json_bool(&j, "b", true);
	json_close(&j, '}');
	allocations_left = ~0u;
	assert_false(j.failed);
	assert_string_equal(p.text, "{\"a\":[\"x\",1],\"b\":true}");
	assert_int_equal(j.size, p.size);
	for (unsigned i = 0; i < p.most; i++)
		json_unsigned(&j, "c", i);
	assert_true(j.failed);
	assert_true(p.size < p.most);
	json_free(&part);
}

static bool valid(const char *text)
{
	char path[] = "/tmp/assay-test-XXXXXX", line[128];
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	snprintf(line, sizeof line, "python3 scripts/validate-report %s", path);
	status = system(line);
	unlink(path);
	return status == 0;
}

/* Each record in turn finds no memory: it is missing, the document is valid and says that something is lost.
 */
static void a_document_survives_every_shortage(void **state)
{
	static struct report_totals totals;
	static struct pieces whole;
	static char name[CHUNK];
	static struct pmu_snapshot snapshot;
	unsigned lost_most = 0;

	(void)state;
	memset(name, 'n', sizeof name - 1); /* every record needs a chunk */
	for (unsigned left = 0; left < 26; left += 3) {
		struct result r = {.suite = "s", .name = name};
		unsigned lost = 0;

		allocations_left = ~0u;
		document_begin(&fake_header);
		memset(&totals, 0, sizeof totals);
		allocations_left = left;
		lost += !document_note(name);
		lost += !document_snapshot(&snapshot, NULL);
		lost += !document_suite_begin("s", name);
		for (unsigned i = 0; i < 3; i++) {
			name[0] = (char)('a' + i);
			if (document_result(&r)) {
				totals.checks++;
				totals.verdicts[VERDICT_EXACT]++;
			} else {
				lost++;
			}
		}
		lost += !document_value("s", "v", name, NULL);
		lost += !document_suite_end();
		/* Handing it over takes no more memory. */
		allocations_left = 0;
		memset(&whole, 0, sizeof whole);
		whole.most = sizeof whole.text;
		assert_true(document_write(&totals, true, lost, take_piece, &whole));
		allocations_left = ~0u;
		assert_true(valid(whole.text));
		assert_int_equal(strstr(whole.text, "\"complete\":true,\"lost\":0") != NULL, lost == 0);
		if (lost > lost_most)
			lost_most = lost;
	}
	assert_true(lost_most >= 6);
	document_begin(&fake_header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_and_brackets),
		cmocka_unit_test(numbers),
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(a_rollback_leaves_what_was_before),
		cmocka_unit_test(a_rollback_forgets_where_it_was),
		cmocka_unit_test(a_sink_gets_what_chunks_would_hold),
		cmocka_unit_test(a_document_survives_every_shortage),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
