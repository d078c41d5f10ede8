/*
 * Decoded instructions by address. An entry is used only if the bytes at the address are still those it was
 * made from, so code that is written, copied or modified at run time needs no announcement.
 */
#ifndef ARCH_X86_STEP_STEP_CACHE_H
#define ARCH_X86_STEP_STEP_CACHE_H

#include "arch/x86/step/describe.h"
#include "arch/x86/step/insn.h"
#include "arch/x86/machine/sections.h"
#include "arch/x86/exceptions/trap.h"

/* Room for several times the instructions that a check steps over and over: a miss costs as much as several
 * steps. */
#define STEP_CACHE_BITS 14
#define NO_REGISTER     0xff

/** How the engine treats an instruction. */
enum decoded_kind {
	DECODED_PLAIN,   /* the CPU runs it, then it has retired */
	DECODED_BRANCH,  /* conditional: taken if RIP is not behind it afterwards */
	DECODED_SPECIAL, /* step_special() looks at it first */
};

/** One decoded instruction; its memory operand is base + (index << scale) + displacement. */
struct decoded {
	uint64_t rip; /* complemented if 16 bytes from there on may not be there: not for the quick way */
	uint64_t bytes[2];
	uint64_t displacement; /* with the instruction's own address added where it is RIP-relative */
	struct insn in;
	struct description about;
	uint8_t base, index; /* as positions in struct trap_frame, NO_REGISTER if absent */
	uint8_t scale;
	uint8_t kind; /* enum decoded_kind */
} __attribute__((aligned(8)));
_Static_assert(sizeof(struct decoded) == 64, "a place is found by a shift");

extern struct decoded step_cache[1 << STEP_CACHE_BITS];

/** Which bits of the first 8 bytes, and of the 8 behind them, are an instruction's of so many bytes. */
extern const uint64_t step_first_bytes[16], step_later_bytes[16];

/** Where the instruction at rip belongs. 2^64 over the golden ratio sets neighbours far apart. */
static inline struct decoded *step_cache_entry(uint64_t rip)
{
	return &step_cache[rip * 0x9e3779b97f4a7c15 >> (64 - STEP_CACHE_BITS)];
}

/** Whether 16 bytes from rip on lie in the image's own code, which is always there to be read. */
static inline bool step_cache_own_code(uint64_t rip)
{
	return rip - (uintptr_t)__text_start < (uintptr_t)(__text_end - __text_start) - 16;
}

/** Decode the instruction at rip into its entry. @return NULL if its bytes cannot be read. */
struct decoded *step_cache_fill(uint64_t rip);

/** Position of a general register, by its number in instruction encodings, in struct trap_frame. */
extern const uint8_t step_register_position[16];

static inline uint64_t *step_register(struct trap_frame *f, unsigned number)
{
	return (uint64_t *)f + step_register_position[number & 15];
}

/**
 * The instruction at rip, if it is known, unchanged, and in the image's code or on the page of `mapped`, an
 * address that is known to be readable (that of the instruction before this one). @return NULL if it takes
 * step_cache_fill() to know
 */
static inline __attribute__((always_inline)) struct decoded *step_cache_find(uint64_t rip, uint64_t mapped)
{
	struct decoded *d = step_cache_entry(rip);
	const uint64_t __attribute__((may_alias, aligned(1))) *code = (const void *)(uintptr_t)rip;

	if (d->rip != rip || ((rip ^ mapped) >= 4096 && !step_cache_own_code(rip)))
		return NULL;
	if ((code[0] ^ d->bytes[0]) & step_first_bytes[d->in.length])
		return NULL;
	if (d->in.length > 8 && ((code[1] ^ d->bytes[1]) & step_later_bytes[d->in.length]))
		return NULL;
	return d;
}

/** Linear address of the memory operand (INSN_F_MEM). */
static inline uint64_t step_operand_address(const struct decoded *d, const struct trap_frame *f)
{
	const uint64_t *r = (const uint64_t *)f;
	uint64_t address = d->displacement;

	if (d->base != NO_REGISTER)
		address += r[d->base];
	if (d->index != NO_REGISTER)
		address += r[d->index] << d->scale;
#ifdef __i386__
	return d->in.flags & INSN_F_ADDR32 ? (uint16_t)address : (uint32_t)address;
#endif
	if (__builtin_expect(d->in.flags & INSN_F_ADDR32, 0))
		address = (uint32_t)address;
	if (__builtin_expect(d->in.seg != 0, 0)) {
		uint32_t low, high;

		__asm__ volatile("rdmsr"
				 : "=a"(low), "=d"(high)
				 : "c"(d->in.seg == 0x64 ? 0xc0000100 : 0xc0000101));
		address += (uint64_t)high << 32 | low;
	}
	return address;
}

#endif
