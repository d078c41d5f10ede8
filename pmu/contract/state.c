#include "pmu/contract/state.h"
#include "pmu/contract/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop(struct pmu_state *state)
{
	if (!state)
		return;
	free(state->source);
	free(state->rows);
	free(state->family);
	free(state);
}

void *pmu_begin(struct pmu *pmu, const struct pmu_driver *driver, const char **why)
{
	struct pmu_state *state = pmu->state;
	void *family = NULL;

	if (!state)
		state = calloc(1, sizeof *state);
	if (state && state->driver == driver)
		family = state->family;
	else if (state)
		free(state->family);
	if (state && !family)
		family = malloc(driver->state_size ? driver->state_size : 1);
	memset(pmu, 0, sizeof *pmu);
	if (state && !state->source)
		state->source = calloc(RECORD_KINDS, sizeof *state->source);
	if (!family || !state->source) {
		free(family);
		if (state)
			state->family = NULL;
		drop(state);
		*why = "not enough memory for the state of a PMU";
		return NULL;
	}
	*state = (struct pmu_state){.driver = driver,
				    .family = family,
				    .source = state->source,
				    .rows = state->rows,
				    .rows_size = state->rows_size};
	memset(family, 0, driver->state_size);
	pmu->state = state;
	return family;
}

void *pmu_rows(struct pmu *pmu, size_t size)
{
	struct pmu_state *state = pmu->state;

	if (size > state->rows_size) {
		free(state->rows);
		state->rows = malloc(size);
		state->rows_size = state->rows ? size : 0;
	}
	if (!state->rows)
		pmu_remark(pmu,
			   "not enough memory for the list of events: none is judged; free memory or use a "
			   "bigger machine");
	return state->rows;
}

void pmu_forget(struct pmu *pmu)
{
	drop(pmu->state);
	memset(pmu, 0, sizeof *pmu);
}

const char *pmu_reason(const struct pmu *pmu, const char *format, ...)
{
	char reason[PMU_REASON_SIZE]; /* what it is made of may be the reason before it */
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	return memcpy(pmu->state->reason, reason, sizeof reason);
}
