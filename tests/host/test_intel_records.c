/* The Intel driver's records against the Intel model: what it sets up, starts, stops and takes out. */
#include "arch/x86/msr.h"
#include "pmu/intel/driver.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/record.h"
#include "pmu/intel/registers.h"
#include "tests/host/support/fake_cpu.h"
#include "tests/host/support/fake_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define CODE    0x401000ull
#define MAX     80
#define VIRTUAL (sizeof all / sizeof all[0])

static const struct model_profile *const all[] = {
	&intel_yonah,       &intel_core2,       &intel_nehalem,     &intel_westmere,
	&intel_sandybridge, &intel_ivybridge,   &intel_haswell,     &intel_broadwell,
	&intel_skylake,     &intel_icelake,     &intel_silvermont,  &intel_goldmont,
	&intel_tremont,     &intel_alderlake_p, &intel_alderlake_e, &intel_sapphirerapids};

static struct pmu pmu;
static const struct pmu_recorder *const rec = &intel_recorder;
static struct pmu_record got[MAX];

static void start_cpu(const struct model_profile *p, const char *inject)
{
	const char *why = NULL;

	fake_cpu_start(p, inject);
	assert_true(intel_driver.identify(&pmu, &why));
	assert_true(intel_driver.reset(&pmu, &why));
	assert_int_equal(fake_cpu_strays(), 0);
	fake_cpu_path()->regs.ip = CODE;
}

static void jumps(unsigned n)
{
	struct fake_path *p = fake_cpu_path();

	while (n--)
		fake_path_branch(p, TRANSFER_JUMP, p->regs.ip + 16);
}

static struct pmu_recording lbr(uint8_t ring)
{
	struct pmu_recording r = {.source = record_source(&pmu, RECORD_LBR), .ring = ring};

	assert_non_null(r.source);
	return r;
}

static void begin(const struct pmu_recording *r)
{
	const char *why = NULL;

	if (!rec->setup(&pmu, r, &why))
		fail_msg("%s: %s", r->source->name, why);
	assert_true(rec->start(&pmu, r));
}

static unsigned finish(const struct pmu_recording *r)
{
	unsigned n;

	assert_true(rec->stop(&pmu, r));
	n = rec->drain(&pmu, r, got, MAX);
	assert_true(rec->release(&pmu, r));
	return n;
}

static void lbr_of_each_part(void **unused)
{
	static const struct {
		const char *name;
		uint32_t fields;
	} of[VIRTUAL] = {
		{"LBR format 0, 8 entries", RECORD_HAS_BRANCH},
		{"LBR format 2, 4 entries", RECORD_HAS_BRANCH},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 3, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 4, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 4, 16 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED},
		{"LBR format 5, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 5, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 1, 8 entries", RECORD_HAS_BRANCH},
		{"LBR format 6, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"LBR format 5, 32 entries", RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"architectural LBR, 32 entries",
		 RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"architectural LBR, 32 entries",
		 RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
		{"architectural LBR, 32 entries",
		 RECORD_HAS_BRANCH | RECORD_HAS_MISPREDICTED | RECORD_HAS_CYCLES},
	};
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		struct pmu_record_state state;

		start_cpu(all[p], "");
		struct pmu_recording r = lbr(RING_ALL);
		unsigned depth = r.source->depth;

		assert_string_equal(r.source->name, of[p].name);
		assert_int_equal(r.source->fields, of[p].fields);
		assert_null(rec->absent(&pmu, RECORD_LBR));
		assert_int_equal(rec->memory(&pmu, &r), 0);

		/* Fewer than there is room for, twice; then more. */
		for (unsigned round = 0; round < 3; round++) {
			unsigned n = round == 2 ? depth + 3 : 3, kept = n < depth ? n : depth;

			begin(&r);
			fake_cpu_path()->regs.ip = CODE;
			fake_cpu_nops(16);
			jumps(n - 1);
			fake_cpu_nops(2);
			fake_path_mispredicted(fake_cpu_path(), TRANSFER_CONDITIONAL, CODE);
			assert_true(rec->state(&pmu, &r, &state));
			assert_int_equal(state.records, kept);
			assert_int_equal(state.full, n >= depth);
			assert_int_equal(finish(&r), kept);
			for (unsigned i = 0; i < kept; i++) {
				uint64_t from = CODE + 16 * (n - kept + i + 1);
				bool last = i == kept - 1;

				assert_int_equal(got[i].kind, RECORD_LBR);
				assert_int_equal(got[i].has, of[p].fields);
				assert_int_equal(got[i].from, from + (last ? 2 : 0));
				assert_int_equal(got[i].to, last ? CODE : from + 16);
				if (got[i].has & RECORD_HAS_MISPREDICTED)
					assert_int_equal(got[i].mispredicted, last);
				if (got[i].has & RECORD_HAS_CYCLES && i)
					assert_int_equal(got[i].cycles, last ? 3 : 1);
			}
		}
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

static void lbr_by_ring(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		const char *why = NULL;
		uint64_t value;

		start_cpu(all[p], "");
		for (uint8_t ring = RING_OS; ring <= RING_USR; ring++) {
			struct pmu_recording r = lbr(ring);

			if (all[p] == &intel_yonah || all[p] == &intel_core2) {
				assert_false(rec->setup(&pmu, &r, &why));
				assert_non_null(strstr(why, "every ring"));
				continue;
			}
			begin(&r);
			fake_cpu_path()->regs.ip = CODE;
			jumps(1);
			fake_path_far(fake_cpu_path(), CODE, 3);
			jumps(1);
			fake_path_event(fake_cpu_path(), CODE + 0x100);
			assert_int_equal(finish(&r), 2);
			if (ring == RING_OS) {
				assert_int_equal(got[0].from, CODE);
				assert_int_equal(got[1].to, CODE + 0x100);
			} else {
				assert_int_equal(got[0].to, CODE);
				assert_int_equal(got[1].from, CODE);
			}
			/* Only the architectural stack keeps the other ring's addresses to itself. */
			bool hides = got[ring == RING_OS].from == RECORD_HIDDEN;
			assert_int_equal(hides, p >= VIRTUAL - 3);
			assert_true(msr_read(IA32_DEBUGCTL, &value));
			assert_int_equal(value & DEBUGCTL_LBR, 0);
		}
	}
}

