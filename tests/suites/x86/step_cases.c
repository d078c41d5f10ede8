/*
 * What the suite `step` checks with C: ends that code can come to while it is stepped, and that a wrong count
 * is seen.
 */
#include "tests/suites/x86/step.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/console.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/step/insn.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/emulated/sha.h"
#include "arch/x86/step/step.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"
#include "tests/suites/x86/step_run.h"

#include <stddef.h>
#include <string.h>

#define HANG_MS 20

/* --- the judgement itself --------------------------------------------------------------------------- */

static int64_t verdict_with(int64_t off)
{
	const struct step_snippet *s = &step_snippets[1];
	struct step_outcome out;
	struct result r = {0};

	if (!step_observe(s, 0, &out))
		return -1;
	step_judge(s, &out, (int64_t)s->instructions + off, &r);
	return r.judgement.verdict;
}

static int64_t right_count(void)
{
	return verdict_with(0);
}

static int64_t wrong_count(void)
{
	return verdict_is_bad((enum verdict)verdict_with(1)) + verdict_is_bad((enum verdict)verdict_with(-1));
}

/* --- leaving guards --------------------------------------------------------------------------------- */

#define MARK_BEGIN __asm__ volatile("int %0" ::"i"(VECTOR_ORACLE_BEGIN) : "memory")
#define MARK_END   __asm__ volatile("int %0" ::"i"(VECTOR_ORACLE_END) : "memory")

static void ten_nops(void *arg)
{
	(void)arg;
	__asm__ volatile("int %0\n\t.rept 10\n\tnop\n\t.endr\n\tint %1" ::"i"(VECTOR_ORACLE_BEGIN),
			 "i"(VECTOR_ORACLE_END)
			 : "memory");
}

static void leave(void *arg)
{
	(void)arg;
	trap_abort(VECTOR_TEST);
}

static void leave_in_window(void *arg)
{
	MARK_BEGIN;
	leave(arg);
}

static void guard_inside(void *arg)
{
	struct trap_report report;
	int64_t *seen = arg;

	*seen = !trap_guard(leave, NULL, &report) && report.vector == VECTOR_TEST && step_active();
	ten_nops(NULL);
}

/* Stepping goes on after a guard inside it was left, and counts rightly. */
static int64_t abort_inside(void)
{
	struct qvec total;
	int64_t seen = 0;

	oracle_call(guard_inside, &seen, &total);
	return seen * 100 + (int64_t)total.v[Q_INSTRUCTIONS];
}

static void oracle_that_aborts(void *arg)
{
	oracle_call(leave_in_window, NULL, arg);
}

static bool free_running(void)
{
	struct descriptor_pointer p;
	unsigned long flags;

	__asm__ volatile("pushf\n\tpop %0" : "=r"(flags));
	__asm__ volatile("sidt %0" : "=m"(p));
	return !step_active() && !(flags & RFLAGS_TF) && p.base == (uintptr_t)idt;
}

/* It ends when a guard outside is left, and can begin anew. */
static int64_t abort_outside(void)
{
	struct qvec aborted, total;
	bool left = !trap_guard(oracle_that_aborts, &aborted, NULL);
	bool free = free_running();

	oracle_call(ten_nops, NULL, &total);
	return left * 1000 + free * 100 + (int64_t)total.v[Q_INSTRUCTIONS];
}

static void nested_oracle(void *arg)
{
	struct qvec total;

	oracle_call(ten_nops, arg, &total);
}

static void nest(void *arg)
{
	*(int64_t *)arg = !trap_guard(nested_oracle, NULL, NULL);
	ten_nops(NULL);
}

/* A nested call is refused; the outer one is none the worse. */
static int64_t nested(void)
{
	struct qvec total;
	int64_t refused = 0;

	oracle_call(nest, &refused, &total);
	return refused * 100 + (int64_t)total.v[Q_INSTRUCTIONS];
}

/* --- pausing
 * ----------------------------------------------------------------------------------------------------------
 */

static void paused(void *arg)
{
	int64_t *seen = arg;
	uint64_t steps;
	bool free;

	step_pause();
	step_pause();
	steps = step_count();
	free = free_running();
	for (volatile unsigned i = 0; i < 1000; i++)
		;
	step_resume();
	free &= free_running() && step_count() == steps;
	step_resume();
	*seen = free && step_active();
	ten_nops(NULL);
}

static int64_t pause(void)
{
	struct qvec total;
	int64_t seen = 0;

	oracle_call(paused, &seen, &total);
	return seen * 100 + (int64_t)total.v[Q_INSTRUCTIONS];
}

static void guard_while_paused(void *arg)
{
	int64_t *seen = arg;

	step_pause();
	*seen = !trap_guard(leave, NULL, NULL) && free_running();
	step_resume();
	*seen = *seen && step_active();
	ten_nops(NULL);
}

static int64_t abort_while_paused(void)
{
	struct qvec total;
	int64_t seen = 0;

	oracle_call(guard_while_paused, &seen, &total);
	return seen * 100 + (int64_t)total.v[Q_INSTRUCTIONS];
}

