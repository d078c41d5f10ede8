/* Ranges of encodings, and that no model of a PMU counts anything by an encoding that no row has. */
#include "pmu/amd/amd.h"
#include "pmu/events/grammar.h"
#include "pmu/intel/intel.h"
#include "pmu/intel/registers.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/measure/scan_range.h"

#include "arch/x86/cpu/msr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct scan_ranges ranges;

/* "c4:00 c4:01" */
static const char *walk(const char *text)
{
	static char out[256];
	struct scan_code at = {0};
	size_t n = 0;

	assert_true(scan_ranges_parse(text, &ranges));
	out[0] = 0;
	while (n < sizeof out && scan_next(&ranges, &at))
		n += (size_t)snprintf(out + n, sizeof out - n, "%s%x:%02x", n ? " " : "", at.select, at.mask);
	return out;
}

static void ranges_are_walked(void **state)
{
	(void)state;
	assert_string_equal(walk(""), "");
	assert_string_equal(walk("c4:20"), "c4:20");
	assert_string_equal(walk("C4-c5:fe-100"), "c4:fe c4:ff c4:100 c5:fe c5:ff c5:100");
	assert_string_equal(walk("d0"), "d0:00 d0:01 d0:02 d0:04 d0:08 d0:10 d0:20 d0:40 d0:80");
	assert_string_equal(walk("1c7:ffff,0:0"), "1c7:ffff 0:00");
}

static void each_is_walked_once(void **state)
{
	struct scan_code at = {0};
	unsigned n = 0;

	(void)state;
	assert_string_equal(walk("c4:2-4,c3-c5:3,c4:3"), "c4:02 c4:03 c4:04 c3:03 c5:03");
	assert_string_equal(walk("c4:1-3,c4"), "c4:01 c4:02 c4:03 c4:00 c4:04 c4:08 c4:10 c4:20 c4:40 c4:80");
	assert_string_equal(walk("c4,c4:7e-81"),
			    "c4:00 c4:01 c4:02 c4:04 c4:08 c4:10 c4:20 c4:40 c4:80 c4:7e c4:7f c4:81");
	assert_true(scan_ranges_parse("0-fff:0-ff,10-20", &ranges));
	while (scan_next(&ranges, &at))
		n++;
	assert_int_equal(n, 0x1000 * 0x100);
	assert_false(scan_next(&ranges, &at));
}

