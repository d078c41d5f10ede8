/*
 * The virtual PMU between the step engine and a model: which steps reach the model and as what, what is added
 * without asking it again, and where its requests for interrupts go. Engine and model are the test's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/breadcrumbs.h"
#include "arch/levels.h"
#include "arch/outcomes.h"
#include "arch/overflow.h"
#include "arch/presented.h"
#include "arch/step.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"

/* --- the engine ------------------------------------------------------------------------------------- */

#define SHAPES 4

static struct step_client *client;
static struct qterm terms[STEP_TERMS];
static unsigned n_terms;
static struct step_access load;
static jmp_buf gone;

/* What was asked of the machine. */
static struct {
	unsigned pauses, resumes, wakes, disarmed, failed, presented, thread, threads;
	bool extra_lines;
	struct {
		unsigned line;
		bool stays;
	} request[32];
	unsigned n_requests;
} asked;

void step_call(struct step_client *c, void (*fn)(void *), void *arg)
{
	client = c;
	fn(arg);
}

uint32_t step_shapes(void)
{
	return SHAPES;
}

void step_pause(void)
{
	asked.pauses++;
}

void step_resume(void)
{
	asked.resumes++;
}

void step_wake(void)
{
	asked.wakes++;
}

void step_request_overflow(unsigned line, bool stays)
{
	assert_true(asked.n_requests < 32);
	asked.request[asked.n_requests].line = line;
	asked.request[asked.n_requests++].stays = stays;
}

unsigned step_extra_line(unsigned n)
{
	return 100 + n;
}

void step_emulate_extra_lines(bool emulate)
{
	asked.extra_lines = emulate;
}

const struct step_memory step_memory;

void watchdog_disarm(void)
{
	asked.disarmed++;
}

void breadcrumbs_fail(enum breadcrumbs_fault how)
{
	asked.failed += how == BREADCRUMBS_HANG;
	longjmp(gone, 1);
}

void identity_present(const void *identity, unsigned threads, const struct identity_answers *answers)
{
	(void)identity;
	(void)answers;
	asked.presented++;
	asked.threads = threads;
}

void identity_present_thread(unsigned thread)
{
	asked.thread = thread;
}

void identity_presented(identity_each *each, void *to)
{
	(void)each;
	(void)to;
}

static unsigned terms_of(const struct step *s, struct qterm out[STEP_TERMS])
{
	(void)s;
	memcpy(out, terms, n_terms * sizeof *terms);
	return n_terms;
}

static unsigned accesses_of(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES])
{
	(void)s;
	(void)turn;
	out[0] = load;
	return load.size != 0;
}

static const struct step_methods methods = {terms_of, accesses_of};

static void tell(enum step_kind kind, uint32_t shape, uint8_t level)
{
	struct step s = {.methods = &methods,
			 .kind = (uint8_t)kind,
			 .shape = shape,
			 .level = level,
			 .cycles = 1,
			 .length = kind < STEP_DELIVERED,
			 .ip = 0x1000,
			 .next = 0x1001,
			 .turns = kind == STEP_INSTRUCTION && load.size};

	/* The engine's own order. */
	if (shape && !client->wants && client->quick(client->ctx, shape, level))
		return;
	client->step(client->ctx, &s);
}

static void retire(uint32_t shape, uint8_t level)
{
	tell(STEP_INSTRUCTION, shape, level);
}

static enum register_answer reach(struct register_access *a, uint8_t length)
{
	const struct step by = {.length = length, .terms = terms, .n_terms = n_terms};

	a->space = SPACE_MSR;
	a->permitted = true;
	return client->access(client->ctx, a, &by);
}

/* An instruction that writes a register, and retires if that does not fault. */
static enum register_answer write_register(uint32_t number, uint64_t value)
{
	struct register_access a = {.write = true, .number = number, .value = value};
	enum register_answer answer = reach(&a, 2);

	if (answer != REGISTER_FAULT)
		tell(STEP_WRITES_REGISTER, 0, 0);
	return answer;
}

/* --- the model -------------------------------------------------------------------------------------- */

/* Two counters of all quantities; a counter overflows behind its limit. Registers: */
enum { ENABLE, RECORD, FAULTY, HANGING, NOT_MINE };

struct scripted {
	uint64_t value[2], limit[2];
	uint32_t enabled;
};

