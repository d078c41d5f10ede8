/*
 * Writes the decode tables of A64 instructions (arch/aarch64/step/insn_table.h) by asking Capstone.
 *
 *	decodegen > build/aarch64/gen/insn_tables.c
 *
 * The space of words is divided field by field, from the main groups on (Arm ARM, C4.1), until all words of a
 *part have the same form: samples of it are asked for, with each value of each field that is left, and random
 *ones. What has one register or operation among thousands, which is system instructions, is gone through
 *whole. Equal parts are shared. In the end random words of every main group are held against Capstone once
 *more: one that the graph leads elsewhere ends this program, and the build.
 */
#include "tools/aarch64/decodegen.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FORMS 0x7fff
#define MAX_NODES 0x7fff
#define PROOFS    2000000u

struct field {
	uint8_t low, bits;
};

/* Fields of words, in the order in which they are asked for where they matter: main groups (Arm ARM, C4.1),
 * operations, registers. */
static const struct field fields[] = {{25, 4}, {29, 3}, {21, 4}, {12, 4}, {10, 2},
				      {16, 5}, {5, 5},  {0, 5},  {0, 0}};
#define LEADING      3 /* these are asked for in any case */
#define LEADING_MASK UINT32_C(0xffe00000)

#define OPERATIONS UINT32_C(0x001ffc00) /* one of them among thousands may differ */

#define SYSTEM_MASK  UINT32_C(0xffc00000)
#define SYSTEM_VALUE UINT32_C(0xd5000000)
#define REGISTER_T   UINT32_C(0x1f)

static struct insn_form forms[MAX_FORMS];
static uint16_t nodes[MAX_NODES];
static unsigned n_forms, n_nodes;
static uint64_t seed = 0x9e3779b97f4a7c15;

static uint32_t random32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

static uint32_t field_mask(const struct field *f)
{
	return ((UINT32_C(1) << f->bits) - 1) << f->low;
}

/* --- a part of the space ----------------------------------------------------------------------------- */

/** Words with these values where the mask has ones. */
struct part {
	uint32_t mask, value;
};

static uint32_t random_word(const struct part *p)
{
	return (random32() & ~p->mask) | p->value;
}

static bool alike(uint32_t word, const struct answer *first)
{
	struct answer other;

	form_of(word, &other);
	return other.mode == first->mode && !memcmp(&other.form, &first->form, sizeof other.form);
}

/** Whether samples of a part have one form. */
static bool is_one(const struct part *p, struct answer *first)
{
	uint32_t free_bits, each = 0;

	form_of(p->value, first);
	for (const struct field *f = fields + LEADING; f->bits; f++)
		for (uint32_t v = 0; v < 1u << f->bits && !(p->mask & field_mask(f)); v++) {
			uint32_t low = p->value | v << f->low;

			if (!alike(low, first))
				return false;
			/* With the other fields at random and all ones, if there are any. */
			if ((p->mask | field_mask(f)) != UINT32_MAX &&
			    (!alike((random_word(p) & ~field_mask(f)) | low, first) ||
			     !alike((~p->mask & ~field_mask(f)) | low, first)))
				return false;
		}
	/* Each value of those of bits 20 to 10 that are free. */
	free_bits = ~p->mask & OPERATIONS;
	do {
		for (unsigned n = 0; n < 2; n++)
			if (!alike((random_word(p) & ~OPERATIONS) | (p->value & OPERATIONS) | each, first))
				return false;
		each = (each - free_bits) & free_bits;
	} while (each);
	return true;
}

/** Number of the form of a part that has one. */
static uint16_t leaf(const struct part *p, const struct answer *first)
{
	struct insn_form f = first->form;
	unsigned i = 0;

	if (first->mode) {
		f.offset = form_offset(p->value, first);
		for (unsigned n = 0; n < 4; n++) {
			struct insn_offset o = form_offset(random_word(p), first);

			if (memcmp(&o, &f.offset, sizeof o))
				die("offsets that are not in the same place", p->value);
		}
	}
	while (i < n_forms && memcmp(&forms[i], &f, sizeof f))
		i++;
	if (i == MAX_FORMS)
		die("too many forms", p->value);
	if (i == n_forms)
		forms[n_forms++] = f;
	return (uint16_t)i;
}

/* --- the graph --------------------------------------------------------------------------------------- */

static uint16_t find_node(uint16_t header, const uint16_t *child, unsigned n)
{
	for (unsigned i = 0; i < n_nodes; i += 2 + (nodes[i] >> 5))
		if (nodes[i] == header && !memcmp(&nodes[i + 1], child, n * sizeof *child))
			return (uint16_t)(INSN_NODE | i);
	if (n_nodes + 1 + n > MAX_NODES)
		die("too many nodes", 0);
	nodes[n_nodes] = header;
	memcpy(&nodes[n_nodes + 1], child, n * sizeof *child);
	n_nodes += 1 + n;
	return (uint16_t)(INSN_NODE | (n_nodes - 1 - n));
}

