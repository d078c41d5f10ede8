/*
 * What QEMU's plugins count in a window, whichever processor QEMU emulates, and how a line of their file
 * begins.
 */
#ifndef TESTS_SELF_BOOT_PLUGIN_TOTALS_H
#define TESTS_SELF_BOOT_PLUGIN_TOTALS_H

#include "tests/measure/marks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum total {
	INSTRUCTIONS,
	BRANCHES,
	BR_COND,
	BR_TAKEN,
	BR_NTAKEN,
	BR_EITHER,
	BR_JMP_DIRECT,
	BR_JMP_INDIRECT,
	BR_CALL_DIRECT,
	BR_CALL_INDIRECT,
	BR_RET,
	BR_FAR,
	LOADS,
	STORES,
	LOAD_BYTES,
	STORE_BYTES,
	TOTALS
};

static const char *const total_names[TOTALS] = {
	"instructions",   "branches",         "br.cond",       "br.cond.taken",
	"br.cond.ntaken", "br.cond.either",   "br.jmp.direct", "br.jmp.indirect",
	"br.call.direct", "br.call.indirect", "br.ret",        "br.far",
	"loads",          "stores",           "loads.bytes",   "stores.bytes",
};

/** "KERNEL LEVEL N quantity=amount ...", without the line's end. */
static inline void print_totals(FILE *out, const uint32_t header[MARK_HEADER], const uint64_t total[TOTALS])
{
	char name[MARK_NAME_WORDS * 4 + 1] = "";

	memcpy(name, header + 2, MARK_NAME_WORDS * 4);
	fprintf(out, "%s %" PRIu32 " %" PRIu32, name, header[1], header[0]);
	for (unsigned i = 0; i < TOTALS; i++)
		fprintf(out, " %s=%" PRIu64, total_names[i], total[i]);
}

#endif
