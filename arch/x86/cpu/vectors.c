#include "arch/x86/cpu/vectors.h"

#include "arch/vectors.h"
#include "arch/x86/cpu/cpu.h"

/* A register's number is part of the instruction that moves it. */
#define MOVE(n, move)                                                                                        \
	case n:                                                                                              \
		move(n);                                                                                     \
		break
#ifdef __i386__
#define MOVE_UPPER(move)
#else
#define MOVE_UPPER(move)                                                                                     \
	MOVE(8, move);                                                                                       \
	MOVE(9, move);                                                                                       \
	MOVE(10, move);                                                                                      \
	MOVE(11, move);                                                                                      \
	MOVE(12, move);                                                                                      \
	MOVE(13, move);                                                                                      \
	MOVE(14, move);                                                                                      \
	MOVE(15, move);
#endif
#define MOVE_ANY(number, move)                                                                               \
	switch (number) {                                                                                    \
		MOVE(0, move);                                                                               \
		MOVE(1, move);                                                                               \
		MOVE(2, move);                                                                               \
		MOVE(3, move);                                                                               \
		MOVE(4, move);                                                                               \
		MOVE(5, move);                                                                               \
		MOVE(6, move);                                                                               \
		MOVE(7, move);                                                                               \
		MOVE_UPPER(move)                                                                             \
	}
#define STORE(n) __asm__ volatile("movdqu %%xmm" #n ", %0" : "=m"(*(uint8_t(*)[16])words))
#define LOAD(n)  __asm__ volatile("movdqu %0, %%xmm" #n : : "m"(*(const uint8_t(*)[16])words))

void vector_read(unsigned number, uint32_t words[4])
{
	MOVE_ANY(number, STORE)
}

void vector_write(unsigned number, const uint32_t words[4])
{
	MOVE_ANY(number, LOAD)
}

/* Legacy SSE instructions, which is all that C code is compiled to, leave the upper halves of AVX registers
 * alone. */
void vectors_keep(struct vectors *out)
{
	__asm__ volatile(FXSAVE " %0" : "=m"(out->bytes));
}

void vectors_put_back(const struct vectors *v)
{
	__asm__ volatile(FXRSTOR " %0" ::"m"(v->bytes));
}
