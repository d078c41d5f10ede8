#include "arch/x86/machine/descriptors.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/machine/paging_internal.h"

#include <stddef.h>

struct idt_gate idt[256] __attribute__((aligned(16)));
struct tss tss __attribute__((aligned(128)));
uint64_t gdt[SELECTOR_END / 8] __attribute__((aligned(16)));
struct descriptor_pointer gdt_pointer, idt_pointer;

#ifdef __i386__
_Static_assert(sizeof(struct idt_gate) == 8, "SDM vol. 3, figure 6-2");
_Static_assert(offsetof(struct tss, io_map) == 102 && offsetof(struct tss, ist) == TSS_BYTES,
	       "SDM vol. 3, figure 7-2");
_Static_assert(offsetof(struct tss, ist[IST_MONITOR - 1]) == TSS_MONITOR_STACK &&
		       offsetof(struct tss, eip) == TSS_EIP && offsetof(struct tss, eflags) == TSS_EFLAGS &&
		       offsetof(struct tss, eax) == TSS_EAX && offsetof(struct tss, cs) == TSS_CS &&
		       offsetof(struct tss, ss) == TSS_SS,
	       "for the assembler");
_Static_assert(offsetof(struct tss, esp0) == 4, "tss_stack_place()");
#define CODE(dpl) (0x00cf9b000000ffff | (uint64_t)(dpl) << 45)
#else
_Static_assert(sizeof(struct idt_gate) == 16, "SDM vol. 3, figure 6-8");
_Static_assert(sizeof(struct tss) == 104 && offsetof(struct tss, ist) == 36, "SDM vol. 3, figure 7-11");
_Static_assert(offsetof(struct tss, rsp) == 4, "tss_stack_place()");
#define CODE(dpl) (0x00af9b000000ffff | (uint64_t)(dpl) << 45)
#endif

/* Access bytes with the accessed bit set: the CPU then never writes to the table for these. */
static const uint64_t segments[] = {
	[SELECTOR_KERNEL_CS / 8] = CODE(0),
	[SELECTOR_KERNEL_SS / 8] = 0x00cf93000000ffff,
	[SELECTOR_USER_CS32 / 8] = 0x00cffb000000ffff,
	[SELECTOR_USER_SS / 8] = 0x00cff3000000ffff,
	[SELECTOR_USER_CS64 / 8] = CODE(3),
	[SELECTOR_USER_SS_SYSEXIT / 8] = 0x00cff3000000ffff,
	[SELECTOR_RING1_CS / 8] = CODE(1),
	[SELECTOR_RING1_SS / 8] = 0x00cfb3000000ffff,
	[SELECTOR_RING2_CS / 8] = CODE(2),
	[SELECTOR_RING2_SS / 8] = 0x00cfd3000000ffff,
	[SELECTOR_ABSENT / 8] = 0x00cf73000000ffff,
};

#ifndef __i386__
static const struct {
	uint8_t vector, ist;
} interrupt_stacks[] = {
	{VECTOR_NMI, IST_NMI},
	{VECTOR_DF, IST_DF},
	{VECTOR_MC, IST_MC},
	{VECTOR_DB, IST_DB},
};
#endif

/* Vectors that INT n in ring 3 may reach. */
static const uint8_t user_vectors[] = {VECTOR_BP, VECTOR_TEST, VECTOR_USER_EXIT, VECTOR_STEP};

/* Type 9: available; LTR makes it busy, so it is written anew before each LTR. */
static uint64_t task_descriptor(const struct tss *t)
{
	uint64_t base = (uintptr_t)t, limit = TSS_BYTES - 1;

	return limit | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24 & 0xff) << 56;
}

#ifdef __i386__
/* A fault whose frame finds no stack comes by a switch of tasks, which brings one (SDM vol. 3, 7.2.1
 * and 6.12.2). */
static struct tss df_task __attribute__((aligned(128)));
extern const uint8_t double_fault[]; /* arch/x86/32/entry.S */

static void tss_describe(void)
{
	gdt[SELECTOR_TSS / 8] = task_descriptor(&tss);
	gdt[SELECTOR_DF_TASK / 8] = task_descriptor(&df_task);
	df_task = (struct tss){.cr3 = (uint32_t)paging_root(),
			       .eip = (uintptr_t)double_fault,
			       .eflags = 2,
			       .esp = (uint32_t)tss.ist[IST_DF - 1],
			       .cs = SELECTOR_KERNEL_CS,
			       .ss = SELECTOR_KERNEL_SS,
			       .ds = SELECTOR_USER_SS | 3,
			       .es = SELECTOR_USER_SS | 3,
			       .io_map = TSS_BYTES};
}

void gate_set_double_fault(struct idt_gate *g)
{
	*g = (struct idt_gate){.selector = SELECTOR_DF_TASK, .type = GATE_TASK};
}
#else
static void tss_describe(void)
{
	gdt[SELECTOR_TSS / 8] = task_descriptor(&tss);
	gdt[SELECTOR_TSS / 8 + 1] = (uintptr_t)&tss >> 32;
}
#endif

void descriptors_init(void)
{
	for (size_t i = 0; i < sizeof segments / sizeof segments[0]; i++)
		gdt[i] = segments[i];
	tss.io_map = TSS_BYTES;
#ifdef __i386__
	tss.ss0 = SELECTOR_KERNEL_SS;
#endif
	for (unsigned v = 0; v < 256; v++)
		gate_set(&idt[v], trap_stubs + v * TRAP_STUB_STRIDE, GATE_INTERRUPT, 0);
#ifdef __i386__
	gate_set_double_fault(&idt[VECTOR_DF]);
#else
	for (size_t i = 0; i < sizeof interrupt_stacks / sizeof interrupt_stacks[0]; i++)
		idt[interrupt_stacks[i].vector].ist = interrupt_stacks[i].ist;
#endif
	for (size_t i = 0; i < sizeof user_vectors; i++)
		idt[user_vectors[i]].type |= GATE_DPL3;
	gdt_pointer = (struct descriptor_pointer){sizeof gdt - 1, (uintptr_t)gdt};
	idt_pointer = (struct descriptor_pointer){sizeof idt - 1, (uintptr_t)idt};
}

void descriptors_load(void)
{
	tss_describe();
	gdt_load(&gdt_pointer);
	__asm__ volatile("ltr %w0" ::"r"(SELECTOR_TSS));
	idt_load(&idt_pointer);
}
