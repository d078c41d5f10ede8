/* Which CPU a vendor's event file is for. */
#include "pmu/events/vendor_cpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct vendor_cpu haswell = {"GenuineIntel", 6, 0x3c, 3, 0};
static const struct vendor_cpu skylake_server = {"GenuineIntel", 6, 0x55, 4, 0};
static const struct vendor_cpu cascade_lake = {"GenuineIntel", 6, 0x55, 0xb, 0};
static const struct vendor_cpu alder_lake_p = {"GenuineIntel", 6, 0x97, 2, 0x40};
static const struct vendor_cpu alder_lake_e = {"GenuineIntel", 6, 0x97, 2, 0x20};
static const struct vendor_cpu zen1 = {"AuthenticAMD", 0x17, 0x8, 2, 0};
static const struct vendor_cpu zen3 = {"AuthenticAMD", 0x19, 0x21, 0, 0};

static void follows_patterns(void **unused)
{
	static const struct {
		const char *pattern;
		const struct vendor_cpu *cpu;
		bool fits;
	} cases[] = {
		{"GenuineIntel-6-3C", &haswell, true},
		{"genuineintel-6-3c", &haswell, true},
		{"GenuineIntel-6-3C-3", &haswell, true},
		{"GenuineIntel-6-3C-4", &haswell, false},
		{"GenuineIntel-6-3", &haswell, false},
		{"GenuineIntel-6", &haswell, false},
		{"GenuineIntel-6-3C3", &haswell, false},
		{"GenuineIntel-6-3F", &haswell, false},
		{"AuthenticAMD-6-3C", &haswell, false},
		{"GenuineIntel-6-(3C|45|46)", &haswell, true},
		{"GenuineIntel-6-(45|46|3C)", &haswell, true},
		{"GenuineIntel-6-(45|46)", &haswell, false},
		{"GenuineIntel-6-3[ACF]", &haswell, true},
		{"GenuineIntel-6-3[A-C]", &haswell, true},
		{"GenuineIntel-6-3[D-F]", &haswell, false},
		{"GenuineIntel-6-55-[01234]", &skylake_server, true},
		{"GenuineIntel-6-55-[01234]", &cascade_lake, false},
		{"GenuineIntel-6-55-[56789ABCDEF]", &cascade_lake, true},
		{"GenuineIntel-6-55", &cascade_lake, true},
		{"AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])", &zen1, true},
		{"AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])", &zen3, true},
		{"AuthenticAMD-25-[[:xdigit:]]+", &zen3, true},
		{"AuthenticAMD-25-[[:xdigit:]]", &zen3, false},
		{"AuthenticAMD-23-[[:xdigit:]]+", &zen3, false},
		{"", &haswell, false},
		{"(", &haswell, false},
		{"()", &haswell, false},
		{"[", &haswell, false},
		{"[A-", &haswell, false},
		{"GenuineIntel-6-3[C", &haswell, true},
		{"+", &haswell, false},
		{"(GenuineIntel-6-3C", &haswell, false},
		{"GenuineIntel-6-(3C|", &haswell, false},
	};
	(void)unused;
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t n = strlen(cases[i].pattern);
		char *copy = malloc(n ? n : 1);

		memcpy(copy, cases[i].pattern, n);
		if (vendor_pattern_fits(copy, n, cases[i].cpu) != cases[i].fits)
			fail_msg("%s", cases[i].pattern);
		free(copy);
	}
}

static void goes_by_the_files_name(void **unused)
{
	(void)unused;
	assert_int_equal(vendor_name_fit("GenuineIntel-6-3C.json", &haswell), VENDOR_FITS);
	assert_int_equal(vendor_name_fit("genuineintel-6-3c_cache.json", &haswell), VENDOR_FITS);
	assert_int_equal(vendor_name_fit("GenuineIntel-6-3F.json", &haswell), VENDOR_OTHER_CPU);
	assert_int_equal(vendor_name_fit("AuthenticAMD-25-21.json", &haswell), VENDOR_OTHER_CPU);
	assert_int_equal(vendor_name_fit("AuthenticAMD-25-21.json", &zen3), VENDOR_FITS);
	assert_int_equal(vendor_name_fit("haswell_core.json", &haswell), VENDOR_SAYS_NOTHING);
}

static enum vendor_fit mapped(const char *map, const char *file, const struct vendor_cpu *cpu)
{
	size_t n = strlen(map);
	char *copy = malloc(n ? n : 1);
	enum vendor_fit fit;

	memcpy(copy, map, n);
	fit = vendor_map_fit(copy, n, file, cpu);
	free(copy);
	return fit;
}

