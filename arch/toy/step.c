/*
 * The toy machine's step engine (arch/step.h) is its interpreter. The harness is the host's: only what it has
 * the machine run is stepped.
 */
#include "arch/step.h"

#include "arch/exceptions.h"
#include "arch/toy/cpu.h"

const quantity_number quantities_by_address[] = {Q_COUNT};

/* There is no hypervisor. */
const struct step_exit_kind step_exit_kinds[1];
const unsigned step_n_exit_kinds = 0;
const unsigned step_exit_of_counter_read = 0, step_exit_of_register_write = 0;

void step_not_nested(void)
{
	if (toy_client())
		trap_abort(TRAP_NONE);
}

void step_call(struct step_client *client, void (*fn)(void *), void *arg)
{
	step_not_nested();
	toy_set_client(client);
	fn(arg);
	toy_set_client(NULL);
}

bool step_active(void)
{
	return toy_client();
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
	return toy_steps();
}

void step_markers(struct step_code *begin, struct step_code *end)
{
	static const uint32_t code[] = {TOY_INSN((uint32_t)TOY_SYS, 0, 0, 0, TOY_SYS_BEGIN_MARK),
					TOY_INSN((uint32_t)TOY_SYS, 0, 0, 0, TOY_SYS_END_MARK)};

	*begin = (struct step_code){(const uint8_t *)code, (const uint8_t *)(code + 1)};
	*end = (struct step_code){(const uint8_t *)(code + 1), (const uint8_t *)(code + 2)};
}

void step_request_overflow(unsigned line, bool stays)
{
	(void)stays;
	if (line == OVERFLOW_COUNTERS)
		toy_request_overflow();
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