/* What is left out is left out, and nothing else. */
static void lbr_by_kind(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		start_cpu(all[p], "");
		bool filters = lbr(RING_ALL).source->filters;

		assert_int_equal(filters, lbr(RING_ALL).source->rings != 0);
		for (unsigned t = TRANSFER_CONDITIONAL; t <= TRANSFER_FAR && filters; t++) {
			struct pmu_recording r = lbr(RING_ALL);
			struct fake_path *path = fake_cpu_path();

			r.without = 1u << t;
			assert_true(r.source->filters & r.without);
			begin(&r);
			for (unsigned k = TRANSFER_CONDITIONAL; k <= TRANSFER_EVENT; k++) {
				path->regs.ip = CODE + 16 * k;
				if (k == TRANSFER_EVENT)
					fake_path_event(path, CODE);
				else
					fake_path_branch(path, (enum model_transfer)k, CODE);
			}
			assert_int_equal(finish(&r), t == TRANSFER_FAR ? 6 : 7);
			for (unsigned i = 0; i < (t == TRANSFER_FAR ? 6 : 7); i++)
				assert_int_equal(got[i].from, CODE + 16 * (i + 1 < t ? i + 1 : i + 2));
		}
	}
}

/* The bracket starts and stops it, and is not part of the trace. */
static void lbr_by_bracket(void **unused)
{
	(void)unused;
	for (unsigned p = 0; p < VIRTUAL; p++) {
		struct pmu_bracket b;
		const char *why;

		start_cpu(all[p], "");
		struct pmu_recording r = lbr(RING_ALL);
		assert_true(rec->setup(&pmu, &r, &why));
		assert_true(rec->bracket(&pmu, &r, &b));
		uint64_t regs[4] = {b.args[0], b.args[1], b.args[2], b.args[3]};
		fake_cpu_execute(b.start, (unsigned)(b.start_end - b.start), regs);
		fake_cpu_path()->regs.ip = CODE;
		jumps(2);
		fake_cpu_execute(b.stop, (unsigned)(b.stop_end - b.stop), regs);
		jumps(2);
		assert_int_equal(rec->drain(&pmu, &r, got, MAX), 2);
		assert_int_equal(got[1].from, CODE + 16);
		assert_int_equal(rec->drain(&pmu, &r, got, MAX), 0);
	}
}

/* A register that faults though CPUID or the model promises it: no source, one line that says so. */
static void lbr_that_faults(void **unused)
{
	(void)unused;
	start_cpu(&intel_alderlake_p, "");
	fake_cpu_break_msr(IA32_LBR_CTL);
	assert_null(record_source(&pmu, RECORD_LBR));
	assert_non_null(strstr(rec->absent(&pmu, RECORD_LBR), "raise #GP"));
	start_cpu(&intel_nehalem, "");
	fake_cpu_break_msr(0x68f);
	assert_null(record_source(&pmu, RECORD_LBR));
	assert_non_null(strstr(rec->absent(&pmu, RECORD_LBR), "raise #GP"));
	/* Depths that make no sense, and a model that nobody knows. */
	start_cpu(&intel_sapphirerapids, "");
	fake_cpu_set_leaf(0x1c, 0, 0, 7, 7, 0);
	fake_cpu_set_leaf(1, 0, 0x000806f8, 0, 0x8000, 0x200);
	assert_null(record_source(&pmu, RECORD_LBR));
	assert_non_null(strstr(rec->absent(&pmu, RECORD_LBR), "leaf 1CH"));
	start_cpu(&intel_nehalem, "");
	fake_cpu_set_leaf(1, 0, 0x00000f4a, 0, 0x8000, 0x200);
	assert_non_null(strstr(rec->absent(&pmu, RECORD_LBR), "this model"));
	/* A kind that the family does not know has no reason. */
	assert_null(rec->absent(&pmu, RECORD_IBS_OP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lbr_of_each_part), cmocka_unit_test(lbr_by_ring),
		cmocka_unit_test(lbr_by_kind),      cmocka_unit_test(lbr_by_bracket),
		cmocka_unit_test(lbr_that_faults),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_cpu_stop();
	return failed;
}
