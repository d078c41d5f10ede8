/*
 * Instruction decoding for the step engine, for 64-bit mode, or where that is what the code is built for,
 * 32-bit protected mode: length, what the engine must treat specially, and the
 * class that tells which quantities the instruction contributes.
 *
 * The tables (arch/x86/step/insn_table.h) are generated at build time by tools/x86/decodegen, which asks an
 * established decoder (Zydis) about the whole opcode space; the code here only walks them. Nothing depends on
 * where the instruction lies, so code generated at run time is served like the image's own.
 */
#ifndef ARCH_X86_STEP_INSN_H
#define ARCH_X86_STEP_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Instructions that the step engine or its client treats specially. */
enum insn_special {
	INSN_PLAIN,
	INSN_RDMSR,
	INSN_WRMSR,
	INSN_RDPMC,
	INSN_RDTSC,
	INSN_RDTSCP,
	INSN_CPUID,
	INSN_PUSHF,
	INSN_POPF,
	INSN_CLI,
	INSN_STI,
	INSN_MOV_SS, /* MOV SS,r/m and POP SS: inhibit the single-step trap after themselves */
	INSN_HLT,
	INSN_INT,  /* INT n */
	INSN_INT3, /* CC */
	INSN_INT1, /* F1 */
	INSN_IRET,
	INSN_SYSCALL,
	INSN_SYSRET,
	INSN_SYSENTER,
	INSN_SYSEXIT,
	INSN_FAR, /* far JMP, CALL, RET */
	INSN_JCC,
	INSN_LOOP,   /* LOOP, LOOPE, LOOPNE: condition in .cond as E2, E1, E0 */
	INSN_JRCXZ,  /* JRCXZ, JECXZ */
	INSN_STRING, /* MOVS STOS LODS CMPS SCAS INS OUTS */
	INSN_XBEGIN,
	INSN_XEND,
	INSN_XABORT,
	INSN_XTEST,
	INSN_SERIALIZE,
	INSN_MWAIT,
	INSN_SVM,     /* VMRUN, VMMCALL, STGI, CLGI */
	INSN_PAUSE,   /* the single-step trap behind it is lost on some (emulated) CPUs */
	INSN_MASKMOV, /* gather or scatter: one access per element whose mask bit is set */
	INSN_ENTER,   /* one access more for each level of nesting, in .cond */
};

enum insn_flags {
	INSN_F_REP = 1 << 0,     /* string instruction with F2 or F3 */
	INSN_F_REPNE = 1 << 1,   /* the prefix is F2 */
	INSN_F_LOCK = 1 << 2,    /* locked: LOCK prefix, or XCHG with memory */
	INSN_F_ADDR32 = 1 << 3,  /* 67H prefix: RCX is ECX, RSI is ESI ... (32-bit mode: CX, SI) */
	INSN_F_MODRM = 1 << 4,   /* has a ModRM byte */
	INSN_F_MEM = 1 << 5,     /* names memory by ModRM or moffs: insn_effective_address() applies */
	INSN_F_INVALID = 1 << 6, /* no instruction: would raise #UD */
	INSN_F_POP = 1 << 7,     /* POP to memory: its address is computed with RSP after the pop */
};

struct insn {
	uint8_t length;   /* bytes, 1 to 15 */
	uint8_t special;  /* enum insn_special */
	uint8_t flags;    /* enum insn_flags */
	uint8_t cond;     /* INSN_JCC: condition 0 to 15; INSN_LOOP: last opcode byte; INSN_INT: vector;
			   * INSN_ENTER: nesting level, 0 to 31 */
	uint16_t klass;   /* index into insn_classes[] (arch/x86/step/insn_quantities.h) */
	uint8_t modrm_at; /* offset of the ModRM byte, or of a moffs address (then without INSN_F_MODRM) */
	uint8_t rex; /* REX byte, or the equal W, R, X, B bits of a VEX/EVEX prefix as 40H+WRXB; 0 if none */
	uint8_t opsize;     /* operand size in bytes of string instructions, PUSHF and POPF: 1, 2, 4, 8 */
	uint8_t seg;        /* segment override: 0 none, else 64H (FS) or 65H (GS) */
	uint8_t disp_shift; /* EVEX: an 8-bit displacement is shifted left by this */
};

/**
 * Decode one instruction.
 * @param code   its bytes
 * @param size   bytes that may be read, at least 1
 * @param out    filled in; with false, .flags has INSN_F_INVALID and .length is the number of bytes looked at
 * @return false if the bytes are no instruction or are cut off by size
 */
bool insn_decode(const uint8_t *code, size_t size, struct insn *out);

/** Registers in encoding order (RAX RCX RDX RBX RSP RBP RSI RDI R8..R15), as addresses are computed from. */
struct insn_registers {
	uint64_t gpr[16];
	uint64_t rip;
	uint64_t fs_base, gs_base;
};

/**
 * The effective (linear) address of the ModRM memory operand.
 * Only for instructions with INSN_F_MEM; VSIB operands give the address of the base alone. The bit-string
 * forms (BT, BTS, BTR, BTC with a register bit offset) give the address without that offset.
 */
uint64_t insn_effective_address(const uint8_t *code, const struct insn *in, const struct insn_registers *r);

/** What decides how many elements a gather or scatter (INSN_MASKMOV) accesses. */
struct insn_gather {
	bool opmask; /* the mask is in an opmask register, bit per element; else in the elements' sign bits of
		      * a vector register */
	uint8_t mask;          /* its number */
	uint8_t elements;      /* at most so many */
	uint8_t element_bytes; /* 4 or 8 */
};

void insn_gather(const uint8_t *code, const struct insn *in, struct insn_gather *out);

/** How many elements it accesses, given the mask register's value before it (8 bytes of an opmask, 32 of a
 * vector register). */
unsigned insn_gather_elements(const struct insn_gather *g, const void *mask);

/** How many iterations REP has left by this RCX: with the address-size prefix, by its lower half. */
uint64_t insn_rep_left(const struct insn *in, uint64_t rcx);

/** How many iterations REP made between these two values of RCX. What becomes of an upper half that does not
 * count differs: where no iteration is made, some CPUs clear it, others leave it as it is. SDM vol. 2, REP.
 */
uint64_t insn_rep_iterations(const struct insn *in, uint64_t before, uint64_t after);

/** Whether a conditional branch (INSN_JCC, INSN_LOOP, INSN_JRCXZ) about to run will be taken. */
bool insn_branch_taken(const struct insn *in, uint64_t rflags, uint64_t rcx);

#endif
