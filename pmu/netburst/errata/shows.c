/*
 * What shows errata that a program can provoke. Amounts are what the row's text says, and no more: a row that
 * tells of none is shown by the least that it can mean.
 */
#include "pmu/netburst/errata/errata.h"
#include "pmu/x86/processor.h"

static const struct erratum_count counts[] = {
	{"P4-FLDCW", "instr_retired:*", Q_INSN_X87_CONTROL, 1, NULL, "x87_control"},
	{0},
};

static const struct erratum_symptom symptoms[] = {
	/* A carry into bit 32 too many: 4 billion, less what it counted before it was read. */
	{"N15", "control", "write while running/*", "written while it ran? it then read *", SHOWS_MORE,
	 (1ll << 32) - 1000000, 1ll << 32},
	{"N15", "control", "the driver's write while running/*",
	 "written by the driver while it ran? it then read *", SHOWS_MORE, (1ll << 32) - 1000000, 1ll << 32},
	/* A carry into bit 32 too few, in a counter of 40 bits. */
	{"N17", "control", "overflow point/*", "just overflowed the counter is *", SHOWS_MORE, 0xff00000000,
	 0xff00000000},
	{"P4-CCCR1", "ladder", "*_COUNTER1", "*never ticks*", SHOWS_LIKE, 0, 0},
	{"P4-CASCADE", "control", "forced overflow/*", "the counter that waits for a forced overflow*",
	 SHOWS_TEXT, 0, 0},
	{"P4-CASCADE-PMI", "control", "interrupt of a cascade/*",
	 "interrupts of a counter that was started by another one*", SHOWS_MORE, -1, -1},
	{"P4-OVF-NMI", "control", "interrupt? fixed/*", "*entry armed again and the status still set*",
	 SHOWS_MORE, 1, 1000},
	{"P79", "control", "records at the end of memory/*", "bytes behind the end*", SHOWS_LIKE, 0, 0},
	{"P4-HT-OVF", "control", "power-up/BPU_CCCR0", NULL, SHOWS_LIKE, 0, 0},
	{0},
};

const struct errata netburst_known_errata = {
	.prefix = NULL,
	.numbers = netburst_errata_numbers,
	.row = netburst_errata_rows,
	.count = &netburst_errata_count,
	.part = netburst_errata_parts,
	.counts = counts,
	.symptoms = symptoms,
	.processor = x86_processor,
};
