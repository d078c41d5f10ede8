/*
 * Services of x86's kernels: tests/kernels/services.h says what a service is.
 */
#ifndef TESTS_KERNELS_X86_SERVICES_H
#define TESTS_KERNELS_X86_SERVICES_H

#include "tests/kernels/services.h"
#include "tests/kernels/x86/kernel.h"
#include "tests/kernels/x86/service.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Why a service that the kernel asks for cannot be had here, NULL if all can. The first question for a
 * kernel that wants another processor starts it: the machine must be taken. */
const char *services_missing(const struct kernel *k, enum services_for whom);

/** Where an interrupt or exception of this vector arrives while the kernel's services are on, and where its
 * SYSCALL or SYSENTER does; NULL if they have no say in it. */
const uint8_t *services_handler(const struct kernel *k, unsigned vector);
const uint8_t *services_call_handler(const struct kernel *k);

#endif
