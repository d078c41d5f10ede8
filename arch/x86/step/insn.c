#include "arch/x86/step/insn.h"
#include "arch/x86/step/insn_table.h"

#define LONGEST 15

/* The mode that code is decoded for is the one that this is built for. */
#ifdef __i386__
#define LONG false
#else
#define LONG true
#endif

/** What has been read of an instruction so far. */
struct cursor {
	const uint8_t *code;
	unsigned at, limit;
	unsigned features;  /* all but those of ModRM */
	unsigned extension; /* EXT_* */
	bool legacy_prefix; /* 66, F2, F3 or F0, none of which a VEX or EVEX prefix tolerates */
	bool evex;
};

static unsigned byte_at(const struct cursor *c, unsigned at)
{
	return at < c->limit ? c->code[at] : 0;
}

/** Legacy prefixes and REX. @return the byte that is none of them */
static unsigned read_prefixes(struct cursor *c, struct insn *out)
{
	unsigned rex = 0, b;
	for (;; c->at++) {
		b = byte_at(c, c->at);
		if (insn_maps[MAP_LEGACY][b] != INSN_PREFIX || c->at >= c->limit)
			break;
		if (LONG && (b & 0xf0) == 0x40) {
			rex = b;
			continue;
		}
		rex = 0; /* a REX that is not the last prefix is ignored */
		switch (b) {
		case 0x66:
			c->features |= 1u << FEATURE_66;
			break;
		case 0x67:
			out->flags |= INSN_F_ADDR32;
			continue;
		case 0xf0:
			out->flags |= INSN_F_LOCK;
			break;
		case 0xf2:
		case 0xf3:
			c->features &= ~(3u << FEATURE_REP);
			c->features |= (b == 0xf3 ? 1u : 2u) << FEATURE_REP;
			break;
		case 0x64:
		case 0x65:
			out->seg = LONG ? (uint8_t)b : 0;
			continue;
		default: /* the other segments mean nothing in 64-bit mode, and are flat here in 32-bit mode */
			continue;
		}
		c->legacy_prefix = true;
	}
	out->rex = (uint8_t)rex;
	c->features |= (rex >> 3 & 1) << FEATURE_W | (rex >> 2 & 1) << FEATURE_R | (rex & 1) << FEATURE_B;
	c->extension = (rex & 1 ? EXT_B : 0) | (rex & 2 ? EXT_X : 0) | (rex & 4 ? EXT_R : 0);
	return b;
}

/** A two- or three-byte VEX prefix or an XOP prefix, at the byte after its first. @return the map's number */
static unsigned read_vex(struct cursor *c, struct insn *out, bool three)
{
	unsigned p1 = byte_at(c, c->at++), number = 1, last = p1, rxb = (~p1 >> 5 & 4);
	if (three) {
		number = p1 & 31;
		rxb = ~p1 >> 5 & 7;
		last = byte_at(c, c->at++);
	}
	unsigned w = three ? last >> 7 : 0;
	c->extension = rxb | (~last >> 3 & 15) << EXT_V;
	c->features = (last & 3) << FEATURE_REP | w << FEATURE_W | (last >> 2 & 1) << FEATURE_L;
	out->rex = (uint8_t)(0x40 | w << 3 | rxb);
	return number;
}

/** An EVEX prefix, at the byte after 62. @return the map's number, 0 if a fixed bit is wrong */
static unsigned read_evex(struct cursor *c, struct insn *out)
{
	unsigned p0 = byte_at(c, c->at), p1 = byte_at(c, c->at + 1), p2 = byte_at(c, c->at + 2);
	c->at += 3;
	c->evex = true;
	if ((p0 & 8) || !(p1 & 4))
		return 0;
	unsigned w = p1 >> 7, rxb = ~p0 >> 5 & 7;
	c->extension = rxb | (p0 & 0x10 ? 0 : EXT_R2) | (~p1 >> 3 & 15) << EXT_V | (p2 & 8 ? 0 : EXT_V2) |
		       (p2 & 0x80 ? EXT_Z : 0) | (p2 & 7 ? EXT_AAA : 0);
	if ((p2 & 0x87) == 0x80)
		return 0; /* zeroing without a mask */
	c->features = (p1 & 3) << FEATURE_REP | w << FEATURE_W | (p2 >> 5 & 3) << FEATURE_L |
		      (p2 >> 4 & 1) << FEATURE_EVEX_B;
	out->rex = (uint8_t)(0x40 | w << 3 | rxb);
	return p0 & 7;
}

