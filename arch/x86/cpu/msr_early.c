/*
 * RDMSR before the harness's vectors are there: for its length the IDT has one gate, for #GP, which leads
 * behind the instruction. SDM vol. 3, 6.10, 6.14.
 */
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/descriptors.h"

#define VECTOR_GP 13

#ifdef __i386__
#define ADDRESS_OF(label, to) "mov $" label ", " to
#define DROP_ERROR_CODE       "add $4, %%esp\n\t"
#define RETURN_THERE          "mov %[refused], (%%esp)\n\tiret\n"
#else
#define ADDRESS_OF(label, to) "lea " label "(%%rip), " to
#define DROP_ERROR_CODE       "add $8, %%rsp\n\t"
#define RETURN_THERE          "mov %[refused], (%%rsp)\n\tiretq\n"
#endif

bool msr_read_early(uint32_t address, uint64_t *value)
{
	static struct idt_gate gate[VECTOR_GP + 1];
	const struct descriptor_pointer own = {sizeof gate - 1, (uintptr_t)gate};
	struct descriptor_pointer firmware;
	unsigned long refused, flags;
	uint32_t low, high;
	uint16_t cs;
	void *refusal;

	__asm__(ADDRESS_OF("msr_read_early_refused", "%0") : "=r"(refusal));
	__asm__("movw %%cs, %0" : "=r"(cs));
	gate_set(&gate[VECTOR_GP], refusal, GATE_INTERRUPT, 0);
	gate[VECTOR_GP].selector = cs;
	/* The gate's frame is the error code, RIP and the rest: RIP becomes that of the end. */
	__asm__ volatile("pushf\n\t"
			 "pop %[flags]\n\t"
			 "cli\n\t"
			 "sidt %[firmware]\n\t"
			 "lidt %[own]\n\t"
			 "xorl %k[refused], %k[refused]\n\t"
			 "rdmsr\n\t"
			 "jmp 1f\n"
			 "msr_read_early_refused:\n\t"
			 DROP_ERROR_CODE ADDRESS_OF("1f", "%[refused]") "\n\t" RETURN_THERE
			 "1:\n\t"
			 "lidt %[firmware]\n\t"
			 "push %[flags]\n\t"
			 "popf"
			 : [flags] "=&r"(flags), [firmware] "=m"(firmware), [refused] "=&r"(refused),
			   "=a"(low), "=d"(high)
			 : [own] "m"(own), "c"(address)
			 : "cc", "memory");
	if (!refused)
		*value = (uint64_t)high << 32 | low;
	return !refused;
}
