/*
 * Verdicts of several processors of one kind, merged: whether they are the same on each, and where they are
 * not, which processor differs.
 */
#include "arch/console.h"
#include "arch/processors.h"
#include "tests/report/internal.h"
#include "tests/report/wrapped.h"

#include <stdio.h>
#include <string.h>

#define NONE 0xff

static struct {
	const char *kind; /* "E-core"; "": all are alike */
	unsigned n, checks, alike;
	const char *processor[PROCESSORS_MAX];
	unsigned differing[PROCESSORS_MAX]; /* checks in which it is not as most of them are */
	uint8_t verdict[PROCESSORS_MAX];    /* of one check */
} of;

/* "processor 1 (E-core)" */
static const char *kind_of(const char *processor)
{
	const char *open = strchr(processor, '(');

	return open ? open : "";
}

static unsigned place(const char *processor)
{
	unsigned i = 0;

	while (i < of.n && of.processor[i] != processor)
		i++;
	return i;
}

static bool same_check(const struct cell *a, const struct cell *b)
{
	return a->suite == b->suite && a->name == b->name && a->counter == b->counter && a->level == b->level;
}

static bool is_first(unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (same_check(&cells.cell[k], &cells.cell[i]) && place(cells.cell[k].processor) < of.n)
			return false;
	return true;
}

/* Check i, if each processor has it. */
static void compare(unsigned i)
{
	unsigned most = 0, usual = 0, differ = 0;

	memset(of.verdict, NONE, sizeof of.verdict);
	for (unsigned k = i; k < cells.count; k++) {
		unsigned p;

		if (!same_check(&cells.cell[k], &cells.cell[i]))
			continue;
		p = place(cells.cell[k].processor);
		if (p < of.n)
			of.verdict[p] = cells.cell[k].verdict;
	}
	if (memchr(of.verdict, NONE, of.n))
		return;
	for (unsigned p = 0; p < of.n; p++) {
		unsigned like = 0;

		for (unsigned q = 0; q < of.n; q++)
			like += of.verdict[q] == of.verdict[p];
		if (like > most) {
			most = like;
			usual = of.verdict[p];
		}
	}
	for (unsigned p = 0; p < of.n; p++) {
		of.differing[p] += of.verdict[p] != usual;
		differ += of.verdict[p] != usual;
	}
	of.checks++;
	of.alike += !differ;
}

static void print_kind(void)
{
	of.checks = of.alike = 0;
	memset(of.differing, 0, sizeof of.differing);
	for (unsigned i = 0; i < cells.count; i++)
		if (place(cells.cell[i].processor) < of.n && is_first(i))
			compare(i);
	wrapped("", "%u processors%s%s: %u of %u checks have the same verdict on each", of.n,
		*of.kind ? " " : "", of.kind, of.alike, of.checks);
	for (unsigned p = 0; p < of.n; p++)
		if (of.differing[p])
			wrapped("  ", "%s differs in %u", of.processor[p], of.differing[p]);
}

void table_merged(void)
{
	for (unsigned i = 0; i < cells.count; i++) {
		const char *processor = cells.cell[i].processor,
			   *kind = processor ? kind_of(processor) : NULL;
		bool told = !kind;

		for (unsigned k = 0; k < i && !told; k++)
			told = cells.cell[k].processor && !strcmp(kind_of(cells.cell[k].processor), kind);
		if (told)
			continue;
		of.kind = kind;
		of.n = 0;
		for (unsigned k = i; k < cells.count; k++) {
			const char *other = cells.cell[k].processor;

			if (other && of.n < PROCESSORS_MAX && place(other) == of.n &&
			    !strcmp(kind_of(other), kind))
				of.processor[of.n++] = other;
		}
		if (of.n > 1)
			print_kind();
	}
}
