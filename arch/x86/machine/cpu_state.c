#include "arch/x86/machine/cpu_state.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/machine/held_registers.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/notes.h"
#include "arch/x86/machine/paging_internal.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MSR_PAT     0x277
#define MSR_EFER    0xc0000080
#define MSR_FS_BASE 0xc0000100
#define MSR_GS_BASE 0xc0000101

/* SYSENTER and SYSCALL set-up, swapped GS base, TSC_AUX: what kernels may change. */
static const uint32_t msrs[] = {0x174,      0x175,      0x176,      0xc0000081, 0xc0000082,
				0xc0000083, 0xc0000084, 0xc0000102, 0xc0000103};
#define MSRS (sizeof msrs / sizeof msrs[0])

/* Bits of CR4 that are the firmware's to choose: the rest is set as below. */
#define CR4_OURS                                                                                             \
	(CR4_TSD | CR4_DE | CR4_PGE | CR4_PCE | CR4_OSFXSR | CR4_OSXMMEXCPT | CR4_UMIP | CR4_FSGSBASE |      \
	 CR4_PCIDE | CR4_OSXSAVE | CR4_SMEP | CR4_SMAP | CR4_PKE | CR4_CET | CR4_PKS)

/* XCR0: x87, SSE, AVX, and the three parts of AVX-512. */
#define XCR0_WANTED 0xe7ull

/* Without x87 and SSE no value of XCR0 is legal that is worth having. */
#define XCR0_LEAST 3ull

#define XSAVE_XSAVEOPT (1u << 0)
#define XSAVE_XGETBV1  (1u << 2)

#define DR7_NONE 0x400

/* Without 64-bit mode firmware may have no pages, or pages of another format, in which ours cannot be loaded:
 * they are switched off in between. All of them are identical mappings. */
#ifdef __i386__
#define PAGES_FOUND CR0_PG
#else
#define PAGES_FOUND 0
#endif

/* Type and S bit of a descriptor, without the busy bit. */
#define TSS_TYPE 9

/* Bytes of that of a task-state segment. */
#define DESCRIPTOR (2 * sizeof(void *))

static struct state {
	struct descriptor_pointer gdt, idt;
	uint16_t tr;
	uint16_t selectors[6]; /* CS, SS, DS, ES, FS, GS */
	uint64_t fs_base, gs_base;
	uint64_t cr0, cr3, cr4, xcr0, efer, pat;
	uint64_t dr[4], dr6, dr7;
	uint64_t msr[MSRS];
	bool msr_there[MSRS];
	struct held_registers held;
	uint8_t *vector_state;         /* XSAVE or FXSAVE area */
} found[2];                            /* of the processors that were taken, one after the other ... */
static struct state *firmware = found; /* ... and the place for the next one, or the one that is put back */

static bool has_xsave, has_nx;
static uint64_t xcr0;

/* switch.S */
void gdt_return(const struct descriptor_pointer *p, const uint16_t selectors[6]);

static void xcr0_write(uint64_t value)
{
	__asm__ volatile("xsetbv" ::"a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(0));
}

/* QEMU's TCG never leaves the MOV to CR4 that sets OSXSAVE on its models that have neither XSAVEOPT nor
 * XGETBV1 (CPUID 0DH, 1: EAX), which silicon may well lack: Bulldozer does. */
static bool xsave_hangs(void)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	return !strcmp(cpu.hypervisor, "TCGTCGTCGTCG") &&
	       !(cpuid(0xd, 1).eax & (XSAVE_XSAVEOPT | XSAVE_XGETBV1));
}

