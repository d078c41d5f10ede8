#include "arch/aarch64/psci.h"

/* SMCCC 1.0 (DEN 0028, 2.6): firmware may change x4 to x17 as well. */
#define CLOBBERED                                                                                            \
	"x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "memory"

enum board_psci psci_way;

int64_t psci_call(uint64_t function, uint64_t a, uint64_t b, uint64_t c)
{
	register uint64_t x0 __asm__("x0") = function;
	register uint64_t x1 __asm__("x1") = a;
	register uint64_t x2 __asm__("x2") = b;
	register uint64_t x3 __asm__("x3") = c;

	if (psci_way == PSCI_HVC)
		__asm__ volatile("hvc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : CLOBBERED);
	else if (psci_way == PSCI_SMC)
		__asm__ volatile("smc #0" : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3) : : CLOBBERED);
	else
		return -1;
	return (int32_t)x0;
}
