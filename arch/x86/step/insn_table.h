/*
 * The layout that tools/x86/decodegen.c writes and arch/x86/step/insn.c walks.
 *
 * Every opcode map is an array of 256 entries. An entry is one of
 *   - a leaf number (below INSN_NODE): the answer;
 *   - INSN_NODE + index of a node in insn_nodes[]: the answer depends on one more feature of the encoding;
 *   - in the one-byte map only, INSN_PREFIX or INSN_ESCAPE.
 * A node is a header (shift in bits 0-4, mask from bit 5) and mask + 1 entries; which one to go on with is
 * (features >> shift) & mask. Nothing in here is a pointer, so the tables need no relocation.
 */
#ifndef ARCH_X86_STEP_INSN_TABLE_H
#define ARCH_X86_STEP_INSN_TABLE_H

#include <stdint.h>

#define INSN_NODE               0x8000
#define INSN_PREFIX             0x7ffe
#define INSN_ESCAPE             0x7fff
#define INSN_NODE_SHIFT(header) ((header)&31)
#define INSN_NODE_MASK(header)  ((header) >> 5)

enum insn_map {
	MAP_LEGACY, /* one byte, 0F, 0F38, 0F3A */
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_3DNOW, /* indexed by the suffix byte */
	MAP_VEX1,
	MAP_VEX2,
	MAP_VEX3,
	MAP_EVEX1,
	MAP_EVEX2,
	MAP_EVEX3,
	MAP_EVEX5,
	MAP_EVEX6,
	MAP_XOP8,
	MAP_XOP9,
	MAP_XOPA,
	MAP_COUNT
};

/* The features of an encoding: bit positions in the feature word. */
#define FEATURE_66     0 /* legacy: operand-size prefix */
#define FEATURE_REP    1 /* 2 bits. Legacy: 0 none, 1 F3, 2 F2; VEX, EVEX, XOP: pp */
#define FEATURE_W      3
#define FEATURE_L      4  /* 2 bits */
#define FEATURE_R      4  /* legacy: REX.R */
#define FEATURE_EVEX_B 6  /* broadcast, rounding */
#define FEATURE_B      7  /* legacy: REX.B */
#define FEATURE_RM     8  /* 3 bits */
#define FEATURE_REG    11 /* 3 bits */
#define FEATURE_MOD3   14 /* ModRM names a register */

/* Extension fields in their true (not inverted) sense; a leaf says which of them must be zero. */
#define EXT_B   (1 << 0)
#define EXT_X   (1 << 1)
#define EXT_R   (1 << 2)
#define EXT_R2  (1 << 3) /* EVEX.R' */
#define EXT_V   4        /* 4 bits: vvvv */
#define EXT_V2  (1 << 8) /* EVEX.V' */
#define EXT_Z   (1 << 9)
#define EXT_AAA (1 << 10) /* EVEX.aaa is not zero */

enum insn_leaf_flags {
	LEAF_MODRM = 1 << 0,
	LEAF_MOFFS = 1 << 1,    /* the immediate is an address */
	LEAF_LOCK_OK = 1 << 2,  /* LOCK is allowed */
	LEAF_LOCKED = 1 << 3,   /* locked without a prefix */
	LEAF_NEED_AAA = 1 << 4, /* EVEX.aaa must not be zero */
	LEAF_NO_RIP = 1 << 5,   /* RIP-relative addressing is not allowed */
	/* two register operands must differ */
	LEAF_REG_V = 1 << 6,
	LEAF_REG_RM = 1 << 7,
	LEAF_V_RM = 1 << 8,
	LEAF_REG_INDEX = 1 << 9,
	LEAF_V_INDEX = 1 << 10,
	LEAF_REGISTER =
		1 << 11,    /* MOV to and from CR and DR: ModRM names a register whatever its mod bits say */
	LEAF_POP = 1 << 12, /* POP r/m: an address with RSP as base uses the value after the pop */
};
/* Leaf flags that need a look at registers or addressing. */
#define LEAF_CHECKED                                                                                         \
	(LEAF_NEED_AAA | LEAF_NO_RIP | LEAF_REG_V | LEAF_REG_RM | LEAF_V_RM | LEAF_REG_INDEX | LEAF_V_INDEX)

struct insn_leaf {
	uint16_t klass;
	uint16_t flags;     /* enum insn_leaf_flags */
	uint16_t must_zero; /* EXT_* */
	uint8_t special;    /* enum insn_special */
	uint8_t sizes; /* bits 0-3: immediate bytes; bits 4-6: log2 of the operand size or of the disp8 scale
			*/
};

/** Leaf 0 is "no instruction". */
extern const struct insn_leaf insn_leaves[];
extern const uint16_t insn_nodes[];
extern const uint16_t insn_maps[MAP_COUNT][256];

#endif
