#include "tests/measure/crowd.h"

#include "pmu/virtual/vpmu.h"
#include "tests/measure/other_thread.h"

#include <stdio.h>
#include <string.h>

#define CROWD_MS 10000

static bool began(const struct crowd *c, unsigned i)
{
	return c->began[i / 64] >> i % 64 & 1;
}

unsigned crowd_open(struct crowd *c, struct run *run, const struct pmu_event *event, unsigned counter)
{
	const struct pmu *pmu = run->pmu;

	memset(c, 0, sizeof *c);
	c->run = run;
	c->event = event;
	c->apart.pmu = pmu;
	c->apart.counter = counter;
	c->apart.config = (struct pmu_config){.code = event->code,
					      .levels = LEVELS_ALL,
					      .extra_register = event->extra_register,
					      .extra_value = event->extra_value};
	c->job = (struct others_job){pmu_apart_begin, pmu_apart_end, &c->apart};
	c->n = others_count();
	if (pmu->virtual)
		c->n = vpmu_peers_open(c->n);
	return c->n;
}

void crowd_close(struct crowd *c)
{
	if (c->run->pmu->virtual)
		vpmu_peers_close();
	else
		others_rest();
}

/* Their code is that of the virtual CPU's, and is stepped as such. */
static void virtual_begin(void *arg)
{
	struct crowd *c = arg;

	for (unsigned i = 0; i < c->n; i++)
		if (began(c, i)) {
			vpmu_be_peer(i);
			pmu_apart_begin(&c->apart, i);
			vpmu_be_oneself();
			vpmu_peer_begin(i);
		}
}

static void virtual_end(void *arg)
{
	struct crowd *c = arg;

	for (unsigned i = 0; i < c->n; i++)
		if (began(c, i)) {
			c->turns[i] = vpmu_peer_end(i);
			vpmu_be_peer(i);
			pmu_apart_end(&c->apart, i);
			vpmu_be_oneself();
		}
}

bool crowd_begin(struct crowd *c, unsigned only, struct result *r)
{
	memset(c->began, 0, sizeof c->began);
	memset(c->turns, 0, sizeof c->turns);
	for (unsigned i = 0; i < c->n; i++)
		if (only == OTHERS_ALL || only == i)
			c->began[i / 64] |= 1ull << i % 64;
	if (c->run->pmu->virtual)
		return c->run->call(c->run, virtual_begin, c, CROWD_MS, r);
	if (others_begin(&c->job, only))
		return true;
	judgement_set(&r->judgement, VERDICT_ERROR, "no other processor answers");
	return false;
}

bool crowd_end(struct crowd *c, struct result *r)
{
	if (c->run->pmu->virtual)
		return c->run->call(c->run, virtual_end, c, CROWD_MS, r);
	for (unsigned i = 0; i < c->n; i++)
		if (began(c, i) && !others_end(i, &c->turns[i]))
			c->turns[i] = 0;
	return true;
}

bool crowd_counted(const struct crowd *c, unsigned i)
{
	return c->turns[i] && c->apart.of[i].good;
}

uint64_t crowd_beside_turns(const struct crowd *c, unsigned i)
{
	unsigned width = c->run->pmu->counter[c->apart.counter].width;

	return (c->apart.of[i].count - c->turns[i] * other_thread_turn(c->event, SECOND_CPU_PATIENT))
		       << (64 - width) >>
	       (64 - width);
}

void crowd_name(const struct crowd *c, unsigned i, char *out, size_t size)
{
	if (c->run->pmu->virtual)
		snprintf(out, size, "peer %u", i);
	else
		snprintf(out, size, "processor %u", others_number(i));
}