static struct scripted *first;
static const struct step_memory *attached;
static struct step last;
static struct qterm last_terms[64];
static unsigned resets, steps, sums, asked_pmis, pmis, pmis_of[2], extended, placed;
static bool records, vectors, own_line_stays, told_writes, refuses;
static int64_t only; /* the quantity that it is asked about and counts; -1: every one */

static void reset(void *state, const struct model_profile *profile, const struct model_injected *injections)
{
	(void)profile;
	assert_non_null(injections);
	first = state;
	*first = (struct scripted){.limit = {UINT64_MAX, UINT64_MAX}};
	resets++;
}

static void attach(void *state, const struct step_memory *memory)
{
	assert_ptr_equal(state, first);
	attached = memory;
}

static enum register_answer carry_out(void *state, struct register_access *a)
{
	struct scripted *s = state;

	if (a->space == SPACE_SELECTOR)
		return a->number < 2 && a->permitted ? REGISTER_DONE : REGISTER_FAULT;
	switch (a->number) {
	case ENABLE:
		if (a->write)
			s->enabled = (uint32_t)a->value;
		else
			a->value = s->enabled;
		return REGISTER_DONE;
	case RECORD:
		records = a->value;
		return REGISTER_DONE;
	case FAULTY:
		return REGISTER_FAULT;
	case HANGING:
		return REGISTER_HANGS;
	default:
		return REGISTER_NOT_MINE;
	}
}

static bool advance(void *state, const struct step *step)
{
	struct scripted *s = state;
	bool changed = false;

	steps++;
	last = *step;
	assert_true(step->n_terms <= 64);
	memcpy(last_terms, step->terms, step->n_terms * sizeof *last_terms);
	told_writes |= step->own_write;
	for (unsigned c = 0; c < 2; c++)
		for (unsigned t = 0; s->enabled >> c & 1 && t < step->n_terms; t++)
			s->value[c] += step->terms[t].amount;
	for (unsigned c = 0; c < 2; c++)
		if (s->value[c] > s->limit[c]) {
			s->value[c] = 0;
			changed = true;
		}
	return changed;
}

static int increments(void *state, const struct step *step, struct model_increment *out, unsigned room)
{
	struct scripted *s = state;
	uint64_t amount = 0;
	int n = 0;

	sums++;
	if (refuses)
		return -1;
	for (unsigned t = 0; t < step->n_terms; t++)
		amount += step->terms[t].amount;
	for (unsigned c = 0; c < 2 && amount; c++)
		if (s->enabled >> c & 1) {
			assert_true((unsigned)n < room);
			out[n++] = (struct model_increment){&s->value[c], s->limit[c] - amount, amount};
		}
	return n;
}

static bool counts(const void *state, enum quantity q)
{
	return ((const struct scripted *)state)->enabled && (only < 0 || only == (int64_t)q);
}

static bool counting(const void *state)
{
	return ((const struct scripted *)state)->enabled != 0;
}

static bool recording(const void *state)
{
	(void)state;
	return records;
}

static bool shows_vectors(const void *state)
{
	(void)state;
	return vectors;
}

static bool line_stays(const void *state)
{
	(void)state;
	return own_line_stays;
}

static bool take(unsigned *n)
{
	asked_pmis++;
	return *n && (*n)--;
}

static bool take_pmi(void *state)
{
	(void)state;
	return take(&pmis);
}

static bool take_pmi_of(void *state, unsigned thread)
{
	(void)state;
	assert_true(thread < 2);
	return take(&pmis_of[thread]);
}

static bool take_extended(void *state, unsigned *entry)
{
	(void)state;
	*entry = 3;
	return take(&extended);
}

static void place(void *state, unsigned thread)
{
	assert_ptr_equal(state, first);
	placed = thread;
}

static const struct model_injection injections[] = {{"fault", "something"}, {NULL, NULL}};
static struct pmu_model model = {
	.name = "scripted",
	.state_size = sizeof(struct scripted),
	.injections = injections,
	.line_stays = line_stays,
	.reset = reset,
	.access = carry_out,
	.advance = advance,
	.counting = counting,
	.increments = increments,
	.recording = recording,
	.shows_vectors = shows_vectors,
	.attach = attach,
	.place = place,
	.take_pmi = take_pmi,
	.take_pmi_of = take_pmi_of,
};
static struct model_profile profile = {.name = "scripted-one", .description = "of this test", .model = &model};
static const struct model_profile *looked_up;

