/*
 * Writes the instruction decoder's tables by asking Zydis about the whole opcode space of 64-bit mode, or of
 * 32-bit protected mode on CPUs without 64-bit mode, none of which knows VEX, EVEX or XOP.
 *
 *	decodegen > build/gen/insn_tables.c
 *	decodegen 32 > build/ia32/gen/insn_tables.c
 *
 * For every opcode of every map a function from the encoding's features (arch/x86/step/insn_table.h) to a
 *leaf is sampled, point by point, and stored as a decision graph in which equal parts are shared. What an
 * instruction contributes follows from Zydis' operands; tools/x86/decodegen_class.c holds the rules.
 */
#include "tools/x86/decodegen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LEAVES 16384
#define MAX_NODES  0x7fff

static struct insn_leaf leaves[MAX_LEAVES] = {{.klass = 0}};
static unsigned n_leaves = 1;
static uint16_t nodes[MAX_NODES];
static unsigned n_nodes;
static uint16_t maps[MAP_COUNT][256];

static ZydisDecoder decoder;
static bool narrow; /* 32-bit mode */

_Noreturn void die(const char *what)
{
	fprintf(stderr, "decodegen: %s\n", what);
	exit(1);
}

/* --- encodings -------------------------------------------------------------------------------------- */

/** One encoding to ask about, spelled out field by field. */
struct encoding {
	enum insn_map map;
	uint8_t opcode;
	bool p66, lock, w, evex_b;
	uint8_t rep; /* as FEATURE_REP */
	uint8_t length_bits;
	uint8_t mod, reg, rm;
	uint8_t index; /* SIB index when rm is 4 */
	uint8_t v;     /* true sense */
	bool r, x, b, r2, v2, z;
	uint8_t aaa;
};

static const uint8_t map_number[MAP_COUNT] = {
	[MAP_VEX1] = 1,  [MAP_VEX2] = 2,  [MAP_VEX3] = 3, [MAP_EVEX1] = 1, [MAP_EVEX2] = 2, [MAP_EVEX3] = 3,
	[MAP_EVEX5] = 5, [MAP_EVEX6] = 6, [MAP_XOP8] = 8, [MAP_XOP9] = 9,  [MAP_XOPA] = 10,
};

static bool is_evex(enum insn_map map)
{
	return map >= MAP_EVEX1 && map <= MAP_EVEX6;
}

static bool is_legacy(enum insn_map map)
{
	return map <= MAP_3DNOW;
}

static unsigned spell(const struct encoding *e, uint8_t out[32])
{
	unsigned n = 0;
	memset(out, 0, 32);
	if (is_legacy(e->map)) {
		if (e->lock)
			out[n++] = 0xf0;
		if (e->p66)
			out[n++] = 0x66;
		if (e->rep)
			out[n++] = e->rep == 1 ? 0xf3 : 0xf2;
		if (e->w || e->r || e->x || e->b)
			out[n++] = (uint8_t)(0x40 | e->w << 3 | e->r << 2 | e->x << 1 | e->b);
		if (e->map != MAP_LEGACY)
			out[n++] = 0x0f;
		if (e->map == MAP_0F38)
			out[n++] = 0x38;
		if (e->map == MAP_0F3A)
			out[n++] = 0x3a;
		if (e->map == MAP_3DNOW)
			out[n++] = 0x0f;
	} else if (is_evex(e->map)) {
		out[n++] = 0x62;
		out[n++] = (uint8_t)((e->r ? 0 : 0x80) | (e->x ? 0 : 0x40) | (e->b ? 0 : 0x20) |
				     (e->r2 ? 0 : 0x10) | map_number[e->map]);
		out[n++] = (uint8_t)((e->w ? 0x80 : 0) | (~e->v & 15) << 3 | 4 | e->rep);
		out[n++] = (uint8_t)((e->z ? 0x80 : 0) | e->length_bits << 5 | (e->evex_b ? 0x10 : 0) |
				     (e->v2 ? 0 : 8) | e->aaa);
	} else {
		out[n++] = e->map >= MAP_XOP8 ? 0x8f : 0xc4;
		out[n++] = (uint8_t)((e->r ? 0 : 0x80) | (e->x ? 0 : 0x40) | (e->b ? 0 : 0x20) |
				     map_number[e->map]);
		out[n++] = (uint8_t)((e->w ? 0x80 : 0) | (~e->v & 15) << 3 | e->length_bits << 2 | e->rep);
	}
	if (e->map != MAP_3DNOW)
		out[n++] = e->opcode;
	out[n++] = (uint8_t)(e->mod << 6 | e->reg << 3 | e->rm);
	if (e->mod != 3) {
		if (e->rm == 4)
			out[n++] = (uint8_t)(e->index << 3);
		if (e->mod == 1)
			out[n++] = 1; /* disp8, whose scale shows */
		if (e->mod == 0 && e->rm == 5)
			n += 4;
	}
	if (e->map == MAP_3DNOW)
		out[n++] = e->opcode;
	return n;
}

