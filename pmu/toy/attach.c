/*
 * The toy machine's PMU is the model, attached to the machine as a device: what pmu/virtual/vpmu.h promises,
 * without a step engine between them.
 */
#include "pmu/toy/toy.h"

#include "arch/toy/cpu.h"
#include "pmu/virtual/injections.h"
#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <stdlib.h>

static struct {
	const struct model_profile *profile;
	struct model_injected injected;
	void *state;
} attached;

static enum register_answer access_register(void *state, struct register_access *a)
{
	return attached.profile->model->access(state, a);
}

static void step(void *state, const struct step *s)
{
	attached.profile->model->advance(state, s);
}

static bool take_request(void *state)
{
	return attached.profile->model->take_pmi(state);
}

static struct toy_device device = {.access = access_register, .step = step, .take_request = take_request};

/* What breaks the virtual PMU, and not the model, breaks nothing here. */
static bool take_injections(const struct model_profile *p, const char *list, struct model_injected *out,
			    const char **why)
{
	static char reason[INJECTION_REASON];
	struct injections known;

	*why = reason;
	if (!injections_parse(p->model, list, &known, reason))
		return false;
	*out = known.model;
	for (unsigned owner = 0; owner < INJECTION_MODEL; owner++)
		if (known.faults[owner]) {
			snprintf(reason, sizeof reason, "the toy machine has no faults of the %s",
				 injection_owner_names[owner]);
			return false;
		}
	return true;
}

bool vpmu_knows(const char *profile, const char *inject, const char **why)
{
	const struct model_profile *p = model_profile_by_name(profile);
	struct model_injected ignored;

	if (p)
		return take_injections(p, inject, &ignored, why);
	*why = "there is no such virtual CPU";
	return false;
}

bool vpmu_create(const char *profile, const char *inject, const char **why)
{
	const struct model_profile *p = model_profile_by_name(profile);
	void *state;

	if (!vpmu_knows(profile, inject, why))
		return false;
	state = calloc(1, p->model->state_size);
	if (!state) {
		*why = "there is no memory for the model's state";
		return false;
	}
	free(attached.state);
	attached.profile = p;
	attached.state = state;
	take_injections(p, inject, &attached.injected, why);
	vpmu_power_up();
	device.ctx = state;
	toy_attach(&device);
	return true;
}

void vpmu_forget(void)
{
	toy_attach(NULL);
	free(attached.state);
	attached.state = NULL;
	attached.profile = NULL;
}

void vpmu_power_up(void)
{
	attached.profile->model->reset(attached.state, attached.profile, &attached.injected);
}

const struct model_profile *vpmu_profile(void)
{
	return attached.profile;
}

/* Caches there are none. */
void vpmu_cool(void)
{
}

unsigned vpmu_threads(void)
{
	return 1;
}

bool vpmu_place(unsigned thread, enum vpmu_sibling sibling)
{
	return thread == 0 && sibling == SIBLING_HALTED;
}

unsigned vpmu_sibling_interrupts(void)
{
	return 0;
}

void vpmu_call(void (*fn)(void *), void *arg)
{
	fn(arg);
}