static const uint8_t evex_maps[8] = {
	[1] = MAP_EVEX1, [2] = MAP_EVEX2, [3] = MAP_EVEX3, [5] = MAP_EVEX5, [6] = MAP_EVEX6};

/** From the byte that leads to another map to that map; c->at is then at the opcode. MAP_COUNT: there is
 * none. */
static enum insn_map read_escape(struct cursor *c, struct insn *out, unsigned lead)
{
	unsigned number, first, last;
	if (lead == 0x0f) {
		switch (byte_at(c, c->at)) {
		case 0x38:
			c->at++;
			return MAP_0F38;
		case 0x3a:
			c->at++;
			return MAP_0F3A;
		case 0x0f:
			c->at++;
			return MAP_3DNOW;
		default:
			return MAP_0F;
		}
	}
	if (c->legacy_prefix || out->rex)
		return MAP_COUNT;
	if (lead == 0x62) {
		number = read_evex(c, out);
		return evex_maps[number] ? (enum insn_map)evex_maps[number] : MAP_COUNT;
	}
	number = read_vex(c, out, lead != 0xc5);
	first = lead == 0x8f ? 8 : 1;
	last = lead == 0x8f ? 10 : 3;
	if (number < first || number > last)
		return MAP_COUNT;
	return (enum insn_map)((lead == 0x8f ? MAP_XOP8 : MAP_VEX1) + number - first);
}

static unsigned walk(unsigned entry, unsigned features)
{
	while (entry & INSN_NODE) {
		const uint16_t *node = &insn_nodes[entry & ~INSN_NODE];
		entry = node[1 + (features >> INSN_NODE_SHIFT(node[0]) & INSN_NODE_MASK(node[0]))];
	}
	return entry;
}

/** The rules that concern registers and addressing, for the few instructions that have any. */
static bool operands_allowed(unsigned flags, const struct cursor *c, unsigned modrm)
{
	unsigned x = c->extension;
	unsigned reg = (modrm >> 3 & 7) | (x & EXT_R ? 8 : 0) | (x & EXT_R2 ? 16 : 0);
	unsigned v = (x >> EXT_V & 15) | (x & EXT_V2 ? 16 : 0);
	if (modrm >= 0xc0) {
		unsigned rm = (modrm & 7) | (x & EXT_B ? 8 : 0) | (c->evex && (x & EXT_X) ? 16 : 0);
		if (((flags & LEAF_REG_RM) && reg == rm) || ((flags & LEAF_V_RM) && v == rm))
			return false;
	} else {
		unsigned index = (byte_at(c, c->at + 1) >> 3 & 7) | (x & EXT_X ? 8 : 0);
		index |= x & EXT_V2 ? 16 : 0; /* EVEX: V' belongs to the index */
		if (((flags & LEAF_REG_INDEX) && reg == index) || ((flags & LEAF_V_INDEX) && v == index))
			return false;
	}
	if ((flags & LEAF_REG_V) && reg == v)
		return false;
	if ((flags & LEAF_NO_RIP) && (modrm & 0xc7) == 5)
		return false;
	return !(flags & LEAF_NEED_AAA) || (x & EXT_AAA);
}

