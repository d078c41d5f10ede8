/*
 * Every instruction that the decoder knows and this CPU executes in ring 3, one by one, against every event
 * that counts what retires: which of them does an event count twice, or not at all? Processors have a few of
 * those (the Pentium 4 counts FLDCW twice as an instruction), and no manual lists them.
 *
 * What an event should count of a form follows from the decoder's class of it, which single-stepping on this
 * very CPU has to confirm first. A form that the CPU refuses is left out, and the report says how many are.
 */
#include "tests/suites/suites.h"
#include "tests/judge/hypervisor_exits.h"
#include "tests/kernels/x86/opcodes.h"
#include "tests/measure/passes.h"
#include "tests/judge/truth.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/exceptions/trap.h"
#include "pmu/virtual/vpmu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OPCODES_MS   20000
#define N_VIRTUAL    1
#define N_HARDWARE   100
#define REPS_VIRTUAL 1
#define REPS_MAX     10
#define MULTIPLES    2
#define SHARES       2 /* on the virtual PMU all passes together measure each form so often */
#define EXCEPTIONS   32
#define RING         3

/* What is known of a form, by its turn. */
enum state { STATE_NEW, STATE_RUNS, STATE_OUT, STATE_BROKEN };

/* One event of the pass. */
struct track {
	unsigned forms, deviating;
	unsigned excused; /* in a guest: no verdict */
	bool unsteady;    /* some form was not counted the same each time */
	struct judgement excuse;
	int64_t around[2][MULTIPLES]; /* what is counted too much of what stands around a form, without and
					 with x87 */
	char text[JUDGEMENT_TEXT - 64];
};

struct opcodes {
	struct run *run;
	struct passes passes;
	struct pass pass;
	unsigned at;     /* the turn */
	unsigned number; /* of the pass */
	unsigned stride; /* a pass takes one of so many forms, each another one */
	bool stopped;    /* a pass could not be carried out */
	unsigned forms;  /* that were judged */
	unsigned left_out[OPCODE_REASONS];
	unsigned refused[EXCEPTIONS];
};

static uint64_t raw[MULTIPLES * REPS_MAX * PMU_COUNTERS_MAX];
static uint8_t state[OPCODES_MOST];
static struct track track[PMU_COUNTERS_MAX];
static unsigned refusal; /* the exception that ended the last call, 0 being #DE: EXCEPTIONS if none did */

/* --- exceptions --------------------------------------------------------------------------------------- */

/* What a form may raise ends the call that it was made in, without a dump. */
static bool refuse(struct trap_frame *f, void *arg)
{
	(void)arg;
	if ((f->cs & 3) != RING)
		return false;
	refusal = (unsigned)f->vector;
	trap_abort((int)f->vector);
}

static void claim_exceptions(trap_handler *handler)
{
	for (unsigned v = 0; v < EXCEPTIONS; v++)
		if (v != VECTOR_NMI && v != VECTOR_DF && v != VECTOR_MC)
			trap_set_handler(v, handler, NULL);
}

/* --- one form ----------------------------------------------------------------------------------------- */

/* Two, since what is composed is known by the kernel's address. */
static const struct kernel *prepare(const struct opcode_form *f)
{
	static struct opcode_kernel room[2];
	static unsigned turn;
	uint8_t *scratch = window_data() + OPCODES_SCRATCH;

	turn = !turn;
	opcode_kernel(f, (uintptr_t)scratch, &room[turn]);
	opcode_operand(f, scratch);
	hypervisor_exits_forget();
	return &room[turn].kernel;
}

/* A virtual CPU without AVX refuses what the real one behind it does not. */
static bool is_lacking(const struct opcodes *s, const struct opcode_form *f)
{
	enum cpu_feature feature = f->code[0] == 0x62 ? CPU_AVX512F : CPU_AVX;

	return sizeof(void *) == 8 && s->run->pmu->virtual && (f->code[0] == 0x62 || f->code[0] == 0xc4) &&
	       !cpu_tells(feature, presented_own);
}

/* Whether the form runs here, and does what the decoder says: single-stepping shows it. */
static bool try_form(struct opcodes *s, const struct opcode_form *f, unsigned at, const char *name)
{
	struct result r = {.suite = "opcodes"};

	if (f->left_out) {
		s->left_out[f->left_out]++;
		return false;
	}
	refusal = is_lacking(s, f) ? VECTOR_UD : EXCEPTIONS;
	if (refusal == EXCEPTIONS)
		truth_check(prepare(f), RING, 1, &r);
	if (refusal < EXCEPTIONS) {
		s->refused[refusal]++;
		return false;
	}
	r.name = name;
	if (verdict_is_bad(r.judgement.verdict)) {
		s->run->report(s->run, &r);
		return false;
	}
	state[at] = STATE_RUNS;
	s->forms++;
	return true;
}

