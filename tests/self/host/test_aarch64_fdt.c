/* Device trees: every node once with its properties, lists of names, cells of every size, and trees that are broken. */
#include "arch/aarch64/fdt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* --- a writer of flattened trees (Devicetree Specification 0.4, chapter 5) --- */

#define HEADER  40
#define STRINGS 1024 /* where they begin */

static uint8_t blob[2048];
static size_t at, strings;

static void word(size_t where, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		blob[where + i] = (uint8_t)(value >> (24 - 8 * i));
}

static void put(uint32_t value)
{
	word(at, value);
	at += 4;
}

static void begin(void)
{
	memset(blob, 0, sizeof blob);
	at = HEADER;
	strings = STRINGS;
}

static void node(const char *name)
{
	put(1);
	strcpy((char *)blob + at, name);
	at += (strlen(name) + 4) & ~(size_t)3;
}

static void property(const char *name, const void *data, size_t size)
{
	put(3);
	put((uint32_t)size);
	put((uint32_t)(strings - STRINGS));
	strcpy((char *)blob + strings, name);
	strings += strlen(name) + 1;
	memcpy(blob + at, data, size);
	at += (size + 3) & ~(size_t)3;
}

static void text(const char *name, const char *value)
{
	property(name, value, strlen(value) + 1);
}

static void cells(const char *name, unsigned n, ...)
{
	uint8_t data[64];
	va_list ap;

	va_start(ap, n);
	for (unsigned i = 0; i < n; i++) {
		uint32_t v = va_arg(ap, uint32_t);

		for (unsigned b = 0; b < 4; b++)
			data[4 * i + b] = (uint8_t)(v >> (24 - 8 * b));
	}
	va_end(ap);
	property(name, data, 4 * n);
}

static void close_node(void)
{
	put(2);
}

/* In memory of its own size, so that a byte too many that is read is told. */
static uint8_t *finish(void)
{
	uint8_t *copy = malloc(strings);

	put(9);
	word(0, 0xd00dfeed);
	word(4, (uint32_t)strings);
	word(8, HEADER);
	word(12, STRINGS);
	memcpy(copy, blob, strings);
	return copy;
}

/* --- tests --- */

static char log_text[1024];

static void each(void *arg, const struct fdt_node *n)
{
	uint64_t address = 0, size = 0;
	unsigned regs = 0;

	(void)arg;
	while (fdt_reg(n, regs, &address, &size))
		regs++;
	snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%u %s<%s %s %u:%lx+%lx %s\n", n->depth,
		 n->name, n->parent, n->status ? n->status : "-", regs, (unsigned long)address, (unsigned long)size,
		 fdt_usable(n) ? "usable" : "not usable");
}

static void nodes_are_told_once(void **state)
{
	uint8_t *tree;

	(void)state;
	begin();
	node("");
	cells("#address-cells", 1, 2);
	cells("#size-cells", 1, 1);
	node("memory@40000000");
	cells("reg", 6, 1, 0x40000000, 0x1000, 2, 0x80000000, 0x2000);
	close_node();
	put(4);
	node("soc");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 2);
	text("status", "okay");
	node("uart@9");
	text("status", "disabled");
	cells("reg", 3, 0x9000000, 1, 0x10);
	close_node();
	close_node();
	node("last");
	text("status", "ok");
	close_node();
	close_node();
	tree = finish();
	*log_text = 0;
	assert_true(fdt_each(tree, each, NULL));
	assert_string_equal(log_text, "0 < - 0:0+0 usable\n"
				      "1 memory@40000000< - 2:280000000+2000 usable\n"
				      "1 soc< okay 0:0+0 usable\n"
				      "2 uart@9<soc disabled 1:9000000+100000010 not usable\n"
				      "1 last< ok 0:0+0 usable\n");
	free(tree);
}

static const char list[] = "arm,gic-700\0arm,gic-v3\0arm,gic";

static void look(void *arg, const struct fdt_node *n)
{
	static const struct {
		const char *name;
		bool is;
	} of[] = {{"arm,gic-700", true}, {"arm,gic-v3", true}, {"arm,gic", true}, {"gic-v3", false},
		  {"arm,gic-v", false},	 {"arm,gic-v33", false}, {"", false}};

	for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
		if (fdt_compatible(n, of[i].name) != of[i].is)
			fail_msg("\"%s\"", of[i].name);
	++*(unsigned *)arg;
}

static void none(void *arg, const struct fdt_node *n)
{
	assert_false(fdt_compatible(n, "arm,gic"));
	++*(unsigned *)arg;
}

/* Most particular first, each with its end (2.3.1). */
static void any_of_the_compatible_names_counts(void **state)
{
	unsigned calls = 0;
	uint8_t *tree;

	(void)state;
	begin();
	node("");
	property("compatible", list, sizeof list);
	close_node();
	tree = finish();
	assert_true(fdt_each(tree, look, &calls));
	free(tree);
	begin();
	node("");
	text("model", "arm,gic");
	close_node();
	tree = finish();
	assert_true(fdt_each(tree, none, &calls));
	free(tree);
	assert_int_equal(calls, 2);
}

static void ignore(void *arg, const struct fdt_node *n)
{
	(void)arg, (void)n;
}

static void broken_trees_are_refused(void **state)
{
	uint8_t *tree;

	(void)state;
	for (unsigned what = 0; what < 5; what++) {
		begin();
		node("");
		text("model", "m");
		if (what == 1)
			close_node(), close_node(); /* one that was not open */
		if (what == 2)
			put(7);
		if (what == 3) {
			put(3);
			put(5000); /* longer than the tree */
			put(0);
		}
		if (what != 1)
			close_node();
		tree = finish();
		if (what == 4)
			tree[3] = 0;
		assert_int_equal(fdt_each(tree, ignore, NULL), what == 0);
		assert_int_equal(fdt_size(tree), what == 4 ? 0 : strings);
		free(tree);
	}
	assert_int_equal(fdt_size(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_told_once),
		cmocka_unit_test(any_of_the_compatible_names_counts),
		cmocka_unit_test(broken_trees_are_refused),
	};

	return cmocka_run_group_tests_name("device trees", tests, NULL, NULL);
}
