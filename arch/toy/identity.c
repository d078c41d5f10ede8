/*
 * What the toy machine says of itself (arch/identity.h, presented.h, geometry.h): there is one kind of it,
 * and it has no caches. A virtual CPU is presented as what the machine is.
 */
#include "arch/geometry.h"
#include "arch/identity.h"
#include "arch/outcomes.h"
#include "arch/presented.h"
#include "arch/processors.h"

#include <stdio.h>
#include <string.h>

#define MODEL "eight instructions, interpreted"

const char *isa_name(void)
{
	return "toy";
}

unsigned identity_read(struct identity_pair *out, unsigned max)
{
	if (!max)
		return 0;
	out[0] = (struct identity_pair){.name = "model"};
	snprintf(out[0].value, sizeof out[0].value, MODEL);
	return 1;
}

void identity_name(char out[IDENTITY_NAME])
{
	snprintf(out, IDENTITY_NAME, "toy");
}

void identity_title(char out[IDENTITY_TITLE])
{
	snprintf(out, IDENTITY_TITLE, "toy");
}

void identity_details(identity_each *each, void *to)
{
	each(to, "model", MODEL);
}

bool identity_hypervisor(char name[IDENTITY_HYPERVISOR])
{
	name[0] = 0;
	return false;
}

void identity_survey(identity_each *each, void *to)
{
	each(to, "firmware", "none");
}

bool identity_emulated(void)
{
	return true;
}

/* --- a presented processor ------------------------------------------------------------------------------ */

bool identity_answer_is_one(const char *name)
{
	(void)name;
	return false;
}

bool identity_answer_add(const char *name, struct identity_answers *out)
{
	(void)name;
	(void)out;
	return false;
}

const char identity_answer_form[] = "nothing: this machine has one identity";

void identity_present(const void *identity, unsigned threads, const struct identity_answers *answers)
{
	(void)identity;
	(void)threads;
	(void)answers;
}

void identity_presented(identity_each *each, void *to)
{
	identity_details(each, to);
}

void identity_present_thread(unsigned thread)
{
	(void)thread;
}

/* --- caches, types of processors: there are none -------------------------------------------------------- */

bool identity_geometry(const void *identity, struct machine_geometry *g)
{
	(void)identity;
	(void)g;
	return false;
}

const quantity_number outcome_quantities[OUTCOMES] = {[0 ... OUTCOMES - 1] = Q_COUNT};

void processor_type_read(struct processor_type *out)
{
	*out = (struct processor_type){.kind = 0};
}

void processor_type_of(const void *identity, struct processor_type *out)
{
	(void)identity;
	processor_type_read(out);
}

bool processor_same_type(const struct processor_type *a, const struct processor_type *b)
{
	(void)a;
	(void)b;
	return true;
}

const char *processor_type_name(const struct processor_type *of, const struct processor_type *all, unsigned n)
{
	(void)of;
	(void)all;
	(void)n;
	return NULL;
}

uint8_t processor_cluster_bits(void)
{
	return 0;
}

uint8_t processor_thread_bits(void)
{
	return 0;
}
