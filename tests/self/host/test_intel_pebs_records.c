/* The Intel driver's sampled records against the Intel model: what it sets up, starts, stops and takes out.
 */
#include "tests/self/host/intel_record_shortcuts.h"
#include "pmu/x86/general.h"

/* Instructions, which are precise as such on some parts. */
static struct pmu_recording pebs(unsigned records, unsigned threshold, uint64_t period)
{
	struct pmu_recording r = in_memory(RECORD_PRECISE, records, threshold);
	const char *why;

	r.config.code = 0xc0;
	r.period = period;
	assert_true(record_can_sample(&pmu, &r, &why));
	return r;
}

static void pebs_samples(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		const char *name;
		uint64_t counters;
		size_t size;
		uint32_t fields;
	} of[] = {
#define AFTER (RECORD_HAS_NEXT_IP | RECORD_HAS_FLAGS | RECORD_HAS_GENERAL)
		{&intel_core2, "PEBS, record format 0", 1, 144,
		 RECORD_HAS_IP | RECORD_HAS_BEFORE | (AFTER & ~(uint32_t)RECORD_HAS_NEXT_IP)},
		{&intel_goldmont, "PEBS, record format 3", 1, 200,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
		{&intel_goldmontplus, "PEBS, record format 3", 0x7f, 200,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
		{&intel_icelake, "PEBS, record format 4, adaptive", 0xfff, 208,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
		{&intel_tremont, "PEBS, record format 4, adaptive", 0x7f, 208,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
		{&intel_alderlake_e, "PEBS, record format 4, adaptive", 0x1ff, 208,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
		{&intel_pantherlake_p, "architectural PEBS", 0x3fff, 288,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
		{&intel_pantherlake_e, "architectural PEBS", 0x3fff, 288,
		 AFTER | RECORD_HAS_IP | RECORD_HAS_COUNTERS | RECORD_HAS_CLOCK},
	};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		struct pmu_record_state state;

		start_cpu(of[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			struct pmu_recording r = pebs(6, 4, 5);
			const char *why;

			assert_string_equal(r.source->name, of[p].name);
			assert_int_equal(r.source->counters, of[p].counters);
			assert_int_equal(r.source->record_size, of[p].size);
			assert_int_equal(r.source->fields, of[p].fields);
			r.counter = c;
			if (!record_can_sample(&pmu, &r, &why)) {
				assert_true(!(r.source->counters >> c & 1) || pmu.counter[c].index);
				assert_false(record_setup(&pmu, &r, &why));
				continue;
			}
			begin(&r);
			fake_cpu_path()->regs.ip = CODE;
			uint64_t rax = fake_cpu_path()->regs.general[0];
			fake_path_nops(fake_cpu_path(), 19);
			assert_int_equal(fake_cpu_interrupts(), 0);
			fake_path_nops(fake_cpu_path(), 1);
			assert_int_equal(fake_cpu_interrupts(), 1);
			assert_true(record_stop(&pmu, &r));
			assert_true(record_state(&pmu, &r, &state));
			assert_int_equal(state.records, 4);
			assert_true(state.overflow);
			assert_int_equal(record_drain(&pmu, &r, got, 1), 1);
			assert_int_equal(record_drain(&pmu, &r, got + 1, MAX), 3);
			for (unsigned i = 0; i < 4; i++) {
				assert_int_equal(got[i].kind, RECORD_PRECISE);
				assert_int_equal(got[i].has, of[p].fields);
				if (got[i].has & RECORD_HAS_IP)
					assert_int_equal(got[i].ip, CODE + 5 * (i + 1) - 1);
				if (got[i].has & RECORD_HAS_NEXT_IP)
					assert_int_equal(got[i].next_ip, CODE + 5 * (i + 1));
				if (got[i].has & RECORD_HAS_GENERAL) {
					assert_int_equal(got[i].general[0],
							 rax + 5 * (i + 1) -
								 (got[i].has & RECORD_HAS_BEFORE ? 1 : 0));
					for (unsigned g = 1; g < GPR_COUNT; g++)
						assert_int_equal(got[i].general[g],
								 fake_cpu_path()->regs.general[g]);
				}
				if (got[i].has & RECORD_HAS_COUNTERS)
					assert_int_equal(got[i].counters, 1ull << c);
			}
			assert_int_equal(finish(&r), 0);
			assert_int_equal(fake_memory_refused(), 0);
		}
		assert_int_equal(fake_cpu_strays(), 0);
	}
}

/* What cannot be sampled is refused with a reason. */
static void pebs_refusals(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		unsigned counter;
		uint64_t code, period;
		uint8_t cmask;
		const char *why; /* NULL: it can */
		bool loosely, exact;
	} rows[] = {
		{&intel_nehalem, 0, 0x00c4, 100, 0, "not precise", false, false},
		{&intel_nehalem, 0, 0x01c4, 100, 0, NULL, false, false},
		{&intel_nehalem, 0, 0x01c4, 1, 0, "2 at least", false, false},
		{&intel_nehalem, 0, 0x01c4, 100, 1, "threshold", false, false},
		{&intel_nehalem, 4, 0x01c0, 100, 0, "cannot sample", false, false},
		{&intel_skylake, 0, 0x01c0, 100, 0, "counter 1 alone", false, false},
		{&intel_skylake, 1, 0x01c0, 100, 0, NULL, false, false},
		{&intel_skylake, 1, 0x003c, 100, 0, "not precise", false, false},
		{&intel_core2, 1, 0x00c0, 100, 0, "cannot sample", false, false},
		{&intel_core2, 0, 0x00c0, 100, 0, NULL, false, false},
		{&intel_icelake, 9, 0, 100, 0, "fixed", false, false},
		{&intel_icelake, 8, 0, 100, 0, NULL, false, false},
		{&intel_silvermont, 0, 0x00c4, 100, 0, NULL, false, false},
		{&intel_skylake, 1, 0x003c, 100, 0, "no extended PEBS", true, false},
		{&intel_skylake, 1, 0x01c0, 100, 0, "no extended PEBS", true, false},
		{&intel_icelake, 1, 0x003c, 100, 0, NULL, true, false},
		{&intel_icelake, 9, 0, 100, 0, NULL, true, false},
		{&intel_icelake, 10, 0, 100, 0, NULL, true, false},
		{&intel_icelake, 1, 0x003c, 100, 1, "threshold", true, false},
		{&intel_goldmont, 0, 0x003c, 100, 0, NULL, true, false},
		{&intel_goldmont, 1, 0x00c0, 100, 0, "cannot sample", false, false},
		{&intel_goldmontplus, 5, 0, 100, 0, NULL, true, false},
		{&intel_goldmontplus, 5, 0, 100, 0, "fixed", false, false},
		{&intel_pantherlake_p, 11, 0, 100, 0, NULL, true, false},
		/* No skid: with PDist from 128 on, else from 129 on; not where the event is not precise. */
		{&intel_skylake, 1, 0x01c0, 129, 0, NULL, false, true},
		{&intel_skylake, 1, 0x01c0, 128, 0, NULL, false, false},
		{&intel_skylake, 1, 0x02c0, 193, 0, NULL, false, false},
		{&intel_icelake, 8, 0, 193, 0, NULL, false, true},
		{&intel_icelake, 0, 0xc0, 193, 0, NULL, false, false},
		{&intel_icelake, 9, 0, 193, 0, NULL, true, false},
		{&intel_sapphirerapids, 0, 0x00c4, 128, 0, NULL, false, true},
		{&intel_sapphirerapids, 0, 0x00c4, 127, 0, NULL, false, false},
		{&intel_sapphirerapids, 0, 0x003c, 193, 0, NULL, true, false},
		{&intel_sapphirerapids, 1, 0x00c4, 193, 0, NULL, false, false},
		{&intel_pantherlake_e, 1, 0x00c0, 128, 0, NULL, false, true},
		{&intel_pantherlake_e, 2, 0x00c0, 128, 0, NULL, false, false},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *why = NULL;

		start_cpu(rows[i].profile, "");
		struct pmu_recording r = in_memory(RECORD_PRECISE, 4, 0);
		r.counter = rows[i].counter;
		r.period = rows[i].period;
		r.config = (struct pmu_config){.code = rows[i].code, .cmask = rows[i].cmask};
		r.loosely = rows[i].loosely;
		if (!rows[i].why)
			assert_int_equal(record_is_exact(&pmu, &r), rows[i].exact);
		assert_int_equal(record_can_sample(&pmu, &r, &why), !rows[i].why || r.period < 2);
		assert_int_equal(record_setup(&pmu, &r, &why), !rows[i].why);
		if (rows[i].why && !strstr(why, rows[i].why))
			fail_msg("%s", why);
		r.size--;
		if (!rows[i].why)
			assert_false(record_setup(&pmu, &r, &why));
	}
}

/* Loads on one counter: what the registers hold, and what a record tells of the access. */
static void loads_on(struct pmu_recording *r)
{
	const uint32_t all_three = RECORD_HAS_ADDRESS | RECORD_HAS_LATENCY | RECORD_HAS_SOURCE;
	uint64_t value;

	begin(r);
	assert_true(msr_read(0x3f6, &value));
	assert_int_equal(value, 3);
	for (unsigned i = 0; i < 4; i++) {
		fake_path_store(fake_cpu_path(), 0x9000);
		fake_path_load(fake_cpu_path(), 0x5000 + 16 * i);
	}
	assert_int_equal(finish(r), 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(got[i].has, r->source->fields | all_three);
		assert_int_equal(got[i].address, 0x5010 + 32 * i);
		assert_int_equal(got[i].latency, 4);
		assert_int_equal(got[i].source, 1);
	}
}

/* The load-latency event, on each counter that samples it: its bit, its least threshold, its records. */
static void pebs_loads(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		uint64_t code;
		unsigned counters; /* that sample it */
	} of[] = {{&intel_nehalem, 0x100b, 4},        {&intel_sandybridge, 0x01cd, 4},
		  {&intel_haswell, 0x01cd, 4},        {&intel_skylake, 0x01cd, 4},
		  {&intel_icelake, 0x01cd, 8},        {&intel_alderlake_e, 0x05d0, 6},
		  {&intel_pantherlake_p, 0x01cd, 10}, {&intel_pantherlake_e, 0x05d0, 8}};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		unsigned sampled = 0;

		start_cpu(of[p].profile, "");
		for (unsigned c = 0; c < pmu.n_counters; c++) {
			struct pmu_recording r = in_memory(RECORD_PRECISE, 4, 0);
			const char *why;

			r.config.code = of[p].code;
			r.period = 2;
			r.counter = c;
			if (pmu.counter[c].kind != COUNTER_GENERAL || !record_can_sample(&pmu, &r, &why))
				continue;
			loads_on(&r);
			sampled++;
		}
		assert_int_equal(sampled, of[p].counters);
	}
}

/* The latency that loads of an event are said to exceed is the threshold that the CPU is told. */
static void pebs_thresholds(void **unused)
{
	static const struct model_profile *const of[] = {
		&intel_nehalem,     &intel_sandybridge, &intel_haswell,      &intel_icelake,
		&intel_alderlake_e, &intel_alderlake_p, &intel_pantherlake_p};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++) {
		unsigned n = 0, least = 0;

		start_cpu(of[p], "");
		for (unsigned i = 0; i < pmu.n_events; i++) {
			const struct pmu_event *e = pmu.events[i];
			uint32_t cycles;
			uint64_t value;

			if (!intel_latency_above(&pmu, e, &cycles))
				continue;
			struct pmu_recording r = in_memory(RECORD_PRECISE, 4, 0);
			r.config = (struct pmu_config){.code = e->code,
						       .extra_register = e->extra_register,
						       .extra_value = e->extra_value};
			r.period = 2;
			begin(&r);
			assert_true(msr_read(MSR_PEBS_LD_LAT, &value));
			assert_int_equal(cycles, value);
			assert_int_equal(finish(&r), 0);
			n++;
			least += e->extra_value < cycles;
		}
		assert_true(n >= 7);
		/* One of 0 is told as the least that there is. */
		assert_int_equal(least, of[p] == &intel_nehalem);
	}
}

/* The bracket of counting is that of sampling; two windows are one run of periods. */
static void pebs_by_bracket(void **unused)
{
	struct pmu_bracket b;
	const char *why;
	(void)unused;
	start_cpu(&intel_icelake, "");
	struct pmu_recording r = pebs(8, 0, 7);
	assert_true(record_setup(&pmu, &r, &why));
	assert_true(record_bracket(&pmu, &r, &b));
	for (unsigned window = 0; window < 2; window++) {
		uint64_t regs[4] = {b.args[0], b.args[1], b.args[2], b.args[3]};
		fake_cpu_execute(b.start, (unsigned)(b.start_end - b.start), regs);
		fake_cpu_path()->regs.ip = CODE + 0x100 * window;
		fake_cpu_nops(10 - INTEL_GLOBAL_OWN);
		fake_cpu_execute(b.stop, (unsigned)(b.stop_end - b.stop), regs);
	}
	assert_int_equal(record_drain(&pmu, &r, got, MAX), 2);
	assert_int_equal(got[0].ip, CODE + 6);
	assert_int_equal(got[1].ip, CODE + 0x103);
}

/* Architectural records: a buffer that is full says so once a record has found no room; one that was taken
 * out has room again. */
static void apebs_buffer(void **unused)
{
	struct pmu_record_state state;
	(void)unused;
	start_cpu(&intel_pantherlake_p, "");
	struct pmu_recording r = pebs(3, 2, 9);
	begin(&r);
	fake_path_nops(fake_cpu_path(), 27);
	assert_true(record_state(&pmu, &r, &state));
	assert_int_equal(state.records, 3);
	assert_true(state.overflow);
	assert_false(state.full);
	fake_path_nops(fake_cpu_path(), 9);
	assert_true(record_stop(&pmu, &r));
	assert_true(record_state(&pmu, &r, &state));
	assert_int_equal(state.records, 3);
	assert_true(state.full);
	assert_int_equal(record_drain(&pmu, &r, got, 1), 1);
	assert_true(record_state(&pmu, &r, &state));
	assert_int_equal(state.records, 2);
	assert_false(state.overflow || state.full);
	assert_int_equal(finish(&r), 2);
	assert_true(fake_memory_end_written() <= r.size);
	/* More than one page; more than a register can say. */
	struct pmu_recording many = pebs(100, 0, 2);
	assert_int_equal(many.size, 8 * 4096 + 4095);
	begin(&many);
	fake_path_nops(fake_cpu_path(), 150);
	assert_int_equal(finish(&many), 75);
	const char *why;
	many.period = 0x80000001;
	assert_false(record_setup(&pmu, &many, &why));
	assert_non_null(strstr(why, "longer"));
	many.period = 2;
	many.threshold = 101;
	assert_false(record_setup(&pmu, &many, &why));
	many.threshold = 0;
	many.size--;
	assert_false(record_setup(&pmu, &many, &why));
}

/* What records tell if they are asked: in each form, and with the least. */
static void pebs_more(void **unused)
{
	enum {
		VECTORS = RECORD_MORE_VECTORS,
		UPPER = RECORD_MORE_UPPER,
		BRANCHES = RECORD_MORE_BRANCHES,
		COUNTS = RECORD_MORE_INSTRUCTIONS
	};
	static struct intel_profile data;
	static struct model_profile format6;
	data = *(const struct intel_profile *)intel_sapphirerapids.data;
	format6 = intel_sapphirerapids;
	data.perf_capabilities = (data.perf_capabilities & ~0xf00ull) | 0x600;
	format6.data = &data;
	format6.late = false;
	const struct {
		const struct model_profile *profile;
		unsigned counter, more;
	} of[] = {{&intel_skylake, 1, 0},
		  {&intel_icelake, 0, VECTORS | BRANCHES},
		  {&intel_alderlake_e, 0, VECTORS | BRANCHES},
		  {&format6, 0, VECTORS | BRANCHES | COUNTS},
		  {&format6, 8, VECTORS | BRANCHES | COUNTS},
		  {&intel_pantherlake_p, 0, VECTORS | UPPER | BRANCHES | COUNTS},
		  {&intel_pantherlake_p, 10, VECTORS | UPPER | BRANCHES | COUNTS},
		  {&intel_pantherlake_e, 3, VECTORS | UPPER | BRANCHES | COUNTS}};
	(void)unused;
	for (unsigned p = 0; p < sizeof of / sizeof of[0]; p++)
		for (unsigned more = 0; more < 16; more++) {
			const char *why;

			start_cpu(of[p].profile, "");
			const struct pmu_record_source *source = record_source(&pmu, RECORD_PRECISE);
			assert_int_equal(source->more, of[p].more);
			if (more & ~of[p].more)
				continue;
			struct pmu_recording r = {.source = source,
						  .counter = of[p].counter,
						  .levels = LEVELS_ALL,
						  .records = 3,
						  .more = (uint8_t)more,
						  .config.code =
							  of[p].profile == &intel_skylake ? 0x1c0 : 0xc0,
						  .period = 4};
			r.size = record_memory(&pmu, &r);
			r.memory = fake_memory_create(r.size);
			if (!record_setup(&pmu, &r, &why))
				fail_msg("%s", why);
			assert_true(record_start(&pmu, &r));
			fake_cpu_path()->regs.ip = CODE;
			jumps(12);
			assert_int_equal(finish(&r), 3);
			for (unsigned i = 0; i < 3; i++) {
				assert_int_equal(got[i].more, more);
				assert_int_equal(got[i].ip, CODE + 64 * i + 48);
				if (more & VECTORS)
					assert_int_equal(got[i].vectors,
							 vectors_digest(fake_cpu_path()->vectors));
				if (more & UPPER)
					assert_int_equal(
						got[i].upper,
						vectors_digest(fake_cpu_path()->vectors + VECTORS_SIZE));
				if (more & COUNTS)
					assert_int_equal(got[i].instructions, 4 * (i + 1));
				if (!(more & BRANCHES))
					continue;
				assert_int_equal(got[i].n_branches, i ? 8 : 4);
				for (unsigned b = 0; b < got[i].n_branches; b++) {
					assert_int_equal(got[i].branch[b].from, CODE + 64 * i + 48 - 16 * b);
					assert_int_equal(got[i].branch[b].to, CODE + 64 * i + 64 - 16 * b);
				}
			}
			assert_true(fake_memory_end_written() <= r.size);
			assert_int_equal(fake_cpu_strays(), 0);
		}
}

/* The branch into the ring that is recorded: the architectural stack alone hides where it began, in a value
 * that is an address like any other elsewhere. */
static void pebs_hidden_branch(void **unused)
{
	static const struct {
		const struct model_profile *profile;
		bool hides;
	} of[] = {{&intel_icelake, false},
		  {&intel_tremont, false},
		  {&intel_alderlake_e, true},
		  {&intel_sapphirerapids, true},
		  {&intel_pantherlake_p, true}};
	(void)unused;
	for (unsigned p = 0; p < 2 * (sizeof of / sizeof of[0]); p++) {
		uint64_t from = p % 2 ? UINT32_MAX : CODE;

		start_cpu(of[p / 2].profile, "");
		struct pmu_recording r = in_memory(RECORD_PRECISE, 3, 0);
		r.more = RECORD_MORE_BRANCHES;
		r.levels = LEVELS_USER;
		r.config.code = 0xc0;
		r.period = 4;
		r.memory = fake_memory_create(r.size = record_memory(&pmu, &r));
		begin(&r);
		fake_cpu_path()->regs.ip = from;
		fake_path_far(fake_cpu_path(), CODE + 0x1000, 3);
		jumps(4);
		assert_int_equal(finish(&r), 1);
		assert_int_equal(got[0].n_branches, 5);
		assert_int_equal(got[0].branch[4].to, CODE + 0x1000);
		assert_int_equal(got[0].branch[4].from, of[p / 2].hides ? RECORD_HIDDEN : from);
	}
}

/* A record in two fragments is one record; one that tells a size that it cannot have is none. */
static void apebs_fragments(void **unused)
{
	(void)unused;
	start_cpu(&intel_pantherlake_p, "");
	struct pmu_recording r = pebs(2, 0, 100);
	begin(&r);
	assert_true(record_stop(&pmu, &r));
	const unsigned at = 4096 - 2 * 288;
	uint64_t *w = (uint64_t *)((uint8_t *)r.memory + at);
	w[0] = 64 | 1ull << 31 | 1ull << 63;
	w[2] = CODE;
	w[3] = 1;
	w[4] = 77;
	w[8] = 176 | 1ull << 61;
	w[10] = 2;
	w[11] = CODE + 3;
	w[13] = 5;
	for (unsigned bad = 0; bad < 3; bad++) {
		uint64_t index = (uint64_t)(at + 240) / 16 << 4 | 1ull << 32;

		/* The second fragment is missing, or too small. */
		if (bad == 1)
			index = (uint64_t)(at + 64) / 16 << 4 | 1ull << 32;
		if (bad == 2)
			w[8] = 160 | 1ull << 61;
		assert_true(msr_write(IA32_PEBS_INDEX, index));
		assert_int_equal(record_drain(&pmu, &r, got, MAX), !bad);
		if (!bad) {
			assert_int_equal(got[0].ip, CODE);
			assert_int_equal(got[0].clock, 77);
			assert_int_equal(got[0].next_ip, CODE + 3);
			assert_int_equal(got[0].general[GPR_RCX], 5);
			assert_int_equal(got[0].counters, 1);
		}
	}
	assert_true(record_release(&pmu, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pebs_samples),       cmocka_unit_test(pebs_refusals),
		cmocka_unit_test(pebs_loads),         cmocka_unit_test(pebs_by_bracket),
		cmocka_unit_test(apebs_buffer),       cmocka_unit_test(pebs_more),
		cmocka_unit_test(apebs_fragments),    cmocka_unit_test(pebs_thresholds),
		cmocka_unit_test(pebs_hidden_branch),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fake_cpu_stop();
	return failed;
}
