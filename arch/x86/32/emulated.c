/*
 * Of the instructions that are carried out for a CPU that lacks them (arch/x86/emulated/emulated.h), RDPMC is
 * what processors without 64-bit mode have.
 */
#include "arch/x86/emulated/emulated.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/emulated/simd_exceptions.h"

bool emulated_carry_out(struct trap_frame *f, bool (*copy)(void *to, const void *from, uint64_t n))
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)f->rip;

	(void)copy;
	if (code[0] != 0x0f || code[1] != 0x33 || (f->cs & 3 && !(cr4_read() & CR4_PCE)))
		return false;
	f->rax = f->rdx = 0;
	f->rip += 2;
	return true;
}

bool emulated_raises_xm(const struct trap_frame *f, const uint8_t *code, const struct insn *in,
			uint64_t address, bool (*copy)(void *to, const void *from, uint64_t n))
{
	(void)f, (void)code, (void)in, (void)address, (void)copy;
	return false;
}

unsigned simd_operand_size(const uint8_t *code, const struct insn *in)
{
	(void)code, (void)in;
	return 0;
}

uint64_t emulated_opmask(unsigned number)
{
	(void)number;
	return 0;
}

void emulated_clear(void)
{
}
