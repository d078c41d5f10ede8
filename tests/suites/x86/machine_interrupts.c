/*
 * The local APIC and the watchdog.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/interrupts/apic_internal.h"
#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/time/tsc.h"
#include "arch/x86/exceptions/user.h"
#include "arch/watchdog.h"
#include "arch/x86/exceptions/watchdog_internal.h"

#include <string.h>

#define VECTOR_STRAY 0x45 /* nobody's */

static char printed[4096];

static const char *no_apic(void)
{
	return apic_present() ? NULL : "no local APIC, or firmware left it off";
}

static const char *no_timer(void)
{
	return apic_present() && apic_timer_hz() ? NULL : "no APIC timer, or its frequency is not known";
}

static void wait_us(uint64_t us)
{
	uint64_t start = tsc_read(), ticks = us * (tsc_hz() / 1000) / 1000;

	while (tsc_read() - start < ticks)
		cpu_relax();
}

/* At most 1 s. */
static void wait_for(volatile int64_t *count, int64_t value)
{
	for (unsigned i = 0; i < 100000 && *count < value; i++)
		wait_us(10);
}

static bool on_counted(struct trap_frame *f, void *arg)
{
	++*(volatile int64_t *)arg;
	if (f->vector != VECTOR_NMI)
		apic_eoi();
	return true;
}

static int64_t ipi_waits_for_if(void)
{
	volatile int64_t count = 0;
	int64_t result;

	trap_set_handler(VECTOR_TEST, on_counted, (void *)&count);
	__asm__ volatile("cli");
	apic_self_ipi(VECTOR_TEST);
	for (unsigned i = 0; i < 1000 && !apic_requested(VECTOR_TEST); i++)
		wait_us(10);
	result = apic_requested(VECTOR_TEST) && count == 0;
	__asm__ volatile("sti");
	wait_for(&count, 1);
	__asm__ volatile("cli");
	result = result * 10 + count;
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	return result;
}

static bool on_service(struct trap_frame *f, void *arg)
{
	(void)f;
	*(int64_t *)arg += apic_in_service(VECTOR_TEST);
	apic_eoi();
	*(int64_t *)arg += !apic_in_service(VECTOR_TEST);
	return true;
}

static int64_t ipi_is_in_service(void)
{
	volatile int64_t count = 0;

	trap_set_handler(VECTOR_TEST, on_service, (void *)&count);
	__asm__ volatile("sti");
	apic_self_ipi(VECTOR_TEST);
	wait_for(&count, 2);
	__asm__ volatile("cli");
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	return count;
}

static int64_t nmi_ignores_if(void)
{
	volatile int64_t count = 0;

	trap_set_handler(VECTOR_NMI, on_counted, (void *)&count);
	__asm__ volatile("cli");
	apic_self_nmi();
	wait_for(&count, 1);
	apic_self_nmi();
	wait_for(&count, 2);
	trap_set_handler(VECTOR_NMI, NULL, NULL);
	return count;
}

/* Vectors below 16 are illegal: sending one is noted in the error status, if the APIC looks. */
#define ILLEGAL_VECTOR   5
#define ESR_SEND_ILLEGAL (1u << 5)

static const char *errors_unnoticed(void)
{
	volatile int64_t delivered = 0;
	uint32_t status;

	if (no_apic())
		return no_apic();
	/* An emulator may even deliver it. */
	trap_set_handler(ILLEGAL_VECTOR, on_counted, (void *)&delivered);
	apic_write(APIC_ESR, 0);
	__asm__ volatile("cli");
	apic_self_ipi(ILLEGAL_VECTOR);
	apic_write(APIC_ESR, 0);
	status = apic_read(APIC_ESR);
	__asm__ volatile("sti; nop; nop; cli");
	trap_set_handler(ILLEGAL_VECTOR, NULL, NULL);
	return status & ESR_SEND_ILLEGAL ? NULL
					 : "this APIC does not notice an illegal vector (an emulator's way)";
}

static int64_t errors_are_reported(void)
{
	uint32_t status;
	unsigned before = apic_error_count(&status);

	console_capture(printed, sizeof printed);
	__asm__ volatile("sti");
	apic_self_ipi(ILLEGAL_VECTOR);
	for (unsigned i = 0; i < 1000 && apic_error_count(&status) == before; i++)
		wait_us(10);
	__asm__ volatile("cli");
	console_capture(NULL, 0);
	return apic_error_count(&status) > before && status & ESR_SEND_ILLEGAL;
}

