#include "arch/x86/gather.h"
#include "arch/x86/cpu.h"

/* XCR0 state components, SDM vol. 1, 13.1. */
#define XCR0_AVX    0x6
#define XCR0_OPMASK 0x20

static uint64_t enabled_state(void)
{
	uint32_t low, high;

	if (!(cr4_read() & CR4_OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* A register's number is part of the instruction that stores it. */
#define STORE_VECTOR(n)                                                                                      \
	case n:                                                                                              \
		__asm__ volatile("vmovdqu %%ymm" #n ", %0" : "=m"(*(uint8_t(*)[32])to));                     \
		break
#define STORE_OPMASK(n)                                                                                      \
	case n:                                                                                              \
		__asm__ volatile("kmovw %%k" #n ", %0" : "=m"(*(uint16_t *)to));                             \
		break

static void store_vector(unsigned number, uint8_t to[32])
{
	switch (number) {
		STORE_VECTOR(0);
		STORE_VECTOR(1);
		STORE_VECTOR(2);
		STORE_VECTOR(3);
		STORE_VECTOR(4);
		STORE_VECTOR(5);
		STORE_VECTOR(6);
		STORE_VECTOR(7);
		STORE_VECTOR(8);
		STORE_VECTOR(9);
		STORE_VECTOR(10);
		STORE_VECTOR(11);
		STORE_VECTOR(12);
		STORE_VECTOR(13);
		STORE_VECTOR(14);
		STORE_VECTOR(15);
	}
}

/* Sixteen bits are all that any gather or scatter looks at. */
static void store_opmask(unsigned number, uint8_t to[32])
{
	switch (number) {
		STORE_OPMASK(1);
		STORE_OPMASK(2);
		STORE_OPMASK(3);
		STORE_OPMASK(4);
		STORE_OPMASK(5);
		STORE_OPMASK(6);
		STORE_OPMASK(7);
	}
}

unsigned gather_elements(const uint8_t *code, const struct insn *in)
{
	struct insn_gather g;
	uint8_t mask[32] = {0};
	uint64_t state = enabled_state();

	insn_gather(code, in, &g);
	if (g.opmask && (state & XCR0_OPMASK))
		store_opmask(g.mask, mask);
	if (!g.opmask && (state & XCR0_AVX) == XCR0_AVX)
		store_vector(g.mask, mask);
	return insn_gather_elements(&g, mask);
}