bool cpu_state_init(void *(*alloc_pages)(size_t pages))
{
	size_t size = 512;

	/* Some emulated CPUs promise XSAVE without the leaf that tells what it saves. SDM vol. 1, 13.2. */
	has_xsave = cpu_has(CPU_XSAVE) && (cpuid(0xd, 0).eax & XCR0_LEAST) == XCR0_LEAST;
	if (has_xsave && xsave_hangs()) {
		has_xsave = false;
		note_add("this emulator hangs when XSAVE is enabled on this CPU model: it stays off, and AVX "
			 "with it");
	}
	has_nx = cpu_has(CPU_NX);
	if (has_xsave) {
		struct cpuid_regs r = cpuid(0xd, 0);
		xcr0 = r.eax & XCR0_WANTED;
		/* The three parts of AVX-512 come together or not at all: SDM vol. 1, 13.3. */
		if ((xcr0 & 0xe0) != 0xe0)
			xcr0 &= ~0xe0ull;
		size = r.ecx;
	}
	for (unsigned i = 0; i < 2; i++)
		found[i].vector_state = alloc_pages((size + 4095) / 4096);
	if (cr4_read() & CR4_CET)
		note_add("firmware uses control-flow enforcement: it stays off after the first take-over");
	return found[0].vector_state && found[1].vector_state;
}

bool cpu_state_has_xsave(void)
{
	return has_xsave;
}

static void segments_save(void)
{
	__asm__ volatile("sgdt %0" : "=m"(firmware->gdt));
	__asm__ volatile("sidt %0" : "=m"(firmware->idt));
	__asm__ volatile("str %0" : "=r"(firmware->tr));
	selectors_read(firmware->selectors);
	/* These exist wherever there is a 64-bit mode, and loading a selector destroys them. */
	msr_read(MSR_FS_BASE, &firmware->fs_base);
	msr_read(MSR_GS_BASE, &firmware->gs_base);
}

static void debug_registers_save(void)
{
	firmware->dr7 = dr7_read();
	dr7_write(DR7_NONE);
	firmware->dr[0] = dr0_read();
	firmware->dr[1] = dr1_read();
	firmware->dr[2] = dr2_read();
	firmware->dr[3] = dr3_read();
	firmware->dr6 = dr6_read();
}

static void debug_registers_return(void)
{
	dr0_write(firmware->dr[0]);
	dr1_write(firmware->dr[1]);
	dr2_write(firmware->dr[2]);
	dr3_write(firmware->dr[3]);
	dr6_write(firmware->dr6);
	dr7_write(firmware->dr7);
}

static void vector_state_save(void)
{
	if (has_xsave) {
		uint64_t all = xcr0 | firmware->xcr0;
		xcr0_write(all);
		__asm__ volatile(XSAVE " (%0)" ::"r"(firmware->vector_state), "a"((uint32_t)all),
				 "d"((uint32_t)(all >> 32))
				 : "memory");
		xcr0_write(xcr0);
	} else {
		__asm__ volatile(FXSAVE " (%0)" ::"r"(firmware->vector_state) : "memory");
	}
	uint32_t mxcsr = 0x1f80;
	__asm__ volatile("fninit; ldmxcsr %0" ::"m"(mxcsr));
}

static void vector_state_return(void)
{
	if (has_xsave) {
		uint64_t all = xcr0 | firmware->xcr0;
		xcr0_write(all);
		__asm__ volatile(XRSTOR " (%0)" ::"r"(firmware->vector_state), "a"((uint32_t)all),
				 "d"((uint32_t)(all >> 32))
				 : "memory");
		xcr0_write(firmware->xcr0);
	} else {
		__asm__ volatile(FXRSTOR " (%0)" ::"r"(firmware->vector_state) : "memory");
	}
}

void cpu_state_take(void)
{
	segments_save();
	/* With shadow stacks on, the far return that loads CS would be held against one that has no such
	 * frame. */
	firmware->cr4 = cr4_read();
	if (firmware->cr4 & CR4_CET)
		cr4_write(firmware->cr4 & ~CR4_CET);
	descriptors_load(); /* from here on MSR accesses may fault */
	firmware->cr0 = cr0_read();
	firmware->cr3 = cr3_read();
	msr_read(MSR_EFER, &firmware->efer);
	msr_read(MSR_PAT, &firmware->pat);
	for (unsigned i = 0; i < MSRS; i++)
		firmware->msr_there[i] = msr_read(msrs[i], &firmware->msr[i]);
	debug_registers_save();

	uint64_t cr0 = (firmware->cr0 | CR0_MP | CR0_NE | CR0_WP) &
		       ~(CR0_EM | CR0_TS | CR0_AM | CR0_NW | CR0_CD | PAGES_FOUND);
	cr0_write(cr0);
	cr4_write((firmware->cr4 & ~CR4_OURS) | CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT |
		  (has_xsave ? CR4_OSXSAVE : 0));
	msr_write(MSR_EFER, firmware->efer | EFER_SCE | (has_nx ? EFER_NXE : 0));
	msr_write(MSR_PAT, PAGING_PAT);
	cr3_write(paging_root());
	if (PAGES_FOUND)
		cr0_write(cr0 | CR0_PG);

	firmware->xcr0 = xcr0_read();
	vector_state_save();
	for (enum held_register i = 0; i < HELD_REGISTERS; i++)
		held_change(&firmware->held, i, msr_read_own);
	firmware++;
}

