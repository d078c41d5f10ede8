/*
 * Vendors' event files on the boot volume: \assay\events\*.json, and mapfile.csv beside them.
 */
#ifndef BOOT_EVENT_FILES_H
#define BOOT_EVENT_FILES_H

#include "boot/platform.h"
#include "tests/judge/check.h"

/**
 * Read all of them and give the PMU under judgement a table with their events. What is wrong with a file is
 * one note in the report, and so is what was taken of it; the run goes on with what is sound. Firmware must
 * have the machine; it is taken in between.
 * @param processor the one that is judged (arch/processors.h)
 */
void event_files_read(const struct platform *platform, struct run *run, unsigned processor);

/** Give the PMU its own table back, before another processor is judged. */
void event_files_forget(struct run *run);

#endif