extern const struct model_profile *__real_model_profile_by_name(const char *name);
const struct model_profile *__wrap_model_profile_by_name(const char *name);
const struct model_profile *__wrap_model_profile_by_name(const char *name)
{
	return looked_up && !strcmp(name, looked_up->name) ? looked_up : __real_model_profile_by_name(name);
}

static void nothing(void *unused)
{
	(void)unused;
}

/* --- tests ------------------------------------------------------------------------------------------ */

static int set_up(void **unused)
{
	struct reason why;
	(void)unused;
	memset(&asked, 0, sizeof asked);
	memset(terms, 0, sizeof terms);
	terms[0] = (struct qterm){Q_INSTRUCTIONS, 1};
	n_terms = 1;
	load = (struct step_access){0};
	resets = steps = sums = asked_pmis = pmis = pmis_of[0] = pmis_of[1] = extended = 0;
	placed = 99;
	records = vectors = own_line_stays = told_writes = refuses = false;
	only = Q_INSTRUCTIONS;
	attached = NULL;
	model.take_extended = NULL;
	model.counts = counts;
	profile.threads = 1;
	profile.identity = __real_model_profile_by_name("intel-core2")->identity;
	looked_up = &profile;
	assert_true(vpmu_create("scripted-one", NULL, &why));
	vpmu_call(nothing, NULL);
	asked.wakes = 0;
	return 0;
}

static uint64_t counted(unsigned c)
{
	return first->value[c];
}

static void enable(uint32_t mask)
{
	assert_int_equal(write_register(ENABLE, mask), REGISTER_DONE);
}

static unsigned amount_of(enum quantity q)
{
	unsigned sum = 0;

	for (unsigned t = 0; t < last.n_terms; t++)
		sum += last_terms[t].quantity == q ? last_terms[t].amount : 0;
	return sum;
}

/* pmu/contract/model.h, access(): told to the model as its own, if anything ran before it. */
static void a_write_is_counted_by_what_runs(void **unused)
{
	(void)unused;
	enable(1);
	assert_int_equal(steps, 0);
	assert_int_equal(counted(0), 0);
	enable(3);
	assert_int_equal(steps, 1);
	assert_true(last.own_write);
	assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
	retire(0, 0);
	assert_int_equal(steps, 2);
	assert_false(last.own_write);
	enable(0);
	assert_true(client->idle);
	retire(0, 0);
	tell(STEP_DELIVERED, 0, 0);
	assert_int_equal(steps, 2);
}

/* One that faults does not retire, one of other registers is none of the model's own, and one of code that
 * runs free is not told of: what comes next is counted as any other. */
static void only_its_own_writes_are_told_as_such(void **unused)
{
	struct register_access free_running = {.write = true, .number = ENABLE, .value = 3};
	(void)unused;

	enable(1);
	assert_int_equal(write_register(NOT_MINE, 0), REGISTER_NOT_MINE);
	assert_int_equal(steps, 1);
	assert_int_equal(write_register(FAULTY, 0), REGISTER_FAULT);
	retire(0, 0);
	assert_int_equal(steps, 2);
	assert_int_equal(reach(&free_running, 0), REGISTER_DONE);
	retire(0, 0);
	assert_int_equal(steps, 3);
	assert_false(told_writes);
	enable(0);
	assert_int_equal(reach(&free_running, 0), REGISTER_DONE);
	retire(0, 0);
	assert_int_equal(counted(1), 2); /* steps 3 and 5 */
}

static void what_records_is_told_of_later_writes(void **unused)
{
	(void)unused;
	write_register(RECORD, 1);
	assert_int_equal(steps, 0);
	assert_false(client->idle);
	retire(0, 0);
	assert_int_equal(steps, 1);
	assert_false(last.own_write);
	enable(1);
	assert_int_equal(steps, 2);
	assert_true(last.own_write);
	write_register(RECORD, 0);
	assert_int_equal(steps, 3);
	assert_true(last.own_write);
}