/* What the harness itself runs with, and all processors alike. */
struct common {
	uint64_t value[6];
};

static struct common look(void)
{
	struct common c = {{cr0_read(), cr3_read(), cr4_read(), 0, 0, xcr0_read()}};

	msr_read(MSR_EFER, &c.value[3]);
	msr_read(MSR_PAT, &c.value[4]);
	return c;
}

static struct common kept;

void cpu_state_keep(void)
{
	kept = look();
}

unsigned cpu_state_differs(void)
{
	struct common own = look();
	unsigned n = 0;

	for (unsigned i = 0; i < 6; i++)
		n += own.value[i] != kept.value[i];
	return n;
}

/*
 * LTR of a null selector faults, so a firmware without a task register keeps ours, which nothing in ring 0
 * reads. It is then also what the next take-over finds, with no such descriptor in firmware's table.
 */
static void task_register_return(void)
{
	unsigned selector = firmware->tr & ~7u;
	uint64_t *descriptor = (uint64_t *)(uintptr_t)(firmware->gdt.base + selector);

	if (!selector || selector + DESCRIPTOR - 1 > firmware->gdt.limit ||
	    (*descriptor >> 40 & 0x1d) != TSS_TYPE)
		return;
	uint64_t cr0 = cr0_read();
	cr0_write(cr0 & ~CR0_WP);
	*descriptor &= ~(2ull << 40); /* busy: LTR wants an available one */
	cr0_write(cr0);
	__asm__ volatile("ltr %0" ::"r"(firmware->tr));
}

void cpu_state_give_back(void)
{
	firmware--;
	for (enum held_register i = 0; i < HELD_REGISTERS; i++)
		held_put_back(&firmware->held, i);
	vector_state_return();
	debug_registers_return();
	for (unsigned i = 0; i < MSRS; i++)
		if (firmware->msr_there[i])
			msr_write(msrs[i], firmware->msr[i]);
	msr_write(MSR_PAT, firmware->pat);
	if (PAGES_FOUND)
		cr0_write(cr0_read() & ~CR0_PG);
	/* PCIDE wants CR3[11:0] = 0, as ours is; shadow stacks cannot be resumed in the middle of another
	 * call chain. */
	cr4_write(firmware->cr4 & ~CR4_CET);
	cr3_write(firmware->cr3);
	if (PAGES_FOUND)
		msr_write(MSR_EFER, firmware->efer);
	cr0_write(firmware->cr0);
	msr_write(MSR_EFER, firmware->efer);

	gdt_return(&firmware->gdt, firmware->selectors);
	task_register_return();
	idt_load(&firmware->idt);
	msr_write(MSR_FS_BASE, firmware->fs_base);
	msr_write(MSR_GS_BASE, firmware->gs_base);
}

void cpu_state_forget(void)
{
	firmware--;
}

void cpu_state_found(identity_each *each, void *to)
{
	const struct state *f = found;
	const struct {
		const char *name;
		uint64_t value;
	} pairs[] = {{"CR0", f->cr0},   {"CR3", f->cr3},   {"CR4", f->cr4},
		     {"EFER", f->efer}, {"XCR0", f->xcr0}, {"IA32_PAT", f->pat}};

	for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		char value[24];

		snprintf(value, sizeof value, "%#lx", (unsigned long)pairs[i].value);
		each(to, pairs[i].name, value);
	}
}
