/*
 * What the toy's kernels need of the harness, and what follows from their signatures: one wants the timer, no
 * handler of theirs executes anything at another level, and each quantity is as it was declared.
 */
#include "arch/timer.h"
#include "tests/kernels/services.h"
#include "tests/judge/bound_rows.h"
#include "tests/kernels/handled.h"
#include "tests/kernels/toy/kernel.h"

void services_init(void)
{
}

bool services_wanted(const struct kernel *k)
{
	return k->flags & KERNEL_SERVICE_TIMER;
}

static void on_timer(void *arg)
{
	(void)arg;
}

bool services_prepare(const struct kernel *k, const struct kernel_place *place)
{
	static const struct timer_claim claim = {.handler = on_timer};

	(void)place;
	if (!services_wanted(k))
		return true;
	timer_claim(&claim);
	timer_stop();
	timer_mask(false);
	return true;
}

void services_finish(void)
{
	timer_stop();
	timer_claim(NULL);
}

const char *kernel_unfit(const struct kernel *k, uint8_t level)
{
	if (level && level != TOY_USER)
		return "there is no such level";
	if (level && k->flags & KERNEL_PRIVILEGED)
		return "it is for the supervisor's level only";
	return !level && k->flags & KERNEL_USER_ONLY ? "it is for the user's level only" : NULL;
}

const char *kernel_unsteppable(const struct kernel *k, uint8_t level)
{
	return kernel_unfit(k, level);
}

void services_emulate(const struct kernel *k, uint8_t *copy)
{
	(void)k;
	(void)copy;
}

bool exceptions_emulated(const struct kernel *k)
{
	(void)k;
	return false;
}

void exceptions_withhold(bool withhold)
{
	(void)withhold;
}

uint64_t chain_round(const struct kernel *k)
{
	(void)k;
	return 0;
}

bool kernel_leaves_level(const struct kernel *k)
{
	(void)k;
	return false;
}

struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n)
{
	(void)k;
	(void)q;
	(void)n;
	return (struct amount){.defined = true};
}

/* Cycles are the machine's own rule, which every signature declares. */
const struct bound_table bounds_instruction_set = {.n_rows = 0};