/** Whether a change of this field alone changes the form of samples. */
static bool matters(const struct part *p, const struct field *f)
{
	for (unsigned n = 0; n < 64; n++) {
		uint32_t word = random_word(p);
		struct answer first;

		form_of(word, &first);
		for (uint32_t v = 1; v < 1u << f->bits; v++)
			if (!alike(word ^ v << f->low, &first))
				return true;
	}
	return false;
}

static const struct field *next_field(const struct part *p, bool any)
{
	const struct field *next = NULL;

	for (const struct field *f = fields; f->bits; f++) {
		if (p->mask & field_mask(f))
			continue;
		if (any || f < fields + LEADING || matters(p, f))
			return f;
		if (!next)
			next = f;
	}
	return next;
}

static uint16_t divide(const struct part *p)
{
	bool is_system = (p->mask & SYSTEM_MASK) == SYSTEM_MASK && (p->value & SYSTEM_MASK) == SYSTEM_VALUE;
	bool known = (p->mask & LEADING_MASK) == LEADING_MASK &&
		     !(is_system && (p->mask | REGISTER_T) != UINT32_MAX);
	const struct field *f;
	uint16_t child[32];
	struct answer first;
	unsigned n, same = 0;

	if (known && is_one(p, &first))
		return leaf(p, &first);
	f = next_field(p, is_system);
	if (!f)
		die("a word with two forms", p->value);
	n = 1u << f->bits;
	for (unsigned i = 0; i < n; i++) {
		struct part q = {p->mask | field_mask(f), p->value | i << f->low};

		child[i] = divide(&q);
		same += child[i] == child[0];
	}
	return same == n ? child[0] : find_node((uint16_t)(f->low | (n - 1) << 5), child, n);
}

static const struct insn_form *walk(uint16_t at, uint32_t word)
{
	while (at & INSN_NODE) {
		const uint16_t *node = &nodes[at & ~INSN_NODE];

		at = node[1 + (word >> (node[0] & 31) & node[0] >> 5)];
	}
	return &forms[at];
}

static int64_t offset_of(uint32_t word, const struct insn_offset *o)
{
	int64_t value = (int64_t)(word >> o->low & ((1u << o->bits) - 1)) << o->shift;

	return o->sign && word >> o->sign & 1 ? value - ((int64_t)1 << (o->bits + o->shift)) : value;
}

/** Words that took no part in making the graph. */
static void prove(uint16_t root)
{
	for (uint32_t n = 0; n < PROOFS; n++) {
		uint32_t word = n & 7 ? (random32() & 0xe1ffffff) | (n & 15) << 25
				      : (random32() & ~SYSTEM_MASK) | SYSTEM_VALUE;
		struct insn_form f = *walk(root, word);
		struct answer a;

		form_of(word, &a);
		if (a.mode && offset_of(word, &f.offset) != form_displacement(word))
			die("an offset that Capstone has otherwise", word);
		if (a.mode)
			f.offset = (struct insn_offset){0};
		if (memcmp(&f, &a.form, sizeof f))
			die("a word that the graph leads to another form", word);
	}
}

/* --- output ------------------------------------------------------------------------------------------ */

static void write_tables(FILE *out, uint16_t root)
{
	fprintf(out, "/* Written by tools/aarch64/decodegen: %u forms, %u node words, %u classes. */\n",
		n_forms, n_nodes, class_count());
	fprintf(out, "#include \"arch/aarch64/step/insn_table.h\"\n\nconst uint16_t insn_root = %#x;\n\n", root);
	fprintf(out, "const struct insn_form insn_forms[] = {\n");
	for (unsigned i = 0; i < n_forms; i++) {
		const struct insn_form *f = &forms[i];

		fprintf(out, "\t{%u, %#x, %u, %u, %u, %u, {%u, %u, %u, %u}, %u, %u},\n", f->klass, f->flags,
			f->branch, f->condition, f->accesses, f->bytes, f->offset.low, f->offset.bits,
			f->offset.shift, f->offset.sign, f->index, f->index_shift);
	}
	fprintf(out, "};\n\nconst uint16_t insn_nodes[] = {");
	for (unsigned i = 0; i < n_nodes; i++)
		fprintf(out, "%s%u,", i % 16 ? "" : "\n\t", nodes[i]);
	fprintf(out, "\n};\n\n");
	write_classes(out);
}

int main(void)
{
	struct part all = {0, 0};
	uint16_t root;

	form_begin();
	root = divide(&all);
	prove(root);
	write_tables(stdout, root);
	if (ferror(stdout) | fclose(stdout))
		die("cannot write the output", 0);
	return 0;
}
