/*
 * Keeping what the menu has set: in \assay\assay.cfg, behind what the file has already.
 */
#ifndef BOOT_MENU_SAVE_H
#define BOOT_MENU_SAVE_H

#include "boot/options.h"
#include "boot/platform.h"

/** The file as it is to be: the old text, with what was saved before taken out, and all options behind it.
 * @return malloc()ed, NULL: memory is short */
char *save_text(const char *old, const struct options *o);

/** Save. The file is written under another name first, so that there is one at any time. @return NULL, or why
 * it could not be saved */
const char *save_options(const struct platform *platform, const struct options *o);

#endif
