#include "arch/x86/step/gather.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/emulated/emulated.h"

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
#ifndef __i386__
		STORE_VECTOR(8);
		STORE_VECTOR(9);
		STORE_VECTOR(10);
		STORE_VECTOR(11);
		STORE_VECTOR(12);
		STORE_VECTOR(13);
		STORE_VECTOR(14);
		STORE_VECTOR(15);
#endif
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
	uint64_t state = xcr0_read(), emulated;

	insn_gather(code, in, &g);
	emulated = emulated_opmask(g.opmask ? g.mask : 0);
	if (!g.opmask && (state & XCR0_YMM) == XCR0_YMM)
		store_vector(g.mask, mask);
	else if (g.opmask && (state & XCR0_OPMASK))
		store_opmask(g.mask, mask);
	else if (g.opmask)
		__builtin_memcpy(mask, &emulated, sizeof emulated);
	return insn_gather_elements(&g, mask);
}