/** Knights Corner, whose encodings Zydis accepts too, is no processor of this project. In 32-bit mode 62, C4
 * and C5 are BOUND, LES and LDS alone. */
static bool exists(const ZydisDecodedInstruction *in)
{
	if (narrow && in->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    in->encoding != ZYDIS_INSTRUCTION_ENCODING_3DNOW)
		return false;
	return in->meta.isa_ext != ZYDIS_ISA_EXT_KNC && in->meta.isa_ext != ZYDIS_ISA_EXT_KNCE &&
	       in->meta.isa_ext != ZYDIS_ISA_EXT_KNCV;
}

static bool ask(const struct encoding *e, struct answer *a)
{
	spell(e, a->bytes);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, a->bytes, 15, &a->in, a->op)) && exists(&a->in);
}

static ZyanStatus try(const struct encoding *e)
{
	uint8_t bytes[32];
	ZydisDecodedInstruction in;
	spell(e, bytes);
	ZyanStatus s = ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, 15, &in);
	return ZYAN_SUCCESS(s) && !exists(&in) ? ZYDIS_STATUS_DECODING_ERROR : s;
}

static bool valid(const struct encoding *e)
{
	return ZYAN_SUCCESS(try(e));
}

/* --- from an encoding to a leaf --------------------------------------------------------------------- */

static uint8_t other_than(uint8_t a, uint8_t b)
{
	for (uint8_t i = 1;; i++)
		if (i != a && i != b)
			return i;
}

/**
 * Some instructions want a mask register, or registers that differ. Find a variant of *e that decodes,
 * changing only fields that are not features.
 */
static bool find_base(struct encoding *e)
{
	ZyanStatus status = try(e);
	if (ZYAN_SUCCESS(status))
		return true;
	/* No such opcode at all: no register helps. */
	if (is_legacy(e->map) || status == ZYDIS_STATUS_DECODING_ERROR)
		return false;
	static const uint8_t variants[] = {1, 2, 3, 6, 7, 4, 5};
	struct encoding base = *e;
	for (unsigned i = 0; i < sizeof variants; i++) {
		unsigned variant = variants[i];
		*e = base;
		e->aaa = variant & 1;
		if (variant & 2)
			e->v = other_than(e->reg, e->mod == 3 ? e->rm : e->index);
		e->r = variant & 4;
		if (valid(e))
			return true;
	}
	return false;
}

static bool valid_v(struct encoding e, unsigned v)
{
	e.v = (uint8_t)v;
	return valid(&e);
}

static bool valid_rm(struct encoding e, uint8_t rm)
{
	e.rm = rm;
	return valid(&e);
}

static bool valid_index(struct encoding e, uint8_t index)
{
	e.index = index;
	return valid(&e);
}

/** Whether some value of vvvv with this bit set is allowed (a single one might only clash with another
 * register). */
static bool valid_v_bit(const struct encoding *e, unsigned bit)
{
	for (unsigned v = 1u << bit; v < 2u << (bit < 3 ? 2 : 3); v++)
		if (v >> bit & 1 && valid_v(*e, v))
			return true;
	return false;
}

