#include "tests/kernels/x86/exceptions.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/emulated/emulated.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/step/step.h"
#include "arch/x86/exceptions/user.h"
#include "arch/x86/step/account.h"
#include "tests/kernels/x86/kernel.h"

#include <stddef.h>
#include <string.h>

#define RFLAGS_AC (1ull << 18)

#define MXCSR_RESET 0x1f80u
#define MXCSR_ZM    0x200u /* divide by zero masked */

/* --- what the CPU lacks ----------------------------------------------------------------------------- */

static struct code_arena arena; /* of code for ring 3 */

static bool raised;
static uint8_t length; /* of the instruction that is tried */

static bool on_exception(struct trap_frame *f, void *arg)
{
	(void)arg;
	raised = true;
	f->rip += length;
	return true;
}

static bool raises(uint8_t vector, uint8_t bytes, void (*try)(void))
{
	raised = false;
	length = bytes;
	step_pause();
	trap_set_handler(vector, on_exception, NULL);
	try();
	trap_set_handler(vector, NULL, NULL);
	step_resume();
	return raised;
}

/* 1 over 0: SDM vol. 1, 11.5.2.3. */
static void try_xm(void)
{
	const uint32_t unmasked = MXCSR_RESET & ~MXCSR_ZM, one = 0x3f800000;
	uint32_t before;

	__asm__ volatile("stmxcsr %0\n\t"
			 "ldmxcsr %1\n\t"
			 "xorps %%xmm1, %%xmm1\n\t"
			 "movd %2, %%xmm0\n\t"
			 "divss %%xmm1, %%xmm0\n\t"
			 "ldmxcsr %0"
			 : "=m"(before)
			 : "m"(unmasked), "m"(one)
			 : "memory");
}

/* SDM vol. 3, 6.15, interrupt 17. */
static const uint8_t misaligned[] = {
	0x9c, /* pushfq */
	0x48, 0x81,
	0x0c, 0x24,
	0x00, 0x00,
	0x04, 0x00, /* orq $RFLAGS_AC,(%rsp) */
	0x9d,       /* popfq */
	0x8b, 0x4e,
	0x01, /* mov 1(%rsi),%ecx */
	0x9c, /* pushfq */
	0x48, 0x81,
	0x24, 0x24,
	0xff, 0xff,
	0xfb, 0xff, /* andq $~RFLAGS_AC,(%rsp) */
	0x9d,       /* popfq */
	0xcd, VECTOR_USER_EXIT,
};

static void try_ac(void)
{
	struct call_registers regs = {.rsi = (uintptr_t)arena.rx};
	uint64_t cr0 = cr0_read();

	cr0_write(cr0 | CR0_AM);
	user_call(arena.rx, &regs);
	cr0_write(cr0);
}

static struct exception {
	uint64_t flag; /* of kernels that cause it */
	uint8_t vector;
	uint8_t length;
	void (*try)(void);
	const char *reason;
	bool tried, lacks;
} exceptions[] = {
	{KERNEL_SERVICE_XM, VECTOR_XM, 4, try_xm, "the CPU raises no SIMD floating-point exception", false,
	 false},
	{KERNEL_SERVICE_ALIGNED, VECTOR_AC, 3, try_ac, "the CPU checks no alignment", false, false},
};
#define EXCEPTIONS (sizeof(exceptions) / sizeof(exceptions[0]))

static bool withheld;

void exceptions_init(void)
{
	if (arena_create(&arena, sizeof(misaligned), true))
		memcpy(arena.rw, misaligned, sizeof(misaligned));
	else
		arena.rx = NULL;
}

/* @return the first that the kernel causes and the CPU lacks */
static const struct exception *lacked(const struct kernel *k)
{
	for (struct exception *e = exceptions; e < exceptions + EXCEPTIONS; e++) {
		if (!(k->flags & e->flag))
			continue;
		if (!e->tried && (e->vector != VECTOR_AC || arena.rx))
			e->lacks = !raises(e->vector, e->length, e->try);
		e->tried = true;
		if (e->lacks)
			return e;
	}
	return NULL;
}

const char *exceptions_missing(const struct kernel *k)
{
	const struct exception *e = lacked(k);

	return e ? e->reason : NULL;
}

bool exceptions_emulated(const struct kernel *k)
{
	return !withheld && lacked(k);
}

void exceptions_withhold(bool withhold)
{
	withheld = withhold;
}

/* --- what is raised in its place -------------------------------------------------------------------- */

static bool lacks(unsigned vector)
{
	for (const struct exception *e = exceptions; e < exceptions + EXCEPTIONS; e++)
		if (e->vector == vector)
			return e->lacks;
	return false;
}

int exceptions_raised(const struct trap_frame *f, const uint8_t *code, const struct insn_retired *did,
		      bool (*copy)(void *to, const void *from, uint64_t n))
{
	if (did->cpl == 3 && f->rflags & RFLAGS_AC && cr0_read() & CR0_AM && lacks(VECTOR_AC) &&
	    account_misaligned(did))
		return VECTOR_AC;
	if (lacks(VECTOR_XM) && emulated_raises_xm(f, code, did->insn, did->address, copy))
		return cr4_read() & CR4_OSXMMEXCPT ? VECTOR_XM : VECTOR_UD;
	return -1;
}

int exceptions_raised_stepping(const struct trap_frame *f, const struct insn_retired *did)
{
	return exceptions_raised(f, (const uint8_t *)(uintptr_t)f->rip, did, step_copy);
}
