/*
 * Metrics of an experiment: expressions over its counts, repetition by repetition, in millionths. They are
 * judged where all that they are made of is.
 */
#include "tests/suites/experiments.h"

#include <stdio.h>
#include <string.h>

struct operands {
	const struct experiment_counts *c;
	unsigned point, rep;
	bool bounds; /* what is expected, not what was counted */
};

static struct ratio_range value_of(void *ctx, uint8_t operand)
{
	const struct operands *o = ctx;
	const struct experiment_counts *c = o->c;
	unsigned request = operand == METRIC_CLOCK ? c->plan->n_requests : operand;
	const struct observation *expected = &c->counts[request * c->points + o->point];
	struct ratio r;

	if (o->bounds)
		return c->judged[request] && expected->high != INT64_MAX
			       ? (struct ratio_range){ratio_of(expected->low), ratio_of(expected->high)}
			       : (struct ratio_range){0};
	r = ratio_of((int64_t)c->raw[(request * c->points + o->point) * c->plan->reps + o->rep]);
	return (struct ratio_range){r, r};
}

/* @return false: it has no value in some repetition, or none that fits */
static bool observe(const struct metric *m, struct operands *o, struct observation *out, bool *judged)
{
	struct ratio_range x;
	bool good = true;

	for (o->rep = 0; o->rep < o->c->plan->reps; o->rep++) {
		int64_t millionths;

		x = metric_value(m, value_of, o);
		if (x.low.den && ratio_millionths(x.low, &millionths))
			histogram_add(&out->seen, millionths);
		else
			good = false;
	}
	o->bounds = true;
	x = metric_value(m, value_of, o);
	o->bounds = false;
	*judged &= x.low.den && ratio_millionths(x.low, &out->low) && ratio_millionths(x.high, &out->high);
	return good;
}

void experiment_metric(const struct experiment_counts *c, unsigned number, struct observation *out,
		       struct report_delta *row, struct result *r)
{
	const struct metric *m = &c->plan->metric[number];
	struct operands o = {.c = c};
	bool good = true;

	*row = (struct report_delta){.name = m->name,
				     .expression = m->expression,
				     .across_passes = c->plan->passes > 1,
				     .judged = true,
				     .n_observations = c->points,
				     .observation = out};
	for (o.point = 0; o.point < c->points; o.point++) {
		out[o.point] = (struct observation){.n = c->plan->n * (o.point + 1)};
		good &= observe(m, &o, &out[o.point], &row->judged);
	}
	row->judged &= good;
	if (!good) {
		judgement_set(&r->judgement, VERDICT_SKIPPED,
			      "it has no value: it divides by 0, or its terms do not fit 64 bits");
	} else if (!row->judged) {
		judgement_set(&r->judgement, VERDICT_SKIPPED,
			      "told, not judged: not all that it is made of is judged");
	} else {
		memcpy(r->observation, out, c->points * sizeof *out);
		r->n_observations = c->points;
		judge(r->observation, c->points, &r->judgement);
	}
}