static void reads_change_nothing(void **unused)
{
	struct register_access a = {.number = ENABLE};
	(void)unused;

	enable(2);
	retire(1, 0);
	assert_int_equal(reach(&a, 2), REGISTER_DONE);
	assert_int_equal(a.value, 2);
	a.number = NOT_MINE;
	assert_int_equal(reach(&a, 2), REGISTER_NOT_MINE);
	a.number = FAULTY;
	assert_int_equal(reach(&a, 2), REGISTER_FAULT);
	unsigned before = sums;
	retire(1, 0);
	assert_int_equal(sums, before);
	assert_true(vpmu_ask_selector(1));
	assert_false(vpmu_ask_selector(2));
}

static void one_that_hangs_ends_the_run(void **unused)
{
	(void)unused;
	write_register(NOT_MINE, 0);
	assert_int_equal(asked.failed, 0);
	assert_int_equal(asked.disarmed, 0);
	if (!setjmp(gone)) {
		write_register(HANGING, 0);
		fail();
	}
	assert_int_equal(asked.failed, 1);
	assert_int_equal(asked.disarmed, 1);
}

/* Kept until an overflow, a write, another place, others that begin or end, or another world. */
static void alike_steps_are_worked_out_once(void **unused)
{
	(void)unused;
	enable(3);
	for (unsigned i = 0; i < 5; i++)
		retire(1, 0);
	assert_int_equal(steps, 1);
	assert_int_equal(counted(0), 5);
	assert_int_equal(counted(1), 5);
	unsigned before = sums;
	retire(1, 3); /* of another level, and then of the first again: there is one memo of a shape */
	retire(1, 0);
	retire(1, 0);
	assert_int_equal(sums, before + 2);
	assert_int_equal(counted(0), 8);
	terms[0].amount = 3;
	retire(2, 0);
	retire(2, 0);
	retire(1, 0);
	assert_int_equal(counted(0), 8 + 6 + 1);
	/* No shape: each is asked for. */
	before = steps;
	retire(0, 0);
	retire(0, 0);
	assert_int_equal(steps, before + 2);
	assert_int_equal(counted(0), 15 + 6);

	for (unsigned change = 0; change < 5; change++) {
		terms[0].amount = 1;
		retire(1, 0);
		before = sums;
		retire(1, 0);
		assert_int_equal(sums, before);
		switch (change) {
		case 0:
			enable(1);
			break;
		case 1:
			vpmu_place(0, SIBLING_KERNEL);
			break;
		case 2:
			vpmu_others(true);
			break;
		case 3:
			client->world(client->ctx, true);
			break;
		default: /* an overflow */
			first->limit[0] = counted(0);
			retire(0, 0);
			first->limit[0] = UINT64_MAX;
			assert_int_equal(counted(0), 0);
			break;
		}
		before = sums;
		retire(1, 0);
		assert_int_equal(sums, before + 1);
	}
	before = sums;
	client->world(client->ctx, true); /* it is there already */
	retire(1, 0);
	assert_int_equal(sums, before);
	/* More than a sum: asked again, and told of each. */
	refuses = true;
	enable(1);
	before = steps;
	uint64_t value = counted(0);
	retire(1, 0);
	retire(1, 0);
	assert_int_equal(steps, before + 2);
	assert_int_equal(counted(0), value + 2);
}

static void the_step_that_overflows_reaches_the_model(void **unused)
{
	(void)unused;
	enable(3);
	retire(1, 0);
	first->limit[1] = 5;
	enable(3);
	uint64_t begin = counted(1);
	unsigned before = steps;
	retire(1, 0);
	for (uint64_t i = begin + 1; i < 5; i++)
		retire(1, 0);
	assert_int_equal(counted(1), 5);
	assert_int_equal(steps, before + 1);
	retire(1, 0);
	assert_int_equal(steps, before + 2);
	assert_int_equal(counted(1), 0);
	assert_int_equal(counted(0), begin + 6 - begin);
}

