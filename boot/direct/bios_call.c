#include "boot/direct/bios_call.h"

#include <string.h>

extern const uint8_t bios_call_code[], bios_call_registers[], bios_call_interrupt[], bios_call_end[];

void *bios_memory_at(uintptr_t address)
{
	__asm__("" : "+r"(address)); /* the compiler knows no object there */
	return (void *)address;
}

static uint8_t *copy_of(const uint8_t *part)
{
	return bios_memory_at(BIOS_CALL_AT + (uintptr_t)(part - bios_call_code));
}

bool bios_call(uint8_t interrupt, struct bios_registers *r)
{
	struct bios_registers *given = (void *)copy_of(bios_call_registers);

	memcpy(copy_of(bios_call_code), bios_call_code, (size_t)(bios_call_end - bios_call_code));
	*copy_of(bios_call_interrupt) = interrupt;
	*given = *r;
	((void (*)(void))copy_of(bios_call_code))();
	*r = *given;
	return !r->carry;
}
