/*
 * The toy PMU's model: pmu/toy/registers.h as code, with injections beside it (pmu/toy/errata).
 *
 * A write that starts or stops a counter is not counted by it.
 */
#include "pmu/toy/errata/hooks.h"
#include "pmu/contract/counter_bank.h"
#include "pmu/toy/registers.h"
#include "pmu/toy/toy.h"

#include <string.h>

struct toy_state {
	struct toy_deviations deviations;
	uint32_t running, overflow, enable, trace, changed;
	uint32_t config[TOY_COUNTERS], counter[TOY_COUNTERS];
	bool request;
	struct {
		uint64_t from, to;
	} queue[TOY_QUEUE];
	unsigned first, queued;
	bool lost;
	uint64_t base, limit, next, level; /* of messages in memory */
	const struct step_memory *memory;
};

static void reset(void *state, const struct model_profile *profile, const struct model_injected *active)
{
	struct toy_state *s = state;

	(void)profile;
	memset(s, 0, sizeof *s);
	if (active)
		s->deviations.active = *active;
}

static void attach(void *state, const struct step_memory *memory)
{
	struct toy_state *s = state;

	s->memory = memory;
}

static uint32_t highest(unsigned c)
{
	return c == TOY_COUNTERS - 1 ? TOY_HIGHEST : TOY_ONES;
}

/* --- registers ---------------------------------------------------------------------------------------- */

static uint64_t take_message(struct toy_state *s)
{
	uint64_t to = s->queued ? s->queue[s->first].to : 0;

	if (s->queued) {
		s->first = (s->first + 1) % TOY_QUEUE;
		s->queued--;
	}
	return to;
}

static enum register_answer read_register(struct toy_state *s, uint64_t number, uint64_t *value)
{
	if (number >= TOY_REG_CONFIG && number < TOY_REG_CONFIG + TOY_COUNTERS) {
		*value = s->config[number - TOY_REG_CONFIG];
		return REGISTER_DONE;
	}
	if (number >= TOY_REG_COUNTER && number < TOY_REG_COUNTER + TOY_COUNTERS) {
		*value = s->counter[number - TOY_REG_COUNTER];
		return REGISTER_DONE;
	}
	switch (number) {
	case TOY_REG_ID:
		*value = TOY_ID;
		return REGISTER_DONE;
	case TOY_REG_START:
	case TOY_REG_STOP:
		*value = s->running;
		return REGISTER_DONE;
	case TOY_REG_OVERFLOW:
		*value = s->overflow;
		return REGISTER_DONE;
	case TOY_REG_ENABLE:
		*value = s->enable;
		return REGISTER_DONE;
	case TOY_REG_TRACE:
		*value = s->trace;
		return REGISTER_DONE;
	case TOY_REG_QUEUED:
		*value = s->queued | (s->lost ? TOY_QUEUE_FULL : 0);
		return REGISTER_DONE;
	case TOY_REG_BASE:
		*value = s->base;
		return REGISTER_DONE;
	case TOY_REG_LIMIT:
		*value = s->limit;
		return REGISTER_DONE;
	case TOY_REG_NEXT:
		*value = s->next;
		return REGISTER_DONE;
	case TOY_REG_LEVEL:
		*value = s->level;
		return REGISTER_DONE;
	case TOY_REG_FROM:
		*value = s->queued ? s->queue[s->first].from : 0;
		return REGISTER_DONE;
	case TOY_REG_TO:
		*value = take_message(s);
		return REGISTER_DONE;
	default:
		return REGISTER_FAULT;
	}
}

static bool set(uint32_t *to, uint64_t value, uint64_t bits)
{
	if (value & ~bits)
		return false;
	*to = (uint32_t)value;
	return true;
}

static bool set_address(uint64_t *to, uint64_t value)
{
	if (value % TOY_MESSAGE)
		return false;
	*to = value;
	return true;
}

static bool write_register(struct toy_state *s, uint64_t number, uint64_t value)
{
	const uint32_t all = (1u << TOY_COUNTERS) - 1;
	uint32_t mask;

	if (number >= TOY_REG_CONFIG && number < TOY_REG_CONFIG + TOY_COUNTERS)
		return set(&s->config[number - TOY_REG_CONFIG], value,
			   TOY_CONFIG_EVENT | TOY_CONFIG_SUPERVISOR | TOY_CONFIG_USER);
	if (number >= TOY_REG_COUNTER && number < TOY_REG_COUNTER + TOY_COUNTERS) {
		unsigned c = (unsigned)(number - TOY_REG_COUNTER);

		return counter_holds(value, highest(c)) && set(&s->counter[c], value, TOY_ONES);
	}
	switch (number) {
	case TOY_REG_START:
		if (!set(&mask, value, all))
			return false;
		s->changed = mask & ~s->running;
		s->running |= mask;
		return true;
	case TOY_REG_STOP:
		if (!set(&mask, value, all))
			return false;
		s->running &= ~toy_hook_stopped(&s->deviations, mask);
		return true;
	case TOY_REG_OVERFLOW:
		if (!set(&mask, value, all))
			return false;
		s->overflow &= ~mask;
		return true;
	case TOY_REG_ENABLE:
		return set(&s->enable, value, all);
	case TOY_REG_TRACE:
		return set(&s->trace, value,
			   TOY_TRACE_SUPERVISOR | TOY_TRACE_USER | TOY_TRACE_MEMORY | TOY_TRACE_CIRCULAR);
	case TOY_REG_BASE:
		return set_address(&s->base, value);
	case TOY_REG_LIMIT:
		return set_address(&s->limit, value);
	case TOY_REG_NEXT:
		return set_address(&s->next, value);
	case TOY_REG_LEVEL:
		return set_address(&s->level, value);
	case TOY_REG_QUEUED:
		if (value)
			return false;
		s->first = s->queued = 0;
		s->lost = false;
		return true;
	default:
		return false;
	}
}

