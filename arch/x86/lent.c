#include "arch/x86/lent.h"

#include "arch/x86/cpu.h"
#include "arch/x86/evex.h"
#include "arch/x86/insn.h"
#include "arch/x86/sha.h"
#include "arch/x86/step_cache.h"

static struct evex_state evex;

/* A register's number is part of the instruction that moves it. */
#define MOVE(n, move)                                                                                        \
	case n:                                                                                              \
		move(n);                                                                                     \
		break
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
		MOVE(8, move);                                                                               \
		MOVE(9, move);                                                                               \
		MOVE(10, move);                                                                              \
		MOVE(11, move);                                                                              \
		MOVE(12, move);                                                                              \
		MOVE(13, move);                                                                              \
		MOVE(14, move);                                                                              \
		MOVE(15, move);                                                                              \
	}
#define STORE(n) __asm__ volatile("movdqu %%xmm" #n ", %0" : "=m"(*(uint8_t(*)[16])words))
#define LOAD(n)  __asm__ volatile("movdqu %0, %%xmm" #n : : "m"(*(const uint8_t(*)[16])words))

static void vector_read(unsigned number, uint32_t words[4])
{
	MOVE_ANY(number, STORE)
}

static void vector_write(unsigned number, const uint32_t words[4])
{
	MOVE_ANY(number, LOAD)
}

static bool sha(uint8_t modrm, uint8_t rex, enum sha_operation operation, uint8_t immediate)
{
	unsigned number = (modrm >> 3 & 7) | (rex & 4) << 1;
	uint32_t to[4], from[4], message[4];

	if (modrm < 0xc0)
		return false;
	vector_read(number, to);
	vector_read((modrm & 7) | (rex & 1) << 3, from);
	vector_read(0, message);
	sha_operate(operation, to, from, message, immediate);
	vector_write(number, to);
	return true;
}

static bool may_read_counters(const struct trap_frame *f)
{
	uint64_t cr4;

	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	return !(f->cs & 3) || cr4 & 1 << 8; /* PCE */
}

/* All of them at once, to or from the lower halves of evex.zmm. */
#define YMM_STORE(n) "vmovdqu %%ymm" #n ", " #n "*64(%0)\n\t"
#define YMM_LOAD(n)  "vmovdqu " #n "*64(%0), %%ymm" #n "\n\t"
#define YMM_ALL(move)                                                                                        \
	move(0) move(1) move(2) move(3) move(4) move(5) move(6) move(7) move(8) move(9) move(10) move(11)    \
		move(12) move(13) move(14) move(15)

static bool avx512(struct trap_frame *f, const uint8_t *code, const struct insn *in,
		   bool (*copy)(void *to, const void *from, uint64_t n))
{
	struct insn_registers r = {.rip = f->rip};
	bool done;

	if ((xcr0_read() & XCR0_YMM) != XCR0_YMM)
		return false;
	for (unsigned i = 0; i < 16; i++)
		r.gpr[i] = *step_register(f, i);
	__asm__ volatile(YMM_ALL(YMM_STORE) : : "r"(evex.zmm) : "memory");
	__asm__ volatile("stmxcsr %0" : "=m"(evex.mxcsr));
	done = evex_carry_out(&evex, code, in, &r, &f->rflags, copy);
	__asm__ volatile("ldmxcsr %0" : : "m"(evex.mxcsr));
	__asm__ volatile(YMM_ALL(YMM_LOAD) : : "r"(evex.zmm) : "memory");
	for (unsigned i = 0; i < 16; i++)
		*step_register(f, i) = r.gpr[i];
	return done;
}

uint64_t lent_opmask(unsigned number)
{
	return evex.opmask[number];
}

void lent_clear(void)
{
	evex = (struct evex_state){.mxcsr = 0};
}

bool lent_carry_out(struct trap_frame *f, bool (*copy)(void *to, const void *from, uint64_t n))
{
	const uint8_t *code = (const uint8_t *)f->rip, *p = code;
	uint8_t rex = (*p & 0xf0) == 0x40 ? *p++ : 0;
	struct insn in;
	bool done = false;

	if (!insn_decode(code, 15, &in))
		return false;
	if (*p == 0x62 || *p == 0xc4 || *p == 0xc5) {
		done = avx512(f, code, &in, copy);
		f->rip += done ? in.length : 0;
		return done;
	}
	/* No other prefix goes with any of the others. */
	if (*p++ != 0x0f)
		return false;
	switch (p[0]) {
	case 0x01:
		done = p[1] == 0xe8; /* SERIALIZE */
		break;
	case 0x0d:
		done = p[1] < 0xc0; /* PREFETCHW and its like */
		break;
	case 0x33: /* RDPMC */
		done = may_read_counters(f);
		if (done)
			f->rax = f->rdx = 0;
		break;
	case 0x38:
		if (p[1] >= 0xc8 && p[1] <= 0xcd)
			done = sha(p[2], rex, SHA1NEXTE + (p[1] - 0xc8), 0);
		break;
	case 0x3a:
		if (p[1] == 0xcc)
			done = sha(p[2], rex, SHA1RNDS4, p[3]);
		break;
	}
	if (done)
		f->rip += in.length;
	return done;
}