static void malformed_ranges_are_refused(void **state)
{
	static const char *const bad[] = {
		",",
		"c4,",
		",c4",
		"c4,,c5",
		"c4:",
		":01",
		"x",
		"c4-",
		"-c4",
		"c5-c4",
		"1000",
		"c4:2-1",
		"c4:-1",
		"c4:1-",
		"c4:10000",
		"c4:1:2",
		"c4 ",
		"c4:1-2-3",
		"c4-c5-c6",
		"c4@PMC1",
		"0-1000",
		"99999999999999999999",
		"c4:g",
		"*",
		"1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		if (scan_ranges_parse(bad[i], &ranges))
			fail_msg("\"%s\" is taken for a list of ranges", bad[i]);
	assert_true(scan_ranges_parse("1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10", &ranges));
	assert_int_equal(ranges.n, SCAN_RANGES);
	assert_true(scan_ranges_fit(&ranges, 0xff, 0xff));
	assert_false(scan_ranges_fit(&ranges, 0xf, 0xff));
	assert_true(scan_ranges_parse("c4:1-100", &ranges));
	assert_false(scan_ranges_fit(&ranges, 0xff, 0xff));
	assert_true(scan_ranges_fit(&ranges, 0xff, 0x100));
}

/* One of everything. @return how many quantities there are */
static unsigned everything(struct qterm *out)
{
	for (unsigned q = 0; q < Q_COUNT; q++)
		out[q] = (struct qterm){(quantity_number)q, 1};
	return Q_COUNT;
}

/* Errata name them, and no list has them: of Nehalem, and of Ivy Bridge. */
static bool of_errata(uint64_t code)
{
	return (code & 0xffff) == 0x0006 || (code & 0xffff) == 0x01cc;
}

static bool has_row(const struct pmu *pmu, uint64_t code, uint64_t selector)
{
	struct pmu_event vendors, peers;

	if (pmu->driver == &intel_driver && of_errata(code))
		return true;
	for (unsigned i = 0; pmu->driver->disputed && pmu->driver->disputed(pmu, i, &vendors, &peers); i++)
		if (!((vendors.code ^ code) & selector))
			return true;
	for (unsigned i = 0; i < pmu->n_events; i++)
		if (pmu->events[i]->counters && !((pmu->events[i]->code ^ code) & selector))
			return true;
	return false;
}

/* @return how many encodings count something; *nameless: and no row has them */
static unsigned answering(const struct pmu *pmu, unsigned c, const char *text, unsigned *nameless)
{
	struct qterm terms[Q_COUNT];
	unsigned n_terms = everything(terms), answer = 0;
	struct scan_code at = {0};
	struct event_request all, request;

	assert_int_equal(event_parse(pmu,
				     pmu->driver == &intel_driver ? "cpu/event=0xff,umask=0xffff/"
								  : "cpu/event=0xfff,umask=0xff/",
				     &all, 1, NULL),
			 1);
	assert_true(scan_ranges_parse(text, &ranges));
	*nameless = 0;
	while (scan_next(&ranges, &at)) {
		char string[48];
		uint64_t value = 0;

		snprintf(string, sizeof string, "cpu/event=0x%x,umask=0x%x/", at.select, at.mask);
		assert_int_equal(event_parse(pmu, string, &request, 1, NULL), 1);
		if (!pmu->driver->program(pmu, c, &request.config))
			continue;
		assert_true(pmu->driver->start(pmu, UINT64_C(1) << c));
		/* More than one, where a clock of the bus ticks less often than the core's. */
		fake_cpu_run(terms, n_terms, 64, 0, 1);
		assert_true(pmu->driver->stop(pmu));
		assert_true(pmu->driver->read(pmu, c, &value));
		if (!value)
			continue;
		answer++;
		if (has_row(pmu, request.config.code, all.config.code))
			continue;
		++*nameless;
		print_message("# %s counts by %s, which no row has\n", pmu->name, string);
	}
	return answer;
}

static void models_count_by_rows_alone(void **state)
{
	static struct pmu pmu;
	const char *why;

	(void)state;
	for (unsigned i = 0; model_profile(i); i++) {
		const struct model_profile *p = model_profile(i);
		bool intel = p->model == &intel_model;
		unsigned n, nameless;

		if (!intel && p->model != &amd_model)
			continue;
		/* A guest's table leaves out what needs a register that the hypervisor does not pass on. */
		if (strstr(p->name, "guest"))
			continue;
		fake_cpu_start(p, NULL);
		assert_true(fake_cpu_identify(intel ? &intel_driver : &amd_driver, &pmu, &why));
		n = answering(&pmu, 0, intel || pmu.most_select ? "0-ff" : "0-2ff", &nameless);
		assert_int_equal(nameless, 0);
		assert_in_range(n, 5, 1000);
		fake_cpu_stop();
	}
}

static void a_nameless_event_is_noticed(void **state)
{
	static const char *const name[] = {"amd-zen4", "intel-skylake"};
	static struct pmu pmu;
	const char *why;
	unsigned nameless;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		fake_cpu_start(model_profile_by_name(name[i]), "undocumented");
		assert_true(fake_cpu_identify(i ? &intel_driver : &amd_driver, &pmu, &why));
		answering(&pmu, pmu.n_general - 1, "fe-ff", &nameless);
		assert_int_equal(nameless, 1);
		answering(&pmu, 0, "fe-ff", &nameless);
		assert_int_equal(nameless, 0);
		fake_cpu_stop();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_walked),
		cmocka_unit_test(each_is_walked_once),
		cmocka_unit_test(malformed_ranges_are_refused),
		cmocka_unit_test(models_count_by_rows_alone),
		cmocka_unit_test(a_nameless_event_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
