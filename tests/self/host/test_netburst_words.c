/* Words of NetBurst's registers as users write them: written bit for bit, or refused with a reason. */
#include "tests/self/host/netburst_driver_shortcuts.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"

#include <stdio.h>
#include <string.h>

/* perfex's raw form: the registers as they are, and the counter by its RDPMC index. */
static void raw_as_perfex_has_it(void **state)
{
	struct event_request request;
	struct event_error error;

	(void)state;
	start_cpu(&netburst_prescott, NULL);
	assert_int_equal(event_parse(&pmu, "0x0003b000/0x0c00180c@0x8000000e", &request, 1, &error), 1);
	assert_null(request.event);
	assert_int_equal(request.counter, 14 + 1);
	assert_int_equal(request.config.levels, LEVELS_ALL);
	assert_true((request.config.code & ~netburst_grammar.code_how) ==
		    (config_of("branch_retired:MMTP:MMTM").code & ~netburst_grammar.code_how));
	assert_true(netburst_grammar.written(&request.config) == UINT64_C(0x0c00180c0003a000));
	assert_int_equal(event_counters(&pmu, &request), 1 << 14);
	/* In one ring: uops_retired in IQ, page_walk_type in BPU. The counter says which. */
	assert_int_equal(event_parse(&pmu, "0x1279000/0x02000208", &request, 1, &error), 1);
	assert_int_equal(request.config.levels, LEVELS_SYSTEM);
	assert_int_equal(request.config.cmask, 2);
	assert_true(request.config.edge);
	assert_int_equal(event_counters(&pmu, &request), 0);
	assert_int_equal(event_parse(&pmu, "0x1279000/0x02000208@0x8000000e", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 1 << 14);
	assert_int_equal(event_parse(&pmu, "0x0003b000/0x0c00180c", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 0x3f000);
	assert_int_equal(event_parse(&pmu, "0x3b000", &request, 1, &error), 0);
	assert_int_equal(error.column, 7);
	assert_non_null(strstr(error.text, "CCCR/ESCR@counter"));
	assert_int_equal(event_parse(&pmu, "0x3b000/0x123456789", &request, 1, &error), 0);
	assert_int_equal(error.column, 8);
	assert_int_equal(event_parse(&pmu, "0x3b400/0x0c00180c", &request, 1, &error), 0);
	assert_non_null(strstr(error.text, "0x400"));
	assert_int_equal(event_parse(&pmu, "0x3b000/0x0c00180c@0x12", &request, 1, &error), 0);
}

/* What a CPU cannot do is refused in the words that were written. */
static void words_are_refused_as_they_were_written(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"0x3b000/0x18000205", "raw ESCR 18000205 asks for the other logical processor, and this CPU "
				       "has one: clear bits 1 and 0"},
		{"0x2b000/0x18000204",
		 "raw CCCR 0002B000: bits 17 and 16 must be 11B where there is one logical processor"},
		{"0xc03b000/0x18000204", "raw CCCR 0C03B000 interrupts the other logical processor, and this "
					 "CPU has one: clear bit 27"},
		{"0x3b000/0x18000200",
		 "raw ESCR 18000200 counts in no ring: set some of bits 3 to 0, or add :u or :k"},
	};
	struct event_request request;
	struct event_error error;

	(void)state;
	start_cpu(&netburst_northwood, NULL);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		bool taken = event_parse(&pmu, cases[i].text, &request, 1, &error);

		assert_string_equal(taken ? "taken" : error.text, cases[i].why);
	}
	assert_int_equal(event_parse(&pmu, "IOQ_allocation:ALL_READ", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 15);
	start_cpu(&netburst_northwood_ht, NULL);
	assert_int_equal(event_parse(&pmu, "0x3b000/0x18000205", &request, 1, &error), 1);
	assert_int_equal(CODE_ESCR(request.config.code), 0x18000205);
	assert_int_equal(event_parse(&pmu, "0x803b000/0x18000204", &request, 1, &error), 0);
	assert_string_equal(error.text,
			    "raw CCCR 0803B000 interrupts the other logical processor alone: set bit 26");
	/* Rings and filters said behind a word replace its own. */
	assert_int_equal(event_parse(&pmu, "0x3b000/0x1800020c:u", &request, 1, &error), 1);
	assert_int_equal(CODE_ESCR(request.config.code), 0x18000204);
	assert_false(request.config.code & CCCR_COMPARE);
	assert_int_equal(event_parse(&pmu, "0x3b000/0x1800020c:thr=2", &request, 1, &error), 1);
	assert_true(request.config.code & CCCR_COMPARE);
	assert_int_equal(event_parse(&pmu, "0x23b000/0x1800020c", &request, 1, &error), 1);
	assert_false(request.config.code & CCCR_COMPARE);
	start_cpu(&netburst_willamette, NULL);
	/* FSB_ESCR1 has no IOQ_allocation before signature 0F27H, by name nor as words. */
	assert_int_equal(event_parse(&pmu, "IOQ_allocation:ALL_READ", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 3);
	assert_int_equal(event_parse(&pmu, "0x3d000/0x0600420c", &request, 1, &error), 1);
	assert_int_equal(event_counters(&pmu, &request), 3);
	assert_int_equal(event_parse(&pmu, "0x3b800/0x18000204", &request, 1, &error), 0);
	assert_string_equal(error.text, "raw CCCR 0003B800: bit 11 is reserved on model 1");
}

#define WORDS 10000

/* A generator that gives the same words everywhere: Knuth's MMIX. */
static uint32_t drawn(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 32);
}

