/*
 * What checks of a family's own control logic do with the core's other logical processor:
 * pmu/contract/control.h.
 */
#include "tests/suites/control.h"

#include "pmu/contract/control.h"
#include "tests/measure/other_thread.h"

static void other_write(struct control_fixture *h, enum register_space space, uint64_t number, uint64_t value)
{
	struct register_access a = {.space = (uint8_t)space, .write = true, .number = number, .value = value};

	h->works(h, "writing a register of the other logical processor", other_thread_access(h->pmu, &a));
}

static uint64_t other_read(struct control_fixture *h, enum register_space space, uint64_t number)
{
	struct register_access a = {.space = (uint8_t)space, .number = number};

	h->works(h, "reading a register of the other logical processor", other_thread_access(h->pmu, &a));
	return a.value;
}

static enum second_cpu_loop loop_of(bool far)
{
	return far ? SECOND_CPU_FAR : SECOND_CPU_PLAIN;
}

static bool other_begins(struct control_fixture *h, const struct control_other *o)
{
	struct register_access start = {
		.space = (uint8_t)o->space, .write = true, .number = o->number, .value = o->start};
	struct register_access stop = start;

	stop.value = o->stop;
	return h->works(h, "starting the other logical processor",
			other_thread_begin(h->pmu, loop_of(o->far), &start, &stop));
}

static uint64_t other_ends(struct control_fixture *h)
{
	uint64_t turns = 0;

	h->works(h, "stopping the other logical processor", other_thread_end(h->pmu, &turns));
	return turns;
}

static uint64_t run_beside(struct control_fixture *h, uint64_t mask, const struct control_other *other)
{
	struct probe *p = control_probe(h);
	struct window w = {.kernel = p->kernel, .bracket = &p->bracket};
	uint64_t turns = 0;
	const void *entry;

	if (!h->works(h, "starting and stopping", h->pmu->driver->bracket_enable(h->pmu, mask, &p->bracket)))
		return 0;
	/* Nothing but the window while it counts: an SMI that comes then is one that the check has to repeat.
	 */
	entry = window_compose(&w);
	if (h->works(h, "placing the kernel", entry) && other_begins(h, other)) {
		window_run(entry, &w, CONTROL_N);
		turns = other_ends(h);
	}
	return turns;
}

static uint64_t run_around(struct control_fixture *h, uint64_t mask, const struct control_other *other,
			   unsigned times)
{
	struct window w = {.kernel = control_probe(h)->kernel};
	const void *entry = window_compose(&w);
	uint64_t turns = 0;

	if (!h->works(h, "placing the kernel", entry) ||
	    !h->works(h, "starting", h->pmu->driver->start(h->pmu, mask)))
		return 0;
	if (other_begins(h, other)) {
		for (unsigned i = 0; i < times; i++)
			window_run(entry, &w, CONTROL_N);
		turns = other_ends(h);
	}
	h->works(h, "stopping", h->pmu->driver->stop(h->pmu));
	return turns;
}

static uint64_t turn(struct control_fixture *h, const struct pmu_event *e, bool far)
{
	(void)h;
	return other_thread_turn(e, loop_of(far));
}

void control_give_other(struct control_fixture *h)
{
	h->other_write = other_write;
	h->other_read = other_read;
	h->run_beside = run_beside;
	h->run_around = run_around;
	h->other_begin = other_begins;
	h->other_end = other_ends;
	h->turn = turn;
}