static int64_t errors_so_far(void)
{
	uint32_t status;

	apic_error_count(&status);
	return status & ~ESR_SEND_ILLEGAL;
}

static int64_t stray_is_counted(void)
{
	int64_t n;

	trap_stray_count();
	__asm__ volatile("sti");
	apic_self_ipi(VECTOR_STRAY);
	wait_us(1000);
	__asm__ volatile("cli");
	n = trap_stray_count();
	return apic_requested(VECTOR_STRAY) ? -1 : n;
}

static int64_t timer_fires_once(void)
{
	volatile int64_t count = 0;

	trap_set_handler(VECTOR_TIMER, on_counted, (void *)&count);
	__asm__ volatile("sti");
	apic_timer_oneshot((uint32_t)(apic_timer_hz() / 1000));
	wait_for(&count, 1);
	wait_us(5000);
	__asm__ volatile("cli");
	trap_set_handler(VECTOR_TIMER, NULL, NULL);
	return count;
}

/* Time that passes while it is looked at again and again. An emulator's host may hold it up in between, often
 * for much longer than this: how much of a longer gap is its own time is not known, and none of it is taken
 * for that. */
#define GAP_US 20

struct stopwatch {
	uint64_t start, last, own;
	bool held_up;
};

static struct stopwatch stopwatch_start(void)
{
	uint64_t now = tsc_read();

	return (struct stopwatch){.start = now, .last = now};
}

static void stopwatch_look(struct stopwatch *w)
{
	uint64_t now = tsc_read(), gap = now - w->last, most = tsc_hz() * GAP_US / 1000000;

	if (gap <= most)
		w->own += gap;
	else
		w->held_up = true;
	w->last = now;
}

/* What it shows, in thousandths of a time asked for: too little of all time that passed, or too much of its
 * own. */
static int64_t stopwatch_thousandths(const struct stopwatch *w, unsigned ms)
{
	uint64_t unit = tsc_hz() * ms / 1000000;
	int64_t all = (int64_t)((w->last - w->start) / unit), own = (int64_t)(w->own / unit);

	return all < 1000 ? all : own > 1000 ? own : 1000;
}

/* What an alarm of 10 ms takes until it has counted to 0, in thousandths of that; -1 if its interrupt does
 * not come in half a second of own time. (A thread of its own may send an emulator's interrupts, and be held
 * up alone.) For half a second it is tried until nothing holds the machine up. */
static int64_t alarm_takes(void (*set)(uint64_t us))
{
	volatile int64_t count;
	uint64_t begin = tsc_read();
	struct stopwatch w, comes;

	trap_set_handler(VECTOR_TIMER, on_counted, (void *)&count);
	do {
		count = 0;
		__asm__ volatile("sti");
		w = stopwatch_start();
		set(10000);
		do
			stopwatch_look(&w);
		while (apic_read(APIC_TIMER_CURRENT) && w.own < tsc_hz() / 2);
		stopwatch_look(&w);
		comes = stopwatch_start();
		while (!count && comes.own < tsc_hz() / 2)
			stopwatch_look(&comes);
		__asm__ volatile("cli");
		apic_timer_oneshot(0);
	} while (count && w.held_up && w.last - begin < tsc_hz() / 2);
	trap_set_handler(VECTOR_TIMER, NULL, NULL);
	return count ? stopwatch_thousandths(&w, 10) : -1;
}

static void set_oneshot(uint64_t us)
{
	apic_timer_oneshot((uint32_t)(apic_timer_hz() * us / 1000000));
}

static int64_t timer_takes_its_time(void)
{
	return alarm_takes(set_oneshot);
}

static int64_t alarm_takes_its_time(void)
{
	return alarm_takes(apic_timer_alarm);
}

static int64_t timer_stops(void)
{
	volatile int64_t count = 0;
	uint64_t start;

	trap_set_handler(VECTOR_TIMER, on_counted, (void *)&count);
	/* An emulator may be held up for longer than the timer runs: then once more, after the interrupt that
	 * may be pending since. */
	do {
		__asm__ volatile("sti; nop; nop; cli");
		count = 0;
		start = tsc_read();
		apic_timer_oneshot((uint32_t)(apic_timer_hz() / 200));
		apic_timer_oneshot(0);
	} while (tsc_read() - start > tsc_hz() / 400);
	__asm__ volatile("sti");
	wait_us(8000);
	__asm__ volatile("cli");
	trap_set_handler(VECTOR_TIMER, NULL, NULL);
	return count;
}

