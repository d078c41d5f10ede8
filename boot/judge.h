/*
 * How a check reaches the CPU under judgement: guarded, watched, on the virtual CPU or straight on this one.
 */
#ifndef BOOT_JUDGE_H
#define BOOT_JUDGE_H

#include "tests/judge/check.h"

/** struct run's .call; see tests/judge/check.h. */
bool judge_call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r);

/** struct run's .step. */
const char *judge_step(struct run *run, unsigned step);

/** struct run's .report. */
void judge_report(struct run *run, const struct result *r);

/** How much has been handed over since the start: results, values, facts. */
unsigned judge_handed_over(void);

/** struct run's .value, .detail, .fact and .share. */
void judge_value(struct run *run, const char *suite, const char *name, const char *value, const char *unit);
void judge_fact(struct run *run, const char *suite, const char *name, const char *text);
void judge_share(struct run *run, const struct share_report *share);
void judge_erratum(struct run *run, const struct erratum_report *r);
void judge_attribution(struct run *run, const struct attribution_report *r);
void judge_detail(struct run *run, const char *suite, const char *name, const char *value, const char *unit);

#endif
