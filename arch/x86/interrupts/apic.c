#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"

#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/exceptions/trap.h"

#define MSR_APIC_BASE   0x1b
#define APIC_BASE_X2    (1u << 10)
#define APIC_BASE_EN    (1u << 11)
#define MSR_X2APIC      0x800
#define MSR_X2APIC_ICR  0x830
#define APIC_SVR_ENABLE (1u << 8)

#define ICR_PENDING         (1u << 12)
#define ICR_ASSERT          (1u << 14)
#define ICR_SELF            (1u << 18)
#define ICR_INIT            (5u << 8)
#define ICR_STARTUP         (6u << 8)
#define TIMER_DIVIDE_BY_1   0xb
#define TIMER_DIVIDE_BY_128 0xa
#define LVT_TIMER_DEADLINE  (2u << 17)
#define LVT_TIMER_MODE      (3u << 17)
#define MSR_TSC_DEADLINE    0x6e0

static bool present, x2;
static volatile uint32_t *registers;
static uint64_t timer_hz;
static bool is_emulated; /* the extended entries are these: */
static uint32_t emulated[APIC_EXT_LVTS];
static bool x2_is_emulated;
static struct apic_state found[2],
	*firmware_state = found; /* of the processors that were taken, one after the other */
static volatile unsigned error_count;
static volatile uint32_t error_status;

/* Everything that is put back, in the order of writing: the timer's count restarts it, so it comes last. */
static const uint16_t saved_registers[APIC_SAVED] = {
	APIC_EXT_LVT0,     APIC_EXT_LVT0 + 0x10, APIC_EXT_LVT0 + 0x20, APIC_EXT_LVT0 + 0x30,
	APIC_TPR,          APIC_LVT_CMCI,        APIC_LVT_THERMAL,     APIC_LVT_PERF,
	APIC_LVT_LINT0,    APIC_LVT_LINT1,       APIC_LVT_ERROR,       APIC_SVR,
	APIC_TIMER_DIVIDE, APIC_LVT_TIMER,       APIC_TIMER_INITIAL,
};

bool apic_present(void)
{
	return present;
}

bool apic_is_x2(void)
{
	return x2;
}

uint64_t apic_page(void)
{
	return x2 ? 0 : (uintptr_t)registers;
}

static bool is_extended(enum apic_register reg)
{
	return reg >= APIC_EXT_LVT0 && reg < APIC_EXT_LVT0 + 0x10 * APIC_EXT_LVTS;
}

void apic_emulate_extended(bool emulate)
{
	is_emulated = emulate;
	for (unsigned i = 0; i < APIC_EXT_LVTS; i++)
		emulated[i] = APIC_LVT_MASKED;
}

uint32_t apic_read(enum apic_register reg)
{
	if (is_emulated && is_extended(reg))
		return emulated[(reg - APIC_EXT_LVT0) / 16];
	if (x2) {
		uint64_t value = 0;
		msr_read_own(MSR_X2APIC + reg / 16, &value);
		return (uint32_t)value;
	}
	return registers[reg / 4];
}

void apic_write(enum apic_register reg, uint32_t value)
{
	if (is_emulated && is_extended(reg))
		emulated[(reg - APIC_EXT_LVT0) / 16] = value;
	else if (x2)
		msr_write_own(MSR_X2APIC + reg / 16, value);
	else
		registers[reg / 4] = value;
}

void apic_eoi(void)
{
	apic_write(APIC_EOI, 0);
}

uint32_t apic_id(void)
{
	if (!present)
		return 0;
	return x2 ? apic_read(APIC_ID) : apic_read(APIC_ID) >> 24;
}

/* SDM vol. 3, 10.6.1: the destination shorthand "self" works for fixed delivery only, so NMIs name the APIC
 * ID. */
static void send(uint32_t command, uint32_t destination)
{
	if (x2) {
		/* The write is not ordered behind earlier stores: SDM vol. 3, 10.12.3. */
		__asm__ volatile("mfence; lfence" ::: "memory");
		msr_write_own(MSR_X2APIC_ICR, (uint64_t)destination << 32 | command);
		return;
	}
	apic_write(APIC_ICR_HIGH, destination << 24);
	apic_write(APIC_ICR, command);
	for (unsigned i = 0; i < 100000 && apic_read(APIC_ICR) & ICR_PENDING; i++)
		cpu_relax();
}

void apic_self_ipi(uint8_t vector)
{
	send(ICR_SELF | ICR_ASSERT | vector, 0);
}

void apic_self_nmi(void)
{
	apic_send_nmi(apic_id());
}

void apic_send_nmi(uint32_t id)
{
	send(ICR_ASSERT | APIC_LVT_NMI, id);
}

void apic_send_init(uint32_t id)
{
	send(ICR_ASSERT | ICR_INIT, id);
}

void apic_send_startup(uint32_t id, uint8_t page)
{
	send(ICR_ASSERT | ICR_STARTUP | page, id);
}

bool apic_reaches(uint32_t id)
{
	/* FFH is everybody: SDM vol. 3, 10.6.2. */
	return present && (x2 ? id != UINT32_MAX : id < 255);
}