static void steps_say_where_they_are(void **unused)
{
	static const enum step_kind kinds[] = {STEP_INSTRUCTION, STEP_DELIVERED, STEP_CALL_DELIVERED,
					       STEP_HALTED};
	(void)unused;
	profile.threads = 2;
	assert_int_equal(vpmu_threads(), 2);
	enable(1);
	for (unsigned where = 0; where < 12; where++) {
		enum vpmu_sibling sibling = where % 3;
		unsigned thread = where / 3 % 2, wakes = asked.wakes;

		assert_true(vpmu_place(thread, sibling));
		assert_int_equal(asked.thread, thread);
		assert_int_equal(placed, thread);
		vpmu_others(where >= 6);
		assert_int_equal(asked.wakes, wakes + 2);
		for (unsigned k = 0; k < 4; k++) {
			unsigned before = steps;

			tell(kinds[k], 0, 0);
			assert_int_equal(steps, before + 1);
			assert_int_equal(last.kind, kinds[k]);
			assert_int_equal(last.thread, thread);
			assert_int_equal(last.sibling, sibling != SIBLING_HALTED);
			assert_int_equal(last.sibling_level, sibling == SIBLING_USER ? 3 : 0);
			assert_int_equal(last.others, where >= 6);
			assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
		}
	}
	assert_false(vpmu_place(2, SIBLING_HALTED));
	assert_int_equal(asked.thread, 1);
	/* Nothing to be awake for. */
	enable(0);
	unsigned wakes = asked.wakes;
	vpmu_place(0, SIBLING_USER);
	vpmu_others(false);
	assert_int_equal(asked.wakes, wakes);
}

/* A check finds none of what another one has left behind. */
static void power_up_forgets_where_it_was(void **unused)
{
	(void)unused;
	profile.threads = 2;
	vpmu_place(1, SIBLING_USER);
	vpmu_others(true);
	pmis_of[0] = 1;
	enable(1);
	retire(0, 0);
	assert_int_equal(vpmu_sibling_interrupts(), 1);
	assert_int_equal(resets, 1);
	attached = NULL;
	vpmu_power_up();
	assert_int_equal(resets, 2);
	assert_ptr_equal(attached, &step_memory);
	assert_int_equal(asked.thread, 0);
	assert_true(client->idle);
	enable(1);
	tell(STEP_DELIVERED, 0, 0);
	assert_int_equal(last.thread, 0);
	assert_false(last.sibling);
	assert_int_equal(last.sibling_level, 0);
	assert_false(last.others);
}

/* At most four a step: an erratum may ask without end. */
static void requests_reach_the_line(void **unused)
{
	(void)unused;
	enable(1);
	for (unsigned stays = 0; stays < 2; stays++) {
		own_line_stays = stays;
		pmis = 1;
		asked.n_requests = 0;
		retire(0, 0);
		retire(0, 0);
		assert_int_equal(asked.n_requests, 1);
		assert_int_equal(asked.request[0].line, OVERFLOW_COUNTERS);
		assert_int_equal(asked.request[0].stays, stays);
	}
	pmis = 100;
	asked.n_requests = 0;
	tell(STEP_DELIVERED, 0, 0);
	assert_int_equal(asked.n_requests, 4);
	model.line_stays = NULL;
	retire(0, 0);
	assert_int_equal(asked.n_requests, 8);
	assert_false(asked.request[7].stays);
	model.line_stays = line_stays;
	/* Lines of the extended table are asked for by what records alone, and mask nothing. */
	pmis = 0;
	extended = 1;
	model.take_extended = take_extended;
	retire(0, 0);
	assert_int_equal(extended, 1);
	records = true;
	asked.n_requests = 0;
	enable(1);
	assert_int_equal(asked.n_requests, 1);
	assert_int_equal(asked.request[0].line, 103);
	assert_true(asked.request[0].stays);
}

static void each_logical_processor_has_its_own(void **unused)
{
	(void)unused;
	profile.threads = 2;
	enable(1);
	for (unsigned thread = 0; thread < 2; thread++) {
		vpmu_place(thread, SIBLING_KERNEL);
		assert_int_equal(vpmu_sibling_interrupts(), 0);
		for (unsigned to = 0; to < 2; to++) {
			unsigned before = vpmu_sibling_interrupts();

			asked.n_requests = 0;
			pmis_of[to] = 2;
			retire(0, 0);
			assert_int_equal(pmis_of[to], 0);
			assert_int_equal(asked.n_requests, to == thread ? 2 : 0);
			assert_int_equal(vpmu_sibling_interrupts(), before + (to == thread ? 0 : 2));
		}
	}
}

