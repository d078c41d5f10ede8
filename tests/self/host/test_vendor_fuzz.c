/*
 * Hostile event files: sound ones, and a map of them, are changed at random, in bytes and in tokens, and
 * imported. Nothing may come of it but rows that hold, and every file comes to an end. The sequence is the
 * same in each run; FUZZ_INPUTS says how long it is. VENDOR_FILES may name a directory with a vendor's
 * unmodified files in folders (the kernel's tools/perf/pmu-events/arch/x86): then those of up to 64 KiB are
 * changed, too.
 */
#include "pmu/amd/amd.h"
#include "pmu/intel/intel.h"
#include "pmu/events/vendor_cpu.h"
#include "pmu/events/vendor_import.h"
#include "tests/self/host/support/fake_cpu.h"

#include <ctype.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#define INPUTS   30000
#define TEXT_MAX 65536
#define CHANGES  4 /* at most, of one input */

static uint64_t state;

/* xorshift64*, Vigna 2016. */
static uint64_t draw(uint64_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * UINT64_C(0x2545f4914f6cdd1d) >> 32) % below;
}

struct text {
	char byte[TEXT_MAX];
	size_t size;
};

#define SEEDS 600
#define MAP   0
#define OWN   3 /* of the repository, the map first */

static struct text *seed[SEEDS], input;
static unsigned n_seeds;

static void load(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct text *t = malloc(sizeof *t);

	assert_non_null(f);
	assert_non_null(t);
	t->size = fread(t->byte, 1, TEXT_MAX, f);
	assert_in_range(t->size, 1, TEXT_MAX - 1);
	fclose(f);
	assert_in_range(n_seeds, 0, SEEDS - 1);
	seed[n_seeds++] = t;
}

/* The vendor's unmodified files, if there are any. */
static void load_vendor_files(const char *directory)
{
	char pattern[4096];
	glob_t found;
	struct stat about;

	snprintf(pattern, sizeof pattern, "%s/*/*.json", directory);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!stat(found.gl_pathv[i], &about) && about.st_size && about.st_size < TEXT_MAX)
			load(found.gl_pathv[i]);
	globfree(&found);
}

/* Put `with` in place of [from, to). */
static void replace(struct text *t, size_t from, size_t to, const char *with, size_t length)
{
	if (t->size - (to - from) + length > TEXT_MAX)
		return;
	memmove(t->byte + from + length, t->byte + to, t->size - to);
	memcpy(t->byte + from, with, length);
	t->size += length - (to - from);
}

/* A token that begins at or behind a random place: punctuation, or what stands between quotes with them. */
static bool find_token(const struct text *t, size_t *from, size_t *to)
{
	size_t at = t->size ? draw(t->size) : 0;

	while (at < t->size && isspace((unsigned char)t->byte[at]))
		at++;
	if (at >= t->size)
		return false;
	*from = at++;
	if (t->byte[*from] == '"') {
		while (at < t->size && t->byte[at] != '"')
			at++;
		at += at < t->size;
	}
	*to = at;
	return true;
}

static const char *const words[] = {
	"{",
	"}",
	"[",
	"]",
	":",
	",",
	"\"",
	"\\",
	"\\u12",
	"null",
	"true",
	"-1",
	"1e9",
	"0x",
	"\"\"",
	"\"0x\"",
	"\"0xffffffffffffffffffff\"",
	"\"99999999999999999999\"",
	"\"0,1,2,3,4,5,6,7,8,9,31,32,47\"",
	"\"Fixed counter 99\"",
	"\"Fixed counter\"",
	"\"EventName\"",
	"\"EventCode\"",
	"\"Events\"",
	"\"Header\"",
	"\"Counter\"",
	"\"UMask\"",
	"\"MSRIndex\"",
	"\"Unit\"",
	"\"cpu_atom\"",
	"\"INST_RETIRED.ANY\"",
	"[[[[[[[[[[[[[[[[",
	"{\"a\":{\"a\":{\"a\":",
	"{\"Events\":[",
	"\xef\xbb\xbf",
	"\xff\xfe",
	",,,,,,,,",
};

static void change(struct text *t)
{
	size_t from = 0, to = 0, other, other_end;
	const char *word = words[draw(sizeof words / sizeof words[0])];
	char piece[512];
	size_t n;

	switch (draw(9)) {
	case 0: /* a bit */
		if (t->size)
			t->byte[draw(t->size)] ^= (char)(1 << draw(8));
		break;
	case 1: /* a byte, NUL among them */
		if (t->size)
			t->byte[draw(t->size)] = (char)draw(256);
		break;
	case 2: /* cut off, now and then */
		if (!draw(4))
			t->size = draw(t->size + 1);
		break;
	case 3: /* a token is left out */
		if (find_token(t, &from, &to))
			replace(t, from, to, "", 0);
		break;
	case 4: /* a token becomes another */
		if (find_token(t, &from, &to))
			replace(t, from, to, word, strlen(word));
		break;
	case 5: /* one is put in */
		if (find_token(t, &from, &to))
			replace(t, from, from, word, strlen(word));
		break;
	case 6: /* two change places */
		if (find_token(t, &from, &to) && find_token(t, &other, &other_end) && to <= other &&
		    to - from < sizeof piece) {
			n = to - from;
			memcpy(piece, t->byte + from, n);
			replace(t, other, other_end, piece, n);
		}
		break;
	case 7: /* a part comes again and again */
		from = draw(t->size + 1);
		n = draw(sizeof piece);
		n = n < t->size - from ? n : t->size - from;
		memcpy(piece, t->byte + from, n);
		for (unsigned i = (unsigned)draw(20); i; i--)
			replace(t, from, from, piece, n);
		break;
	default: /* a part is left out */
		from = draw(t->size + 1);
		to = from + draw((draw(4) ? 64 : t->size) + 1);
		to = to < t->size ? to : t->size;
		replace(t, from, to, "", 0);
	}
}

