#include "tests/self/host/support/fake_machine.h"

#include "arch/identity.h"

bool fake_machine_is_real;

bool identity_emulated(void)
{
	return !fake_machine_is_real;
}