static enum register_answer access_register(void *state, struct register_access *a)
{
	struct toy_state *s = state;

	if (a->space != SPACE_SYSTEM)
		return REGISTER_NOT_MINE;
	if (!a->permitted)
		return REGISTER_FAULT;
	s->changed = 0;
	if (!a->write)
		return read_register(s, a->number, &a->value);
	return write_register(s, a->number, a->value) ? REGISTER_DONE : REGISTER_FAULT;
}

/* --- counting ----------------------------------------------------------------------------------------- */

static bool counts_here(const struct toy_state *s, unsigned c, const struct step *step)
{
	uint8_t levels = s->config[c] >> TOY_CONFIG_LEVELS & LEVELS_ALL;

	if (!(s->running >> c & 1) || (step->own_write && s->changed >> c & 1))
		return false;
	return toy_hook_level(&s->deviations, counter_sees(levels, step->level));
}

static void overflow(struct toy_state *s, unsigned c)
{
	s->overflow |= 1u << c;
	if (toy_hook_interrupts(&s->deviations, s->enable >> c & 1))
		s->request = true;
}

/* @return whether it overflowed */
static bool count(struct toy_state *s, unsigned c, uint64_t amount)
{
	uint64_t most = toy_hook_highest(&s->deviations, highest(c), TOY_ONES);
	uint64_t sum = toy_hook_sum(&s->deviations, c, s->counter[c], amount);

	s->counter[c] = (uint32_t)counter_keeps(sum, most);
	if (!counter_overflows(0, sum, most))
		return false;
	overflow(s, c);
	return true;
}

/* --- the recorder ------------------------------------------------------------------------------------- */

static void write_message(struct toy_state *s, uint64_t from, uint64_t to)
{
	const uint64_t message[] = {from, to};

	if (s->next >= s->limit)
		return;
	if (toy_hook_written(&s->deviations))
		s->memory->write(s->memory->ctx, s->next, message, TOY_MESSAGE);
	s->next += TOY_MESSAGE;
	if (s->next == s->level)
		s->request = true;
	if (s->next == s->limit && s->trace & TOY_TRACE_CIRCULAR)
		s->next = s->base;
}

static void queue_message(struct toy_state *s, uint64_t from, uint64_t to)
{
	unsigned at = (s->first + s->queued) % TOY_QUEUE;

	if (s->queued == TOY_QUEUE) { /* the oldest one goes */
		s->first = (s->first + 1) % TOY_QUEUE;
		s->queued--;
		s->lost = true;
	}
	s->queue[at].from = from;
	s->queue[at].to = to;
	s->queued++;
}

static void note_branch(struct toy_state *s, const struct step *step)
{
	/* An interrupt goes to the supervisor. */
	bool user = step->level && step->transfer != TRANSFER_EVENT;
	uint32_t level = user ? TOY_TRACE_USER : TOY_TRACE_SUPERVISOR;
	uint64_t to = toy_hook_target(&s->deviations, step->next);

	if (!(s->trace & level) || step->transfer == TRANSFER_NONE)
		return;
	if (toy_hook_lost(&s->deviations))
		return;
	if (s->trace & TOY_TRACE_MEMORY)
		write_message(s, step->ip, to);
	else
		queue_message(s, step->ip, to);
}

static bool advance(void *state, const struct step *step)
{
	struct toy_state *s = state;
	bool changed = false;

	for (unsigned c = 0; c < TOY_COUNTERS; c++) {
		uint32_t select = s->config[c] & TOY_CONFIG_EVENT;
		uint64_t amount;

		if (!counts_here(s, c, step))
			continue;
		amount = toy_event_amount(toy_hook_event(&s->deviations, select), step);
		amount = toy_hook_amount(&s->deviations, c, select, amount);
		changed |= amount && count(s, c, amount);
	}
	note_branch(s, step);
	s->changed = 0;
	return changed;
}

static bool counts(const void *state, enum quantity q)
{
	const struct toy_state *s = state;

	for (unsigned c = 0; c < TOY_COUNTERS; c++)
		if (s->running >> c & 1 && toy_event_counts(s->config[c] & TOY_CONFIG_EVENT, q))
			return true;
	return false;
}

static bool counting(const void *state)
{
	const struct toy_state *s = state;

	return s->running != 0;
}

static bool recording(const void *state)
{
	const struct toy_state *s = state;

	return s->trace & (TOY_TRACE_SUPERVISOR | TOY_TRACE_USER);
}

static bool take_request(void *state)
{
	struct toy_state *s = state;
	bool was = s->request;

	s->request = false;
	return was;
}

static bool line_stays(const void *state)
{
	(void)state;
	return true;
}

const struct pmu_model toy_model = {
	.name = "toy",
	.state_size = sizeof(struct toy_state),
	.injections = toy_injections,
	.line_stays = line_stays,
	.reset = reset,
	.attach = attach,
	.access = access_register,
	.advance = advance,
	.counts = counts,
	.counting = counting,
	.recording = recording,
	.take_pmi = take_request,
};

const struct model_profile toy_profile = {
	.name = "toy",
	.description = "four counters of 20 bits, and a recorder of branches",
	.model = &toy_model,
};
