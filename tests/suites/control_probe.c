#include "tests/suites/control.h"
#include "tests/measure/pass.h"
#include "pmu/contract/counter_values.h"

#include "arch/levels.h"
#include "arch/step.h"

bool must_be(struct probe *p, const char *what, uint64_t expected, uint64_t observed)
{
	if (p->failed || p->refused)
		return false;
	p->compared++;
	p->what = what;
	p->expected = expected;
	p->observed = observed;
	p->failed = expected != observed;
	return !p->failed;
}

bool must_work(struct probe *p, const char *what, bool done)
{
	if (p->failed || p->refused)
		return false;
	if (!done)
		p->refused = what;
	return done;
}

static bool is_clock(const struct pmu_event *e)
{
	return e->judgement != EVENT_EXACT;
}

int64_t probe_share(const struct probe *p, unsigned c, const struct pmu_event *e, uint8_t level)
{
	const struct slot slot = pass_slot(e, c, level ? LEVELS_USER : LEVELS_ALL);
	const struct share_place at = {.pmu = p->pmu,
				       .event = e,
				       .config = &slot.config,
				       .counter = (uint8_t)c,
				       .mechanism = level                     ? MECHANISM_USER
						    : p->bracket.own_readings ? MECHANISM_READ
									      : MECHANISM_WRITE,
				       .bracket = level ? &bracket_user : &p->bracket};

	return share_of(&at);
}

uint64_t moves_by(const struct probe *p, unsigned c, const struct pmu_event *e, uint8_t level)
{
	struct expectation x;
	uint64_t moves = 1;

	step_pause();
	if (!is_clock(e) && !expectation(e, p->kernel, CONTROL_N, &x))
		moves = x.low + probe_share(p, c, e, level);
	step_resume();
	return moves;
}

uint64_t moved(const struct probe *p, const struct pmu_event *e, unsigned c, uint64_t from, uint64_t to)
{
	uint64_t difference = counter_moved(&p->pmu->counter[c], from, to);

	return is_clock(e) ? difference != 0 : difference;
}

bool prepare(struct probe *p, unsigned c, const struct pmu_event *e, unsigned levels, bool interrupt,
	     uint64_t first)
{
	struct pmu_config config = {.code = e->code, .levels = levels, .interrupt = interrupt};

	return must_work(p, "programming a counter", p->pmu->driver->program(p->pmu, c, &config)) &&
	       must_work(p, "writing a counter", p->pmu->driver->write(p->pmu, c, first));
}

uint64_t value_of(struct probe *p, unsigned c)
{
	uint64_t value = 0;

	must_work(p, "reading a counter", p->pmu->driver->read(p->pmu, c, &value));
	return value;
}

uint64_t status_of(struct probe *p)
{
	uint64_t mask = 0;

	must_work(p, "reading the overflow status", p->pmu->driver->overflowed(p->pmu, &mask));
	return mask;
}

static void run_window(struct probe *p, const struct window *w, uint64_t n)
{
	const void *entry = window_compose(w);

	if (must_work(p, "placing the kernel", entry))
		window_run(entry, w, n);
}

void run_counting_for(struct probe *p, uint64_t mask, uint64_t n)
{
	struct window w = {.kernel = p->kernel, .bracket = &p->bracket};

	if (must_work(p, "starting and stopping", p->pmu->driver->bracket_enable(p->pmu, mask, &p->bracket)))
		run_window(p, &w, n);
}

void run_counting(struct probe *p, uint64_t mask)
{
	run_counting_for(p, mask, CONTROL_N);
}

void run_counting_outside(struct probe *p, uint64_t mask, uint8_t level, uint64_t n)
{
	struct window w = {.kernel = p->kernel, .level = level};
	const void *entry = window_compose(&w);

	if (!must_work(p, "placing the kernel", entry) ||
	    !must_work(p, "starting", p->pmu->driver->start(p->pmu, mask)))
		return;
	window_run(entry, &w, n);
	must_work(p, "stopping", p->pmu->driver->stop(p->pmu));
}

void control_read_user(struct probe *p, unsigned c, uint64_t *count)
{
	struct pmu_bracket b;
	struct window w = {.kernel = p->kernel, .bracket = &b, .level = (uint8_t)level_user()};
	const void *entry;

	if (!must_work(p, "a bracket that reads counters", p->pmu->driver->bracket_read(p->pmu, c, &b)))
		return;
	p->bracket = b;
	entry = window_compose(&w);
	if (!must_work(p, "placing the kernel", entry) ||
	    !must_work(p, "starting", p->pmu->driver->start(p->pmu, counter_bit(c))))
		return;
	*count = window_run(entry, &w, CONTROL_N);
	must_work(p, "stopping", p->pmu->driver->stop(p->pmu));
}

void run_idle(struct probe *p)
{
	struct window w = {.kernel = p->kernel};

	run_window(p, &w, CONTROL_N);
}

uint64_t as_written(const struct pmu *pmu, unsigned c, uint64_t value)
{
	unsigned width = pmu->counter[c].width, kept = pmu->counter[c].write_width;
	bool sign = value >> (kept - 1) & 1;

	value &= low_bits(kept);
	if (sign)
		value |= ~low_bits(kept);
	return value & low_bits(width);
}
