/*
 * Decoded instructions by address. An entry is used only if the bytes at the address are still those it was
 * made from, so code that is written, copied or modified at run time needs no announcement.
 */
#ifndef ARCH_X86_STEP_CACHE_H
#define ARCH_X86_STEP_CACHE_H

#include "arch/x86/insn.h"
#include "arch/x86/trap.h"

#define STEP_CACHE_ENTRIES 2048
#define NO_REGISTER        0xff

/** How the engine treats an instruction. */
enum decoded_kind {
	DECODED_PLAIN,   /* the CPU runs it, then it has retired */
	DECODED_BRANCH,  /* conditional: taken if RIP is not behind it afterwards */
	DECODED_SPECIAL, /* step_special() looks at it first */
};

/** One decoded instruction; its memory operand is base + (index << scale) + displacement. */
struct decoded {
	uint64_t rip; /* complemented if 16 bytes from there on do not lie in one page: not for the quick way
		       */
	uint64_t bytes[2], mask[2];
	uint64_t displacement; /* with the instruction's own address added where it is RIP-relative */
	struct insn in;
	uint8_t base, index; /* as positions in struct trap_frame, NO_REGISTER if absent */
	uint8_t scale;
	uint8_t kind; /* enum decoded_kind */
};

extern struct decoded step_cache[STEP_CACHE_ENTRIES];

/** Decode the instruction at rip into its entry. @return NULL if its bytes cannot be read. */
struct decoded *step_cache_fill(uint64_t rip);

/** Position of a general register, by its number in instruction encodings, in struct trap_frame. */
extern const uint8_t step_register_position[16];

static inline uint64_t *step_register(struct trap_frame *f, unsigned number)
{
	return (uint64_t *)f + step_register_position[number & 15];
}

/**
 * The instruction at rip, if it is known, unchanged, and on the page of `mapped`, an address that is known to
 * be readable (that of the instruction before this one). @return NULL if it takes step_cache_fill() to know
 */
static inline struct decoded *step_cache_find(uint64_t rip, uint64_t mapped)
{
	struct decoded *d = &step_cache[rip % STEP_CACHE_ENTRIES];
	const uint64_t __attribute__((may_alias, aligned(1))) *code = (const void *)rip;

	if (d->rip != rip || (rip ^ mapped) >= 4096 || ((code[0] ^ d->bytes[0]) & d->mask[0]))
		return NULL;
	if (d->in.length > 8 && ((code[1] ^ d->bytes[1]) & d->mask[1]))
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