/* A word with reserved bits and unlikely settings in one of eight, so that most can be programmed. */
static uint64_t word_of(uint64_t *seed)
{
	const struct netburst_event *e = &netburst_event[drawn(seed) % NB_EVENTS];
	uint32_t odd = drawn(seed), escr, cccr;

	escr = (drawn(seed) & ~ESCR_EVENT) | (uint32_t)e->select << ESCR_EVENT_SHIFT;
	cccr = (drawn(seed) & ~CCCR_SELECT) | (uint32_t)e->escr_select << CCCR_SELECT_SHIFT;
	if (odd & 7)
		escr &= ~(1u << 31);
	if (odd >> 3 & 7)
		cccr &= ~(uint32_t)CCCR_RESERVED;
	if (odd >> 6 & 7)
		cccr &= ~(CCCR_CASCADE | CCCR_EXTENDED_CASCADE);
	if (odd >> 9 & 7)
		cccr |= CCCR_THREAD_ANY;
	if (odd >> 12 & 3)
		escr &= ~(ESCR_T1_OS | ESCR_T1_USR);
	if (odd >> 14 & 3)
		cccr &= ~CCCR_OVF_PMI_T1;
	return (uint64_t)escr << 32 | cccr;
}

/* What the manual reserves on this CPU, or what counts nowhere. */
static bool is_reserved(uint64_t word, unsigned model, bool hyper_threading)
{
	uint32_t escr = (uint32_t)(word >> 32), cccr = (uint32_t)word;

	if (escr >> 31 || cccr & 0x300007ff || !(escr & 0xf))
		return true;
	if (cccr & 1u << 11 && model < 2)
		return true;
	if (cccr >> 27 & 1 && !(cccr >> 26 & 1)) /* the other processor's interrupt alone */
		return true;
	return !hyper_threading && (escr & 3 || (cccr >> 16 & 3) != 3 || cccr >> 27 & 1);
}

