/*
 * What options say about processors: cpus=, and inject=NAME@PROCESSOR.
 */
#ifndef BOOT_CORE_OPTIONS_H
#define BOOT_CORE_OPTIONS_H

#include "boot/option_error.h"

#include <stdbool.h>
#include <stddef.h>

/** Syntax of cpus=: auto, all, or numbers between commas. @return NULL, or what it should look like */
const char *cores_syntax(const char *value);

/** Whether a list of numbers has this one. */
bool cores_listed(const char *numbers, unsigned number);

/**
 * Which processor an injection is for.
 * @param number set if the name ends with @NUMBER, else left alone
 * @return length of the name without that
 */
size_t core_of_injection(const char *name, size_t length, unsigned *number);

/** Of the injections NAME and NAME@NUMBER, joined by +, those that are for processor `core`, without the
 * number. */
void core_injections(const char *inject, unsigned core, char out[OPTION_TEXT_MAX]);

#endif
