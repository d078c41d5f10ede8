#include "tests/measure/recording.h"
#include "arch/masking.h"

#include "arch/step.h"
#include "arch/time.h"
#include "arch/exceptions.h"
#include "arch/overflow.h"

#include <stdlib.h>
#include <string.h>

#define FENCE                                                                                                \
	32768 /* bytes on both sides of the memory; a multiple of its alignment, and room for the records of \
		 a buffer whose end is not heeded: none may reach what is not ours */
#define FENCE_BYTE 0xa5
#define ALIGNMENT  64
#define ASK_MS     5000

/* --- sources ---------------------------------------------------------------------------------------- */

struct question {
	const struct pmu *pmu;
	enum record_kind kind;
	const struct pmu_record_source *source;
	const char *why;
};

static void ask_source(void *arg)
{
	struct question *q = arg;

	q->source = record_source(q->pmu, q->kind);
	if (!q->source)
		q->why = record_absent(q->pmu, q->kind);
}

const struct pmu_record_source *recording_source(struct run *run, enum record_kind kind, const char **why)
{
	struct question q = {.pmu = run->pmu, .kind = kind};

	*why = "asking what it records was ended";
	if (!run->call(run, ask_source, &q, ASK_MS, NULL))
		return NULL;
	*why = q.why ? q.why : "this PMU makes no such records";
	return q.source;
}

/* --- memory ----------------------------------------------------------------------------------------- */

static uint8_t *memory_of(const struct recorded *r)
{
	uintptr_t at = (uintptr_t)r->block + FENCE;

	return (uint8_t *)((at + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
}

static void ask_size(void *arg)
{
	struct recorded *r = arg;

	r->recording.size = record_memory(r->pmu, &r->recording);
}

/* @return false with .failure if there is none */
static bool begin(struct run *run, struct recorded *r)
{
	uint8_t *memory;

	r->run = run;
	r->failure = NULL;
	r->refused = r->set_up = false;
	r->block = NULL;
	r->recording.memory = NULL;
	r->recording.size = 0;
	if (!run->call(run, ask_size, r, ASK_MS, NULL)) {
		r->failure = "asking how much memory it takes was ended";
		return false;
	}
	if (!r->recording.size)
		return true;
	r->block = malloc(r->recording.size + 2 * FENCE + ALIGNMENT);
	if (!r->block) {
		r->failure = "there is no memory for so many records";
		return false;
	}
	memory = memory_of(r);
	memset(memory - FENCE, FENCE_BYTE, FENCE);
	memset(memory, 0, r->recording.size);
	memset(memory + r->recording.size, FENCE_BYTE, FENCE);
	r->recording.memory = memory;
	return true;
}

static bool is_fence(const uint8_t *p)
{
	for (unsigned i = 0; i < FENCE; i++)
		if (p[i] != FENCE_BYTE)
			return false;
	return true;
}

static void release(void *arg)
{
	struct recorded *r = arg;

	r->set_up = false;
	if (!record_release(r->pmu, &r->recording) && !r->failure)
		r->failure = "taking it out of use was refused";
}

/* Take the handler away, and what a run that was ended left set up. @return whether memory in front of the
 * recording's and behind it is as it was */
static bool end(struct recorded *r)
{
	bool whole = true;

	overflow_mask(r->recording.source->line);
	overflow_claim(OVERFLOW_NMI, NULL);
	masking_end();
	/* Before its memory goes. */
	if (r->set_up)
		r->run->call(r->run, release, r, ASK_MS, NULL);
	if (r->block)
		whole = is_fence(memory_of(r) - FENCE) && is_fence(memory_of(r) + r->recording.size);
	free(r->block);
	r->block = NULL;
	return whole;
}

/* --- records ---------------------------------------------------------------------------------------- */

static GENERAL_REGISTERS_ONLY void take_out(struct recorded *r)
{
	struct pmu_record spare;
	unsigned n;

	do {
		n = record_drain(r->pmu, &r->recording, r->record + r->n_records, r->room - r->n_records);
		r->n_records += n;
	} while (n && r->n_records < r->room);
	while (r->n_records == r->room && record_drain(r->pmu, &r->recording, &spare, 1))
		r->lost++;
}

static GENERAL_REGISTERS_ONLY void arm(const struct recorded *r)
{
	overflow_arm(r->recording.source->line, OVERFLOW_NMI);
}

/* The watchdog interrupts by NMI as well: without a threshold reached it is none of ours. */
static GENERAL_REGISTERS_ONLY bool on_threshold(uint64_t address, enum overflow_way way, void *arg)
{
	struct recorded *r = arg;
	struct pmu_record_state state;

	(void)address;
	(void)way;
	if (!record_state(r->pmu, &r->recording, &state))
		return false;
	/* Whether a status says so is for the suite to judge. */
	if (!state.overflow && !(r->recording.threshold && state.records >= r->recording.threshold))
		return false;
	r->taken++;
	if (r->interrupts == INTERRUPTS_DRAIN) {
		take_out(r);
		arm(r);
	}
	return true;
}

/* --- running ---------------------------------------------------------------------------------------- */

struct window recorded_window(const struct recorded *r)
{
	return (struct window){.kernel = r->kernel, .bracket = &r->bracket, .level = r->level};
}

static bool set_up(struct recorded *r)
{
	const char *why = "setting it up was refused";

	if (!record_setup(r->pmu, &r->recording, &why)) {
		r->failure = why;
		r->refused = true;
		return false;
	}
	r->set_up = true;
	return true;
}

static uint64_t beside_mask(const struct recorded *r)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < r->n_beside; i++)
		mask |= UINT64_C(1) << r->beside[i].counter;
	return mask;
}

