/*
 * Where the report goes: two files in the run's folder, through the firmware, or where the platform sends it,
 * or as QR codes onto the screen, or port E9H of an emulator.
 */
#ifndef BOOT_REPORT_OUT_H
#define BOOT_REPORT_OUT_H

#include "boot/options.h"

#include <stdbool.h>

/** Make the run's folder if files are asked for (boot/run_folder.h). Firmware side only. What stands in the
 * way is said by the first report_out(). */
void report_out_begin(const struct platform *platform, const struct options *o, const char *cpu);

/**
 * Write the report as it stands. Firmware side only. Each file is written under another name, flushed, and
 * then given its own, so that a run that is cut short leaves what was measured before; port E9H gets one
 * document, between STX and ETX, when the run is over. With report=memory it stays in the machine's memory,
 * where an emulator's user finds it: instead of a long piece port E9H gets DLE, its physical address and size
 * in hexadecimal, and a line feed. What cannot be written is said once, in one line.
 */
void report_out(const struct platform *platform, const struct options *o, bool over);

/** The machine may hang next: make sure that the report as it stands outlasts that. It is in the folder by
 * now, or is sent; or nobody asked for it, or it is an emulator's. @return false: nothing can keep it */
bool report_out_keep(const struct platform *platform, const struct options *o);

/** The folder where the whole report lies; NULL: some of it could not be written, or files were not asked
 * for. */
const char *report_out_place(void);

/** Show the report, if it is QR codes: twice, or until the machine is switched off. Firmware side only, after
 * report_out_close(), as long as the screen is open. */
void report_out_show(const struct platform *platform, bool for_ever);

/** Say where the report is, or that none could be written and why: the last line of a run. */
void report_out_close(const struct options *o);

#endif
