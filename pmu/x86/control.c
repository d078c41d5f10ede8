#include "pmu/x86/control.h"

#include "arch/x86/cpu/msr.h"

#include <string.h>

#define CALL      0xe8 /* CALL rel32 */
#define CALL_SIZE 5

uint64_t control_register(struct control_fixture *h, uint32_t address)
{
	uint64_t value = 0;

	h->works(h, "reading a register", msr_read(address, &value));
	return value;
}

uint64_t control_call_target(uint64_t from)
{
	const uint8_t *code = (const uint8_t *)(uintptr_t)from;
	int32_t distance;

	if (code[0] != CALL)
		return 0;
	memcpy(&distance, code + 1, sizeof distance);
	return from + CALL_SIZE + (uint64_t)(int64_t)distance;
}
