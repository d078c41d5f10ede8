#include "tests/suites/trace_calls.h"

#include "arch/code.h"
#include "arch/exceptions.h"

#include <inttypes.h>
#include <stdio.h>

#define OPEN_MS 5000
#define NESTED  5  /* calls, fewer than any stack with the mode has entries */
#define RECORDS 64 /* entries of the deepest stack there is */

struct nest {
	const struct pmu *pmu;
	struct pmu_recording recording;
	struct pmu_record record[RECORDS];
	unsigned n;
	const char *failure;
};

/* Calls that come back: neither is to be seen. No call may become a jump, nor a function a part of another.
 */
static __attribute__((noipa)) void come_back(void)
{
	__asm__ volatile("");
}

static __attribute__((noipa)) void descend(struct nest *nest, unsigned left)
{
	come_back();
	code_call_next(); /* opens nothing */
	if (left > 1)
		descend(nest, left - 1);
	else if (!record_stop(nest->pmu, &nest->recording))
		nest->failure = "stopping was refused";
	come_back();
}

static void record_nest(void *arg)
{
	struct nest *nest = arg;

	if (!record_setup(nest->pmu, &nest->recording, &nest->failure))
		return;
	nest->failure = NULL;
	if (!record_start(nest->pmu, &nest->recording))
		nest->failure = "starting was refused";
	descend(nest, NESTED);
	nest->n = record_drain(nest->pmu, &nest->recording, nest->record, RECORDS);
	if (!record_release(nest->pmu, &nest->recording))
		nest->failure = "releasing was refused";
}

/* The oldest are the nested ones; what follows is the way to where recording was stopped. */
static void judge_nest(const struct nest *nest, struct result *r)
{
	unsigned nested = 0, back = 0, next = 0;

	for (unsigned i = 0; i < nest->n; i++) {
		nested += nested == i && nest->record[i].to == (uintptr_t)descend;
		back += nest->record[i].to == (uintptr_t)come_back;
		next += nest->record[i].to == (uintptr_t)code_call_next;
	}
	result_judge(r, NESTED, NESTED, NESTED, nested);
	if (back)
		judgement_set(&r->judgement, VERDICT_WRONG, "%u calls that have come back are on the stack",
			      back);
	else if (next)
		/* The return went with that one, and left the call of the function that it is in. */
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "calls of what follows them have left %u calls on the stack", next);
	else if (nested != NESTED)
		judgement_set(&r->judgement, VERDICT_WRONG,
			      "of %u calls that are open the stack begins with %u, of %u records", NESTED,
			      nested, nest->n);
}

void trace_open_calls(struct run *run, const struct pmu_record_source *source)
{
	static struct nest nest;
	struct result r = {.suite = "trace",
			   .name = "LBR call stack/open calls",
			   .event = "LBR call stack",
			   .manual = source->manual,
			   .virtual = run->pmu->virtual};

	nest = (struct nest){.pmu = run->pmu,
			     .recording = {.source = source, .levels = LEVELS_ALL, .call_stack = true}};
	trap_set_context(r.name);
	if (run->call(run, record_nest, &nest, OPEN_MS, &r)) {
		if (nest.failure)
			judgement_set(&r.judgement, VERDICT_WRONG, "%s", nest.failure);
		else
			judge_nest(&nest, &r);
	}
	run->report(run, &r);
}
