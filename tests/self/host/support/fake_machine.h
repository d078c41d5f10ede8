/*
 * What the machine under a host test is.
 */
#ifndef TESTS_SELF_HOST_SUPPORT_FAKE_MACHINE_H
#define TESTS_SELF_HOST_SUPPORT_FAKE_MACHINE_H

#include <stdbool.h>

/** Hardware; false: an emulator, as identity_emulated() says. */
extern bool fake_machine_is_real;

#endif