static void pause_and_leave(void *arg)
{
	step_pause();
	leave(arg);
}

static void guard_around_pause(void *arg)
{
	*(int64_t *)arg = !trap_guard(pause_and_leave, NULL, NULL) && step_active();
	ten_nops(NULL);
}

/* A guard that was entered while stepping goes back to stepping. */
static int64_t abort_out_of_pause(void)
{
	struct qvec total;
	int64_t seen = 0;

	oracle_call(guard_around_pause, &seen, &total);
	return seen * 100 + (int64_t)total.v[Q_INSTRUCTIONS];
}

/* --- rest --------------------------------------------------------------------------------------------- */

/* Any that each level of courage may write. The client below answers for them, no CPU. */
#define REST_MSR 0xc0000103 /* TSC_AUX: it knows this one */
#define REST_NOT 0x8b       /* IA32_BIOS_SIGN_ID: and not this one */

static struct step_client resting;

/* A register of one bit: set, the client is busy. */
static enum register_answer rest_access(void *ctx, struct register_access *a, const struct step *by)
{
	(void)ctx;
	(void)by;
	if (a->number != REST_MSR)
		return REGISTER_FAULT;
	if (a->write)
		resting.idle = !(a->value & 1);
	a->value = !resting.idle;
	return REGISTER_DONE;
}

static bool steps_go_on(void)
{
	uint64_t steps = step_count();

	for (volatile unsigned i = 0; i < 100; i++)
		;
	return step_count() - steps > 100;
}

static void rest_and_wake(void *arg)
{
	int64_t *good = arg;
	uint64_t value;

	*good = steps_go_on();
	*good += msr_read(REST_MSR, &value) && value == 0; /* rests from here on */
	*good += !steps_go_on() && step_active() && !msr_write(REST_NOT, 0) && !msr_read(REST_NOT, &value);
	step_hold();
	*good += steps_go_on();
	step_release();
	*good += msr_write(REST_MSR, 1) && steps_go_on() && msr_read(REST_MSR, &value) && value == 1;
	*good += msr_write(REST_MSR, 0) && !steps_go_on();
	step_pause();
	*good += !step_active();
	step_resume();
	*good += step_active() && !trap_guard(leave, NULL, NULL) && steps_go_on();
	*good += msr_read(REST_MSR, &value) && !steps_go_on(); /* and ends so */
}

/* Nine things that rest, and what ends it, must do. */
static int64_t rest(void)
{
	int64_t good = 0;

	resting = (struct step_client){.access = rest_access, .spaces = 1u << SPACE_MSR, .idle = true};
	step_call(&resting, rest_and_wake, &good);
	return free_running() ? good : -1;
}

static void never_rest(void *arg)
{
	uint64_t value;

	*(int64_t *)arg = msr_read(REST_MSR, &value) && value == 1 && steps_go_on();
}

static int64_t no_rest(void)
{
	int64_t good = 0;

	resting.idle = false;
	step_call(&resting, never_rest, &good);
	return free_running() ? good : -1;
}

/* --- watchdog and NMI ------------------------------------------------------------------------------- */

static void hang(void *arg)
{
	(void)arg;
	__asm__ volatile("1: jmp 1b");
}

/* Every other instruction is carried out by the monitor. */
static void hang_emulated(void *arg)
{
	(void)arg;
	__asm__ volatile("1: sti\n\tjmp 1b");
}

static void hung_emulated_oracle(void *arg)
{
	struct qvec total;

	watchdog_arm(HANG_MS);
	oracle_call(hang_emulated, arg, &total);
}

static void hung_oracle(void *arg)
{
	struct qvec total;

	watchdog_arm(HANG_MS);
	oracle_call(hang, arg, &total);
}

static void halt(void *arg)
{
	(void)arg;
	__asm__ volatile("cli\n\thlt");
}

static void halted_oracle(void *arg)
{
	struct qvec total;

	watchdog_arm(HANG_MS);
	oracle_call(halt, arg, &total);
}

static int64_t ended_by(void (*fn)(void *))
{
	static char printed[8192];
	struct trap_report report;

	console_capture(printed, sizeof printed);
	trap_guard(fn, NULL, &report);
	console_capture(NULL, 0);
	watchdog_disarm();
	return free_running() ? report.vector : -2;
}

static int64_t endless_loop(void)
{
	return ended_by(hung_oracle);
}

static int64_t endless_emulation(void)
{
	return ended_by(hung_emulated_oracle);
}

static int64_t endless_halt(void)
{
	return ended_by(halted_oracle);
}

static bool on_nmi(struct trap_frame *f, void *arg)
{
	(void)f;
	++*(int64_t *)arg;
	return true;
}

static void two_nmis(void *arg)
{
	volatile int64_t *count = arg;

	trap_set_handler(VECTOR_NMI, on_nmi, arg);
	for (int64_t n = 1; n <= 2; n++) {
		apic_self_nmi();
		for (unsigned i = 0; i < 10000 && *count < n; i++)
			cpu_relax();
	}
	trap_set_handler(VECTOR_NMI, NULL, NULL);
}