void apic_emulate_x2(bool emulate)
{
	x2_is_emulated = emulate && present && !x2;
}

bool apic_emulated_write(uint32_t msr, uint64_t value)
{
	if (!x2_is_emulated)
		return false;
	switch (msr) {
	case MSR_X2APIC_ICR:
		send((uint32_t)value, value >> 32);
		return true;
	case MSR_X2APIC + APIC_EOI / 16:
	case MSR_X2APIC + APIC_TIMER_INITIAL / 16:
		apic_write((msr - MSR_X2APIC) * 16, (uint32_t)value);
		return true;
	default:
		return false;
	}
}

bool apic_emulated_read(uint32_t msr, uint64_t *value)
{
	if (!x2_is_emulated || msr != MSR_X2APIC + APIC_ID / 16)
		return false;
	*value = apic_id();
	return true;
}

static bool vector_bit(enum apic_register block, uint8_t vector)
{
	return present && apic_read(block + vector / 32 * 16) >> (vector % 32) & 1;
}

bool apic_requested(uint8_t vector)
{
	return vector_bit(APIC_IRR, vector) || vector_bit(APIC_ISR, vector);
}

bool apic_in_service(uint8_t vector)
{
	return vector_bit(APIC_ISR, vector);
}

void apic_end_all(void)
{
	for (unsigned i = 0; present && i < 256; i++) {
		uint32_t any = 0;

		for (unsigned block = 0; block < 8; block++)
			any |= apic_read(APIC_ISR + block * 16);
		if (!any)
			return;
		apic_eoi();
	}
}

static void timer_start(uint32_t ticks, uint32_t divide)
{
	apic_write(APIC_LVT_TIMER, ticks ? VECTOR_TIMER : APIC_LVT_MASKED | VECTOR_TIMER);
	apic_write(APIC_TIMER_INITIAL, 0);
	apic_write(APIC_TIMER_DIVIDE, divide);
	apic_write(APIC_TIMER_INITIAL, ticks);
}

void apic_timer_oneshot(uint32_t ticks)
{
	timer_start(ticks, TIMER_DIVIDE_BY_1);
}

void apic_timer_alarm(uint64_t us)
{
	uint64_t ticks = us * (timer_hz / 128 / 1000) / 1000 + 1;

	timer_start(ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX, TIMER_DIVIDE_BY_128);
}

uint64_t apic_timer_hz(void)
{
	return timer_hz;
}

unsigned apic_error_count(uint32_t *status)
{
	*status = error_status;
	return error_count;
}

static bool on_error(struct trap_frame *frame, void *arg)
{
	(void)frame;
	(void)arg;
	/* SDM vol. 3, 10.5.3: a write latches the errors since the last one. */
	apic_write(APIC_ESR, 0);
	uint32_t status = apic_read(APIC_ESR);

	/* A lasting cause would fill the screen: each kind is named once. */
	if (status & ~error_status)
		console_text("local APIC error, status 0x%x (SDM vol. 3, figure 10-9)\n", (unsigned)status);
	error_status |= status;
	error_count++;
	apic_eoi();
	return true;
}

static bool on_timer(struct trap_frame *frame, void *arg)
{
	(void)frame;
	(void)arg;
	apic_eoi();
	return true;
}

void apic_detect(void)
{
	uint64_t base;

	present = cpu_has(CPU_APIC) && msr_read(MSR_APIC_BASE, &base) && base & APIC_BASE_EN;
	if (!present)
		return;
	x2 = base & APIC_BASE_X2;
	registers = (volatile uint32_t *)(uintptr_t)(base & 0xffffffffff000);
}

bool apic_enable_x2(void)
{
	uint64_t base;

	if (x2)
		return true;
	if (!present || !cpu_has(CPU_X2APIC) || !msr_read(MSR_APIC_BASE, &base))
		return false;
	if (!msr_write(MSR_APIC_BASE, base | APIC_BASE_X2) || !msr_read(MSR_APIC_BASE, &base) ||
	    !(base & APIC_BASE_X2))
		return false;
	x2 = true;
	return true;
}

bool apic_join(void)
{
	uint64_t base;

	if (!msr_read_own(MSR_APIC_BASE, &base))
		return false;
	if (!(base & APIC_BASE_X2) == !x2)
		return true;
	return x2 && msr_write_own(MSR_APIC_BASE, base | APIC_BASE_X2);
}

/* APM vol. 2, 16.3.4 and 16.7.1: the version register says that there is an extended space, and that how many
 * entries it has. */
static bool has_extended(enum apic_register reg)
{
	if (is_emulated)
		return true;
	return apic_read(APIC_VERSION) >> 31 &&
	       (apic_read(APIC_EXT_FEATURE) >> 16 & 0xff) > (unsigned)(reg - APIC_EXT_LVT0) / 16;
}

bool apic_has_lvt(enum apic_register reg)
{
	unsigned highest = apic_read(APIC_VERSION) >> 16 & 0xff;

	if (is_extended(reg))
		return has_extended(reg);
	/* SDM vol. 3, 10.4.8 and figure 10-8: entries were added in this order. */
	return reg == APIC_LVT_CMCI      ? highest >= 6
	       : reg == APIC_LVT_THERMAL ? highest >= 5
	       : reg == APIC_LVT_PERF    ? highest >= 4
					 : true;
}

