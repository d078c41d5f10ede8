/*
 * The caches and TLBs of the machine model against what is known of each CPU from elsewhere: sizes and ways
 * as the vendors' optimization manuals and data sheets have them, and of Intel's TLBs the descriptors of
 * CPUID leaf 2, written down here once more from the SDM's table.
 */
#include "arch/x86/cpu/cpuid_table.h"
#include "pmu/virtual/machine_model.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define LINE 64

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* --- caches ------------------------------------------------------------------------------------------- */

struct cache {
	unsigned kib, ways; /* 0: there is none */
};

/* What each family's readings/caches.csv has: the first row whose name the profile's begins with counts. */
static struct {
	char name[48];
	struct cache l1d, l1i, l2, llc;
	unsigned decoded; /* windows of decoded code */
} caches[96];
static unsigned n_caches;

/* Sandy Bridge's 1.5 K micro-operations in 32 sets of 8 ways (Optimization Reference Manual, 2.2.2.2): of all
 * whose row has nothing else. */
#define DECODED      256
#define DECODED_WAYS 8

static void read_caches(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[160];

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		typeof(caches[0]) *c = &caches[n_caches];

		if (*line == '#' || begins(line, "name,"))
			continue;
		assert_true(n_caches < sizeof caches / sizeof *caches);
		c->decoded = DECODED;
		if (sscanf(line, "%47[^,],%u,%u,%u,%u,%u,%u,%u,%u,%u", c->name, &c->l1d.kib, &c->l1d.ways,
			   &c->l1i.kib, &c->l1i.ways, &c->l2.kib, &c->l2.ways, &c->llc.kib, &c->llc.ways,
			   &c->decoded) < 9)
			fail_msg("%s: %s", path, line);
		n_caches++;
	}
	fclose(f);
}

static void each_file(const char *pattern, void (*read)(const char *path))
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		read(found.gl_pathv[i]);
	globfree(&found);
}

static void check_cache(const char *profile, const char *which, struct machine_cache g, struct cache c)
{
	unsigned kib = (unsigned)((uint64_t)g.sets * g.ways * g.line / 1024);

	/* Of a last level that is too large, every second set. */
	while (c.kib * 1024ull / LINE > UARCH_LLC_LINES)
		c.kib /= 2;
	if (kib != c.kib || g.ways != c.ways || g.line != (c.kib ? LINE : 0))
		fail_msg("%s, %s: %u KiB in %u ways, lines of %u bytes; the CPU has %u KiB in %u ways",
			 profile, which, kib, g.ways, g.line, c.kib, c.ways);
}

static void caches_are_the_cpus(void **state)
{
	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		const char *name = model_profile(p)->name;
		struct machine_geometry g = machine_geometry(model_profile(p));
		unsigned i = 0;

		while (i < n_caches && !begins(name, caches[i].name))
			i++;
		if (i == n_caches)
			fail_msg("what caches has %s?", name);
		check_cache(name, "data", g.l1d, caches[i].l1d);
		check_cache(name, "code", g.l1i, caches[i].l1i);
		check_cache(name, "second level", g.l2, caches[i].l2);
		check_cache(name, "last level", g.llc, caches[i].llc);
		assert_int_equal(g.decoded.sets * g.decoded.ways, caches[i].decoded);
		assert_int_equal(g.decoded.ways, DECODED_WAYS);
	}
}

/* --- TLBs --------------------------------------------------------------------------------------------- */

enum kind { OTHER, CODE, DATA, SECOND, REFERS };

/* SDM vol. 2A, CPUID, table 3-12, "Encoding of CPUID Leaf 2 Descriptors": all of them. OTHER: no TLB of
 * 4-KByte pages. REFERS: leaf 18H has the TLBs, which no profile tells. */
