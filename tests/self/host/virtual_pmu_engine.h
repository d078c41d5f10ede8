/*
 * The step engine of the virtual PMU's tests: steps are told as the engine tells them, and what is asked of
 * the machine is written down.
 */
#ifndef TESTS_SELF_HOST_VIRTUAL_PMU_ENGINE_H
#define TESTS_SELF_HOST_VIRTUAL_PMU_ENGINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arch/breadcrumbs.h"
#include "arch/overflow.h"
#include "arch/presented.h"
#include "arch/step.h"
#include "arch/watchdog.h"

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

#endif
