/*
 * RDMSR before the harness's vectors are there: for its length the IDT has one gate, for #GP, which leads
 * behind the instruction. SDM vol. 3, 6.10, 6.14.
 */
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/descriptors.h"

#define VECTOR_GP 13

bool msr_read_early(uint32_t address, uint64_t *value)
{
	static struct idt_gate gate[VECTOR_GP + 1];
	const struct descriptor_pointer own = {sizeof gate - 1, (uint64_t)gate};
	struct descriptor_pointer firmware;
	uint64_t refused, flags;
	uint32_t low, high;
	uint16_t cs;
	void *refusal;

	__asm__("leaq msr_read_early_refused(%%rip), %0" : "=r"(refusal));
	__asm__("movw %%cs, %0" : "=r"(cs));
	gate_set(&gate[VECTOR_GP], refusal, GATE_INTERRUPT, 0);
	gate[VECTOR_GP].selector = cs;
	/* The gate's frame is the error code, RIP and the rest: RIP becomes that of the end. */
	__asm__ volatile("pushfq\n\t"
			 "popq %[flags]\n\t"
			 "cli\n\t"
			 "sidt %[firmware]\n\t"
			 "lidt %[own]\n\t"
			 "xorl %k[refused], %k[refused]\n\t"
			 "rdmsr\n\t"
			 "jmp 1f\n"
			 "msr_read_early_refused:\n\t"
			 "addq $8, %%rsp\n\t"
			 "leaq 1f(%%rip), %[refused]\n\t"
			 "movq %[refused], (%%rsp)\n\t"
			 "iretq\n"
			 "1:\n\t"
			 "lidt %[firmware]\n\t"
			 "pushq %[flags]\n\t"
			 "popfq"
			 : [flags] "=&r"(flags), [firmware] "=m"(firmware), [refused] "=&r"(refused),
			   "=a"(low), "=d"(high)
			 : [own] "m"(own), "c"(address)
			 : "cc", "memory");
	if (!refused)
		*value = (uint64_t)high << 32 | low;
	return !refused;
}
