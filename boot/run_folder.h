/*
 * The folder of a run: REPORT\NNNN-CPU, with a number of its own, so that no run touches another one's files.
 */
#ifndef BOOT_RUN_FOLDER_H
#define BOOT_RUN_FOLDER_H

#include "boot/options.h"

#include <stdbool.h>
#include <stddef.h>

#define RUN_FOLDER_PATH (OPTION_TEXT_MAX + 64)

/**
 * Make the folder of this run of the CPU with this name (arch/identity.h), with the number behind the highest
 * one that is there; from 1, of four digits at least. Firmware side only.
 * @return false with *why ("volume is full", ...)
 */
bool run_folder_make(const struct platform *platform, const char *report, const char *cpu, const char **why);

/** Its path; NULL: there is none. */
const char *run_folder(void);

/** Its number, which a run without a folder may have, too (platform->begin_run()); 0: there is none. */
unsigned run_number(void);

/** The folder of the last run of a CPU of the same name, and its number; NULL and 0: there is none. */
const char *run_before(void);
unsigned run_number_before(void);

#endif