static void no_more_is_wanted_than_is_counted(void **unused)
{
	static const struct {
		enum quantity q;
		uint32_t wants;
	} rows[] = {
		{Q_INSTRUCTIONS, 0},
		{Q_LOADS_SPLIT_LINE, STEP_WANTS_BY_ADDRESS},
		{Q_STORES_SPLIT_PAGE, STEP_WANTS_BY_ADDRESS},
		{Q_L1D_LOAD_MISS, STEP_WANTS_MACHINE},
		{Q_BR_MISPRED, STEP_WANTS_MACHINE},
	};
	struct reason why;
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		only = rows[i].q;
		enable(1);
		assert_int_equal(client->wants, rows[i].wants);
		assert_false(client->idle);
		enable(0);
		assert_int_equal(client->wants, 0);
		assert_true(client->idle);
	}
	only = outcome_quantities[OUTCOME_DENORMAL];
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS);
	only = Q_INSTRUCTIONS;
	records = true;
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS | STEP_WANTS_RECORDS);
	vectors = true;
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS | STEP_WANTS_RECORDS |
						STEP_WANTS_VECTORS);
	/* A model that cannot tell is asked what it would add. */
	records = vectors = false;
	model.counts = NULL;
	enable(1);
	assert_int_equal(client->wants, STEP_WANTS_BY_ADDRESS | STEP_WANTS_MACHINE | STEP_WANTS_DENORMALS);
	assert_true(vpmu_create("scripted-one", NULL, &why));
	assert_int_equal(client->wants, 0);
}

/* What the machine model says is counted beside the instruction's own, and once: by the next one that is like
 * it, too. */
static void the_machine_adds_its_own(void **unused)
{
	(void)unused;
	only = Q_L1D_LOAD_MISS;
	enable(1);
	load = (struct step_access){.address = 0x100000, .size = 8};
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 1);
	assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 0);
	assert_int_equal(amount_of(Q_INSTRUCTIONS), 1);
	/* Cold again, but not before the write that counts. */
	vpmu_cool();
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 0);
	enable(0);
	enable(1);
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 1);
	enable(1);
	retire(0, 0);
	assert_int_equal(amount_of(Q_L1D_LOAD_MISS), 0);
	/* With a shape: the same amounts, by its memo. */
	for (unsigned i = 0; i < 4; i++) {
		uint64_t before = counted(0);

		load.address = 0x200000 + 64 * i;
		retire(1, 0);
		assert_true(counted(0) >= before + 2);
		before = counted(0);
		retire(1, 0);
		retire(1, 0);
		assert_true(counted(0) >= before + 2);
	}
}

/* Two profiles by their names, and a name that nobody has. */
static void created_by_name(void **unused)
{
	struct reason why;
	(void)unused;

	assert_true(vpmu_knows("scripted-one", "fault", &why));
	assert_false(vpmu_knows("scripted-one", "falt", &why));
	assert_false(vpmu_knows("scripted-two", NULL, &why));
	assert_ptr_equal(vpmu_profile(), &profile);
	assert_false(vpmu_create("scripted-two", NULL, &why));
	assert_non_null(strstr(why.line, "no virtual CPU of this name"));
	/* What was there stays. */
	assert_ptr_equal(vpmu_profile(), &profile);
	assert_false(asked.extra_lines);
	model.take_extended = take_extended;
	profile.threads = 2;
	assert_true(vpmu_create("scripted-one", "fault", &why));
	assert_true(asked.extra_lines);
	assert_int_equal(asked.threads, 2);
	assert_false(vpmu_has_other());
	vpmu_forget();
	assert_null(vpmu_profile());
	assert_false(asked.extra_lines);
	assert_int_equal(vpmu_threads(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_write_is_counted_by_what_runs, set_up),
		cmocka_unit_test_setup(only_its_own_writes_are_told_as_such, set_up),
		cmocka_unit_test_setup(what_records_is_told_of_later_writes, set_up),
		cmocka_unit_test_setup(reads_change_nothing, set_up),
		cmocka_unit_test_setup(one_that_hangs_ends_the_run, set_up),
		cmocka_unit_test_setup(alike_steps_are_worked_out_once, set_up),
		cmocka_unit_test_setup(the_step_that_overflows_reaches_the_model, set_up),
		cmocka_unit_test_setup(steps_say_where_they_are, set_up),
		cmocka_unit_test_setup(power_up_forgets_where_it_was, set_up),
		cmocka_unit_test_setup(requests_reach_the_line, set_up),
		cmocka_unit_test_setup(each_logical_processor_has_its_own, set_up),
		cmocka_unit_test_setup(no_more_is_wanted_than_is_counted, set_up),
		cmocka_unit_test_setup(the_machine_adds_its_own, set_up),
		cmocka_unit_test_setup(created_by_name, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