/** Extension fields that make the encoding invalid when set. */
static uint16_t must_be_zero(const struct encoding *base)
{
	uint16_t mask = 0;
	struct encoding e;

	if (narrow)
		return 0;
	/* If it fails, once more with another register operand: it may have clashed with that one. */
#define PROBE(bit, field, value)                                                                             \
	do {                                                                                                 \
		e = *base;                                                                                   \
		e.field = value;                                                                             \
		if (valid(&e))                                                                               \
			break;                                                                               \
		e.r = !base->r;                                                                              \
		if (is_legacy(base->map) || !valid(&e))                                                      \
			mask |= bit;                                                                         \
	} while (0)

	PROBE(EXT_B, b, true);
	PROBE(EXT_X, x, true);
	e = *base;
	e.r = true;
	if (!valid(&e))
		mask |= EXT_R;
	if (is_legacy(base->map))
		return mask;
	for (unsigned i = 0; i < 4; i++)
		if (!valid_v_bit(base, i))
			mask |= (uint16_t)(1 << (EXT_V + i));
	if (is_evex(base->map)) {
		PROBE(EXT_R2, r2, true);
		PROBE(EXT_V2, v2, true);
		if (!base->aaa)
			PROBE(EXT_AAA, aaa, 1);
		if (!(mask & EXT_AAA)) {
			e = *base;
			e.aaa = 1;
			e.z = true;
			if (!valid(&e))
				mask |= EXT_Z;
		} else {
			mask |= EXT_Z;
		}
	}
#undef PROBE
	return mask;
}

/** Which pairs of register operands must differ. */
static uint16_t distinctness(const struct encoding *base)
{
	if (is_legacy(base->map))
		return 0;
	uint16_t flags = 0;
	bool memory = base->mod != 3, indexed = memory && base->rm == 4;
	struct encoding e = *base;
	uint8_t third = other_than(e.reg, memory ? e.index : e.rm);
	bool uses_v = valid_v(e, third);
	e.r = false;
	if (uses_v) {
		if (!valid_v(e, e.reg))
			flags |= LEAF_REG_V;
		if (indexed && !valid_v(e, e.index))
			flags |= LEAF_V_INDEX;
		if (!memory && e.rm != e.reg && !valid_v(e, e.rm))
			flags |= LEAF_V_RM;
		e.v = third;
	}
	if (indexed && !valid_index(e, e.reg))
		flags |= LEAF_REG_INDEX;
	if (!memory && valid_rm(e, other_than(e.reg, e.v)) && !valid_rm(e, e.reg))
		flags |= LEAF_REG_RM;
	return flags;
}

static unsigned find_leaf(const struct insn_leaf *leaf)
{
	static uint16_t hash[65536];
	uint32_t h = 2166136261u;
	for (unsigned i = 0; i < sizeof *leaf; i++)
		h = (h ^ ((const uint8_t *)leaf)[i]) * 16777619u;
	for (h = (h ^ h >> 16) & 0xffff; hash[h]; h = (h + 1) & 0xffff)
		if (!memcmp(&leaves[hash[h]], leaf, sizeof *leaf))
			return hash[h];
	if (n_leaves == MAX_LEAVES)
		die("too many leaves");
	leaves[n_leaves] = *leaf;
	hash[h] = (uint16_t)n_leaves;
	return n_leaves++;
}

static unsigned log2_of(unsigned n)
{
	unsigned l = 0;
	while (n > 1u << l)
		l++;
	return l;
}

/** Bytes of immediate; where Zydis finds an address (moffs), the displacement is it. */
static unsigned immediate_bytes(const struct answer *a)
{
	unsigned n = (a->in.raw.imm[0].size + a->in.raw.imm[1].size) / 8;
	if (!(a->in.attributes & ZYDIS_ATTRIB_HAS_MODRM) && a->in.raw.disp.size)
		n += a->in.raw.disp.size / 8;
	return n;
}

