/*
 * Overflow interrupts of a virtual PMU's counters, and its records' memory: delivered and reached as the CPU
 * would.
 */
#include "arch/x86/step/step_engine.h"

#include "arch/overflow.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/lvt.h"
#include "arch/x86/machine/paging.h"

unsigned step_extra_line(unsigned n)
{
	return n < APIC_EXT_LVTS ? APIC_EXT_LVT0 + 0x10 * n : OVERFLOW_NO_LINE;
}

void step_emulate_extra_lines(bool emulate)
{
	apic_emulate_extended(emulate);
}

void step_request_overflow(unsigned line, bool stays)
{
	enum apic_register lvt = line == OVERFLOW_COUNTERS ? APIC_LVT_PERF : (enum apic_register)line;
	uint32_t entry;

	if (line == OVERFLOW_NO_LINE)
		return;
	entry = apic_read(lvt);
	switch (lvt_request(&entry, stays)) {
	case LVT_LOST:
		return;
	case LVT_NMI:
		apic_write(lvt, entry);
		step_raise_nmi();
		return;
	case LVT_FIXED:
		apic_write(lvt, entry);
		apic_self_ipi((uint8_t)(entry & LVT_VECTOR));
		return;
	}
}

static bool read_memory(void *ctx, uint64_t address, void *out, size_t size)
{
	(void)ctx;
	return page_readable((const void *)(uintptr_t)address, size) && step_copy(out, (const void *)(uintptr_t)address, size);
}

static bool write_memory(void *ctx, uint64_t address, const void *data, size_t size)
{
	(void)ctx;
	return page_writable((const void *)(uintptr_t)address, size) && step_copy((void *)(uintptr_t)address, data, size);
}

static bool translate(void *ctx, uint64_t address, uint64_t *physical, unsigned *shift)
{
	(void)ctx;
	return page_translate(address, physical, shift);
}

const struct step_memory step_memory = {.read = read_memory, .write = write_memory, .translate = translate};
