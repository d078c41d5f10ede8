/* The image from code without displacements: what scripts/pack promises, and that a damaged file stays
 * harmless. */
#include "boot/carrier/displacements.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* Call 100H from 2, call what is not in the list, load from 200H with an immediate byte behind it, movzx. */
static const uint8_t whole[] = {
	0x90, 0xe8, 0xfa, 0x00, 0x00, 0x00, 0xe9, 0x11, 0x22, 0x33, 0x44, 0x83, 0x3d, 0xec, 0x01,
	0x00, 0x00, 0x07, 0x0f, 0xb6, 0x05, 0xe7, 0x01, 0x00, 0x00, 0x89, 0xc0, 0x88, 0x0d, 0xdd,
	0x01, 0x00, 0x00, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xc3, 0xe8, 0x01, 0x02, 0x03, 0x04,
};
static const uint8_t parts[] = {
	/* code; the last call is beyond its end */
	0x90,
	0xe8,
	0xe9,
	0x11,
	0x22,
	0x33,
	0x44,
	0x83,
	0x3d,
	0x07,
	0x0f,
	0xb6,
	0x05,
	0x89,
	0xc0,
	0x88,
	0x0d,
	0xc3,
	0xc3,
	0xc3,
	0xc3,
	0xc3,
	0xc3,
	0xc3,
	0xe8,
	0x01,
	0x02,
	0x03,
	0x04,
	/* numbers of kinds 0 and 1 */
	0,
	1,
	0,
	0,
	0,
	1,
	0,
	2,
	0,
	1,
	/* places: 100H; 1FEH and 200H */
	0x00,
	0x01,
	0,
	0,
	0xfe,
	0x01,
	0,
	0,
	0x02,
	0,
	0,
	0,
};
static const struct payload head = {
	.size = sizeof whole, .end = 40, .unpacked = sizeof parts, .places = {1, 2}, .displacements = {2, 3}};

/* In memory of just the size, so that an access behind it is told. */
static bool put(const struct payload *p, uint8_t *image, const uint8_t *content)
{
	uint8_t *copy = malloc(p->unpacked);

	memcpy(copy, content, p->unpacked);
	bool done = put_together(p, image, copy);
	free(copy);
	return done;
}

static void displacements_come_back(void **state)
{
	uint8_t *image = malloc(sizeof whole);

	(void)state;
	assert_true(put(&head, image, parts));
	assert_memory_equal(image, whole, sizeof whole);
	free(image);
}

static void what_does_not_fit_is_refused(void **state)
{
	uint8_t image[sizeof whole];
	struct payload p;

#define REFUSED(member, value) (p = head, p.member = (value), assert_false(put(&p, image, parts)))
	(void)state;
	REFUSED(unpacked, 10);
	REFUSED(end, sizeof whole + 1);
	REFUSED(begin, 41);
	REFUSED(displacements[0], 1);
	REFUSED(displacements[1], 2);
	REFUSED(places[1], UINT32_MAX);
	REFUSED(size, sizeof whole - 1); /* something is left over: the pieces are of another image */
#undef REFUSED
}

static void damage_stays_inside(void **state)
{
	uint8_t *image = malloc(2 * sizeof whole), content[sizeof parts];
	unsigned done = 0;

	(void)state;
	srand(1);
	for (unsigned i = 0; i < 200000; i++) {
		struct payload p = head;
		uint32_t *numbers[] = {&p.size,
				       &p.begin,
				       &p.end,
				       &p.unpacked,
				       &p.places[0],
				       &p.places[1],
				       &p.displacements[0],
				       &p.displacements[1]};

		memcpy(content, parts, sizeof parts);
		for (unsigned n = (unsigned)rand() % 4; n--;)
			content[(unsigned)rand() % sizeof parts] = (uint8_t)rand();
		for (unsigned n = (unsigned)rand() % 3; n--;)
			*numbers[(unsigned)rand() % 8] = (unsigned)rand() % (rand() % 8 ? 64 : UINT32_MAX);
		if (p.unpacked > sizeof parts || p.size > 2 * sizeof whole)
			continue; /* the carrier has asked for as much memory as they say */
		done += put(&p, image, content);
	}
	assert_true(done > 1000);
	free(image);
}

/* Images that scripts/pack took apart (pack.t): each a head, its content, and what is to come of both. */
static int images(const char *path)
{
	FILE *f = fopen(path, "rb");
	unsigned bad = 0, all = 0;
	struct payload p;

	while (f && fread(&p, sizeof p, 1, f) == 1) {
		uint8_t *content = malloc(p.unpacked), *image = malloc(p.size), *wanted = malloc(p.size);

		all += fread(content, p.unpacked, 1, f) == 1 && fread(wanted, p.size, 1, f) == 1;
		bad += !put_together(&p, image, content) || memcmp(image, wanted, p.size) != 0;
		free(content);
		free(image);
		free(wanted);
	}
	if (f)
		fclose(f);
	printf("%u of %u images differ\n", bad, all);
	return bad || !all;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return images(argv[1]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(displacements_come_back),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(damage_stays_inside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