/* An emulator may be held up until the deadline before the code is where it should be then. */
static volatile bool arrived;

static void hang(void *arg)
{
	(void)arg;
	if (!strncmp(watchdog_source(), "NMI", 3))
		__asm__ volatile("cli");
	else
		__asm__ volatile("sti");
	arrived = true;
	for (;;)
		cpu_relax();
}

static const uint8_t hang_ring3_code[] = {0xeb, 0xfe}; /* jmp to itself */

static void hang_ring3(void *entry)
{
	struct call_registers r = {0};

	user_call(entry, &r);
}

static void hang_holding(void *arg)
{
	watchdog_hold();
	if (strncmp(watchdog_source(), "NMI", 3))
		__asm__ volatile("sti");
	arrived = true;
	while (!watchdog_expired())
		cpu_relax();
	wait_us(5000);
	*(int64_t *)arg = 1; /* still here: the effect was put off */
	watchdog_release();
	*(int64_t *)arg = 2;
}

static const char *no_watchdog(void)
{
	return strcmp(watchdog_source(), "none") ? NULL : "no source for the watchdog";
}

static const char *no_nmi_watchdog(void)
{
	return !strncmp(watchdog_source(), "NMI", 3) ? NULL
						     : "the watchdog cannot interrupt with IF = 0 here";
}

struct timed {
	void (*fn)(void *);
	void *arg;
	unsigned ms;
};

static void timed(void *arg)
{
	const struct timed *t = arg;

	watchdog_arm(t->ms);
	t->fn(t->arg);
	watchdog_disarm();
}

static int64_t ended_by(void (*fn)(void *), void *arg, unsigned ms)
{
	struct timed t = {fn, arg, ms};
	struct trap_report r;

	console_capture(printed, sizeof printed);
	trap_guard(timed, &t, &r);
	console_capture(NULL, 0);
	return r.vector;
}

static int64_t watchdog_ends_hang(void)
{
	return ended_by(hang, NULL, 10);
}

static int64_t watchdog_ends_ring3(void)
{
	return ended_by(
		hang_ring3,
		(void *)(uintptr_t)machine_place(hang_ring3_code, hang_ring3_code + sizeof hang_ring3_code),
		10);
}

static int64_t watchdog_says_where(void)
{
	do {
		arrived = false;
		ended_by(hang, NULL, 10);
	} while (!arrived);
	return strstr(printed, "hang+0x") && strstr(printed, "watchdog: the deadline passed");
}

static volatile struct stopwatch hung;

/* As hang(), looking at the time all the while. The time began before the watchdog was armed: an emulator may
 * be held up between that and the first look. */
static void hang_with_clock(void *arg)
{
	struct stopwatch w = hung;

	(void)arg;
	if (strncmp(watchdog_source(), "NMI", 3))
		__asm__ volatile("sti");
	for (;;) {
		stopwatch_look(&w);
		hung = w;
	}
}

#define DEADLINE_LEAST 999
#define DEADLINE_MOST  1100

/* When the hang ended, in thousandths of the time asked for. For a third of a second it is tried until that
 * is not too late: what sends an emulator's interrupts may be held up for once. */
static int64_t watchdog_waits_for_deadline(void)
{
	uint64_t begin = tsc_read();
	int64_t thousandths;

	do {
		struct stopwatch w;

		hung = stopwatch_start();
		ended_by(hang_with_clock, NULL, 30);
		w = hung;
		w.last = tsc_read(); /* it may have been held up since it looked */
		thousandths = stopwatch_thousandths(&w, 30);
	} while (thousandths > DEADLINE_MOST && tsc_read() - begin < tsc_hz() / 3);
	return thousandths;
}

static int64_t watchdog_can_be_held(void)
{
	int64_t stage = 0, vector;

	do {
		arrived = false;
		vector = ended_by(hang_holding, &stage, 10);
	} while (!arrived);
	return vector == TRAP_WATCHDOG ? stage : -1;
}

/* Each source that interrupts ends a hang at the deadline, can be held, and leaves nothing in service.
 * Another processor is one where it is in force alone: where an emulator runs one processor at a time, it
 * gets its turn too late, if ever.
 * @return 1 if so, else (the first that does not, from 1) * 100000 + the thousandths of the deadline */
