/*
 * Where options come from: built-in defaults, then \assay\assay.cfg, then the command line.
 */
#ifndef BOOT_CONFIG_H
#define BOOT_CONFIG_H

#include "boot/options.h"

#include <stdbool.h>

#define CONFIG_FILE "\\assay\\assay.cfg"

/**
 * Gather the options and experiments of this run. A command line with anything on it means menu=0, unless it
 * says otherwise. A missing assay.cfg is no error; one that cannot be read is, and so is every bad token:
 * nothing is measured with other options than those asked for.
 * @return false with *error; *o then holds what was valid, so that its console options can serve for saying
 * so
 */
bool config_gather(const struct platform *platform, struct options *o, struct experiments *experiments,
		   struct option_error *error);

#endif