static void goes_by_the_map(void **unused)
{
	static const char intels[] =
		"Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name\r\n"
		"GenuineIntel-6-3C,V1,/HSW/events/haswell_core.json,core,,,\r\n"
		"GenuineIntel-6-45,V1,/HSW/events/haswell_core.json,core,,,\r\n"
		"GenuineIntel-6-97,V1,/ADL/events/small_core.json,hybridcore,0x20,0x000001,Atom\r\n"
		"GenuineIntel-6-97,V1,/ADL/events/big_core.json,hybridcore,0x40,0x000001,Core\r\n";
	static const char perfs[] = "Family-model,Version,Filename,EventType\n"
				    "GenuineIntel-6-(3C|45|46),v1,haswell,core\n"
				    "GenuineIntel-6-3F,v1,haswellx,core\n"
				    "AuthenticAMD-25-[[:xdigit:]]+,v1,amdzen3,core";
	(void)unused;
	assert_int_equal(mapped(intels, "haswell_core.json", &haswell), VENDOR_FITS);
	assert_int_equal(mapped(intels, "HASWELL_CORE.JSON", &haswell), VENDOR_FITS);
	assert_int_equal(mapped(intels, "haswell_core.json", &skylake_server), VENDOR_OTHER_CPU);
	assert_int_equal(mapped(intels, "skylake_core.json", &haswell), VENDOR_SAYS_NOTHING);
	assert_int_equal(mapped(intels, "big_core.json", &alder_lake_p), VENDOR_FITS);
	assert_int_equal(mapped(intels, "big_core.json", &alder_lake_e), VENDOR_OTHER_CPU);
	assert_int_equal(mapped(intels, "small_core.json", &alder_lake_e), VENDOR_FITS);
	assert_int_equal(mapped(perfs, "haswell.json", &haswell), VENDOR_FITS);
	assert_int_equal(mapped(perfs, "haswell-cache.json", &haswell), VENDOR_FITS);
	assert_int_equal(mapped(perfs, "haswellx.json", &haswell), VENDOR_OTHER_CPU);
	assert_int_equal(mapped(perfs, "amdzen3_core.json", &zen3), VENDOR_FITS);
	assert_int_equal(mapped(perfs, "amdzen3_core.json", &zen1), VENDOR_OTHER_CPU);
	/* The first pattern that fits decides. */
	assert_int_equal(mapped("AuthenticAMD-23-([12][0-9A-F]|[0-9A-F]),v1,amdzen1,core\n"
				"AuthenticAMD-23-[[:xdigit:]]+,v1,amdzen2,core\n",
				"amdzen1_core.json", &zen1),
			 VENDOR_FITS);
	assert_int_equal(mapped("AuthenticAMD-23-([12][0-9A-F]|[0-9A-F]),v1,amdzen1,core\n"
				"AuthenticAMD-23-[[:xdigit:]]+,v1,amdzen2,core\n",
				"amdzen2_core.json", &zen1),
			 VENDOR_OTHER_CPU);
	assert_int_equal(mapped("", "haswell.json", &haswell), VENDOR_SAYS_NOTHING);
	assert_int_equal(mapped("\n,\n,,,,,,\n,,/,\n", "haswell.json", &haswell), VENDOR_SAYS_NOTHING);
}

static enum vendor_fit formed(const char *text, const struct vendor_cpu *cpu)
{
	return vendor_form_fit(text, strlen(text), cpu);
}

static void goes_by_the_form(void **unused)
{
	static const char header[] =
		"{\"Header\":{\"Info\":\"Events for Intel(R) Something\"},\"Events\":[]}";
	static const char intels[] =
		"[{\"MetricName\":\"x\"},{\"EventName\":\"A\",\"SampleAfterValue\":\"1\"}]";
	static const char amds[] = "[{\"EventName\":\"a\",\"EventCode\":\"1\"}]";

	(void)unused;
	assert_int_equal(formed(header, &haswell), VENDOR_FITS);
	assert_int_equal(formed(header, &zen3), VENDOR_OTHER_CPU);
	assert_int_equal(formed(intels, &haswell), VENDOR_FITS);
	assert_int_equal(formed(intels, &zen3), VENDOR_OTHER_CPU);
	assert_int_equal(formed(amds, &zen3), VENDOR_FITS);
	assert_int_equal(formed(amds, &haswell), VENDOR_OTHER_CPU);
	assert_int_equal(formed("[]", &haswell), VENDOR_SAYS_NOTHING);
	assert_int_equal(formed("", &haswell), VENDOR_SAYS_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_patterns),
		cmocka_unit_test(goes_by_the_files_name),
		cmocka_unit_test(goes_by_the_map),
		cmocka_unit_test(goes_by_the_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
