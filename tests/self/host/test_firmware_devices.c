/*
 * What firmware left in devices that no emulator has: entries of local APICs of every size, the gate's port,
 * and interrupts that are nobody's. The code of the image runs here as it is: its I/O ports are answered when
 * they fault, and the APIC's page is memory.
 */
#define _GNU_SOURCE /* REG_RIP */
#include "arch/overflow.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/x86/time/pit.h"
#include "arch/x86/time/tsc.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>
#include <cmocka.h>

/* --- the machine
 * ---------------------------------------------------------------------------------------------- */

#define PORTS 0x80

static uint8_t port[PORTS];
static bool written[PORTS];
static uint32_t page[1024] __attribute__((aligned(4096)));
static trap_handler *handler[256];
static void *handler_arg[256];

/* IN and OUT of AL, by DX or an immediate port; STI and CLI do nothing. SDM vol. 2. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)r[REG_RIP];
	bool by_dx = code[0] & 8;
	uint16_t at = by_dx ? (uint16_t)r[REG_RDX] : code[1];

	(void)signal, (void)info;
	switch (code[0]) {
	case 0xfa: /* CLI */
	case 0xfb: /* STI */
		r[REG_RIP]++;
		return;
	case 0xe4: /* IN AL */
	case 0xec:
		r[REG_RAX] = (r[REG_RAX] & ~0xff) | (at < PORTS ? port[at] : 0xff);
		break;
	case 0xe6: /* OUT AL */
	case 0xee:
		if (at < PORTS) {
			port[at] = (uint8_t)r[REG_RAX];
			written[at] = true;
		}
		break;
	default:
		_exit(3);
	}
	r[REG_RIP] += by_dx ? 1 : 2;
}

bool cpu_has(enum cpu_feature feature)
{
	return feature == CPU_APIC;
}

/*
 * The timer of a local APIC in x2APIC mode: a write of the initial count starts it, one that changes the mode
 * in the LVT entry disarms it (SDM vol. 3, 10.5.4), and IA32_TSC_DEADLINE is kept in deadline mode alone
 * (10.5.4.1).
 */
#define X2(reg)      (0x800 + (reg) / 16)
#define TSC_DEADLINE 0x6e0
#define MODE(entry)  ((entry) >> 17 & 3)
#define PERIODIC     (1u << 17)
#define DEADLINE     (2u << 17)

static bool is_x2, armed;
static uint64_t deadline;

bool msr_read(uint32_t address, uint64_t *value)
{
	if (is_x2 && address == TSC_DEADLINE)
		*value = deadline;
	else if (is_x2 && address >= 0x800 && address < 0x840)
		*value = page[(address - 0x800) * 4];
	else {
		assert_int_equal(address, 0x1b); /* IA32_APIC_BASE: enabled, where the page is */
		*value = (uintptr_t)page | 1u << 11 | (is_x2 ? 1u << 10 : 0);
	}
	return true;
}

bool msr_write(uint32_t address, uint64_t value)
{
	uint32_t *entry = &page[APIC_LVT_TIMER / 4];

	if (!is_x2 || (address != TSC_DEADLINE && (address < 0x800 || address >= 0x840)))
		fail_msg("MSR 0x%x is written: 0x%lx", address, (unsigned long)value);
	if (address == TSC_DEADLINE) {
		deadline = MODE(*entry) == 2 ? value : 0;
		armed = deadline;
		return true;
	}
	if (address == X2(APIC_LVT_TIMER) && MODE(*entry) != MODE(value)) {
		armed = false;
		deadline = 0;
	}
	if (address == X2(APIC_TIMER_INITIAL)) {
		if (MODE(*entry) == 2)
			return true;
		armed = value;
		page[APIC_TIMER_CURRENT / 4] = (uint32_t)value;
	}
	page[(address - 0x800) * 4] = (uint32_t)value;
	return true;
}

bool msr_read_own(uint32_t address, uint64_t *value)
{
	return msr_read(address, value);
}

bool msr_write_own(uint32_t address, uint64_t value)
{
	return msr_write(address, value);
}

void trap_refuse(const char *kind, uint32_t number, unsigned from)
{
	fail_msg("%s 0x%x is refused below courage %u", kind, number, from);
}

uint64_t tsc_hz(void)
{
	return 1000000000;
}

void trap_set_handler(unsigned vector, trap_handler *to, void *arg)
{
	handler[vector] = to;
	handler_arg[vector] = arg;
}

static int begin(void **state)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	(void)state;
	memset(port, 0, sizeof port);
	memset(written, 0, sizeof written);
	memset(page, 0, sizeof page);
	memset(handler, 0, sizeof handler);
	is_x2 = armed = false;
	deadline = 0;
	return sigaction(SIGSEGV, &action, NULL);
}

/* --- local APIC
 * ----------------------------------------------------------------------------------------------- */

#define VERSION 0x30

