#include "tests/measure/inject.h"
#include "tests/measure/counterless.h"
#include "tests/judge/silicon_rules.h"
#include "arch/breadcrumbs.h"
#include "arch/processors.h"
#include "tests/kernels/kernel.h"
#include "arch/masking.h"
#include "tests/measure/intrusion.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG_SIGNATURE "wrong-signature:"
#define PROCESSOR       "processor:"
#define RESET           "reset:"
#define TRIPLE_FAULT    "triple-fault:"
#define EXCEPTION       "exception:"
#define HANG            "hang:"

static bool refuse(char why[INJECTION_REASON], const char *token, const char *what)
{
	snprintf(why, INJECTION_REASON, "inject=%s: %s", token, what);
	return false;
}

/* DELTA or DELTA with an N behind it. */
static bool parse_delta(const char *text, int64_t *delta_a, int64_t *delta_b)
{
	char *end;
	long long delta;

	errno = 0;
	delta = strtoll(text, &end, 10);
	if (end == text || errno || delta == 0)
		return false;
	*delta_a = strcmp(end, "N") == 0 ? delta : 0;
	*delta_b = *end == '\0' ? delta : 0;
	return *delta_a || *delta_b;
}

static bool wrong_signature(const char *token, char why[INJECTION_REASON])
{
	char text[INJECTION_TEXT + 1], *name = text + strlen(WRONG_SIGNATURE), *quantity_name, *delta;
	const struct kernel *k;
	enum quantity q;
	int64_t delta_a, delta_b;

	strcpy(text, token);
	quantity_name = strchr(name, ':');
	delta = quantity_name ? strchr(quantity_name + 1, ':') : NULL;
	if (!delta)
		return refuse(why, token, "must read wrong-signature:KERNEL:QUANTITY:DELTA");
	*quantity_name++ = '\0';
	*delta++ = '\0';

	k = kernel_by_name(name);
	if (!k)
		return refuse(why, token, "there is no such kernel");
	q = quantity_by_name(quantity_name);
	if (q == Q_COUNT)
		return refuse(why, token, "there is no such quantity");
	if (!parse_delta(delta, &delta_a, &delta_b))
		return refuse(why, token,
			      "DELTA must be a number other than 0, with or without an N behind it");
	if (!kernel_falsify(k, q, delta_a, delta_b))
		return refuse(why, token, "too many of this kind");
	return true;
}

/* A number from 1 to 999 with this behind it. */
static bool parse_number(const char **text, char behind, unsigned *number)
{
	char *end;
	unsigned long n = **text >= '0' && **text <= '9' ? strtoul(*text, &end, 10) : 0;

	if (!n || n > 999 || *end != behind)
		return false;
	*number = (unsigned)n;
	*text = end + (behind != '\0');
	return true;
}

static bool spoilt_processor(const char *token, char why[INJECTION_REASON])
{
	static const char *const faults[] = {[PROCESSOR_FAULTS] = "faults",
					     [PROCESSOR_HANGS] = "hangs",
					     [PROCESSOR_IS_DEAF] = "deaf",
					     [PROCESSOR_IS_LATE] = "late"};
	const char *p = token + strlen(PROCESSOR);
	unsigned number, turn = 1;

	if (parse_number(&p, ':', &number))
		for (unsigned i = PROCESSOR_FAULTS; i <= PROCESSOR_IS_LATE; i++) {
			size_t length = strlen(faults[i]);
			const char *behind = p + length;

			if (strncmp(p, faults[i], length))
				continue;
			if (*behind == ':' && (behind++, !parse_number(&behind, '\0', &turn)))
				break;
			if (*behind)
				break;
			processor_spoil(number, (enum processor_fault)i, turn);
			return true;
		}
	return refuse(why, token,
		      "must read processor:NUMBER:HOW[:TURN], HOW one of faults, hangs, deaf, late");
}

/* A check that ends the run: HOW:SUITE/CHECK[:STEP]. */
static bool ended_run(const char *token, char why[INJECTION_REASON])
{
	static const struct {
		const char *name;
		enum breadcrumbs_fault fault;
	} ways[] = {{RESET, BREADCRUMBS_RESET},
		    {TRIPLE_FAULT, BREADCRUMBS_TRIPLE_FAULT},
		    {EXCEPTION, BREADCRUMBS_EXCEPTION},
		    {HANG, BREADCRUMBS_HANG}};
	char *place = strdup(strchr(token, ':') + 1); /* for the life of the image */
	unsigned step = 0;

	for (unsigned i = 0; place && i < sizeof(ways) / sizeof(ways[0]); i++) {
		size_t length = strlen(ways[i].name);
		char *colon;

		if (strncmp(token, ways[i].name, length))
			continue;
		colon = strrchr(place, ':');
		if (colon) {
			const char *number = colon + 1;

			*colon = '\0';
			if (!parse_number(&number, '\0', &step))
				break;
		}
		if (!*place)
			break;
		if (ways[i].fault >= BREADCRUMBS_EXCEPTION && !strchr(place, '/')) {
			free(place);
			return refuse(why, token, "it needs a check, which is guarded: SUITE/CHECK");
		}
		if (breadcrumbs_spoil(ways[i].fault, place, step))
			return true;
		free(place);
		return refuse(why, token, "too many of this kind");
	}
	free(place);
	return refuse(why, token,
		      "must read HOW:PLACE[:STEP], HOW one of reset, triple-fault, exception, hang, PLACE "
		      "such as SUITE/CHECK");
}

#define SIMPLE(does)                                                                                         \
	static bool apply_##does(const char *token, char why[INJECTION_REASON])                              \
	{                                                                                                    \
		(void)token, (void)why;                                                                      \
		does();                                                                                      \
		return true;                                                                                 \
	}
SIMPLE(masking_spoil)
SIMPLE(intrusion_imitate)
SIMPLE(judge_by_silicon_rules)
SIMPLE(counterless_begin)

static const struct harness_injection rows[] = {
	{WRONG_SIGNATURE, WRONG_SIGNATURE "KERNEL:QUANTITY:DELTA",
	 "the kernel declares DELTA more of the quantity; DELTAN: per iteration", wrong_signature},
	{PROCESSOR, PROCESSOR "NUMBER:HOW[:TURN]",
	 "the processor misbehaves: HOW is faults, hangs, deaf or late", spoilt_processor},
	{RESET, RESET "PLACE[:STEP]",
	 "the machine is reset in a check (SUITE/CHECK), suite or stage of the run", ended_run},
	{TRIPLE_FAULT, TRIPLE_FAULT "PLACE[:STEP]", "likewise, by a triple fault", ended_run},
	{EXCEPTION, EXCEPTION "PLACE[:STEP]", "#UD is raised there", ended_run},
	{HANG, HANG "PLACE[:STEP]", "it goes on for ever there, with interrupts masked", ended_run},
	{"not-masked", "not-masked", "nothing is masked around windows", apply_masking_spoil},
	{"smi-gap", "smi-gap", "now and then a window takes longer, as if an SMI had come",
	 apply_intrusion_imitate},
	{"silicon-rules", "silicon-rules", "no fault: the virtual PMU is judged by silicon's rules",
	 apply_judge_by_silicon_rules},
	{"no-counters", "no-counters", "no fault: the virtual PMU is judged by what it records alone",
	 apply_counterless_begin},
	{NULL, NULL, NULL, NULL},
};

void inject_join(void)
{
	injections_join(rows);
}