static int64_t nmi(void)
{
	struct qvec total;
	int64_t count = 0;

	if (!apic_present())
		return 2;
	oracle_call(two_nmis, &count, &total);
	return count;
}

#ifndef __i386__ /* where nothing is carried out in a CPU's place */
/* --- what this CPU may lack ------------------------------------------------------------------------- */

struct operands {
	uint32_t to[4], from[4], message[4];
};

static void hash(void *arg)
{
	struct operands *o = arg;

	__asm__ volatile("movdqu %0, %%xmm9\n\tmovdqu %1, %%xmm3\n\tmovdqu %2, %%xmm0\n\t"
			 "int %3\n\t"
			 "sha256rnds2 %%xmm0, %%xmm3, %%xmm9\n\t"
			 "sha1rnds4 $2, %%xmm9, %%xmm3\n\t"
			 "sha256msg2 %%xmm3, %%xmm9\n\t"
			 "prefetchw %0\n\t"
			 "int %4\n\t"
			 "movdqu %%xmm9, %0\n\tmovdqu %%xmm3, %1"
			 : "+m"(o->to), "+m"(o->from)
			 : "m"(o->message), "i"(VECTOR_ORACLE_BEGIN), "i"(VECTOR_ORACLE_END)
			 : "memory", "xmm0", "xmm3", "xmm9");
}

/* Emulated, registers are as the manual says. (Bochs's own SHA computes something else.) */
static int64_t emulated(void)
{
	struct operands o = {{0x01234567, 0x89abcdef, 0x02468ace, 0x13579bdf},
			     {0xdeadbeef, 0x00c0ffee, 0x80000001, 0x7ffffffe},
			     {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5}};
	struct operands expected = o;
	struct qvec total;

	sha_operate(SHA256RNDS2, expected.to, expected.from, expected.message, 0);
	sha_operate(SHA1RNDS4, expected.from, expected.to, expected.message, 2);
	sha_operate(SHA256MSG2, expected.to, expected.from, expected.message, 0);
	oracle_call(hash, &o, &total);
	return (cpu_has(CPU_SHA) || !memcmp(&o, &expected, sizeof o)) * 100 +
	       (int64_t)total.v[Q_INSN_SHA] * 10 + (int64_t)total.v[Q_PREFETCH_W];
}

#define ADDEND 0x01020304

/* YMM10 and ZMM17 to YMM9, YMM10 left as it is. */
static void widen(void *arg)
{
	uint32_t(*o)[8] = arg;

	__asm__ volatile("vmovdqu %0, %%ymm10\n\t"
			 "int %3\n\t"
			 "vpbroadcastd %2, %%zmm17\n\t"
			 "vpaddd %%zmm17, %%zmm10, %%zmm9\n\t"
			 "int %4\n\t"
			 "vmovdqu %%ymm9, %0\n\tvmovdqu %%ymm10, %1\n\tvzeroupper"
			 : "+m"(o[0]), "=m"(o[1])
			 : "r"(ADDEND), "i"(VECTOR_ORACLE_BEGIN), "i"(VECTOR_ORACLE_END)
			 : "memory", "xmm9", "xmm10");
}

static int64_t emulated_wide(void)
{
	uint32_t o[2][8] = {{1, 2, 3, 4, 5, 6, 7, UINT32_MAX}}, before[8];
	struct qvec total;
	bool right = true;

	if ((xcr0_read() & XCR0_YMM) != XCR0_YMM)
		return 102; /* nor AVX */
	memcpy(before, o[0], sizeof before);
	oracle_call(widen, o, &total);
	for (unsigned i = 0; i < 8; i++)
		right &= o[0][i] == before[i] + ADDEND && o[1][i] == before[i];
	return right * 100 + (int64_t)total.v[Q_INSN_AVX512];
}
#endif

const struct step_case step_cases[] = {
	{"a right count is judged exact", right_count, VERDICT_EXACT},
	{"a count wrong by one is judged bad", wrong_count, 2},
	{"a guard inside stepped code is left", abort_inside, 110},
	{"a guard around stepped code is left", abort_outside, 1110},
	{"nested stepping is refused", nested, 110},
	{"pausing", pause, 110},
	{"a guard is left while pausing", abort_while_paused, 110},
	{"a guard is left out of a pause", abort_out_of_pause, 110},
	{"code rests while its client is idle", rest, 9},
	{"nothing rests while its client is not", no_rest, 1},
	{"the watchdog ends an endless loop", endless_loop, TRAP_WATCHDOG},
	{"the watchdog ends an endless loop of emulated instructions", endless_emulation, TRAP_WATCHDOG},
	{"the watchdog ends an endless HLT", endless_halt, TRAP_WATCHDOG},
	{"real NMIs reach the handler", nmi, 2},
#ifndef __i386__
	{"SHA and PREFETCHW are carried out where the CPU lacks them", emulated, 131},
	{"AVX-512 is carried out where the CPU lacks it", emulated_wide, 102},
#endif
	{NULL, NULL, 0},
};