/* What came of it must hold whatever the file was. */
static void hold(const struct pmu *pmu, const struct import *all, const struct import_tally *t, bool good)
{
	unsigned sum = t->explained + t->unexplained + t->there + t->differing + t->unfit;

	assert_true(good || t->first[0]);
	assert_true(good || !all->count);
	assert_int_equal(all->count, t->explained + t->unexplained);
	assert_true(t->full || sum == t->events);
	assert_true(!t->bad || t->first[0]);
	assert_true(!t->lost || t->first[0]);
	assert_true(strlen(t->first) < sizeof t->first);
	for (const char *c = t->first; *c; c++)
		assert_true(*c >= ' ' && *c <= '~');
	for (unsigned i = 0; i < all->count; i++) {
		const struct pmu_event *e = &all->row[i];
		bool counted = false;

		for (const char *c = e->name; *c; c++)
			assert_true(isgraph((unsigned char)*c));
		assert_in_range(strlen(e->name), 1, VENDOR_NAME - 1);
		for (unsigned c = 0; c < pmu->n_counters; c++)
			counted |= pmu->driver->can_count(pmu, e, c);
		assert_true(counted);
		for (unsigned j = 0; j < i; j++)
			assert_int_not_equal(strcasecmp(e->name, all->row[j].name), 0);
	}
}

/* Mostly a small one, which a change is more likely to hurt. */
static const struct text *draw_seed(void)
{
	switch (draw(8)) {
	case 0:
		return seed[MAP];
	case 1:
		return seed[1 + draw(n_seeds - 1)];
	default:
		return seed[1 + draw(OWN - 1)];
	}
}

static void survives(void **unused)
{
	static const struct {
		const struct pmu_driver *driver;
		const struct model_profile *profile;
		struct vendor_cpu cpu;
		const char *unit;
	} parts[] = {
		{&intel_driver, &intel_core2, {"GenuineIntel", 6, 0x17, 6, 0}, NULL},
		{&intel_driver, &intel_haswell, {"GenuineIntel", 6, 0x3c, 3, 0}, NULL},
		{&intel_driver, &intel_alderlake_p, {"GenuineIntel", 6, 0x97, 2, 0x40}, "cpu_core"},
		{&intel_driver, &intel_alderlake_e, {"GenuineIntel", 6, 0x97, 2, 0x20}, "cpu_atom"},
		{&amd_driver, &amd_zen3, {"AuthenticAMD", 0x19, 0x21, 0, 0}, NULL},
		{&amd_driver, &amd_zen5, {"AuthenticAMD", 0x1a, 0x44, 0, 0}, NULL},
	};
	const unsigned n_parts = sizeof parts / sizeof parts[0];
	const char *asked = getenv("FUZZ_INPUTS"), *directory = getenv("VENDOR_FILES");
	unsigned long inputs = asked ? strtoul(asked, NULL, 10) : INPUTS;
	unsigned long good = 0, lost = 0, bad = 0, rows = 0;

	(void)unused;
	load("tests/self/host/data/events-mapfile.csv");
	load("tests/self/host/data/events-intel.json");
	load("tests/self/host/data/events-perf.json");
	assert_int_equal(n_seeds, OWN);
	if (directory)
		load_vendor_files(directory);
	state = 0x9e3779b97f4a7c15;
	for (unsigned p = 0; p < n_parts; p++) {
		static struct pmu pmu;
		const char *why;

		fake_cpu_start(parts[p].profile, "");
		assert_true(fake_cpu_identify(parts[p].driver, &pmu, &why));
		for (unsigned long i = p; i < inputs; i += n_parts) {
			struct import all = {0};
			struct import_tally t;
			const struct text *from = draw_seed();
			char *copy;
			bool read;

			memcpy(input.byte, from->byte, from->size);
			input.size = from->size;
			for (unsigned n = 1 + (unsigned)draw(CHANGES); n; n--)
				change(&input);
			/* Without a byte behind it, so that reading on is seen. */
			copy = malloc(input.size ? input.size : 1);
			memcpy(copy, input.byte, input.size);
			vendor_map_fit(copy, input.size, "haswell_core.json", &parts[p].cpu);
			vendor_form_fit(copy, input.size, &parts[p].cpu);
			read = import_file(&all, &pmu, draw(2) ? parts[p].unit : NULL, copy, input.size, &t);
			free(copy);
			hold(&pmu, &all, &t, read);
			good += read && !t.lost && !t.bad;
			lost += !read || t.lost;
			bad += read && t.bad;
			rows += all.count;
			assert_true(import_finish(&all, &pmu));
			import_free(&all, &pmu);
		}
		fake_cpu_stop();
	}
	print_message("# %lu inputs from %u files: %lu sound, %lu lost in part or whole, %lu with events not "
		      "understood; "
		      "%lu rows\n",
		      inputs, n_seeds, good, lost, bad, rows);
	while (n_seeds)
		free(seed[--n_seeds]);
	/* All of these are to be met. */
	assert_true(good && lost && bad && rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(survives)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
