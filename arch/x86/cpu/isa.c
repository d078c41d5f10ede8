#include "arch/identity.h"

const char *isa_name(void)
{
	return "x86-64";
}