void apic_take(void)
{
	struct apic_state *s = firmware_state;

	if (!present)
		return;
	firmware_state++;
	for (unsigned i = 0; i < APIC_SAVED; i++)
		s->value[i] = apic_has_lvt(saved_registers[i]) ? apic_read(saved_registers[i]) : 0;
	s->current = apic_read(APIC_TIMER_CURRENT);
	s->deadline = 0;
	if ((apic_read(APIC_LVT_TIMER) & LVT_TIMER_MODE) == LVT_TIMER_DEADLINE)
		msr_read(MSR_TSC_DEADLINE, &s->deadline);
	for (unsigned i = 0; i < 8; i++)
		s->requested[i] = apic_read(APIC_IRR + i * 16);

	/* Disabled by software, the APIC forces every LVT mask bit to 1: enable first. SDM vol. 3, 10.4.7.2.
	 */
	apic_write(APIC_SVR, APIC_SVR_ENABLE | VECTOR_SPURIOUS);
	apic_write(APIC_TPR, 0);
	apic_timer_oneshot(0);
	apic_write(APIC_LVT_LINT0, APIC_LVT_MASKED);
	if (apic_has_lvt(APIC_LVT_CMCI))
		apic_write(APIC_LVT_CMCI, APIC_LVT_MASKED);
	if (apic_has_lvt(APIC_LVT_THERMAL))
		apic_write(APIC_LVT_THERMAL, APIC_LVT_MASKED);
	if (apic_has_lvt(APIC_LVT_PERF))
		apic_write(APIC_LVT_PERF, APIC_LVT_MASKED | VECTOR_PMI);
	for (unsigned i = 0; i < APIC_EXT_LVTS; i++)
		if (apic_has_lvt(APIC_EXT_LVT0 + 0x10 * i))
			apic_write(APIC_EXT_LVT0 + 0x10 * i, APIC_LVT_MASKED);
	apic_write(APIC_ESR, 0);
	apic_write(APIC_LVT_ERROR, VECTOR_APIC_ERROR);
	trap_set_handler(VECTOR_APIC_ERROR, on_error, 0);
	trap_set_handler(VECTOR_TIMER, on_timer, 0);
}

/*
 * Interrupts that our own work left requested would reach a firmware that knows no such vector, so they are
 * taken here, with the task priority just below the lowest of them: what firmware itself waits for stays
 * requested.
 */
static void drain(void)
{
	for (unsigned round = 0; round < 16; round++) {
		unsigned lowest = 256;

		for (unsigned v = 32; v < 256 && lowest == 256; v++)
			if (vector_bit(APIC_IRR, (uint8_t)v) &&
			    !(firmware_state->requested[v / 32] >> v % 32 & 1))
				lowest = v;
		if (lowest == 256)
			break;
		apic_write(APIC_TPR, (lowest & 0xf0) - 16);
		__asm__ volatile("sti; nop; nop; cli" ::: "memory");
	}
}

void apic_give_back(void)
{
	const struct apic_state *s;

	if (!present)
		return;
	s = --firmware_state;
	apic_timer_oneshot(0);
	if (apic_has_lvt(APIC_LVT_PERF))
		apic_write(APIC_LVT_PERF, APIC_LVT_MASKED | VECTOR_PMI);
	apic_end_all();
	drain();
	for (unsigned i = 0; i < APIC_SAVED; i++) {
		uint32_t value = s->value[i];

		/* A one-shot timer goes on with what was left of its count. */
		if (saved_registers[i] == APIC_TIMER_INITIAL &&
		    !(apic_read(APIC_LVT_TIMER) & APIC_LVT_PERIODIC))
			value = s->current;
		if (apic_has_lvt(saved_registers[i]))
			apic_write(saved_registers[i], value);
	}
	/* SDM vol. 3, 10.5.4.1: a fence between a memory-mapped LVT write and the MSR. */
	if (s->deadline) {
		__asm__ volatile("mfence" ::: "memory");
		msr_write(MSR_TSC_DEADLINE, s->deadline);
	}
}

void apic_forget(void)
{
	if (present)
		firmware_state--;
}

void apic_timer_calibrate(void)
{
	uint64_t start, took, window = tsc_hz() / 1000;
	uint32_t left;

	if (!present)
		return;
	apic_write(APIC_LVT_TIMER, APIC_LVT_MASKED | VECTOR_TIMER);
	apic_write(APIC_TIMER_DIVIDE, TIMER_DIVIDE_BY_1);
	apic_write(APIC_TIMER_INITIAL, UINT32_MAX);
	start = tsc_read();
	while (tsc_read() - start < window)
		cpu_relax();
	left = apic_read(APIC_TIMER_CURRENT);
	took = tsc_read() - start;
	apic_write(APIC_TIMER_INITIAL, 0);
	timer_hz = (uint64_t)(UINT32_MAX - left) * tsc_hz() / took;
}