static int64_t every_source(void)
{
	int64_t seen = 0;
	bool by_processor = !strcmp(watchdog_source(), WATCHDOG_BY_PROCESSOR);

	for (unsigned i = 0; i < WATCHDOG_SOURCES; i++) {
		int64_t thousandths;
		bool good;

		if ((i == WATCHDOG_PROCESSOR && !by_processor) || !watchdog_use(i))
			continue;
		thousandths = watchdog_waits_for_deadline();
		good = thousandths >= DEADLINE_LEAST && thousandths <= DEADLINE_MOST &&
		       watchdog_can_be_held() == 1 && !apic_in_service(VECTOR_TIMER);
		if (seen <= 1)
			seen = good ? 1 : (i + 1) * 100000ll + thousandths;
	}
	watchdog_choose();
	return seen;
}

static void be_quick(void *arg)
{
	(void)arg;
	wait_us(1000);
}

static int64_t watchdog_spares_the_quick(void)
{
	int64_t vector;
	uint64_t start;

	/* An emulator may be held up beyond the deadline: then once more. */
	do {
		start = tsc_read();
		vector = ended_by(be_quick, NULL, 10);
	} while (tsc_read() - start > tsc_hz() / 100);
	wait_us(15000); /* its time passes after it was disarmed */
	return vector;
}

static int64_t watchdog_is_silent_when_disarmed(void)
{
	trap_stray_count();
	watchdog_spares_the_quick();
	return trap_stray_count();
}

static int64_t watchdog_leaves_other_nmis(void)
{
	trap_stray_count();
	watchdog_arm(1000);
	watchdog_disarm();
	apic_self_nmi();
	wait_us(100);
	return trap_stray_count();
}

#define ONLY(value) (value), (value)

const struct machine_check machine_interrupts[] = {
	{"apic/self-IPI waits for IF, then comes once", "SDM vol. 3, 10.6.1", ipi_waits_for_if, ONLY(11),
	 no_apic},
	{"apic/in service until EOI", "SDM vol. 3, 10.8.4", ipi_is_in_service, ONLY(2), no_apic},
	{"apic/self-NMI ignores IF", "SDM vol. 3, 6.7.1", nmi_ignores_if, ONLY(2), no_apic},
	{"apic/a stray interrupt is counted and acknowledged", NULL, stray_is_counted, ONLY(1), no_apic},
	{"apic/an error interrupt is reported", "SDM vol. 3, 10.5.3", errors_are_reported, ONLY(1),
	 errors_unnoticed},
	{"apic/no other error so far", "SDM vol. 3, 10.5.3", errors_so_far, ONLY(0), no_apic},
	{"timer/fires once", "SDM vol. 3, 10.5.4", timer_fires_once, ONLY(1), no_timer},
	/* The calibration is good to a thousandth (time.c), and so are the counts of both timers. */
	{"timer/10 ms take 10 ms", NULL, timer_takes_its_time, 995, 1010, no_timer},
	{"timer/an alarm of 10 ms takes 10 ms", NULL, alarm_takes_its_time, 995, 1010, no_timer},
	{"timer/0 stops it", "SDM vol. 3, 10.5.4", timer_stops, ONLY(0), no_timer},
	{"watchdog/ends a loop with interrupts masked", NULL, watchdog_ends_hang, ONLY(TRAP_WATCHDOG),
	 no_watchdog},
	{"watchdog/ends a loop in ring 3", NULL, watchdog_ends_ring3, ONLY(TRAP_WATCHDOG), no_nmi_watchdog},
	{"watchdog/says where it hung", NULL, watchdog_says_where, ONLY(1), no_watchdog},
	/* Its source is set a little late, and runs on another clock: watchdog.c. */
	{"watchdog/at the deadline", NULL, watchdog_waits_for_deadline, DEADLINE_LEAST, DEADLINE_MOST,
	 no_watchdog},
	{"watchdog/can be held", NULL, watchdog_can_be_held, ONLY(1), no_nmi_watchdog},
	{"watchdog/by each source that there is", NULL, every_source, ONLY(1), no_watchdog},
	{"watchdog/spares the quick", NULL, watchdog_spares_the_quick, ONLY(TRAP_NONE), no_watchdog},
	{"watchdog/silent when disarmed", NULL, watchdog_is_silent_when_disarmed, ONLY(0), no_watchdog},
	{"watchdog/takes no other NMI for its own", NULL, watchdog_leaves_other_nmis, ONLY(1), no_apic},
	{NULL, NULL, NULL, 0, 0, NULL},
};