static const struct descriptor {
	uint8_t number;
	enum kind kind;
	unsigned entries, ways; /* ways 0: fully associative, or not said */
} descriptors[] = {
	{0x00, OTHER, 0, 0},     /* null */
	{0x01, CODE, 32, 4},     /* code, 4 KByte pages, 4-way, 32 entries */
	{0x02, OTHER, 0, 0},     /* code, 4 MByte pages, fully associative, 2 entries */
	{0x03, DATA, 64, 4},     /* data, 4 KByte pages, 4-way, 64 entries */
	{0x04, OTHER, 0, 0},     /* data, 4 MByte pages, 4-way, 8 entries */
	{0x05, OTHER, 0, 0},     /* data, 4 MByte pages, 4-way, 32 entries */
	{0x06, OTHER, 0, 0},     /* first-level code cache, 8 KBytes */
	{0x08, OTHER, 0, 0},     /* first-level code cache, 16 KBytes */
	{0x09, OTHER, 0, 0},     /* first-level code cache, 32 KBytes */
	{0x0a, OTHER, 0, 0},     /* first-level data cache, 8 KBytes */
	{0x0b, OTHER, 0, 0},     /* code, 4 MByte pages, 4-way, 4 entries */
	{0x0c, OTHER, 0, 0},     /* first-level data cache, 16 KBytes */
	{0x0d, OTHER, 0, 0},     /* first-level data cache, 16 KBytes */
	{0x0e, OTHER, 0, 0},     /* first-level data cache, 24 KBytes */
	{0x1d, OTHER, 0, 0},     /* second-level cache, 128 KBytes */
	{0x21, OTHER, 0, 0},     /* mid-level cache, 256 KBytes */
	{0x22, OTHER, 0, 0},     /* third-level cache, 512 KBytes */
	{0x23, OTHER, 0, 0},     /* third-level cache, 1 MByte */
	{0x24, OTHER, 0, 0},     /* second-level cache, 1 MByte */
	{0x25, OTHER, 0, 0},     /* third-level cache, 2 MBytes */
	{0x29, OTHER, 0, 0},     /* third-level cache, 4 MBytes */
	{0x2c, OTHER, 0, 0},     /* first-level data cache, 32 KBytes */
	{0x30, OTHER, 0, 0},     /* first-level code cache, 32 KBytes */
	{0x39, OTHER, 0, 0},     /* second-level cache, 128 KBytes */
	{0x40, OTHER, 0, 0},     /* no second-level, or no third-level cache */
	{0x41, OTHER, 0, 0},     /* second-level cache, 128 KBytes */
	{0x42, OTHER, 0, 0},     /* second-level cache, 256 KBytes */
	{0x43, OTHER, 0, 0},     /* second-level cache, 512 KBytes */
	{0x44, OTHER, 0, 0},     /* second-level cache, 1 MByte */
	{0x45, OTHER, 0, 0},     /* second-level cache, 2 MBytes */
	{0x46, OTHER, 0, 0},     /* third-level cache, 4 MBytes */
	{0x47, OTHER, 0, 0},     /* third-level cache, 8 MBytes */
	{0x48, OTHER, 0, 0},     /* second-level cache, 3 MBytes */
	{0x49, OTHER, 0, 0},     /* second-level or third-level cache, 4 MBytes */
	{0x4a, OTHER, 0, 0},     /* third-level cache, 6 MBytes */
	{0x4b, OTHER, 0, 0},     /* third-level cache, 8 MBytes */
	{0x4c, OTHER, 0, 0},     /* third-level cache, 12 MBytes */
	{0x4d, OTHER, 0, 0},     /* third-level cache, 16 MBytes */
	{0x4e, OTHER, 0, 0},     /* second-level cache, 6 MBytes */
	{0x4f, CODE, 32, 0},     /* code, 4 KByte pages, 32 entries */
	{0x50, CODE, 64, 0},     /* code, 4 KByte and 2 or 4 MByte pages, 64 entries */
	{0x51, CODE, 128, 0},    /* code, 4 KByte and 2 or 4 MByte pages, 128 entries */
	{0x52, CODE, 256, 0},    /* code, 4 KByte and 2 or 4 MByte pages, 256 entries */
	{0x55, OTHER, 0, 0},     /* code, 2 or 4 MByte pages, fully associative, 7 entries */
	{0x56, OTHER, 0, 0},     /* data 0, 4 MByte pages, 4-way, 16 entries */
	{0x57, DATA, 16, 4},     /* data 0, 4 KByte pages, 4-way, 16 entries */
	{0x59, DATA, 16, 0},     /* data 0, 4 KByte pages, fully associative, 16 entries */
	{0x5a, OTHER, 0, 0},     /* data 0, 2 or 4 MByte pages, 4-way, 32 entries */
	{0x5b, DATA, 64, 0},     /* data, 4 KByte and 4 MByte pages, 64 entries */
	{0x5c, DATA, 128, 0},    /* data, 4 KByte and 4 MByte pages, 128 entries */
	{0x5d, DATA, 256, 0},    /* data, 4 KByte and 4 MByte pages, 256 entries */
	{0x60, OTHER, 0, 0},     /* first-level data cache, 16 KBytes */
	{0x61, CODE, 48, 0},     /* code, 4 KByte pages, fully associative, 48 entries */
	{0x63, OTHER, 0, 0},     /* data, 2 or 4 MByte pages, 4-way, 32 entries, and 1 GByte, 4 entries */
	{0x64, SECOND, 512, 4},  /* data, 4 KByte pages, 4-way, 512 entries */
	{0x66, OTHER, 0, 0},     /* first-level data cache, 8 KBytes */
	{0x67, OTHER, 0, 0},     /* first-level data cache, 16 KBytes */
	{0x68, OTHER, 0, 0},     /* first-level data cache, 32 KBytes */
	{0x6a, DATA, 64, 8},     /* first level for data, 4 KByte pages, 8-way, 64 entries */
	{0x6b, SECOND, 256, 8},  /* data, 4 KByte pages, 8-way, 256 entries, behind 6AH */
	{0x6c, OTHER, 0, 0},     /* data, 2 or 4 MByte pages, 8-way, 128 entries */
	{0x6d, OTHER, 0, 0},     /* data, 1 GByte pages, fully associative, 16 entries */
	{0x70, OTHER, 0, 0},     /* trace cache, 12 K micro-operations, 8-way */
	{0x71, OTHER, 0, 0},     /* trace cache, 16 K micro-operations, 8-way */
	{0x72, OTHER, 0, 0},     /* trace cache, 32 K micro-operations, 8-way */
	{0x76, OTHER, 0, 0},     /* code, 2 or 4 MByte pages, fully associative, 8 entries */
	{0x78, OTHER, 0, 0},     /* second-level cache, 1 MByte */
	{0x79, OTHER, 0, 0},     /* second-level cache, 128 KBytes */
	{0x7a, OTHER, 0, 0},     /* second-level cache, 256 KBytes */
	{0x7b, OTHER, 0, 0},     /* second-level cache, 512 KBytes */
	{0x7c, OTHER, 0, 0},     /* second-level cache, 1 MByte */
	{0x7d, OTHER, 0, 0},     /* second-level cache, 2 MBytes */
	{0x7f, OTHER, 0, 0},     /* second-level cache, 512 KBytes */
	{0x80, OTHER, 0, 0},     /* second-level cache, 512 KBytes */
	{0x82, OTHER, 0, 0},     /* second-level cache, 256 KBytes */
	{0x83, OTHER, 0, 0},     /* second-level cache, 512 KBytes */
	{0x84, OTHER, 0, 0},     /* second-level cache, 1 MByte */
	{0x85, OTHER, 0, 0},     /* second-level cache, 2 MBytes */
	{0x86, OTHER, 0, 0},     /* second-level cache, 512 KBytes */
	{0x87, OTHER, 0, 0},     /* second-level cache, 1 MByte */
	{0xa0, DATA, 32, 0},     /* data, 4 KByte pages, fully associative, 32 entries */
	{0xb0, CODE, 128, 4},    /* code, 4 KByte pages, 4-way, 128 entries */
	{0xb1, OTHER, 0, 0},     /* code, 2 MByte pages, 8 entries, or 4 MByte, 4 entries */
	{0xb2, CODE, 64, 4},     /* code, 4 KByte pages, 4-way, 64 entries */
	{0xb3, DATA, 128, 4},    /* data, 4 KByte pages, 4-way, 128 entries */
	{0xb4, SECOND, 256, 4},  /* data 1, 4 KByte pages, 4-way, 256 entries */
	{0xb5, CODE, 64, 8},     /* code, 4 KByte pages, 8-way, 64 entries */
	{0xb6, CODE, 128, 8},    /* code, 4 KByte pages, 8-way, 128 entries */
	{0xba, SECOND, 64, 4},   /* data 1, 4 KByte pages, 4-way, 64 entries */
	{0xc0, DATA, 8, 4},      /* data, 4 KByte and 4 MByte pages, 4-way, 8 entries */
	{0xc1, SECOND, 1024, 8}, /* shared second level, 4 KByte and 2 MByte pages, 8-way, 1024 entries */
	{0xc2, DATA, 16, 4},     /* data, 4 KByte and 2 MByte pages, 4-way, 16 entries */
	{0xc3, SECOND, 1536, 6}, /* shared second level, 4 KByte and 2 MByte pages, 6-way, 1536 entries */
	{0xc4, OTHER, 0, 0},     /* data, 2 or 4 MByte pages, 4-way, 32 entries */
	{0xca, SECOND, 512, 4},  /* shared second level, 4 KByte pages, 4-way, 512 entries */
	{0xd0, OTHER, 0, 0},     /* third-level cache, 512 KBytes */
	{0xd1, OTHER, 0, 0},     /* third-level cache, 1 MByte */
	{0xd2, OTHER, 0, 0},     /* third-level cache, 2 MBytes */
	{0xd6, OTHER, 0, 0},     /* third-level cache, 1 MByte */
	{0xd7, OTHER, 0, 0},     /* third-level cache, 2 MBytes */
	{0xd8, OTHER, 0, 0},     /* third-level cache, 4 MBytes */
	{0xdc, OTHER, 0, 0},     /* third-level cache, 1.5 MBytes */
	{0xdd, OTHER, 0, 0},     /* third-level cache, 3 MBytes */
	{0xde, OTHER, 0, 0},     /* third-level cache, 6 MBytes */
	{0xe2, OTHER, 0, 0},     /* third-level cache, 2 MBytes */
	{0xe3, OTHER, 0, 0},     /* third-level cache, 4 MBytes */
	{0xe4, OTHER, 0, 0},     /* third-level cache, 8 MBytes */
	{0xea, OTHER, 0, 0},     /* third-level cache, 12 MBytes */
	{0xeb, OTHER, 0, 0},     /* third-level cache, 18 MBytes */
	{0xec, OTHER, 0, 0},     /* third-level cache, 24 MBytes */
	{0xf0, OTHER, 0, 0},     /* 64-byte prefetching */
	{0xf1, OTHER, 0, 0},     /* 128-byte prefetching */
	{0xfe, REFERS, 0, 0},    /* TLBs are in leaf 18H */
	{0xff, OTHER, 0, 0},     /* caches are in leaf 4 */
};

