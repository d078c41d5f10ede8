/*
 * The registers of struct planted, and what the harness wants of them.
 */
#include "tests/self/mutants/machine_planted.h"

#include "arch/x86/machine/acpi.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/processors.h"
#include "arch/x86/exceptions/trap.h"

#include <stdbool.h>
#include <stddef.h>

#define MSR_PAT     0x277
#define MSR_EFER    0xc0000080
#define MSR_FS_BASE 0xc0000100
#define MSR_GS_BASE 0xc0000101
#define MSR_TSC_AUX 0xc0000103

static struct planted list[288];
static unsigned count;

static void add(struct planted p)
{
	if (count < sizeof list / sizeof list[0])
		list[count++] = p;
}

/* --- control and debug registers -------------------------------------------------------------------- */

static uint64_t control_get(uint32_t n)
{
	return n == 0 ? cr0_read() : n == 4 ? cr4_read() : xcr0_read();
}

static void control_set(uint32_t n, uint64_t value)
{
	if (n == 0)
		cr0_write(value);
	else if (n == 4)
		cr4_write(value);
	else
		__asm__ volatile("xsetbv" ::"a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(0));
}

#define DEBUG_REGISTERS(EACH) EACH(0) EACH(1) EACH(2) EACH(3) EACH(6) EACH(7)
#define GET(n)                                                                                               \
	case n:                                                                                              \
		__asm__ volatile("mov %%dr" #n ", %0" : "=r"(value));                                        \
		break;
#define SET(n)                                                                                               \
	case n:                                                                                              \
		__asm__ volatile("mov %0, %%dr" #n ::"r"(value));                                            \
		break;

static uint64_t debug_get(uint32_t n)
{
	uint64_t value = 0;

	switch (n) {
		DEBUG_REGISTERS(GET)
	}
	return value;
}

static void debug_set(uint32_t n, uint64_t value)
{
	switch (n) {
		DEBUG_REGISTERS(SET)
	}
}

#define DR7_NONE 0x400
#define DR7_L3   0x40 /* a breakpoint on execution */

/* Data segments, by their place in selectors_read(). Loading FS or GS changes its base. */
enum { SEGMENT_DS = 2, SEGMENT_ES, SEGMENT_FS, SEGMENT_GS };

static uint64_t segment_get(uint32_t n)
{
	uint16_t selectors[6];

	selectors_read(selectors);
	return selectors[n];
}

static void segment_set(uint32_t n, uint64_t value)
{
	uint32_t base = n == SEGMENT_FS ? MSR_FS_BASE : MSR_GS_BASE;
	uint64_t before = 0;

	msr_read(base, &before);
	if (n == SEGMENT_DS)
		__asm__ volatile("mov %w0, %%ds" ::"r"(value));
	else if (n == SEGMENT_ES)
		__asm__ volatile("mov %w0, %%es" ::"r"(value));
	else if (n == SEGMENT_FS)
		__asm__ volatile("mov %w0, %%fs" ::"r"(value));
	else
		__asm__ volatile("mov %w0, %%gs" ::"r"(value));
	msr_write(base, before);
}

/* Null selectors with a level: 64-bit code needs no data segment. */
static void add_segments(void)
{
	for (uint32_t n = SEGMENT_DS; n <= SEGMENT_GS; n++) {
		uint64_t now = segment_get(n), level = now == 3 ? 2 : 3;

		add((struct planted){segment_get, segment_set, n, .flip = now ^ level, .kept = true});
	}
}

static void add_control(void)
{
	bool xsave = cpu_state_has_xsave();

	add((struct planted){control_get, control_set, 0, .flip = CR0_MP | CR0_AM});
	add((struct planted){control_get, control_set, 4,
			     .flip = CR4_TSD | CR4_DE | CR4_PGE | CR4_PCE | CR4_OSXMMEXCPT,
			     .on = xsave ? CR4_OSXSAVE : 0});
	if (xsave && cpu_has(CPU_AVX))
		add((struct planted){control_get, control_set, 8, .flip = 4, .on = 3, .kept = true});
	/* Addresses at which nothing is executed. */
	for (uint32_t n = 0; n < 4; n++)
		add((struct planted){debug_get, debug_set, n, .flip = 0x7ffedcba0001 + (0x1111ull << 4 * n)});
	add((struct planted){debug_get, debug_set, 6, .flip = 5});
	add((struct planted){debug_get, debug_set, 7, .flip = DR7_L3});
}

/* --- model-specific registers ------------------------------------------------------------------------ */

static uint64_t msr_get(uint32_t address)
{
	uint64_t value = 0;

	msr_read(address, &value);
	return value;
}

static void msr_set(uint32_t address, uint64_t value)
{
	msr_write(address, value);
}

static const struct {
	uint32_t address;
	uint64_t flip;
} msrs[] = {
	{0x174, 0x50},     /* SYSENTER: selector, */
	{0x175, 0x123450}, /* stack, */
	{0x176, 0x543210}, /* entry */
	{MSR_PAT,
	 1ull << 48 | 1ull << 56}, /* pages of these entries are as good as none: from UC-, UC to WB, WC */
	{MSR_EFER, EFER_SCE},
	{0xc0000081, 0x5000500000000}, /* SYSCALL: selectors, */
	{0xc0000082, 0x12340},         /* entry, */
	{0xc0000083, 0x23450},         /* that of 32-bit code, */
	{0xc0000084, 0x600},           /* flags */
	{MSR_FS_BASE, 0x34560},        /* bases: FS, */
	{MSR_GS_BASE, 0x45670},        /* GS, */
	{0xc0000102, 0x56780},         /* the other GS */
	{MSR_TSC_AUX, 0x5a},
};

/* An emulator may answer for MSRs that its CPU does not have. */
static bool has_tsc_aux(void)
{
	return cpuid(0x80000001, 0).edx >> 27 & 1; /* RDTSCP */
}

static void add_msrs(void)
{
	uint64_t value;

	for (size_t i = 0; i < sizeof msrs / sizeof msrs[0]; i++)
		if (msr_read(msrs[i].address, &value) && (msrs[i].address != MSR_TSC_AUX || has_tsc_aux()))
			add((struct planted){msr_get, msr_set, msrs[i].address, .flip = msrs[i].flip});
}

/* --- local APIC ----------------------------------------------------------------------------------------- */

#define LVT_VOLATILE 0x5000 /* delivery status, remote IRR */
#define LVT_EXTINT   (7u << 8)
#define SVR_ENABLED  0x100
#define SVR_OURS     (SVR_ENABLED | VECTOR_SPURIOUS)

static uint64_t apic_get(uint32_t reg)
{
	return apic_read((enum apic_register)reg);
}

static void apic_set(uint32_t reg, uint64_t value)
{
	apic_write((enum apic_register)reg, (uint32_t)value);
}

static const uint16_t entries[] = {
	APIC_LVT_CMCI,  APIC_LVT_THERMAL, APIC_LVT_PERF,        APIC_LVT_LINT0,       APIC_LVT_LINT1,
	APIC_LVT_ERROR, APIC_EXT_LVT0,    APIC_EXT_LVT0 + 0x10, APIC_EXT_LVT0 + 0x20, APIC_EXT_LVT0 + 0x30,
};

static void add_apic(void)
{
	if (!apic_present())
		return;
	add((struct planted){apic_get, apic_set, APIC_TPR, .flip = 0x50});
	add((struct planted){apic_get, apic_set, APIC_SVR, .flip = 0x30});
	/* Open, for the 8259s, which interrupt nothing while interrupts are masked; unless the APIC is
	 * disabled, which closes all. */
	add((struct planted){
		apic_get, apic_set, APIC_LVT_LINT0,
		.flip = 0x35 |
			(apic_read(APIC_SVR) & SVR_ENABLED ? apic_read(APIC_LVT_LINT0) & APIC_LVT_MASKED : 0),
		.on = LVT_EXTINT, .volatile_bits = LVT_VOLATILE});
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		if (entries[i] != APIC_LVT_LINT0 && apic_has_lvt((enum apic_register)entries[i]))
			add((struct planted){apic_get, apic_set, entries[i], .flip = 0x35,
					     .on = APIC_LVT_MASKED, .volatile_bits = LVT_VOLATILE});
	add((struct planted){apic_get, apic_set, APIC_LVT_TIMER, .flip = 0x26,
			     .on = APIC_LVT_MASKED | APIC_LVT_PERIODIC, .volatile_bits = LVT_VOLATILE});
	add((struct planted){apic_get, apic_set, APIC_TIMER_DIVIDE, .flip = 9});
	add((struct planted){apic_get, apic_set, APIC_TIMER_INITIAL, .flip = 0x12345678});
}

static bool apic_is_ours(void)
{
	bool ours = apic_read(APIC_TPR) == 0 && apic_read(APIC_SVR) == SVR_OURS &&
		    (apic_read(APIC_LVT_ERROR) & ~LVT_VOLATILE) == VECTOR_APIC_ERROR &&
		    apic_read(APIC_LVT_TIMER) & APIC_LVT_MASKED && !apic_read(APIC_TIMER_CURRENT);

	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
		if (entries[i] != APIC_LVT_ERROR && entries[i] != APIC_LVT_LINT1 &&
		    apic_has_lvt((enum apic_register)entries[i]))
			ours &= (apic_read((enum apic_register)entries[i]) & APIC_LVT_MASKED) != 0;
	return ours;
}

/* --- interrupt controllers ------------------------------------------------------------------------------ */

static uint64_t port_get(uint32_t port)
{
	return port_read8((uint16_t)port);
}

static void port_set(uint32_t port, uint64_t value)
{
	port_write8((uint16_t)port, (uint8_t)value);
}

#define PIC_MASTER 0x21
#define PIC_SLAVE  0xa1

#define CHIP(index)         ((index) >> 16)
#define REGISTER(chip, reg) ((chip) << 16 | (reg))
#define PIN_LOW(pin)        (0x10 + 2 * (pin))
#define PIN_MASKED          (1u << 16)
#define PIN_VOLATILE        0x5000

static uint64_t chip_get(uint32_t index)
{
	volatile uint32_t *p = (volatile uint32_t *)(uint64_t)acpi.io_apic[CHIP(index)].address;

	p[0] = index & 0xff;
	return p[4];
}

static void chip_set(uint32_t index, uint64_t value)
{
	volatile uint32_t *p = (volatile uint32_t *)(uint64_t)acpi.io_apic[CHIP(index)].address;

	p[0] = index & 0xff;
	p[4] = (uint32_t)value;
}

static unsigned pins(unsigned chip)
{
	return (unsigned)(chip_get(REGISTER(chip, 1)) >> 16 & 0xff) + 1;
}

/* Pins that firmware uses are left alone. The last one is opened besides: an edge on it would be one of the
 * vector below, which planted_remove() leaves requested at worst. */
static void add_interrupt_chips(void)
{
	if (acpi.legacy_pics) {
		add((struct planted){port_get, port_set, PIC_MASTER, .flip = 0x5a});
		add((struct planted){port_get, port_set, PIC_SLAVE, .flip = 0xa5});
	}
	for (unsigned chip = 0; chip < acpi.n_io_apics; chip++)
		for (unsigned pin = 0; pin < pins(chip); pin++) {
			uint32_t index = REGISTER(chip, PIN_LOW(pin));
			bool last = pin + 1 == pins(chip);

			if (!(chip_get(index) & PIN_MASKED))
				continue;
			add((struct planted){chip_get, chip_set, index,
					     .flip = 0x33 | (last ? PIN_MASKED : 0),
					     .volatile_bits = PIN_VOLATILE});
			add((struct planted){chip_get, chip_set, index + 1, .flip = 0x05000000});
		}
}

static bool pins_are_masked(void)
{
	bool masked = true;

	for (unsigned chip = 0; chip < acpi.n_io_apics; chip++)
		for (unsigned pin = 0; pin < pins(chip); pin++)
			masked &= (chip_get(REGISTER(chip, PIN_LOW(pin))) & PIN_MASKED) != 0;
	return masked;
}

/* --- HPET --------------------------------------------------------------------------------------------- */

#define HPET_CAPABILITIES  0x000
#define HPET_CONFIGURATION 0x010
#define HPET_ENABLE        1
#define HPET_TIMER(n)      (0x100 + 0x20 * (n))
#define HPET_PINS          0x04
#define HPET_MESSAGE       0x10 /* and its address behind it */
#define HPET_INTERRUPT     4u
#define HPET_MESSAGES      (1u << 15) /* it can send some */

static uint64_t hpet_get(uint32_t offset)
{
	return ((volatile uint32_t *)acpi.hpet)[offset / 4];
}

static void hpet_set(uint32_t offset, uint64_t value)
{
	((volatile uint32_t *)acpi.hpet)[offset / 4] = (uint32_t)value;
}

static unsigned comparators(void)
{
	return acpi.hpet ? (unsigned)(hpet_get(HPET_CAPABILITIES) >> 8 & 31) + 1 : 0;
}

/* A comparator that firmware uses is left alone; another one interrupts a pin that is masked. */
static void add_hpet(void)
{
	for (unsigned n = 0; n < comparators(); n++) {
		uint32_t pins = (uint32_t)hpet_get(HPET_TIMER(n) + HPET_PINS),
			 t = (uint32_t)hpet_get(HPET_TIMER(n));

		if (t & HPET_INTERRUPT || !pins)
			continue;
		add((struct planted){hpet_get, hpet_set, HPET_TIMER(n),
				     .flip = HPET_INTERRUPT | (31u - (unsigned)__builtin_clz(pins)) << 9});
		if (t & HPET_MESSAGES) {
			add((struct planted){hpet_get, hpet_set, HPET_TIMER(n) + HPET_MESSAGE, .flip = 0x35});
			add((struct planted){hpet_get, hpet_set, HPET_TIMER(n) + HPET_MESSAGE + 4,
					     .flip = 0x3000});
		}
	}
	if (comparators())
		add((struct planted){hpet_get, hpet_set, HPET_CONFIGURATION, .flip = HPET_ENABLE});
}

static bool hpet_is_ours(void)
{
	bool ours = hpet_get(HPET_CONFIGURATION) & HPET_ENABLE;

	for (unsigned n = 0; n < comparators(); n++)
		ours &= !(hpet_get(HPET_TIMER(n)) & HPET_INTERRUPT);
	return ours;
}

/* --- all of them -------------------------------------------------------------------------------------- */

unsigned planted_plant(unsigned *stubborn)
{
	count = *stubborn = 0;
	add_segments();
	add_control();
	add_msrs();
	add_apic();
	/* Devices are the boot processor's. */
	if (!processor_current()) {
		add_interrupt_chips();
		add_hpet();
	}
	for (struct planted *p = list; p < list + count; p++) {
		p->original = p->get(p->index);
		p->set(p->index, (p->original ^ p->flip) | p->on);
		p->value = p->get(p->index);
		*stubborn += ((p->value ^ p->original) & p->flip) != (p->flip & ~p->on);
	}
	return count;
}

void planted_spoil(void)
{
	for (const struct planted *p = list; p < list + count; p++)
		if (!p->kept)
			p->set(p->index,
			       (p->get(p->index) & ~p->flip) | (p->original & p->flip) | (p->on & p->flip));
}

static bool differs(const struct planted *p)
{
	return ((p->get(p->index) ^ p->value) & ~p->volatile_bits) != 0;
}

unsigned planted_differing(unsigned *first)
{
	unsigned n = 0;

	for (unsigned i = count; i-- > 0;)
		if (differs(&list[i])) {
			*first = i;
			n++;
		}
	return n;
}

unsigned planted_told(void)
{
	unsigned n = 0, which;

	for (unsigned i = 0; i < count; i++) {
		const struct planted *p = &list[i];

		p->set(p->index, p->value ^ p->flip);
		n += planted_differing(&which) == 1 && which == i;
		p->set(p->index, p->value);
	}
	return n;
}

void planted_remove(void)
{
	while (count) {
		const struct planted *p = &list[--count];

		p->set(p->index, p->original);
	}
}

unsigned planted_owned(void)
{
	bool devices = !processor_current();

	return OWN_CONTROL | OWN_DEBUG | OWN_FLOAT | (apic_present() ? OWN_APIC : 0) |
	       (devices && acpi.legacy_pics ? OWN_PIC : 0) | (devices && acpi.n_io_apics ? OWN_IO_APIC : 0) |
	       (devices && comparators() ? OWN_HPET : 0);
}

/* Our page tables' types: arch/x86/machine/paging_internal.h says which. */
#define PAT_OURS  0x0007010600070106
#define CR0_SET   (CR0_MP | CR0_NE | CR0_WP)
#define CR0_CLEAR (CR0_EM | CR0_TS | CR0_AM | CR0_NW | CR0_CD)
#define CR4_SET   (CR4_OSFXSR | CR4_OSXMMEXCPT)
#define CR4_CLEAR                                                                                            \
	(CR4_TSD | CR4_DE | CR4_PGE | CR4_PCE | CR4_UMIP | CR4_FSGSBASE | CR4_PCIDE | CR4_SMEP | CR4_SMAP)

static bool control_is_ours(void)
{
	return (cr0_read() & (CR0_SET | CR0_CLEAR)) == CR0_SET &&
	       (cr4_read() & (CR4_SET | CR4_CLEAR)) == CR4_SET &&
	       (msr_get(MSR_EFER) & (EFER_SCE | EFER_NXE)) == (EFER_SCE | (cpu_has(CPU_NX) ? EFER_NXE : 0)) &&
	       msr_get(MSR_PAT) == PAT_OURS && !(cpu_state_has_xsave() && (xcr0_read() & 3) != 3);
}

#define FCW_INITIAL   0x37f
#define MXCSR_INITIAL 0x1f80

static bool float_is_ours(void)
{
	uint32_t mxcsr;
	uint16_t word;

	__asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(word));
	return mxcsr == MXCSR_INITIAL && word == FCW_INITIAL;
}

unsigned planted_not_ours(void)
{
	unsigned own = planted_owned(), ours;

	ours = (control_is_ours() ? OWN_CONTROL : 0) | (debug_get(7) == DR7_NONE ? OWN_DEBUG : 0) |
	       (float_is_ours() ? OWN_FLOAT : 0);
	if (own & OWN_APIC && apic_is_ours())
		ours |= OWN_APIC;
	if (own & OWN_PIC && port_read8(PIC_MASTER) == 0xff && port_read8(PIC_SLAVE) == 0xff)
		ours |= OWN_PIC;
	if (own & OWN_IO_APIC && pins_are_masked())
		ours |= OWN_IO_APIC;
	if (own & OWN_HPET && hpet_is_ours())
		ours |= OWN_HPET;
	return own & ~ours;
}