static void note(const struct opcodes *s, struct track *t, const struct pmu_event *e, const char *name,
		 const char *value)
{
	char full[112];
	size_t used = strlen(t->text);

	snprintf(full, sizeof full, "%s: %s", e->name, name);
	s->run->detail(s->run, "opcodes", full, value, "per execution");
	t->deviating++;
	if (used + strlen(name) + strlen(value) + 8 < sizeof t->text)
		snprintf(t->text + used, sizeof t->text - used, "%s%s %s", used ? ", " : "", name, value);
	else if (used && t->text[used - 1] != '.')
		strcpy(t->text + used, ", ...");
}

static void judge_form(struct opcodes *s, unsigned slot, const struct opcode_form *f, const char *name)
{
	const struct pass *p = &s->pass;
	struct track *t = &track[slot];
	struct observation seen[MULTIPLES];
	struct expectation x;
	int64_t *around = t->around[f->x87], more[MULTIPLES], n = (int64_t)p->n[0];
	bool steady = true, good = true;
	unsigned where;
	char value[48];

	if (pass_observe(p, slot, seen, &x, &where))
		return;
	t->forms++;
	for (unsigned i = 0; i < MULTIPLES; i++) {
		const struct histogram *h = &seen[i].seen;
		int64_t low = seen[i].low + around[i], high = seen[i].high + around[i],
			mode = histogram_mode(h);

		steady &= h->min == h->max;
		good &= h->min >= low && h->max <= high;
		more[i] = mode < low ? mode - low : mode > high ? mode - high : 0;
	}
	if (good)
		return;
	if (!f->insn.length)
		memcpy(around, more, sizeof more);
	t->excuse.verdict = VERDICT_WRONG;
	if (hypervisor_exits_excuse(&(struct hypervisor_exits_place){p->pmu, p->slot[slot].event, p->kernel,
								     &p->bracket, RING, true, false},
				    seen, MULTIPLES, &t->excuse)) {
		t->excused++;
		return;
	}
	t->unsteady |= !steady;
	if (steady && more[1] == 2 * more[0] && more[0] % n == 0)
		snprintf(value, sizeof value, "%+" PRId64, more[0] / n);
	else if (!steady)
		strcpy(value, "unsteady");
	else /* at N, and at 2N */
		snprintf(value, sizeof value, "%+" PRId64 "..%+" PRId64, more[0], more[1]);
	note(s, t, p->slot[slot].event, name, value);
}

static bool visit(void *ctx, const struct opcode_form *f)
{
	struct opcodes *s = ctx;
	struct result r = {.suite = "opcodes"};
	char name[OPCODE_NAME];
	unsigned at = s->at;

	if (s->stopped || at == OPCODES_MOST)
		return true;
	s->at++;
	opcode_name(f, name);
	trap_set_context(name);
	if (state[at] == STATE_NEW && !try_form(s, f, at, name))
		state[at] = STATE_OUT;
	if (state[at] == STATE_OUT)
		return false;
	if (state[at] == STATE_BROKEN || (f->insn.length && at % s->stride != s->number % s->stride))
		return true;
	s->pass.kernel = prepare(f);
	r.name = name;
	if (s->run->call(s->run, pass_run, &s->pass, OPCODES_MS, &r) && !s->pass.failure) {
		for (unsigned slot = 0; slot < s->pass.n_slots; slot++)
			judge_form(s, slot, f, name);
		return true;
	}
	if (s->pass.failure) {
		judgement_set(&r.judgement, pass_failure_verdict(&s->pass), "%s", s->pass.failure);
		s->stopped = true;
	}
	state[at] = STATE_BROKEN;
	s->run->report(s->run, &r);
	return true;
}

/* --- a pass ------------------------------------------------------------------------------------------- */

