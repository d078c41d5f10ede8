/*
 * What the tests of Intel's records share: one CPU, its records, jumps, and a recording that begins and ends.
 */
#ifndef TESTS_SELF_HOST_INTEL_RECORD_SHORTCUTS_H
#define TESTS_SELF_HOST_INTEL_RECORD_SHORTCUTS_H

#include "arch/x86/cpu/msr.h"
#include "pmu/intel/driver/bracket.h"
#include "pmu/intel/driver/parts.h"
#include "pmu/intel/driver/state.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/records/record.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"
#include "tests/self/host/support/recording_cpu.h"
#include "tests/self/host/support/fake_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define MAX 80

static struct pmu pmu;
static struct pmu_record got[MAX];

static inline void start_cpu(const struct model_profile *p, const char *inject)
{
	recording_cpu(&pmu, &intel_driver, p, inject);
}

static inline void jumps(unsigned n)
{
	struct fake_path *p = fake_cpu_path();

	while (n--)
		fake_path_branch(p, TRANSFER_JUMP, p->regs.ip + 16);
}

static inline void begin(const struct pmu_recording *r)
{
	recording_begin(&pmu, r);
}

static inline unsigned finish(const struct pmu_recording *r)
{
	unsigned n;

	assert_true(record_stop(&pmu, r));
	n = record_drain(&pmu, r, got, MAX);
	assert_true(record_release(&pmu, r));
	return n;
}

/* A recording into fresh memory. */
static inline struct pmu_recording in_memory(enum record_kind kind, unsigned records, unsigned threshold)
{
	struct pmu_recording r = {.source = record_source(&pmu, kind),
				  .levels = LEVELS_ALL,
				  .records = records,
				  .threshold = threshold};

	assert_non_null(r.source);
	r.size = record_memory(&pmu, &r);
	r.memory = fake_memory_create(r.size);
	return r;
}

#endif
