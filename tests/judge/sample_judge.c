#include "tests/judge/sample_judge.h"

#include "arch/register.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* The trap flag is the step engine's, and the resume flag comes and goes with it. */
#define FLAGS_COMPARED (~((UINT64_C(1) << 8) | (UINT64_C(1) << 16)))

uint64_t sample_occurrences(const struct sample_expectation *x)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < x->path->n_steps; i++)
		n += path_occurrences(x->path, i, x->event, x->levels);
	return n;
}

/* The n-th period ended with a step. What its interrupt counts itself, if it strikes in ring 3, belongs to
 * the next one. */
static uint64_t begin_period(const struct sample_expectation *x, unsigned n, unsigned step)
{
	bool struck = x->every && n % x->every == 0 && path_level_after(x->path, step);
	unsigned own = struck ? x->each : 0;

	return own < x->period ? x->period - own : 1;
}

unsigned sample_steps(const struct sample_expectation *x, unsigned *step, unsigned room)
{
	uint64_t left = x->period;
	unsigned n = 0;

	for (unsigned w = 0; w < x->windows; w++) {
		if (x->again_each)
			left = x->period;
		/* What comes ahead may complete a period itself, on no step of the path. */
		if (x->ahead < left)
			left -= x->ahead;
		else
			left = x->ahead_next ? 1 : x->period - (x->ahead - left) % x->period;
		for (unsigned i = 0; i < x->path->n_steps; i++) {
			uint64_t here = path_occurrences(x->path, i, x->event, x->levels);

			for (; here >= left; left = begin_period(x, n, i)) {
				here -= left;
				if (n < room)
					step[n] = i;
				n++;
			}
			left -= here;
		}
	}
	return n;
}

/* --- records ---------------------------------------------------------------------------------------- */

struct judge {
	const struct sample_expectation *x;
	uint64_t kernel_at;
	struct sample_judgement *out;
};