static uint16_t make_leaf(struct encoding e)
{
	struct answer a;
	if (!find_base(&e) || !ask(&e, &a))
		return 0;

	struct insn_leaf leaf = {.klass = 0};
	struct classification c;
	classify(&a, &c);
	leaf.klass = class_number(&c);
	leaf.special = c.special;
	leaf.must_zero = must_be_zero(&e);
	leaf.flags = distinctness(&e) | (c.locked ? LEAF_LOCKED : 0) | (c.pop_operand ? LEAF_POP : 0);
	unsigned shift = c.operand_size ? log2_of(c.operand_size) : 0;

	if (a.in.attributes & ZYDIS_ATTRIB_HAS_MODRM) {
		leaf.flags |= LEAF_MODRM;
		if (e.mod == 1 && !a.in.raw.disp.size) {
			leaf.flags |= LEAF_REGISTER;
		} else if (e.mod == 1) {
			for (unsigned i = 0; i < a.in.operand_count; i++)
				if (a.op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
				    a.op[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
					shift = log2_of((unsigned)a.op[i].mem.disp.value);
			struct encoding rip = e;
			rip.mod = 0;
			rip.rm = 5;
			if (!valid(&rip))
				leaf.flags |= LEAF_NO_RIP;
		}
	} else if (a.in.raw.disp.size) {
		leaf.flags |= LEAF_MOFFS;
	}
	if (e.map == MAP_3DNOW)
		leaf.sizes = 1;
	else
		leaf.sizes = (uint8_t)immediate_bytes(&a);
	leaf.sizes |= (uint8_t)(shift << 4);
	if (e.aaa && is_evex(e.map)) {
		struct encoding none = e;
		none.aaa = 0;
		if (!valid(&none))
			leaf.flags |= LEAF_NEED_AAA;
	}
	if (is_legacy(e.map)) {
		struct encoding locked = e;
		locked.lock = true;
		if (valid(&locked))
			leaf.flags |= LEAF_LOCK_OK;
	}
	return (uint16_t)find_leaf(&leaf);
}

/* --- decision graphs -------------------------------------------------------------------------------- */

struct feature {
	uint8_t shift, bits;
};

/* Order of the questions: what tells most comes first. */
static const struct feature legacy_order[] = {{FEATURE_REP, 2}, {FEATURE_66, 1}, {FEATURE_MOD3, 1},
					      {FEATURE_REG, 3}, {FEATURE_W, 1},  {FEATURE_R, 1},
					      {FEATURE_B, 1},   {FEATURE_RM, 3}, {0, 0}};
static const struct feature vex_order[] = {
	{FEATURE_REP, 2},  {FEATURE_L, 2},   {FEATURE_W, 1},  {FEATURE_EVEX_B, 1},
	{FEATURE_MOD3, 1}, {FEATURE_REG, 3}, {FEATURE_RM, 3}, {0, 0}};

static uint16_t memo[1 << 15];

static uint16_t find_node(uint16_t header, const uint16_t *child, unsigned n)
{
	static uint16_t chain[MAX_NODES], head[4096];
	uint32_t h = header * 2654435761u;
	for (unsigned i = 0; i < n; i++)
		h = (h ^ child[i]) * 16777619u;
	h = (h ^ h >> 13) & 4095;
	for (unsigned i = head[h]; i; i = chain[i - 1])
		if (nodes[i - 1] == header && !memcmp(&nodes[i], child, n * sizeof *child))
			return (uint16_t)(INSN_NODE | (i - 1));
	if (n_nodes + 1 + n >= MAX_NODES)
		die("too many nodes");
	unsigned at = n_nodes;
	nodes[at] = header;
	memcpy(&nodes[at + 1], child, n * sizeof *child);
	n_nodes += 1 + n;
	chain[at] = head[h];
	head[h] = (uint16_t)(at + 1);
	return (uint16_t)(INSN_NODE | at);
}

static uint16_t build(const struct feature *order, unsigned word)
{
	if (!order->bits)
		return memo[word];
	uint16_t child[8];
	unsigned n = 1u << order->bits;
	bool same = true;
	for (unsigned i = 0; i < n; i++) {
		child[i] = build(order + 1, word | i << order->shift);
		same &= child[i] == child[0];
	}
	return same ? child[0] : find_node((uint16_t)(order->shift | (n - 1) << 5), child, n);
}

static unsigned feature(unsigned word, unsigned shift, unsigned bits)
{
	return word >> shift & ((1u << bits) - 1);
}

/** Sample one opcode at every point of its feature space. */
static uint16_t opcode_entry(enum insn_map map, uint8_t opcode)
{
	const struct feature *order = is_legacy(map) ? legacy_order : vex_order;
	unsigned used = 0;
	for (const struct feature *f = order; f->bits; f++)
		used |= ((1u << f->bits) - 1) << f->shift;
	if (!(map == MAP_LEGACY && opcode == 0x90))
		used &= ~(
			1u << FEATURE_B); /* REX.B makes another instruction of this opcode alone: XCHG R8 */
	if (is_legacy(map) && !(map == MAP_0F && opcode == 0x22))
		used &= ~(1u << FEATURE_R); /* and REX.R of this one: MOV to CR8, which does not serialise */
	if (narrow)
		used &= ~(1u << FEATURE_W | 1u << FEATURE_R | 1u << FEATURE_B);
	if (!is_evex(map) && !is_legacy(map))
		used &= ~(1u << FEATURE_EVEX_B | 2u << FEATURE_L);
	if (map == MAP_3DNOW)
		used &= 7u << FEATURE_RM | 7u << FEATURE_REG | 1u << FEATURE_MOD3;

	for (unsigned word = 0; word < 1u << 15; word++) {
		if (word & ~used) {
			memo[word] = memo[word & used];
			continue;
		}
		struct encoding e = {.map = map, .opcode = opcode};
		e.p66 = feature(word, FEATURE_66, 1);
		e.rep = (uint8_t)feature(word, FEATURE_REP, 2);
		if (is_legacy(map) && e.rep == 3)
			e.rep = 0; /* does not occur */
		e.w = feature(word, FEATURE_W, 1);
		if (is_legacy(map))
			e.r = feature(word, FEATURE_R, 1);
		else
			e.length_bits = (uint8_t)feature(word, FEATURE_L, 2);
		e.evex_b = feature(word, FEATURE_EVEX_B, 1);
		e.b = feature(word, FEATURE_B, 1);
		e.mod = feature(word, FEATURE_MOD3, 1) ? 3 : 1;
		e.reg = (uint8_t)feature(word, FEATURE_REG, 3);
		e.rm = (uint8_t)feature(word, FEATURE_RM, 3);
		e.index = (uint8_t)((e.reg + 3) & 7);
		if (e.index == 4)
			e.index = 3;
		memo[word] = make_leaf(e);
	}
	return build(order, 0);
}

/** Whether the byte is a prefix or leads to another map. */
static uint16_t lead_byte(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return INSN_PREFIX;
	case 0x40 ... 0x4f:
		return narrow ? 0 : INSN_PREFIX;
	case 0x0f:
		return INSN_ESCAPE;
	case 0x62:
	case 0xc4:
	case 0xc5:
		return narrow ? 0 : INSN_ESCAPE;
	}
	return 0;
}

/* --- output ----------------------------------------------------------------------------------------- */

static void write_u16(FILE *out, const uint16_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fprintf(out, "%s%u,", i % 16 ? "" : "\n\t", v[i]);
}

static void write_tables(FILE *out)
{
	fprintf(out, "/* Written by tools/x86/decodegen: %u leaves, %u node words, %u classes. */\n", n_leaves,
		n_nodes, class_count());
	fprintf(out,
		"#include \"arch/x86/step/insn_table.h\"\n#include \"arch/x86/step/insn_quantities.h\"\n\n");
	fprintf(out, "const struct insn_leaf insn_leaves[] = {\n");
	for (unsigned i = 0; i < n_leaves; i++)
		fprintf(out, "\t{%u, %#x, %#x, %u, %#x},\n", leaves[i].klass, leaves[i].flags,
			leaves[i].must_zero, leaves[i].special, leaves[i].sizes);
	fprintf(out, "};\n\nconst uint16_t insn_nodes[] = {");
	write_u16(out, nodes, n_nodes);
	fprintf(out, "\n};\n\nconst uint16_t insn_maps[MAP_COUNT][256] = {\n");
	for (unsigned m = 0; m < MAP_COUNT; m++) {
		fprintf(out, "\t{");
		write_u16(out, maps[m], 256);
		fprintf(out, "\n\t},\n");
	}
	fprintf(out, "};\n\n");
	write_classes(out);
}

int main(int argc, char **argv)
{
	if (argc > 2 || (argc == 2 && strcmp(argv[1], "32")))
		die("usage: decodegen [32]");
	narrow = argc == 2;
	ZydisDecoderInit(&decoder, narrow ? ZYDIS_MACHINE_MODE_LEGACY_32 : ZYDIS_MACHINE_MODE_LONG_64,
			 narrow ? ZYDIS_STACK_WIDTH_32 : ZYDIS_STACK_WIDTH_64);
	n_nodes = 0;
	for (unsigned m = 0; m < MAP_COUNT; m++)
		for (unsigned opcode = 0; opcode < 256; opcode++) {
			uint16_t lead = m == MAP_LEGACY ? lead_byte((uint8_t)opcode) : 0;
			if (narrow && !is_legacy((enum insn_map)m))
				continue;
			if (m == MAP_0F && (opcode == 0x38 || opcode == 0x3a || opcode == 0x0f))
				continue;
			maps[m][opcode] = lead ? lead : opcode_entry((enum insn_map)m, (uint8_t)opcode);
		}

	write_tables(stdout);
	if (ferror(stdout) | fclose(stdout))
		die("cannot write the output");
	return 0;
}
