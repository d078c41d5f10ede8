/*
 * Segment descriptors, the task-state segment and the harness's interrupt descriptor table. SDM vol.
 * 3, 3.4, 6.10-6.14, 7.7.
 */
#ifndef ARCH_X86_MACHINE_DESCRIPTORS_H
#define ARCH_X86_MACHINE_DESCRIPTORS_H

#define SELECTOR_KERNEL_CS       0x08
#define SELECTOR_KERNEL_SS       0x10
#define SELECTOR_USER_CS32       0x18 /* SYSRET and SYSEXIT count from here */
#define SELECTOR_USER_SS         0x20
#define SELECTOR_USER_CS64       0x28
#define SELECTOR_USER_SS_SYSEXIT 0x30
#define SELECTOR_TSS             0x38 /* two slots, of which 32 bits need one ... */
#define SELECTOR_DF_TASK         0x40 /* ... and have the task of double faults in the other */
#define SELECTOR_RING1_CS        0x48
#define SELECTOR_RING1_SS        0x50
#define SELECTOR_RING2_CS        0x58
#define SELECTOR_RING2_SS        0x60
#define SELECTOR_ABSENT          0x68 /* a data segment for all rings that is not present */
#define SELECTOR_END             0x70
#ifdef __i386__
#define SELECTOR_USER_CS SELECTOR_USER_CS32
#else
#define SELECTOR_USER_CS SELECTOR_USER_CS64
#endif

/** Interrupt stacks. Gates have none in 32-bit mode: a double fault comes by a task gate there, for the
 * others the way in switches to them. 0 in a gate means the interrupted stack (or TSS.RSP0 on a change of
 * ring). */
#define IST_NMI         1
#define IST_DF          2
#define IST_MC          3
#define IST_DB          4
#define IST_MONITOR_NMI 6 /* these two are the step engine's; no gate of the harness's IDT uses them */
#define IST_MONITOR     7
#define IST_COUNT       7

/** 32 bits: offsets in struct tss of what the way in uses. */
#define TSS_EIP           32
#define TSS_EFLAGS        36
#define TSS_EAX           40
#define TSS_CS            76
#define TSS_SS            80
#define TSS_STACK(ist)    (104 + 8 * ((ist)-1))
#define TSS_MONITOR_STACK TSS_STACK(IST_MONITOR)

#define TRAP_STUB_STRIDE 16 /* bytes from one vector's entry stub to the next */

#ifndef __ASSEMBLER__

#include <stdint.h>

#ifdef __i386__
/** 32-bit interrupt or trap gate. */
struct idt_gate {
	uint16_t offset_low;
	uint16_t selector;
	uint8_t ist;  /* none: 0 */
	uint8_t type; /* GATE_INTERRUPT or GATE_TRAP, DPL in bits 6:5, present in bit 7 */
	uint16_t offset_high;
};
#else
/** 64-bit interrupt or trap gate. */
struct idt_gate {
	uint16_t offset_low;
	uint16_t selector;
	uint8_t ist;  /* bits 2:0 */
	uint8_t type; /* GATE_INTERRUPT or GATE_TRAP, DPL in bits 6:5, present in bit 7 */
	uint16_t offset_middle;
	uint32_t offset_high;
	uint32_t reserved;
};
#endif

#define GATE_INTERRUPT 0x8e /* present, clears IF */
#define GATE_TRAP      0x8f /* present, leaves IF */
#define GATE_TASK      0x85 /* 32 bits: present, to the task whose descriptor the selector names */
#define GATE_DPL3      0x60

static inline uint64_t gate_offset(const struct idt_gate *g)
{
#ifdef __i386__
	return (uint32_t)g->offset_high << 16 | g->offset_low;
#else
	return (uint64_t)g->offset_high << 32 | (uint32_t)g->offset_middle << 16 | g->offset_low;
#endif
}

static inline void gate_set(struct idt_gate *g, const void *entry, uint8_t type, uint8_t ist)
{
	uint64_t offset = (uintptr_t)entry;

	g->offset_low = (uint16_t)offset;
	g->selector = SELECTOR_KERNEL_CS;
	g->type = type;
#ifdef __i386__
	(void)ist;
	g->ist = 0;
	g->offset_high = (uint16_t)(offset >> 16);
#else
	g->ist = ist;
	g->offset_middle = (uint16_t)(offset >> 16);
	g->offset_high = (uint32_t)(offset >> 32);
	g->reserved = 0;
#endif
}

#ifdef __i386__
/** The gate of double faults: to a task of its own, for the harness's IDT and the step engine's. */
void gate_set_double_fault(struct idt_gate *g);

/** 32-bit task-state segment, and behind it the stacks that code switches to. */
struct tss {
	uint32_t link;
	uint32_t esp0, ss0; /* stack for interrupts out of outer rings */
	uint32_t unused[4];
	uint32_t cr3, eip, eflags;
	uint32_t eax, ecx, edx, ebx, esp, ebp, esi, edi; /* as CR3 to GS: of a task that is not executed */
	uint32_t es, cs, ss, ds, fs, gs;
	uint32_t ldt;
	uint16_t trap;
	uint16_t io_map; /* beyond the limit: no I/O permission bits */
	uint64_t ist[7]; /* ist[n - 1]: top of a stack, 16-byte aligned */
} __attribute__((packed));
#define TSS_BYTES 104
#else
/** 64-bit task-state segment. */
struct tss {
	uint32_t reserved0;
	uint64_t rsp[3]; /* rsp[0]: stack for interrupts out of ring 3 */
	uint64_t reserved1;
	uint64_t ist[7]; /* ist[n - 1] is ISTn; tops of stacks, 16-byte aligned */
	uint64_t reserved2;
	uint16_t reserved3;
	uint16_t io_map; /* beyond the limit: no I/O permission bits */
} __attribute__((packed));
#define TSS_BYTES sizeof(struct tss)
#endif

/** Operand of LGDT, LIDT, SGDT, SIDT. */
struct descriptor_pointer {
	uint16_t limit;
	uintptr_t base;
} __attribute__((packed));

/** The harness's IDT: what the architecture would use; the step engine loads another one while it runs. */
extern struct idt_gate idt[256];
extern struct tss tss;
extern uint64_t gdt[SELECTOR_END / 8];

/** The stack for interrupts out of outer rings: where its top is kept, and the top. */
static inline void *tss_stack_place(void)
{
	return (uint8_t *)&tss + 4;
}

static inline uint64_t tss_stack(void)
{
#ifdef __i386__
	return tss.esp0;
#else
	return tss.rsp[0];
#endif
}

static inline void tss_set_stack(uint64_t top)
{
#ifdef __i386__
	tss.esp0 = (uint32_t)top;
#else
	tss.rsp[0] = top;
#endif
}

/** For LGDT and LIDT of the harness's own tables; valid after descriptors_init(). */
extern struct descriptor_pointer gdt_pointer, idt_pointer;

/** Entry stubs of entry.S, TRAP_STUB_STRIDE bytes each, one per vector. */
extern const uint8_t trap_stubs[];

/** Fill GDT, TSS and IDT. The stacks (tss.ist[]) are set by machine_init(). */
void descriptors_init(void);

/** Load GDT, segment registers, TR and IDT. FS and GS get null selectors (and with them base 0). */
void descriptors_load(void);

/* entry.S */
void gdt_load(const struct descriptor_pointer *p); /* LGDT and CS, SS, DS, ES; FS = GS = 0 */
static inline void idt_load(const struct descriptor_pointer *p)
{
	__asm__ volatile("lidt %0" ::"m"(*p));
}

#endif
#endif
