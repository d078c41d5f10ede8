#include "tests/self/host/support/kernel_counts.h"
#include "tests/judge/truth.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char why[256];

static const char *because(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *because(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	return why;
}

static const char *read_amount(char *word, struct qvec *seen)
{
	char *value = strchr(word, '='), *end;

	if (!value)
		return because("\"%s\" is no quantity=amount", word);
	*value++ = 0;
	for (enum quantity q = 0; q < Q_COUNT; q++)
		if (quantity_info[q].class == QUANTITY_ARCH && !strcmp(quantity_info[q].name, word)) {
			seen->v[q] = strtoull(value, &end, 10);
			return end == value || *end ? because("\"%s\" is no amount of %s", value, word)
						    : NULL;
		}
	return because("there is no architectural quantity \"%s\"", word);
}

/* Point n of a kernel: rings have one each. */
static int point_of(struct kernel_counts *d, uint64_t n, enum transaction_outcome outcome)
{
	unsigned i = 0;

	while (i < d->n_points && (d->point[i].n != n || d->point[i].outcomes >> outcome & 1))
		i++;
	if (i == KERNEL_COUNTS_POINTS)
		return -1;
	if (i == d->n_points) {
		d->n_points++;
		d->point[i].n = n;
	}
	d->point[i].outcomes |= 1u << outcome;
	return (int)i;
}

static const char *read_line(char *line, struct kernel_counts *all)
{
	char *rest, *name = strtok_r(line, " \n", &rest), *ring = strtok_r(NULL, " \n", &rest);
	char *number = strtok_r(NULL, " \n", &rest), *how = strtok_r(NULL, " \n", &rest), *word;
	const struct kernel *k = name ? kernel_by_name(name) : NULL;
	enum transaction_outcome outcome;
	struct kernel_counts *d;
	int i;

	if (!k)
		return because("there is no kernel \"%s\"", name ? name : "");
	if (!how || (strcmp(how, "abort") && strcmp(how, "commit")))
		return because("%s: no ring, N and outcome", name);
	if (strcmp(ring, k->flags & KERNEL_PRIVILEGED ? "0" : "3") &&
	    k->flags & (KERNEL_PRIVILEGED | KERNEL_USER_ONLY))
		return because("%s does not run in ring %s", name, ring);
	outcome = strcmp(how, "commit") ? OUTCOME_ABORT : OUTCOME_COMMIT;
	d = &all[k - kernels_begin];
	d->kernel = k;
	i = point_of(d, strtoull(number, NULL, 10), outcome);
	if (i < 0)
		return because("%s was stepped too often", name);
	while ((word = strtok_r(NULL, " \n", &rest))) {
		const char *bad = read_amount(word, &d->point[i].seen[outcome]);

		if (bad)
			return bad;
	}
	return NULL;
}

const char *kernel_counts_read(const char *path, struct kernel_counts *all)
{
	FILE *f = fopen(path, "r");
	char line[8192];
	const char *bad = NULL;

	if (!f)
		return because("%s cannot be read", path);
	while (!bad && fgets(line, sizeof line, f))
		bad = strchr(line, '\n') ? read_line(line, all) : because("a line that does not end");
	fclose(f);
	return bad;
}

bool kernel_counts_agree(const struct kernel_counts *d, bool verbose)
{
	struct amount declared;

	for (unsigned i = 0; i < d->n_points; i++)
		for (unsigned outcome = 0; outcome < outcomes_of(d->kernel); outcome++) {
			uint64_t n = d->point[i].n;
			const struct qvec *seen = &d->point[i].seen[outcome];
			enum quantity q = truth_disagrees(d->kernel, n, outcome, seen, &declared);

			if (q == Q_COUNT && d->point[i].outcomes >> outcome & 1)
				continue;
			if (verbose && q == Q_COUNT)
				printf("%s, N = %" PRIu64
				       ": not all ways for a transaction to end were stepped\n",
				       d->kernel->name, n);
			else if (verbose)
				printf("%s, N = %" PRIu64 ": %s: %" PRId64 " to %" PRId64
				       " declared, there are %" PRIu64 "\n",
				       d->kernel->name, n, quantity_info[q].name, declared.low, declared.high,
				       seen->v[q]);
			return false;
		}
	return d->n_points > 0;
}

bool kernel_counts_agree_on(const struct kernel_counts *d, enum quantity q)
{
	unsigned last = d->n_points - 1;
	struct amount declared;

	return truth_agrees_on(d->kernel, q, d->point[last].n, OUTCOME_ABORT,
			       d->point[last].seen[OUTCOME_ABORT].v[q], &declared);
}
