#include "arch/x86/emulated/emulated.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/emulated/evex.h"
#include "arch/x86/step/insn.h"
#include "arch/x86/emulated/sha.h"
#include "arch/x86/emulated/simd_exceptions.h"
#include "arch/x86/step/step_cache.h"
#include "arch/x86/cpu/vectors.h"

static struct evex_state evex;

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

	return !(f->cs & 3) || cr4_read() & 1 << 8; /* PCE */
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

bool emulated_raises_xm(const struct trap_frame *f, const uint8_t *code, const struct insn *in,
			uint64_t address, bool (*copy)(void *to, const void *from, uint64_t n))
{
	struct simd_operands operands = {.general = 0};
	uint8_t modrm = code[in->modrm_at], from = (modrm & 7) | (in->rex & 1) << 3;
	unsigned size, raised;
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	if (!simd_unmasked(mxcsr))
		return false;
	size = simd_operand_size(code, in);
	if (!size)
		return false;
	vector_read((modrm >> 3 & 7) | (in->rex & 4) << 1, (uint32_t *)operands.to);
	if (!(in->flags & INSN_F_MEM)) {
		vector_read(from, (uint32_t *)operands.from);
		operands.general = *step_register((struct trap_frame *)f, from);
	} else if (copy(operands.from, (const void *)(uintptr_t)address, size)) {
		__builtin_memcpy(&operands.general, operands.from, sizeof operands.general);
	} else {
		return false; /* it raises something else */
	}
	raised = simd_raised(code, in, &operands, mxcsr);
	if (!raised)
		return false;
	mxcsr |= raised;
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
	return true;
}

uint64_t emulated_opmask(unsigned number)
{
	return evex.opmask[number];
}

void emulated_clear(void)
{
	evex = (struct evex_state){.mxcsr = 0};
}

bool emulated_carry_out(struct trap_frame *f, bool (*copy)(void *to, const void *from, uint64_t n))
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)f->rip, *p = code;
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
