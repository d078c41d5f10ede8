#include "arch/identity.h"
#include "arch/register.h"

#include <stddef.h>

const char *isa_name(void)
{
#ifdef __i386__
	return "ia32";
#else
	return "x86-64";
#endif
}

const char *general_register_name(unsigned number)
{
	static const char *const names[] = {"RAX", "RBX", "RCX", "RDX", "RSI", "RDI", "RBP", "RSP",
					    "R8",  "R9",  "R10", "R11", "R12", "R13", "R14", "R15"};

	return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}