static void wrong(struct sample_judgement *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void wrong(struct sample_judgement *j, const char *format, ...)
{
	va_list args;

	if (j->why[0])
		return;
	va_start(args, format);
	vsnprintf(j->why, sizeof j->why, format, args);
	va_end(args);
}

static bool is_of(const struct path_step *s, const struct pmu_record *r)
{
	if (!(r->has & (RECORD_HAS_IP | RECORD_HAS_NEXT_IP)))
		return false;
	return (!(r->has & RECORD_HAS_IP) || r->ip == s->ip) &&
	       (!(r->has & RECORD_HAS_NEXT_IP) || r->next_ip == s->next);
}

#define START_BYTES 2 /* WRMSR */

static bool is_of_start(const struct path_step *first, const struct pmu_record *r)
{
	if (!(r->has & (RECORD_HAS_IP | RECORD_HAS_NEXT_IP)))
		return false;
	return (!(r->has & RECORD_HAS_IP) || r->ip + START_BYTES == first->ip) &&
	       (!(r->has & RECORD_HAS_NEXT_IP) || r->next_ip == first->ip);
}

/* Periods that end with what is counted ahead. */
static uint64_t periods_ahead(const struct sample_expectation *x)
{
	uint64_t each = x->ahead + sample_occurrences(x), n = 0;

	for (unsigned w = 0; w < x->windows; w++) {
		uint64_t before = x->again_each ? 0 : w * each;

		n += (before + x->ahead) / x->period - before / x->period;
	}
	return n;
}

unsigned sample_drop_starts(const struct sample_expectation *x, struct pmu_record *record, unsigned n)
{
	uint64_t most = x->ahead && x->path->n_steps ? periods_ahead(x) : 0;
	unsigned kept = 0;

	for (unsigned k = 0; k < n; k++) {
		if (most && is_of_start(&x->path->step[0], &record[k]))
			most--;
		else
			record[kept++] = record[k];
	}
	return n - kept;
}

unsigned sample_in_order(const struct sample_expectation *x, const unsigned *step, unsigned n_steps,
			 const struct pmu_record *record, unsigned n)
{
	unsigned k = 0;

	while (k < n && k < n_steps && is_of(&x->path->step[step[k]], &record[k]))
		k++;
	return k;
}

unsigned sample_not_early(const struct sample_expectation *x, const struct pmu_record *record, unsigned n)
{
	uint64_t since = 0;
	unsigned k = 0;

	for (unsigned w = 0; w < x->windows && k < n; w++) {
		since += x->ahead;
		for (unsigned i = 0; i < x->path->n_steps && k < n; i++) {
			uint64_t here = path_occurrences(x->path, i, x->event, x->levels);

			since += here;
			if (here && since >= x->period && is_of(&x->path->step[i], &record[k])) {
				/* Of a step with several the rest may count already. */
				since = since - x->period < here ? since - x->period : here - 1;
				k++;
			}
		}
	}
	return k;
}

/* Where the record says that it is, behind the instruction if it does not know the instruction itself. */
static int64_t place(const struct judge *j, const struct pmu_record *r)
{
	return (int64_t)((r->has & RECORD_HAS_IP ? r->ip : r->next_ip) - j->kernel_at);
}

static int64_t place_of(const struct judge *j, const struct pmu_record *r, const struct path_step *s)
{
	return (int64_t)((r->has & RECORD_HAS_IP ? s->ip : s->next) - j->kernel_at);
}

/* The first general register that is not the same; STEP_GENERAL if all are that the record has. */
static unsigned other_register(const struct step_registers *m, const struct pmu_record *r)
{
	for (unsigned i = 0; i < record_registers(r); i++)
		if (m->general[i] != r->general[i])
			return i;
	return STEP_GENERAL;
}

static bool same_flags(const struct step_registers *m, const struct pmu_record *r)
{
	return !(r->has & RECORD_HAS_FLAGS) || !((m->flags ^ r->flags) & FLAGS_COMPARED);
}

static bool same_vectors(const struct path *p, unsigned step, const struct pmu_record *r)
{
	return !p->vectors || ((!(r->more & RECORD_MORE_VECTORS) || p->vectors[step] == r->vectors) &&
			       (!(r->more & RECORD_MORE_UPPER) || p->upper[step] == r->upper));
}

/* Those that a record of the step has; NULL: they are from in front of the path. */
static const struct step_registers *registers_of(const struct path *p, unsigned step,
						 const struct pmu_record *r)
{
	if (!(r->has & RECORD_HAS_BEFORE))
		return &p->registers[step];
	return step ? &p->registers[step - 1] : NULL;
}

/* A step that the record can be of and at which the event occurs; of several the one whose registers it has.
 */
static bool find_step(const struct judge *j, const struct pmu_record *r, unsigned *step)
{
	const struct path *p = j->x->path;
	bool found = false;

	for (unsigned i = 0; i < p->n_steps; i++) {
		if (!is_of(&p->step[i], r) ||
		    (!j->x->anywhere && !path_occurrences(p, i, j->x->event, j->x->levels)))
			continue;
		if (!found)
			*step = i;
		found = true;
		if (!p->registers)
			break;
		const struct step_registers *m = registers_of(p, i, r);
		if (m && other_register(m, r) == STEP_GENERAL && same_flags(m, r) && same_vectors(p, i, r)) {
			*step = i;
			break;
		}
	}
	return found;
}

/* Into the kernel's ring or back. Where the stack lies there, the walk and the recorded run need not agree.
 */
static bool is_on_the_way(const struct path *p, unsigned step)
{
	return (step < p->from || step >= p->to) && p->step[step].level != p->step[p->from].level;
}

static void judge_registers(const struct judge *j, const struct pmu_record *r, unsigned k, unsigned step)
{
	struct sample_judgement *out = &j->out[SAMPLE_REGISTERS];
	const struct step_registers *m = registers_of(j->x->path, step, r);

	if (!m || is_on_the_way(j->x->path, step))
		return;
	unsigned other = other_register(m, r);
	out->checked++;
	if (other < STEP_GENERAL)
		wrong(out, "record %u, at %+" PRId64 ": %s is %#" PRIx64 " instead of %#" PRIx64, k + 1,
		      place(j, r), general_register_name(other), r->general[other], m->general[other]);
	else if (!same_flags(m, r))
		wrong(out, "record %u, at %+" PRId64 ": flags are %#" PRIx64 " instead of %#" PRIx64, k + 1,
		      place(j, r), r->flags, m->flags);
	else
		out->right++;
}

static void judge_address(const struct judge *j, const struct pmu_record *r, unsigned k, unsigned step)
{
	struct sample_judgement *out = &j->out[SAMPLE_ADDRESS];
	const struct path *p = j->x->path;
	const struct path_step *s = &p->step[step];

	if (!s->n_access || is_on_the_way(p, step))
		return;
	out->checked++;
	for (unsigned i = 0; i < s->n_access; i++)
		if (p->access[s->access + i].address == r->address) {
			out->right++;
			return;
		}
	wrong(out, "record %u, at %+" PRId64 ": address %#" PRIx64 " instead of %#" PRIx64, k + 1,
	      place(j, r), r->address, p->access[s->access].address);
}

static void judge_time(const struct judge *j, const struct pmu_record *r, unsigned k, uint64_t begin,
		       uint64_t end)
{
	struct sample_judgement *out = &j->out[SAMPLE_TIME];

	out->checked++;
	if (r->clock >= begin && r->clock <= end)
		out->right++;
	else
		wrong(out, "record %u: time %" PRIu64 " does not lie between %" PRIu64 " and %" PRIu64, k + 1,
		      r->clock, begin, end);
}

static void judge_vectors(const struct judge *j, const struct pmu_record *r, unsigned k, unsigned step)
{
	struct sample_judgement *out = &j->out[SAMPLE_VECTORS];

	out->checked++;
	if (same_vectors(j->x->path, step, r))
		out->right++;
	else
		wrong(out,
		      "record %u, at %+" PRId64 ": %svector registers are not those after the instruction",
		      k + 1, place(j, r),
		      j->x->path->vectors[step] != r->vectors && r->more & RECORD_MORE_VECTORS
			      ? ""
			      : "upper halves of ");
}

/* Back from the record's own step to where the path begins, or to where a ring that is not recorded does:
 * what is older is not the kernel's. */
static void judge_branches(const struct judge *j, const struct pmu_record *r, unsigned k, unsigned step)
{
	struct sample_judgement *out = &j->out[SAMPLE_BRANCHES];
	const struct path *p = j->x->path;
	unsigned b = 0;

	out->checked++;
	for (unsigned i = step + 1; i-- > 0 && b < RECORD_BRANCHES;) {
		const struct path_step *s = &p->step[i];

		if (s->level != s->level_after && j->x->levels != LEVELS_ALL)
			break;
		if (!s->transfer || !(j->x->levels & (s->level_after ? LEVELS_USER : LEVELS_SYSTEM)))
			continue;
		if (b == r->n_branches) {
			wrong(out, "record %u, at %+" PRId64 ": %u branches, and there were more", k + 1,
			      place(j, r), b);
			return;
		}
		if (r->branch[b].from != s->ip || r->branch[b].to != s->next) {
			wrong(out,
			      "record %u, at %+" PRId64 ": branch %u back is %+" PRId64 " to %+" PRId64
			      " instead of %+" PRId64 " to %+" PRId64,
			      k + 1, place(j, r), b + 1, (int64_t)(r->branch[b].from - j->kernel_at),
			      (int64_t)(r->branch[b].to - j->kernel_at), (int64_t)(s->ip - j->kernel_at),
			      (int64_t)(s->next - j->kernel_at));
			return;
		}
		b++;
	}
	out->right++;
}

static const struct pmu_event instructions = {.fixed = -1, .terms = {{Q_INSTRUCTIONS, 1}}};

/* Of the record that should be the k-th. */
static void judge_counts(const struct judge *j, const struct pmu_record *r, unsigned k, unsigned step)
{
	struct sample_judgement *out = &j->out[SAMPLE_COUNTS];
	const struct path *p = j->x->path;
	uint64_t windows = (j->x->period * (k + 1) - 1) / sample_occurrences(j->x), expected = 0;

	for (unsigned i = 0; i < p->n_steps; i++) {
		uint64_t here = path_occurrences(p, i, &instructions, j->x->levels);

		expected += here * (windows + (i <= step));
	}
	out->checked++;
	if (r->instructions == expected)
		out->right++;
	else
		wrong(out, "record %u, at %+" PRId64 ": %" PRIu64 " instructions instead of %" PRIu64, k + 1,
		      place(j, r), r->instructions, expected);
}

static void judge_counter(const struct judge *j, const struct pmu_record *r, unsigned k)
{
	struct sample_judgement *out = &j->out[SAMPLE_COUNTER];

	out->checked++;
	if (r->counters == j->x->counters)
		out->right++;
	else
		wrong(out, "record %u, at %+" PRId64 ": counters %#" PRIx64 " instead of %#" PRIx64, k + 1,
		      place(j, r), r->counters, j->x->counters);
}

static void judge_latency(const struct judge *j, const struct pmu_record *r, unsigned k)
{
	struct sample_judgement *out = &j->out[SAMPLE_LATENCY];

	out->checked++;
	if (!(r->has & RECORD_HAS_LATENCY))
		wrong(out, "record %u, at %+" PRId64 ": no latency", k + 1, place(j, r));
	else if (r->latency <= j->x->latency_above)
		wrong(out, "record %u, at %+" PRId64 ": latency %" PRIu32 " is not above %" PRIu32, k + 1,
		      place(j, r), r->latency, j->x->latency_above);
	else
		out->right++;
}

void sample_judge(const struct sample_expectation *x, const unsigned *step, unsigned n_steps,
		  const struct pmu_record *record, unsigned n, uint64_t begin, uint64_t end,
		  uint64_t kernel_at, struct sample_judgement out[SAMPLE_ASPECTS])
{
	const struct judge j = {x, kernel_at, out};
	struct sample_judgement *instruction = &out[SAMPLE_INSTRUCTION], *in_place = &out[SAMPLE_PLACE];

	for (unsigned a = 0; a < SAMPLE_ASPECTS; a++)
		out[a] = (struct sample_judgement){0};
	in_place->checked = n_steps;
	for (unsigned k = 0; k < n; k++) {
		const struct pmu_record *r = &record[k];
		bool expected = k < n_steps && is_of(&x->path->step[step[k]], r);
		bool sure = expected && !x->late;
		unsigned at = sure ? step[k] : 0;
		bool known = sure || find_step(&j, r, &at);

		instruction->checked++;
		instruction->right += known;
		if (!known)
			wrong(instruction, "record %u: the event does not occur at %+" PRId64, k + 1,
			      place(&j, r));
		/* One that is missing puts all behind it out of place. */
		if (expected && in_place->right == k)
			in_place->right++;
		else if (k < n_steps)
			wrong(in_place, "record %u is of %+" PRId64 " instead of %+" PRId64, k + 1,
			      place(&j, r), place_of(&j, r, &x->path->step[step[k]]));
		if (known && x->path->registers && r->has & (RECORD_HAS_GENERAL | RECORD_HAS_FLAGS))
			judge_registers(&j, r, k, at);
		if (known && r->has & RECORD_HAS_ADDRESS)
			judge_address(&j, r, k, at);
		if (known && x->path->vectors && r->more & (RECORD_MORE_VECTORS | RECORD_MORE_UPPER))
			judge_vectors(&j, r, k, at);
		if (known && r->more & RECORD_MORE_BRANCHES)
			judge_branches(&j, r, k, at);
		if (sure && r->more & RECORD_MORE_INSTRUCTIONS && !x->again_each)
			judge_counts(&j, r, k, at);
		if (x->latencies)
			judge_latency(&j, r, k);
		if (x->counters && r->has & RECORD_HAS_COUNTERS)
			judge_counter(&j, r, k);
		if (r->has & RECORD_HAS_CLOCK) {
			judge_time(&j, r, k, begin, end);
			begin = r->clock > begin ? r->clock : begin;
		}
	}
	if (n != n_steps && !x->anywhere)
		wrong(in_place, "%u records instead of %u", n, n_steps);
	/* None too many is part of it. */
	if (n > n_steps && in_place->right == n_steps && n_steps)
		in_place->right--;
}
