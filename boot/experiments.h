/*
 * [experiment NAME] sections of assay.cfg.
 */
#ifndef BOOT_EXPERIMENTS_H
#define BOOT_EXPERIMENTS_H

#include "boot/options.h"

/** Keys of a section; name NULL ends. Their objects are struct experiment. */
extern const struct option_row experiment_rows[];

/**
 * Parse a configuration file: options, then any number of sections. What stands behind "[experiment NAME]"
 * belongs to it;
 * "[options]" goes back to options. Whether kernels, events and counters exist is not known here.
 * @return false at the first bad token, with *error
 */
bool experiments_parse(struct options *o, struct experiments *all, const char *text, size_t size,
		       const char *where, struct option_error *error);

#endif