/* Each word is in the registers bit for bit, but for ENABLE and OVF, or refused with a reason. */
static void words_are_written_as_they_are(void **state)
{
	static const struct {
		const struct model_profile *cpu;
		uint8_t model;
		bool hyper_threading;
	} cpus[] = {{&netburst_prescott, 4, true},
		    {&netburst_northwood, 2, false},
		    {&netburst_northwood_ht, 2, true},
		    {&netburst_willamette, 1, false}};
	uint64_t seed = 1;
	unsigned written = 0, refused = 0, without_counter = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
		start_cpu(cpus[i].cpu, NULL);
		for (unsigned n = 0; n < WORDS / 4; n++) {
			uint64_t word = word_of(&seed), escr, cccr;
			bool interrupt = drawn(&seed) & 1;
			struct sched_alternative way[SCHEDULE_ALTERNATIVES];
			struct event_request request;
			struct event_error error;
			const char *why;
			char text[64], again[96];

			snprintf(text, sizeof text, "%#x/%#x", (unsigned)word, (unsigned)(word >> 32));
			bool taken = event_parse(&pmu, text, &request, 1, &error);

			if (taken == is_reserved(word, cpus[i].model, cpus[i].hyper_threading))
				fail_msg("%s of %s: %s", text, pmu.name, taken ? "taken" : error.text);
			if (!taken) {
				assert_true(error.text[0]);
				refused++;
				continue;
			}
			if (!drv->alternatives(&pmu, &request, way, &why)) {
				assert_non_null(why);
				without_counter++;
				continue;
			}
			event_format(&pmu, &request, again, sizeof again);
			assert_int_equal(event_parse(&pmu, again, &request, 1, &error), 1);
			unsigned c = way[0].use[0].resource;

			request.config.interrupt = interrupt;
			assert_true(drv->program(&pmu, c, &request.config));
			assert_true(drv->start(&pmu, 1ull << c));
			assert_true(msr_read(MSR_NETBURST_CCCR0 + c, &cccr));
			assert_true(msr_read(netburst_escr[netburst_use(&pmu)[c].escr].msr, &escr));
			assert_true(drv->stop(&pmu));
			uint64_t wanted = word & 0xffffffff & ~(uint64_t)(CCCR_ENABLE | CCCR_OVF);
			if (!interrupt)
				wanted &= ~(uint64_t)(CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1);
			else if (!(wanted & (CCCR_OVF_PMI_T0 | CCCR_OVF_PMI_T1)))
				wanted |= CCCR_OVF_PMI_T0;
			if ((cccr & ~(uint64_t)(CCCR_ENABLE | CCCR_OVF)) != wanted)
				fail_msg("%s of %s: the CCCR has %#x", text, pmu.name, (unsigned)cccr);
			/* What the ESCR's unit lacks it does not keep; what it keeps is of the word. */
			if ((escr & 0x7fffffff) & ~(word >> 32) || (escr ^ word >> 32) & 0xf)
				fail_msg("%s of %s: the ESCR has %#x", text, pmu.name, (unsigned)escr);
			assert_true(drv->release(&pmu, c));
			assert_true(drv->acknowledge(&pmu, 1ull << c));
			written++;
		}
		fake_cpu_stop();
	}
	/* Most can be written: a driver that refuses all is none. */
	assert_true(written > WORDS / 3);
	assert_true(refused > WORDS / 20 && without_counter > 0);
	print_message("%u words written, %u refused, %u without a counter\n", written, refused,
		      without_counter);
}

/* The group of the counter that a resource is, or GROUPS. */
#define GROUPS 4
#define EVENTS 1024

static unsigned group_of(const struct sched_use *use)
{
	return use->resource < NETBURST_COUNTERS ? netburst_counter[use->resource].group : GROUPS;
}

/* An ESCR detects nothing unless a counter of its group is enabled: each way of an event
 * keeps one for each ESCR that it uses, be it the one that counts or one beside it. */
static void each_escr_has_a_counter_of_its_group(void **state)
{
	static const struct model_profile *const cpus[] = {&netburst_prescott, &netburst_northwood,
							   &netburst_northwood_ht, &netburst_willamette};
	static struct event_request request[EVENTS];
	unsigned beside = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
		struct event_error error;

		start_cpu(cpus[i], NULL);
		unsigned n = event_parse(&pmu, "*", request, EVENTS, &error);

		assert_in_range(n, 100, EVENTS);
		for (unsigned r = 0; r < n; r++) {
			struct sched_alternative way[SCHEDULE_ALTERNATIVES];
			const char *why;
			unsigned ways = drv->alternatives(&pmu, &request[r], way, &why);

			for (unsigned a = 0; a < ways; a++) {
				uint32_t awake = 0, detecting = 0;
				unsigned counters = 0;

				for (unsigned u = 0; u < way[a].n_uses; u++) {
					unsigned escr = way[a].use[u].resource - PMU_COUNTERS_MAX;

					awake |= 1u << group_of(&way[a].use[u]);
					counters += group_of(&way[a].use[u]) < GROUPS;
					if (escr < ESCR_COUNT)
						detecting |= 1u << netburst_escr[escr].group;
				}
				if (!detecting || detecting & ~awake)
					fail_msg("%s, way %u: no counter of a group whose ESCR detects",
						 request[r].event ? request[r].event->name : "?", a);
				beside += counters > 1;
			}
		}
		fake_cpu_stop();
	}
	assert_true(beside > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_as_perfex_has_it),
		cmocka_unit_test(words_are_refused_as_they_were_written),
		cmocka_unit_test(words_are_written_as_they_are),
		cmocka_unit_test(each_escr_has_a_counter_of_its_group),
	};

	return cmocka_run_group_tests(tests, NULL, cleanup);
}