/** Bytes of ModRM, SIB and displacement. @param narrow with 16-bit addressing: SDM vol. 2, table 2-1 */
static unsigned operand_bytes(const struct cursor *c, unsigned modrm, bool narrow)
{
	unsigned mod = modrm >> 6, rm = modrm & 7, n = 1;
	if (mod == 3)
		return 1;
	if (narrow)
		return mod == 1 ? 2 : mod == 2 || rm == 6 ? 3 : 1;
	if (rm == 4) {
		n = 2;
		if (mod == 0 && (byte_at(c, c->at + 1) & 7) == 5)
			return 6;
	} else if (mod == 0 && rm == 5) {
		return 5;
	}
	return n + (mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

#define NARROW(in) (!LONG && ((in)->flags & INSN_F_ADDR32))

bool insn_decode(const uint8_t *code, size_t size, struct insn *out)
{
	struct cursor c = {.code = code, .limit = size < LONGEST ? (unsigned)size : LONGEST};
	*out = (struct insn){.length = 0};

	unsigned opcode = read_prefixes(&c, out), entry = insn_maps[MAP_LEGACY][opcode];
	enum insn_map map = MAP_LEGACY;
	c.at++;
	if (entry == INSN_ESCAPE || (opcode == 0x8f && (byte_at(&c, c.at) & 0x1f) >= 8)) {
		map = read_escape(&c, out, opcode);
		if (map == MAP_COUNT)
			goto invalid;
		if (map != MAP_3DNOW) {
			opcode = byte_at(&c, c.at++);
			entry = insn_maps[map][opcode];
		}
	}

	unsigned modrm = byte_at(&c, c.at);
	unsigned features =
		c.features | (modrm & 63) << FEATURE_RM | (modrm >= 0xc0 ? 1u << FEATURE_MOD3 : 0);
	if (map == MAP_3DNOW) {
		/* The opcode is the last byte. */
		opcode = byte_at(&c, c.at + operand_bytes(&c, modrm, NARROW(out)));
		entry = insn_maps[MAP_3DNOW][opcode];
	}
	const struct insn_leaf *leaf = &insn_leaves[walk(entry, features)];
	unsigned flags = leaf->flags, length = c.at + (leaf->sizes & 15);

	if (leaf == insn_leaves || (c.extension & leaf->must_zero))
		goto invalid;
	out->klass = leaf->klass;
	out->special = leaf->special;
	if (flags & LEAF_MODRM) {
		if (flags & LEAF_REGISTER)
			modrm |= 0xc0;
		if ((flags & LEAF_CHECKED) && !operands_allowed(flags, &c, modrm))
			goto invalid;
		out->flags |= INSN_F_MODRM | (modrm < 0xc0 ? INSN_F_MEM : 0);
		out->modrm_at = (uint8_t)c.at;
		out->disp_shift = leaf->sizes >> 4;
		length += operand_bytes(&c, modrm, NARROW(out));
	} else if (flags & LEAF_MOFFS) {
		out->flags |= INSN_F_MEM;
		out->modrm_at = (uint8_t)c.at;
		if (out->flags & INSN_F_ADDR32)
			length -= LONG ? 4 : 2;
	}
	if ((out->flags & INSN_F_LOCK) && !(flags & LEAF_LOCK_OK))
		goto invalid;
	if (flags & (LEAF_LOCKED | LEAF_POP))
		out->flags |= flags & LEAF_LOCKED ? INSN_F_LOCK : INSN_F_POP;
	if (length > c.limit)
		goto invalid;
	out->length = (uint8_t)length;

	switch (leaf->special) {
	case INSN_PLAIN:
		break;
	case INSN_JCC:
		out->cond = opcode & 15;
		break;
	case INSN_LOOP:
		out->cond = (uint8_t)opcode;
		break;
	case INSN_INT:
		out->cond = code[length - 1];
		break;
	case INSN_ENTER:
		out->cond = code[length - 1] & 31;
		break;
	case INSN_STRING: {
		unsigned rep = c.features >> FEATURE_REP & 3;
		out->flags |= rep ? (rep == 2 ? INSN_F_REP | INSN_F_REPNE : INSN_F_REP) : 0;
	}
		/* fall through */
	case INSN_PUSHF:
	case INSN_POPF:
		out->opsize = (uint8_t)(1u << (leaf->sizes >> 4));
		break;
	}
	return true;

invalid:
	out->flags |= INSN_F_INVALID;
	out->length = (uint8_t)(c.at < c.limit ? c.at + 1 : c.limit);
	return false;
}

static uint64_t read_le(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;
	for (unsigned i = bytes; i--;)
		v = v << 8 | p[i];
	return v;
}

/** Of 16-bit addressing: SDM vol. 2, table 2-1. */
static uint64_t narrow_address(const uint8_t *p, const struct insn *in, const struct insn_registers *r)
{
	enum { BX = 3, BP = 5, SI = 6, DI = 7, NONE = 16 };
	static const uint8_t registers[8][2] = {{BX, SI},   {BX, DI},   {BP, SI},   {BP, DI},
						{SI, NONE}, {DI, NONE}, {BP, NONE}, {BX, NONE}};
	unsigned mod = p[0] >> 6, rm = p[0] & 7;
	uint64_t address = 0;

	if (!(in->flags & INSN_F_MODRM))
		return read_le(p, 2);
	if (mod == 0 && rm == 6)
		return read_le(p + 1, 2);
	for (unsigned i = 0; i < 2; i++)
		address += registers[rm][i] == NONE ? 0 : r->gpr[registers[rm][i]];
	if (mod == 1)
		address += (uint64_t)(int64_t)(int8_t)p[1];
	else if (mod == 2)
		address += read_le(p + 1, 2);
	return (uint16_t)address;
}

uint64_t insn_effective_address(const uint8_t *code, const struct insn *in, const struct insn_registers *r)
{
	const uint8_t *p = code + in->modrm_at;
	bool narrow = in->flags & INSN_F_ADDR32;
	uint64_t address;

	if (NARROW(in))
		return narrow_address(p, in, r);
	if (!(in->flags & INSN_F_MODRM)) {
		address = read_le(p, narrow || !LONG ? 4 : 8);
	} else {
		unsigned mod = p[0] >> 6, rm = p[0] & 7, base = rm | (in->rex & 1) << 3;
		bool no_base = mod == 0 && rm == 5;
		address = 0;
		if (no_base && LONG)
			address = r->rip + in->length;
		p++;
		if (rm == 4) {
			unsigned index = (p[0] >> 3 & 7) | (in->rex & 2) << 2;
			base = (p[0] & 7) | (in->rex & 1) << 3;
			no_base = mod == 0 && (p[0] & 7) == 5;
			if (index != 4 && in->special != INSN_MASKMOV)
				address = r->gpr[index] << (p[0] >> 6);
			p++;
		}
		if (!no_base)
			address += r->gpr[base] + (base == 4 && (in->flags & INSN_F_POP) ? sizeof(void *) : 0);
		if (mod == 1)
			address += (uint64_t)(int64_t)(int8_t)p[0] << in->disp_shift;
		else if (mod == 2 || no_base)
			address += (uint64_t)(int64_t)(int32_t)read_le(p, 4);
	}
	if (narrow || !LONG)
		address = (uint32_t)address;
	if (in->seg)
		address += in->seg == 0x64 ? r->fs_base : r->gs_base;
	return address;
}

void insn_gather(const uint8_t *code, const struct insn *in, struct insn_gather *out)
{
	/* Segment and address-size prefixes may stand before the VEX or EVEX prefix. */
	while (insn_maps[MAP_LEGACY][*code] == INSN_PREFIX)
		code++;
	bool evex = *code == 0x62;
	unsigned opcode = code[evex ? 4 : 3], index_bytes = opcode & 1 ? 8 : 4;
	unsigned vector_bytes = evex ? 16u << (code[3] >> 5 & 3) : 16u << (code[2] >> 2 & 1);
	out->opmask = evex;
	out->mask = evex ? code[3] & 7 : ~code[2] >> 3 & 15;
	out->element_bytes = in->rex & 8 ? 8 : 4;
	out->elements = (uint8_t)(vector_bytes /
				  (index_bytes > out->element_bytes ? index_bytes : out->element_bytes));
}

unsigned insn_gather_elements(const struct insn_gather *g, const void *mask)
{
	const uint8_t *bytes = mask;
	unsigned count = 0;
	for (unsigned i = 0; i < g->elements; i++)
		count += g->opmask ? bytes[i / 8] >> i % 8 & 1 : bytes[(i + 1) * g->element_bytes - 1] >> 7;
	return count;
}

/* What is left of RCX with the address-size prefix. */
#define COUNT_OF(rcx) (LONG ? (uint32_t)(rcx) : (uint16_t)(rcx))

uint64_t insn_rep_left(const struct insn *in, uint64_t rcx)
{
	return in->flags & INSN_F_ADDR32 ? COUNT_OF(rcx) : rcx;
}

uint64_t insn_rep_iterations(const struct insn *in, uint64_t before, uint64_t after)
{
	return insn_rep_left(in, before) - insn_rep_left(in, after);
}

bool insn_branch_taken(const struct insn *in, uint64_t rflags, uint64_t rcx)
{
	enum { CF = 1 << 0, PF = 1 << 2, ZF = 1 << 6, SF = 1 << 7, OF = 1 << 11 };
	bool less = !(rflags & SF) != !(rflags & OF), taken;

	if (in->flags & INSN_F_ADDR32)
		rcx = COUNT_OF(rcx);
	switch (in->special) {
	case INSN_JRCXZ:
		return rcx == 0;
	case INSN_LOOP:
		rcx--;
		if (in->flags & INSN_F_ADDR32)
			rcx = COUNT_OF(rcx);
		if (in->cond == 0xe1 && !(rflags & ZF))
			return false;
		if (in->cond == 0xe0 && (rflags & ZF))
			return false;
		return rcx != 0;
	case INSN_JCC:
		break;
	default:
		return false;
	}
	switch (in->cond >> 1) {
	case 0:
		taken = rflags & OF;
		break;
	case 1:
		taken = rflags & CF;
		break;
	case 2:
		taken = rflags & ZF;
		break;
	case 3:
		taken = rflags & (CF | ZF);
		break;
	case 4:
		taken = rflags & SF;
		break;
	case 5:
		taken = rflags & PF;
		break;
	case 6:
		taken = less;
		break;
	default:
		taken = less || (rflags & ZF);
		break;
	}
	return taken != (in->cond & 1);
}
