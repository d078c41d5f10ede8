/*
 * Users' own code for experiments: code= names a file of \assay\code, bytes= has it.
 */
#ifndef BOOT_USER_CODE_H
#define BOOT_USER_CODE_H

#include "boot/platform.h"
#include "tests/measure/experiment.h"

/** Load what experiments ask for; each gets its kernel, or why there is none. Between machine_init() and the
 * first machine_take(). */
void user_code_read(const struct platform *platform, struct experiments *all);

#endif
