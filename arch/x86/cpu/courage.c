#include "arch/courage.h"

#include "arch/x86/cpu/courage_bits.h"
#include "arch/x86/cpu/msr.h"

#include <string.h>

/* The harness's own: saved when the machine is taken, put back when it is given back. */
static const struct register_range own[] = {
	{COURAGE_READ, SPACE_MSR, 0x1b, 0x1b},   /* IA32_APIC_BASE */
	{COURAGE_READ, SPACE_MSR, 0x8b, 0x8b},   /* IA32_BIOS_SIGN_ID: cleared to read the revision */
	{COURAGE_READ, SPACE_MSR, 0x174, 0x176}, /* SYSENTER */
	{COURAGE_READ, SPACE_MSR, 0x200, 0x2ff}, /* MTRRs and PAT */
	{COURAGE_READ, SPACE_MSR, 0x6e0, 0x6e0}, /* IA32_TSC_DEADLINE */
	{COURAGE_READ, SPACE_MSR, 0xc0000080, 0xc0000084}, /* EFER, SYSCALL */
	{COURAGE_READ, SPACE_MSR, 0xc0000100, 0xc0000103}, /* FS and GS base, TSC_AUX */
	{COURAGE_ALL, SPACE_MSR, 0xc0010117, 0xc0010117},  /* VM_HSAVE_PA: guests */
	{COURAGE_ALL, SPACE_MEMORY, 0, UINT64_MAX},
	{0, 0, 0, 0},
};

volatile struct register_asks register_asks;
uint8_t courage_refuses[COURAGE_BITS / 8]; /* none, before a level is set */
static const struct register_range *lists[COURAGE_LISTS + 1] = {own};
static unsigned n_lists = 1;
static enum courage level = COURAGE_ALL;

static void fill_bits(void)
{
	memset(courage_refuses, register_asks.limited ? 0xff : 0, sizeof courage_refuses);
	for (unsigned i = 0; i < n_lists; i++)
		for (const struct register_range *r = lists[i]; r->last; r++)
			for (uint64_t n = r->first;
			     r->space == SPACE_MSR && r->courage <= level && n <= r->last; n++)
				if (!(n & ~(uint64_t)COURAGE_BLOCK_BITS))
					courage_refuses[courage_bit((uint32_t)n) / 8] &=
						(uint8_t) ~(1u << courage_bit((uint32_t)n) % 8);
}

void courage_lists(const struct register_range *const *of, unsigned n)
{
	n_lists = 1;
	for (unsigned i = 0; i < n && i < COURAGE_LISTS; i++)
		if (of[i])
			lists[n_lists++] = of[i];
	fill_bits();
}

void courage_set(enum courage to)
{
	level = to;
	register_asks.limited = true;
	fill_bits();
}

enum courage courage_level(void)
{
	return level;
}

enum courage courage_of(enum register_space space, uint64_t number)
{
	enum courage least = COURAGE_NEVER;

	for (unsigned i = 0; i < n_lists; i++)
		for (const struct register_range *r = lists[i]; r->last; r++)
			if (r->space == space && number >= r->first && number <= r->last &&
			    r->courage < least)
				least = r->courage;
	return least;
}

bool courage_allows(enum register_space space, uint64_t number)
{
	if (!register_asks.limited)
		return true;
	if (space == SPACE_MSR && !(number & ~(uint64_t)COURAGE_BLOCK_BITS))
		return !(courage_refuses[courage_bit((uint32_t)number) / 8] >>
				 courage_bit((uint32_t)number) % 8 &
			 1);
	return courage_of(space, number) <= level;
}