static const struct descriptor *descriptor(const char *profile, uint8_t number)
{
	for (unsigned i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
		if (descriptors[i].number == number)
			return &descriptors[i];
	fail_msg("%s: descriptor %02XH is not in this table", profile, number);
	return NULL;
}

struct tlbs {
	unsigned code, data, second, second_ways;
};

/* What the bytes say; of several of one kind the last. @return false if they leave it to others */
static bool read_descriptors(const struct model_profile *p, const struct cpuid_row *c, struct tlbs *t)
{
	const uint32_t registers[] = {c->eax, c->ebx, c->ecx, c->edx};
	bool told = false;

	for (unsigned i = 1; i < 16; i++) { /* AL is no descriptor */
		const struct descriptor *d;

		if (registers[i / 4] & 1u << 31)
			continue;
		d = descriptor(p->name, registers[i / 4] >> i % 4 * 8 & 0xff);
		if (d->kind == REFERS)
			return false;
		if (d->kind == OTHER)
			continue;
		told = true;
		if (d->kind == CODE)
			t->code = d->entries;
		else if (d->kind == DATA)
			t->data = d->entries;
		else
			t->second = d->entries, t->second_ways = d->ways;
	}
	return told;
}

static void check_tlbs(const char *name, const struct machine_geometry *g, const struct tlbs *t)
{
	if (g->itlb != t->code || g->dtlb != t->data || g->stlb_sets * g->stlb_ways != t->second ||
	    g->stlb_ways != t->second_ways)
		fail_msg("%s: %u for code, %u for data, %u in %u ways; the CPU has %u, %u, %u in %u ways",
			 name, g->itlb, g->dtlb, g->stlb_sets * g->stlb_ways, g->stlb_ways, t->code, t->data,
			 t->second, t->second_ways);
}

/* What the families' readings/tlbs.csv have, for CPUs that tell by other leaves: 4-KByte pages, of the second
 * level the data side. The first row whose name the profile's begins with counts. */
static struct {
	char name[48];
	struct tlbs tlbs;
} listed[64];
static unsigned n_listed;

static void read_tlbs(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[160];

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		typeof(listed[0]) *t = &listed[n_listed];

		if (*line == '#' || begins(line, "name,"))
			continue;
		assert_true(n_listed < sizeof listed / sizeof *listed);
		if (sscanf(line, "%47[^,],%u,%u,%u,%u", t->name, &t->tlbs.code, &t->tlbs.data,
			   &t->tlbs.second, &t->tlbs.second_ways) != 5)
			fail_msg("%s: %s", path, line);
		n_listed++;
	}
	fclose(f);
}

