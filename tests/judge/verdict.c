#include "tests/judge/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const struct {
	const char *name;
	bool bad;
} verdicts[VERDICT_COUNT] = {
	[VERDICT_EXACT] = {"exact", false},     [VERDICT_WITHIN] = {"within", false},
	[VERDICT_BIASED] = {"biased", true},    [VERDICT_NOISY] = {"noisy", true},
	[VERDICT_DEAD] = {"dead", true},        [VERDICT_WRONG] = {"wrong", true},
	[VERDICT_ERRATUM] = {"erratum", true},  [VERDICT_ERROR] = {"error", true},
	[VERDICT_SKIPPED] = {"skipped", false},
};

const char *verdict_name(enum verdict v)
{
	return v < VERDICT_COUNT ? verdicts[v].name : "?";
}

bool verdict_is_bad(enum verdict v)
{
	return v >= VERDICT_COUNT || verdicts[v].bad;
}

unsigned verdict_rank(enum verdict verdict)
{
	static const unsigned char worst_first[] = {VERDICT_WRONG,   VERDICT_DEAD,   VERDICT_BIASED,
						    VERDICT_NOISY,   VERDICT_ERROR,  VERDICT_ERRATUM,
						    VERDICT_SKIPPED, VERDICT_WITHIN, VERDICT_EXACT};
	unsigned rank = 0;

	while (rank < sizeof worst_first && worst_first[rank] != verdict)
		rank++;
	return rank;
}

void judgement_set(struct judgement *out, enum verdict verdict, const char *format, ...)
{
	va_list args;

	*out = (struct judgement){.verdict = verdict};
	va_start(args, format);
	vsnprintf(out->text, sizeof(out->text), format, args);
	va_end(args);
}

static bool is_exact(const struct observation *o)
{
	return o->low == o->high;
}

static bool inside(const struct observation *o)
{
	return o->seen.min >= o->low && o->seen.max <= o->high;
}

/* What makes a verdict impossible; NULL if nothing does. */
static const char *unfit(const struct observation *o, unsigned count)
{
	if (count == 0)
		return "there are no observations";
	for (unsigned i = 0; i < count; i++) {
		if (o[i].seen.total == 0)
			return "nothing was observed";
		if (o[i].low > o[i].high)
			return "the expected interval is empty";
		if (i > 0 && o[i].n <= o[i - 1].n)
			return "the values of N do not ascend";
	}
	return NULL;
}

/* The same non-zero deviation from exact expectations at two or more N. */
static bool constant_bias(const struct observation *o, unsigned count, int64_t *bias)
{
	for (unsigned i = 0; i < count; i++) {
		int64_t deviation;

		if (!is_exact(&o[i]) || o[i].seen.min != o[i].seen.max ||
		    __builtin_sub_overflow(o[i].seen.min, o[i].low, &deviation))
			return false;
		if (i > 0 && deviation != *bias)
			return false;
		*bias = deviation;
	}
	return count >= 2;
}

static const struct observation *first_noisy(const struct observation *o, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (is_exact(&o[i]) && o[i].seen.min != o[i].seen.max)
			return &o[i];
	return NULL;
}

static const struct observation *first_outside(const struct observation *o, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!inside(&o[i]))
			return &o[i];
	return NULL;
}

static bool all_dead(const struct observation *o, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (o[i].low <= 0 || o[i].seen.min != 0 || o[i].seen.max != 0)
			return false;
	return true;
}

static bool observed_line(const struct observation *o, unsigned count, struct line *line)
{
	uint64_t n[2];
	int64_t value[2];

	for (unsigned i = 0; i < 2 && i < count; i++) {
		n[i] = o[i].n;
		value[i] = histogram_mode(&o[i].seen);
	}
	return count >= 2 && line_fit(n, value, 2, line);
}

/* The slope that exact expectations at the first two N ask for. */
static bool expected_line(const struct observation *o, unsigned count, struct line *line)
{
	uint64_t n[2];
	int64_t value[2];

	for (unsigned i = 0; i < 2 && i < count; i++) {
		if (!is_exact(&o[i]))
			return false;
		n[i] = o[i].n;
		value[i] = o[i].low;
	}
	return count >= 2 && line_fit(n, value, 2, line);
}

static int append_fraction(char *text, size_t size, const char *label, int64_t num, int64_t den)
{
	if (den == 1)
		return snprintf(text, size, "%s %" PRId64, label, num);
	return snprintf(text, size, "%s %" PRId64 "/%" PRId64, label, num, den);
}

static void explain_wrong(const struct observation *o, unsigned count, const struct judgement *j, char *text,
			  size_t size)
{
	const struct observation *at = first_outside(o, count);
	struct line line;
	int used;

	if (is_exact(at))
		used = snprintf(text, size, "expected %" PRId64 ", observed %" PRId64 " at N = %" PRIu64,
				at->low, histogram_mode(&at->seen), at->n);
	else
		used = snprintf(text, size,
				"expected %" PRId64 " to %" PRId64 ", observed %" PRId64 " to %" PRId64
				" at N = %" PRIu64,
				at->low, at->high, at->seen.min, at->seen.max, at->n);
	if (used < 0 || (size_t)used >= size || j->slope_den == 0)
		return;
	used += append_fraction(text + used, size - used, "; slope", j->slope_num, j->slope_den);
	if ((size_t)used < size && expected_line(o, count, &line))
		append_fraction(text + used, size - used, " instead of", line.slope_num, line.den);
}

void judge(const struct observation *o, unsigned count, struct judgement *out)
{
	const char *why = unfit(o, count);
	const struct observation *noisy;
	struct line line;

	if (why) {
		judgement_set(out, VERDICT_ERROR, "%s", why);
		return;
	}
	*out = (struct judgement){0};
	if (observed_line(o, count, &line)) {
		out->slope_num = line.slope_num;
		out->slope_den = line.den;
	}

	noisy = first_noisy(o, count);
	if (!first_outside(o, count)) {
		out->verdict = VERDICT_EXACT;
		for (unsigned i = 0; i < count; i++)
			if (!is_exact(&o[i]))
				out->verdict = VERDICT_WITHIN;
		if (out->verdict == VERDICT_WITHIN)
			snprintf(out->text, sizeof(out->text), "inside its interval");
	} else if (all_dead(o, count)) {
		out->verdict = VERDICT_DEAD;
		snprintf(out->text, sizeof(out->text),
			 "never ticks: 0 where %" PRId64 " or more must be counted", o->low);
	} else if (noisy) {
		out->verdict = VERDICT_NOISY;
		snprintf(out->text, sizeof(out->text),
			 "%u distinct values from %" PRId64 " to %" PRId64 " at N = %" PRIu64
			 ", expected %" PRId64,
			 noisy->seen.distinct, noisy->seen.min, noisy->seen.max, noisy->n, noisy->low);
	} else if (constant_bias(o, count, &out->bias)) {
		out->verdict = VERDICT_BIASED;
		snprintf(out->text, sizeof(out->text), "%+" PRId64 " at every N", out->bias);
	} else {
		out->verdict = VERDICT_WRONG;
		out->bias = 0;
		explain_wrong(o, count, out, out->text, sizeof(out->text));
	}
}

bool judge_predicted(const struct observation *o, const struct interval *predicted, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!o[i].seen.total || o[i].seen.min < predicted[i].low || o[i].seen.max > predicted[i].high)
			return false;
	return count != 0;
}
