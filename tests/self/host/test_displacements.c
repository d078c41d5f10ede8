/* The image from its fields: what scripts/pack promises, and that a damaged file stays
 * harmless. */
#include "boot/carrier/displacements.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* A byte before the code; call 100H from 2; jump to what has no number; compare what lies at 200H with an
 * immediate byte; load behind two bytes; jump near on a condition; REX.W with 64 bits; test a byte; nops;
 * what is too near to the end for an instruction. */
#define CODE                                                                                                 \
	0xe8, 0xfa, 0x00, 0x00, 0x00, 0xe9, 0x11, 0x22, 0x33, 0x44, 0x83, 0x3d, 0xee, 0x01, 0x00, 0x00,      \
		0x07, 0x8b, 0x44, 0x24, 0x18, 0x0f, 0x84, 0x01, 0x02, 0x03, 0x04, 0x48, 0xb8, 1, 2, 3, 4, 5, \
		6, 7, 8, 0xf6, 0x80, 0x55, 0x66, 0x77, 0x88, 0x0a, 0x75, 0x0c, 0xc7, 0xc0, 9, 9, 9, 9
#define LAST                                                                                                 \
	0xe8, 0x01, 0x02, 0x03, 0x04, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,      \
		0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0xc3
#define TABLE                                                                                                \
	0x00, 0x10, 0, 0, 12, 0, 0, 0, 0x50, 0xa0, 0x58, 0xa0, 0x00, 0x20, 0, 0, 12, 0, 0, 0, 0x70, 0xa0, 0, 0
enum { BEGIN = 1, END = BEGIN + 52 + 23, FIRST = 0x50, SECOND = 0x58, THIRD = 0x64, RELOCATIONS = THIRD + 8 };
static const uint8_t whole[] = {
	0x77, CODE, LAST, 1, 2, 3,    4, /* up to 50H */
	0xfe, 1,    0,    0, 0, 0,    0, 0, 0, 2, 0, 0, 0, 0,     0,
	0,    5,    6,    7, 8, 0xfe, 1, 0, 0, 0, 0, 0, 0, TABLE, 0x99,
};
static const uint8_t parts[] = {
	0xe8, 0xe9, 0x83, 0x3d, 0x8b, 0x44, 0x24, 0x0f, 0x84, 0x48, 0xb8, 0xf6, 0x80, 0x75, 0xc7,
	0xc0, LAST, 0x18,                               /* displacements of 8 bits */
	0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, /* and of 32 */
	0x07, 0x0a,                                     /* immediates */
	9,    9,    9,    9,    1,    2,    3,    4,    5,    6,    7,    8,    0x0c,       /* jumps */
	1,    2,    3,    4,    0x77, 1,    2,    3,    4,    5,    6,    7,    8,    0x99, /* others */
	0xff, 0x50, 0x10, 0,    0,    8,    0xff, 0x18, 0x10, 0,    0, /* pointers at 1050H, 1058H, 2070H */
	0xff, 0x00, 0x01, 0,    0,                                     /* places: 100H; 200H; 1FEH and 200H */
	0xff, 0x00, 0x02, 0,    0,    0xff, 0xfe, 0x01, 0,    0,    0x02, 0,    1,    0,    0, /* numbers */
	0,    1,    0,    0,    0,    0,    0xff, 0xfe,
};
static const struct payload head = {.size = sizeof whole,
				    .begin = BEGIN,
				    .end = END,
				    .unpacked = sizeof parts,
				    .relocations = RELOCATIONS,
				    .second = 0x2000,
				    .shift = {0x1000, 0x2070 - THIRD},
				    .length = {16 + 23, 1, 8, 2, 4, 8, 1, 4, 10, 11, 5, 5, 6, 4, 2, 6}};

/* In memory of just the size, so that an access behind it is told. */
static bool put(const struct payload *p, uint8_t *image, const uint8_t *content)
{
	static struct places places;
	uint8_t *copy = malloc(p->unpacked);

	memcpy(copy, content, p->unpacked);
	bool done = put_together(p, image, copy, &places);
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
	REFUSED(unpacked, sizeof parts - 1);
	REFUSED(end, sizeof whole + 1);
	REFUSED(begin, END + 1);
	for (unsigned i = 0; i < STREAMS; i++) {
		REFUSED(length[i], head.length[i] - 1);
		REFUSED(length[i], UINT32_MAX);
	}
	REFUSED(relocations, END - 1);
	REFUSED(relocations, sizeof whole + 1);
	REFUSED(relocations, THIRD + 7);
	REFUSED(shift[0], 0x1000 + FIRST - END + 1); /* a pointer inside the code */
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
		uint32_t *numbers = (uint32_t *)&p;

		memcpy(content, parts, sizeof parts);
		for (unsigned n = (unsigned)rand() % 4; n--;)
			content[(unsigned)rand() % sizeof parts] = (uint8_t)rand();
		for (unsigned n = (unsigned)rand() % 3; n--;)
			numbers[(unsigned)rand() % (sizeof p / 4)] =
				(unsigned)rand() % (rand() % 8 ? 64 : UINT32_MAX);
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
		bad += !put(&p, image, content) || memcmp(image, wanted, p.size) != 0;
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
