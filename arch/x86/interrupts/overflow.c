#include "arch/courage.h"
#include "arch/overflow.h"

#include "arch/x86/exceptions/trap.h"
#include "arch/x86/interrupts/apic.h"

#include <stddef.h>

static const uint8_t vectors[OVERFLOW_WAYS] = {VECTOR_PMI, VECTOR_NMI};
static const uint32_t modes[OVERFLOW_WAYS] = {APIC_LVT_FIXED, APIC_LVT_NMI};

const char overflow_device[] = "local APIC";
const char overflow_absent[] = "there is no local APIC";
const char overflow_entry[] = "LVT";

const struct overflow_way_name overflow_way_name[OVERFLOW_WAYS] = {
	[OVERFLOW_MASKABLE] = {"fixed", "SDM 10.5.1, delivery mode fixed"},
	[OVERFLOW_NMI] = {"NMI", "SDM 10.5.1, delivery mode NMI"},
};

static enum apic_register entry_of(unsigned line)
{
	return line == OVERFLOW_COUNTERS ? APIC_LVT_PERF : (enum apic_register)line;
}

bool overflow_present(unsigned line)
{
	return line != OVERFLOW_NO_LINE && apic_present() && apic_has_lvt(entry_of(line));
}

static const struct trap_frame *interrupted; /* by what a handler is running for */

static bool handle(const struct trap_frame *frame, enum overflow_way way, const struct overflow_claim *claim)
{
	const struct trap_frame *outer = interrupted;
	bool taken;

	interrupted = frame;
	taken = claim->handler(frame->rip, way, claim->arg);
	interrupted = outer;
	return taken;
}

static bool on_vector(struct trap_frame *frame, void *arg)
{
	handle(frame, OVERFLOW_MASKABLE, arg);
	apic_eoi();
	return true;
}

static bool on_nmi(struct trap_frame *frame, void *arg)
{
	return handle(frame, OVERFLOW_NMI, arg);
}

/* As struct step_registers numbers them. */
bool overflow_register(unsigned number, uint64_t *value)
{
	const struct trap_frame *f = interrupted;

	if (!f || number > 15)
		return false;
	const uint64_t *const all[] = {&f->rax, &f->rbx, &f->rcx, &f->rdx, &f->rsi, &f->rdi,
				       &f->rbp, &f->rsp, &f->r8,  &f->r9,  &f->r10, &f->r11,
				       &f->r12, &f->r13, &f->r14, &f->r15};
	*value = *all[number];
	return true;
}

void overflow_claim(enum overflow_way way, const struct overflow_claim *claim)
{
	trap_handler *const handlers[OVERFLOW_WAYS] = {on_vector, on_nmi};

	trap_set_handler(vectors[way], claim ? handlers[way] : NULL, (void *)(uintptr_t)claim);
}

bool overflow_arm(unsigned line, enum overflow_way way)
{
	if (line == OVERFLOW_NO_LINE)
		return true;
	if (courage_level() < COURAGE_INTERRUPT) {
		trap_refuse("local vector table entry", entry_of(line), COURAGE_INTERRUPT);
		return false;
	}
	apic_write(entry_of(line), VECTOR_PMI | modes[way]);
	return true;
}

void overflow_mask(unsigned line)
{
	if (line != OVERFLOW_NO_LINE)
		apic_write(entry_of(line), VECTOR_PMI | APIC_LVT_MASKED);
}

bool overflow_masked(unsigned line)
{
	return line == OVERFLOW_NO_LINE || apic_read(entry_of(line)) & APIC_LVT_MASKED;
}
