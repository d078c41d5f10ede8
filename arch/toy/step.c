/*
 * The toy machine's step engine (arch/step.h) is its interpreter. The harness is the host's: only what it has
 * the machine run is stepped.
 */
#include "arch/step.h"

#include "arch/exceptions.h"
#include "arch/toy/cpu.h"

#include <string.h>

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

/* Addresses below TOY_MEMORY are the machine's; a buffer of the harness lies where the host has it. */
static void *host_address(uint64_t address, size_t size)
{
	if (address >= TOY_MEMORY)
		return (void *)(uintptr_t)address;
	return size <= TOY_MEMORY - address ? toy_memory + address : NULL;
}

static bool read_memory(void *ctx, uint64_t address, void *out, size_t size)
{
	const void *at = host_address(address, size);

	(void)ctx;
	if (at)
		memcpy(out, at, size);
	return at;
}

static bool write_memory(void *ctx, uint64_t address, const void *data, size_t size)
{
	void *at = host_address(address, size);

	(void)ctx;
	if (at)
		memcpy(at, data, size);
	return at;
}

const struct step_memory step_memory = {.read = read_memory, .write = write_memory};

unsigned step_exit_of_code(const struct step_code *code)
{
	(void)code;
	return step_n_exit_kinds;
}

uint64_t step_bare_count(void (*fn)(void *), void *arg)
{
	uint64_t before = toy_steps();

	if (toy_client())
		return 0;
	fn(arg);
	return toy_steps() - before;
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