static void conclude(const struct opcodes *s, unsigned slot)
{
	const struct pmu_event *e = s->pass.slot[slot].event;
	struct track *t = &track[slot];
	struct result r = {.suite = "opcodes",
			   .name = e->name,
			   .event = e->name,
			   .counter = s->run->pmu->counter[s->pass.slot[slot].counter].name,
			   .level = "ring 3",
			   .encoding = e->code,
			   .manual = e->source,
			   .machine_model = s->run->pmu->virtual && event_is_micro(e)};

	/* Of so many forms, so many are counted as they should be. */
	result_judge(&r, t->forms, t->forms, t->forms, t->forms - t->deviating);
	if (t->deviating)
		judgement_set(&r.judgement, t->unsteady ? VERDICT_NOISY : VERDICT_WRONG, "%u of %u forms: %s",
			      t->deviating, t->forms, t->text);
	else if (t->excused)
		r.judgement = t->excuse;
	else if (!t->forms)
		judgement_set(&r.judgement, VERDICT_SKIPPED, "no form defines what it counts");
	s->run->report(s->run, &r);
}

static enum opcode_depth depth_of(const struct run *run)
{
	const char *kernels = run->options->kernel_glob;

	if (!run->pmu->virtual || (kernels && !strcmp(kernels, "full")))
		return OPCODES_ALL;
	return run->options->verbose ? OPCODES_BY_OPCODE : OPCODES_BY_CLASS;
}

/* A model counts all by one account: that each event sees some of the forms will do, unless it is asked for.
 */
static bool is_brief(const struct run *run)
{
	const char *events = run->options->event_glob;

	return depth_of(run) == OPCODES_BY_CLASS && (!events || !*events || !strcmp(events, "arch"));
}

static void run_pass(struct opcodes *s, unsigned number)
{
	struct pass *p = &s->pass;
	unsigned exact = 0;

	p->n_slots = 0;
	passes_fill(&s->passes, number, LEVELS_USER, p);
	for (unsigned i = 0; i < p->n_slots; i++)
		if (p->slot[i].event->judgement == EVENT_EXACT)
			p->slot[exact++] = p->slot[i];
	p->n_slots = exact;
	if (!exact)
		return;
	memset(track, 0, sizeof track);
	s->at = 0;
	s->number = number;
	opcode_forms(depth_of(s->run), visit, s);
	for (unsigned slot = 0; slot < s->pass.n_slots && !s->stopped; slot++)
		conclude(s, slot);
}

/* --- the suite ---------------------------------------------------------------------------------------- */

static void tell_number(struct run *run, const char *name, unsigned number, const char *unit)
{
	char value[16];

	snprintf(value, sizeof value, "%u", number);
	if (number)
		run->value(run, "opcodes", name, value, unit);
}

static void tell(const struct opcodes *s)
{
	struct run *run = s->run;
	char name[32], trap[TRAP_NAME];

	tell_number(run, "judged", s->forms, "forms");
	for (unsigned i = 0; i < OPCODE_REASONS; i++)
		tell_number(run, opcode_left_out[i], s->left_out[i], "forms left out");
	for (unsigned i = 0; i < EXCEPTIONS; i++) {
		snprintf(name, sizeof name, "refused by %s", trap_name(i, trap));
		tell_number(run, name, s->refused[i], "forms left out");
	}
}

static void run_opcodes(struct run *run)
{
	static struct opcodes s;
	struct result r = {.suite = "opcodes", .name = "opcodes"};
	const char *why = "there is no PMU";

	memset(&s, 0, sizeof s);
	s.run = run;
	memset(state, 0, sizeof state);
	if (run->pmu)
		why = passes_begin(&s.passes, run);
	if (why) {
		judgement_set(&r.judgement, VERDICT_SKIPPED, "%s", why);
		run->report(run, &r);
	} else {
		uint64_t n = run->options->n           ? run->options->n
			     : run->pmu->deterministic ? N_VIRTUAL
						       : N_HARDWARE;
		s.pass = (struct pass){.pmu = run->pmu,
				       .level = RING,
				       .n_count = MULTIPLES,
				       .n = {n, 2 * n},
				       .reps = run_repetitions(run, "opcodes", REPS_VIRTUAL, REPS_MAX),
				       .raw = raw};
		s.stride = is_brief(run) ? (s.passes.n_passes + SHARES - 1) / SHARES : 1;
		claim_exceptions(refuse);
		for (unsigned number = 0; number < s.passes.n_passes && !s.stopped; number++)
			run_pass(&s, number);
		claim_exceptions(NULL);
		tell(&s);
	}
	passes_end(&s.passes);
}

const struct suite suite_opcodes = {
	"opcodes", "every instruction of ring 3 against every event that counts what retires", run_opcodes,
	NULL};
