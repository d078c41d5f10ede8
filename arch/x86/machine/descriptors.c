#include "arch/x86/machine/descriptors.h"
#include "arch/x86/exceptions/trap.h"

#include <stddef.h>

struct idt_gate idt[256] __attribute__((aligned(16)));
struct tss tss __attribute__((aligned(128)));
uint64_t gdt[SELECTOR_END / 8] __attribute__((aligned(16)));
struct descriptor_pointer gdt_pointer, idt_pointer;

#ifdef __i386__
_Static_assert(sizeof(struct idt_gate) == 8, "SDM vol. 3, figure 6-2");
_Static_assert(offsetof(struct tss, io_map) == 102 && offsetof(struct tss, ist) == TSS_BYTES,
	       "SDM vol. 3, figure 7-2");
_Static_assert(offsetof(struct tss, ist[IST_MONITOR - 1]) == TSS_MONITOR_STACK, "for the assembler");
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
	[SELECTOR_KERNEL_CS / 8] = CODE(0), [SELECTOR_KERNEL_SS / 8] = 0x00cf93000000ffff,
	[SELECTOR_USER_CS32 / 8] = 0x00cffb000000ffff, [SELECTOR_USER_SS / 8] = 0x00cff3000000ffff,
	[SELECTOR_USER_CS64 / 8] = CODE(3), [SELECTOR_USER_SS_SYSEXIT / 8] = 0x00cff3000000ffff,
	[SELECTOR_RING1_CS / 8] = CODE(1),  [SELECTOR_RING1_SS / 8] = 0x00cfb3000000ffff,
	[SELECTOR_RING2_CS / 8] = CODE(2),  [SELECTOR_RING2_SS / 8] = 0x00cfd3000000ffff,
	[SELECTOR_ABSENT / 8] = 0x00cf73000000ffff,
};

static const struct {
	uint8_t vector, ist;
} interrupt_stacks[] = {
	{VECTOR_NMI, IST_NMI},
	{VECTOR_DF, IST_DF},
	{VECTOR_MC, IST_MC},
	{VECTOR_DB, IST_DB},
};

/* Vectors that INT n in ring 3 may reach. */
static const uint8_t user_vectors[] = {VECTOR_BP, VECTOR_TEST, VECTOR_USER_EXIT, VECTOR_STEP};

static void tss_describe(void)
{
	uint64_t base = (uintptr_t)&tss, limit = TSS_BYTES - 1;

	/* Type 9: available; LTR makes it busy, so it is written anew before each LTR. */
	gdt[SELECTOR_TSS / 8] = limit | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24 & 0xff) << 56;
	gdt[SELECTOR_TSS / 8 + 1] = base >> 32; /* no more than 0 in 32-bit mode */
}

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
	for (size_t i = 0; sizeof(void *) == 8 && i < sizeof interrupt_stacks / sizeof interrupt_stacks[0]; i++)
		idt[interrupt_stacks[i].vector].ist = interrupt_stacks[i].ist;
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
