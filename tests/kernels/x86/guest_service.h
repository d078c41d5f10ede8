/*
 * The service of kernels that enter a guest (KERNEL_NEEDS_SVM): SVM on, and a control block whose guest has
 * its host's segments, tables and control registers, so that it runs in the kernel's own code.
 */
#ifndef TESTS_KERNELS_X86_GUEST_SERVICE_H
#define TESTS_KERNELS_X86_GUEST_SERVICE_H

#include "tests/kernels/x86/kernel.h"

/** Why no guest can be entered although CPUID tells of SVM, NULL if one can. */
const char *guest_missing(void);

/** Turn EFER.SVME on, and put the control block's address into params->vmcb. */
void guest_on(struct kernel_params *params);

/** Put EFER and VM_HSAVE_PA back. */
void guest_off(void);

#endif
