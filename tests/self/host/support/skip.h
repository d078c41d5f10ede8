#ifndef ASSAY_TESTS_SELF_HOST_SUPPORT_SKIP_H
#define ASSAY_TESTS_SELF_HOST_SUPPORT_SKIP_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

/*
 * Skip the running cmocka test and say why. reason is a string literal, a clause about this machine.
 * scripts/check shows the reason beside the skipped test; a bare skip() is a failure there.
 */
#define skip_because(reason)                     \
	do {                                     \
		print_message("# " reason "\n"); \
		skip();                          \
	} while (0)

#endif
