/*
 * Stepping (arch/step.h): there is no engine yet, and no virtual CPU that would need it.
 */
#include "arch/step.h"

#include "arch/exceptions.h"
#include "arch/overflow.h"

const quantity_number quantities_by_address[] = {Q_COUNT};
const struct step_exit_kind step_exit_kinds[1];
const unsigned step_n_exit_kinds = 0;
const unsigned step_exit_of_counter_read = 0, step_exit_of_register_write = 0;
const struct step_memory step_memory;

void step_not_nested(void)
{
}

void step_call(struct step_client *client, void (*fn)(void *), void *arg)
{
	(void)client, (void)fn, (void)arg;
	trap_abort(TRAP_NONE);
}

bool step_active(void)
{
	return false;
}

void step_pause(void)
{
}

void step_resume(void)
{
}

void step_hold(void)
{
}

void step_release(void)
{
}

void step_wake(void)
{
}

uint32_t step_shapes(void)
{
	return 1;
}

uint64_t step_count(void)
{
	return 0;
}

void step_markers(struct step_code *begin, struct step_code *end)
{
	*begin = *end = (struct step_code){0};
}

unsigned step_exit_of_code(const struct step_code *code)
{
	(void)code;
	return step_n_exit_kinds;
}

uint64_t step_bare_count(void (*fn)(void *), void *arg)
{
	(void)fn, (void)arg;
	return 0;
}

void step_request_overflow(unsigned line, bool stays)
{
	(void)line, (void)stays;
}

unsigned step_extra_line(unsigned n)
{
	(void)n;
	return OVERFLOW_NO_LINE;
}

void step_emulate_extra_lines(bool emulate)
{
	(void)emulate;
}