static const struct tlbs *listed_tlbs(const char *profile)
{
	for (unsigned i = 0; i < n_listed; i++)
		if (begins(profile, listed[i].name))
			return &listed[i].tlbs;
	return NULL;
}

static void tlbs_are_as_described(void **state)
{
	unsigned described = 0, referred = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		const struct model_profile *profile = model_profile(p);
		struct machine_geometry g = machine_geometry(profile);
		/* Where nothing is said. */
		struct tlbs wanted = {64, 64, 1536, 6}, told = {64, 64, 0, 0};

		if (listed_tlbs(profile->name))
			continue;
		const struct cpuid_table *t = cpuid_table_of(profile->identity);
		bool has_leaf_2 = false;

		for (unsigned i = 0; i < t->n; i++)
			if (t->row[i].leaf == 2) {
				bool says = read_descriptors(profile, &t->row[i], &told);

				has_leaf_2 = true;
				wanted = says ? told : wanted;
				described += says;
				referred += !says;
			}
		if (!has_leaf_2)
			fail_msg("what TLBs has %s?", profile->name);
		check_tlbs(profile->name, &g, &wanted);
	}
	assert_in_range(described, 15, 100);
	assert_in_range(referred, 10, 100);
}

static void tlbs_are_the_cpus(void **state)
{
	unsigned n = 0;

	(void)state;
	for (unsigned p = 0; model_profile(p); p++) {
		const char *name = model_profile(p)->name;
		struct machine_geometry g = machine_geometry(model_profile(p));

		if (!listed_tlbs(name))
			continue;
		check_tlbs(name, &g, listed_tlbs(name));
		n++;
	}
	assert_in_range(n, 13, 100);
}

static int read_readings(void **state)
{
	(void)state;
	each_file("pmu/*/readings/caches.csv", read_caches);
	each_file("pmu/*/readings/tlbs.csv", read_tlbs);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(caches_are_the_cpus),
		cmocka_unit_test(tlbs_are_as_described),
		cmocka_unit_test(tlbs_are_the_cpus),
	};

	return cmocka_run_group_tests_name("machine geometry", tests, read_readings, NULL);
}