static bool program_beside(const struct recorded *r)
{
	for (unsigned i = 0; i < r->n_beside; i++)
		if (!r->pmu->driver->program(r->pmu, r->beside[i].counter, &r->beside[i].config))
			return false;
	return true;
}

static bool start_beside(const struct recorded *r)
{
	for (unsigned i = 0; i < r->n_beside; i++)
		if (!r->pmu->driver->write(r->pmu, r->beside[i].counter, 0))
			return false;
	return !r->n_beside || r->pmu->driver->start(r->pmu, beside_mask(r));
}

static bool stop_beside(const struct recorded *r, uint64_t *out)
{
	if (r->n_beside && !r->pmu->driver->stop(r->pmu))
		return false;
	for (unsigned i = 0; i < r->n_beside; i++)
		if (!r->pmu->driver->read(r->pmu, r->beside[i].counter, &out[i]))
			return false;
	return true;
}

static bool release_beside(const struct recorded *r)
{
	bool good = true;

	for (unsigned i = 0; i < r->n_beside; i++)
		good &= r->pmu->driver->release(r->pmu, r->beside[i].counter);
	return good;
}

static bool run_window(struct recorded *r, unsigned number, const void *entry, const struct window *w)
{

	window_forget();
	if (r->again_each && !set_up(r))
		return false;
	if (r->level && (!start_beside(r) || !record_start(r->pmu, &r->recording)))
		return false;
	window_run(entry, w, r->n);
	if (r->level &&
	    (!record_stop(r->pmu, &r->recording) || !stop_beside(r, r->counts + number * r->n_beside)))
		return false;
	if (!record_state(r->pmu, &r->recording, &r->state))
		return false;
	if (r->drain_each)
		take_out(r);
	return true;
}

/* For run->call(). */
static void record(void *arg)
{
	struct recorded *r = arg;
	const struct overflow_claim claim = {on_threshold, r};
	struct window w = recorded_window(r);
	const void *entry;

	r->n_records = r->lost = r->taken = 0;
	r->bracket = bracket_user;
	if (!set_up(r))
		return;
	if (!program_beside(r)) {
		r->failure = "programming what is counted beside was refused";
		return;
	}
	if (!r->level && !record_bracket(r->pmu, &r->recording, &r->bracket)) {
		r->failure = "there is no code that starts and stops it";
		return;
	}
	entry = window_compose(&w);
	if (!entry) {
		r->failure = "the kernel does not fit the code arena";
		return;
	}
	overflow_claim(OVERFLOW_NMI, &claim);
	masking_begin(true);
	if (r->interrupts != INTERRUPTS_OFF)
		arm(r);
	r->clock_begin = clock_read();
	for (unsigned i = 0; i < r->windows && !r->failure; i++)
		if (!run_window(r, i, entry, &w) && !r->failure)
			r->failure = "starting, stopping or asking it was refused";
	r->clock_end = clock_read();
	overflow_mask(r->recording.source->line);
	masking_end();
	if (!r->drain_each)
		take_out(r);
	release(r);
	if (!release_beside(r) && !r->failure)
		r->failure = "taking it out of use was refused";
}

bool recorded_carry_out(struct run *run, struct recorded *r, unsigned ms, enum verdict refused,
			struct result *out, bool *whole)
{
	bool done;

	*whole = true;
	if (!begin(run, r)) {
		judgement_set(&out->judgement, VERDICT_ERROR, "%s", r->failure);
		return false;
	}
	done = run->call(run, record, r, ms, out);
	*whole = end(r);
	if (done && r->failure)
		judgement_set(&out->judgement, r->refused ? refused : VERDICT_WRONG, "%s", r->failure);
	return done && !r->failure;
}
