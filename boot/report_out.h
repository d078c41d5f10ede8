/*
 * Where the report goes: two files through the firmware, or port E9H of an emulator.
 */
#ifndef BOOT_REPORT_OUT_H
#define BOOT_REPORT_OUT_H

#include "boot/options.h"

#include <stdbool.h>

/**
 * Write the report as it stands. Firmware side only. The files are replaced each time, so that a run that is
 * cut short leaves what was measured before; port E9H gets one document, between STX and ETX, when the run is
 * over. With report=memory it stays in the machine's memory, where an emulator's user finds it: instead of a
 * long piece port E9H gets DLE, its physical address and size in hexadecimal, and a line feed. What cannot be
 * written is said once, in one line.
 */
void report_out(const struct platform *platform, const struct options *o, bool over);

#endif