/* In the order in which they were added, with the highest entry number (SDM vol. 3, 10.4.8) of an APIC that
 * has them. */
static const struct {
	uint16_t at;
	uint8_t since;
	bool live; /* while the machine is taken: LINT1 may be an NMI of the board, errors are our own */
} entries[] = {
	{APIC_LVT_TIMER, 3, false}, {APIC_LVT_LINT0, 3, false}, {APIC_LVT_LINT1, 3, true},
	{APIC_LVT_ERROR, 3, true},  {APIC_LVT_PERF, 4, false},  {APIC_LVT_THERMAL, 5, false},
	{APIC_LVT_CMCI, 6, false},
};

#define ENTRIES (sizeof entries / sizeof *entries)

/* All that firmware left is a live entry with a vector of its own. Its interrupts are masked while the
 * machine is taken, and all is as it was when it is given back; registers that this APIC lacks are not
 * touched. */
static void entries_of_firmware_are_masked_and_put_back(void **state)
{
	uint32_t left[1024];

	(void)state;
	for (uint32_t highest = 3; highest <= 6; highest++) {
		begin(state);
		apic_detect();
		assert_true(apic_present());
		page[VERSION / 4] = highest << 16 | 0x14;
		for (unsigned i = 0; i < ENTRIES; i++)
			page[entries[i].at / 4] = 0x40 + i;
		page[APIC_SVR / 4] = 0x1ff;
		page[APIC_TPR / 4] = 0x20;
		memcpy(left, page, sizeof left);
		apic_take();
		for (unsigned i = 0; i < ENTRIES; i++) {
			uint32_t now = page[entries[i].at / 4];

			assert_int_equal(apic_has_lvt(entries[i].at), highest >= entries[i].since);
			if (highest < entries[i].since)
				assert_int_equal(now, left[entries[i].at / 4]);
			else if (!entries[i].live && !(now & APIC_LVT_MASKED))
				fail_msg("entry 0x%x of an APIC with %u entries stays live", entries[i].at,
					 highest + 1);
		}
		assert_int_equal(page[APIC_TPR / 4], 0);
		apic_give_back();
		for (unsigned i = 0; i < ENTRIES; i++)
			if (page[entries[i].at / 4] != left[entries[i].at / 4])
				fail_msg("entry 0x%x of an APIC with %u entries is 0x%x afterwards",
					 entries[i].at, highest + 1, page[entries[i].at / 4]);
		assert_int_equal(page[APIC_SVR / 4], left[APIC_SVR / 4]);
		assert_int_equal(page[APIC_TPR / 4], left[APIC_TPR / 4]);
	}
}

/* A timer that firmware had running runs on in its own mode: a periodic one with the whole of its period, a
 * one-shot with what was left of its count, a deadline with the same deadline. */
static void firmware_timer_runs_on(void **state)
{
	static const uint32_t modes[] = {0, PERIODIC, DEADLINE};

	for (unsigned m = 0; m < 3; m++) {
		begin(state);
		is_x2 = true;
		apic_detect();
		assert_true(apic_is_x2());
		page[VERSION / 4] = 6u << 16 | 0x14;
		page[APIC_LVT_TIMER / 4] = modes[m] | 0x40;
		page[APIC_TIMER_DIVIDE / 4] = 3;
		page[APIC_TIMER_INITIAL / 4] = 5000;
		page[APIC_TIMER_CURRENT / 4] = 1200;
		deadline = modes[m] == DEADLINE ? 987654321 : 0;
		apic_take();
		assert_false(armed);
		apic_timer_oneshot(77);
		assert_true(armed);
		apic_give_back();
		assert_true(armed);
		assert_int_equal(page[APIC_LVT_TIMER / 4], modes[m] | 0x40);
		assert_int_equal(page[APIC_TIMER_DIVIDE / 4], 3);
		if (modes[m] == DEADLINE)
			assert_int_equal(deadline, 987654321);
		else
			assert_int_equal(page[APIC_TIMER_CURRENT / 4], modes[m] ? 5000 : 1200);
	}
	begin(state);
	apic_detect();
}

/* A vector is asked for while it waits and while it is in service; the one beside it is not. */
static void requested_is_waiting_or_in_service(void **state)
{
	static const uint16_t blocks[] = {APIC_IRR, APIC_ISR};

	for (unsigned b = 0; b < 2; b++)
		for (unsigned v = 16; v < 256; v++) {
			begin(state);
			apic_detect();
			page[(blocks[b] + v / 32 * 16) / 4] = 1u << v % 32;
			for (unsigned other = 16; other < 256; other++) {
				assert_int_equal(apic_requested((uint8_t)other), other == v);
				assert_int_equal(apic_in_service((uint8_t)other), b == 1 && other == v);
			}
		}
}

/* An ID of eight bits reaches all but FFH, which is everybody: SDM vol. 3, 10.6.2. */
static void everybody_is_no_processor(void **state)
{
	begin(state);
	apic_detect();
	assert_false(apic_is_x2());
	for (uint32_t id = 0; id < 300; id++)
		assert_int_equal(apic_reaches(id), id < 0xff);
}

