/*
 * The folder of a run: REPORT\NNNN-CPU, with a number of its own, so that no run touches another one's files.
 */
#ifndef BOOT_RUN_FOLDER_H
#define BOOT_RUN_FOLDER_H

#include "boot/options.h"

#include "arch/x86/cpu/cpuid.h"

#include <stdbool.h>
#include <stddef.h>

#define RUN_FOLDER_PATH (OPTION_TEXT_MAX + 64)
#define RUN_CPU_NAME    48

/** A CPU's name as folders have it, perf's: vendor, family (decimal), model and stepping (hexadecimal), such
 * as GenuineIntel-6-5E-3; of the vendor's name letters and digits alone. */
void run_cpu_name(const struct cpu_identity *cpu, char out[RUN_CPU_NAME]);

/**
 * Make the folder of this run, with the number behind the highest one that is there; from 1, of four digits
 * at least. Firmware side only.
 * @return false with *why ("volume is full", ...)
 */
bool run_folder_make(const struct platform *platform, const char *report, const char *cpu, const char **why);

/** Its path; NULL: there is none. */
const char *run_folder(void);

/** Its number; 0: there is none. */
unsigned run_number(void);

#endif