/* --- PIT
 * ------------------------------------------------------------------------------------------------------ */

#define GATE 0x61

/* Bits 0 to 3 are what software writes: gate, speaker, and whether parity and IOCHK raise no NMI. The others
 * are read only, and to be written as 0. */
static void the_gate_is_as_firmware_left_it(void **state)
{
	(void)state;
	for (unsigned left = 0; left < 256; left++) {
		begin(state);
		port[GATE] = (uint8_t)left;
		pit_clock_start();
		assert_int_equal(port[GATE] & 3, 1); /* the gate is open, the speaker silent */
		if ((port[GATE] ^ left) & 0x0c)
			fail_msg("port 61H was 0x%x and is 0x%x while the PIT is the clock", left,
				 port[GATE]);
		port[GATE] |= left & 0xf0;
		pit_clock_stop();
		assert_true(written[GATE]);
		if (port[GATE] != (left & 0x0f))
			fail_msg("port 61H was 0x%x and is 0x%x afterwards", left, port[GATE]);
	}
}

/* --- whose interrupt it is
 * ------------------------------------------------------------------------------------ */

static bool is_mine;
static unsigned calls;

static bool answers(uint64_t at, enum overflow_way way, void *arg)
{
	assert_int_equal(at, 0x1234);
	assert_int_equal(way, *(enum overflow_way *)arg);
	calls++;
	return is_mine;
}

/* What a handler says is not its own is told as unexpected: only the NMI has other sources. A vector is the
 * counter's alone, and ended at the APIC in any case. */
static void an_nmi_that_is_nobodys_is_told(void **state)
{
	static const struct {
		enum overflow_way way;
		uint8_t vector;
	} ways[] = {{OVERFLOW_MASKABLE, VECTOR_PMI}, {OVERFLOW_NMI, VECTOR_NMI}};
	struct trap_frame frame = {.rip = 0x1234};

	(void)state;
	apic_detect();
	for (unsigned w = 0; w < 2; w++)
		for (unsigned mine = 0; mine < 2; mine++) {
			enum overflow_way way = ways[w].way;
			struct overflow_claim claim = {.handler = answers, .arg = &way};
			uint8_t v = ways[w].vector;

			is_mine = mine;
			calls = 0;
			page[APIC_EOI / 4] = 1;
			overflow_claim(way, &claim);
			assert_non_null(handler[v]);
			assert_int_equal(handler[v](&frame, handler_arg[v]),
					 mine || way == OVERFLOW_MASKABLE);
			assert_int_equal(calls, 1);
			assert_int_equal(page[APIC_EOI / 4], way == OVERFLOW_NMI); /* an NMI has none */
			overflow_claim(way, NULL);
			assert_null(handler[v]);
		}
}

static bool reads_registers(uint64_t at, enum overflow_way way, void *arg)
{
	uint64_t *value = arg;

	(void)at, (void)way;
	for (unsigned i = 0; i < 17; i++)
		if (overflow_register(i, &value[i]) != (i < 16))
			fail_msg("register %u", i);
	return true;
}

/* The interrupted registers have the numbers that struct step_registers names them by. */
static void a_handler_sees_the_interrupted_registers(void **state)
{
	static const uint64_t want[16] = {10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25};
	struct trap_frame frame = {.rip = 0x1234,
				   .rax = 10, .rbx = 11, .rcx = 12, .rdx = 13, .rsi = 14, .rdi = 15,
				   .rbp = 16, .rsp = 17, .r8 = 18, .r9 = 19, .r10 = 20, .r11 = 21,
				   .r12 = 22, .r13 = 23, .r14 = 24, .r15 = 25};
	uint64_t value[17] = {0};
	struct overflow_claim claim = {.handler = reads_registers, .arg = value};

	(void)state;
	apic_detect();
	overflow_claim(OVERFLOW_NMI, &claim);
	assert_true(handler[VECTOR_NMI](&frame, handler_arg[VECTOR_NMI]));
	overflow_claim(OVERFLOW_NMI, NULL);
	assert_memory_equal(value, want, sizeof want);
	assert_false(overflow_register(0, value)); /* outside a handler there are none */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(entries_of_firmware_are_masked_and_put_back, begin),
		cmocka_unit_test_setup(firmware_timer_runs_on, begin),
		cmocka_unit_test_setup(requested_is_waiting_or_in_service, begin),
		cmocka_unit_test_setup(everybody_is_no_processor, begin),
		cmocka_unit_test_setup(the_gate_is_as_firmware_left_it, begin),
		cmocka_unit_test_setup(an_nmi_that_is_nobodys_is_told, begin),
		cmocka_unit_test_setup(a_handler_sees_the_interrupted_registers, begin),
	};

	return cmocka_run_group_tests_name("what firmware left in devices", tests, NULL, NULL);
}
