/*
 * Short hands for tests that look at the NetBurst model's registers.
 */
#ifndef TESTS_SELF_HOST_NETBURST_MODEL_SHORTCUTS_H
#define TESTS_SELF_HOST_NETBURST_MODEL_SHORTCUTS_H

#include "pmu/netburst/events/events.h"
#include "pmu/netburst/netburst.h"
#include "pmu/netburst/model/uops.h"

#define MODEL netburst_model
#include "tests/self/host/support/model_shortcuts.h"

#define CCCR(c)    (MSR_NETBURST_CCCR0 + (c))
#define COUNTER(c) (MSR_NETBURST_COUNTER0 + (c))

static inline bool faults(uint32_t address)
{
	uint64_t value = 1;

	return model_rdmsr(&netburst_model, cpu, address, &value) == REGISTER_FAULT;
}

#define RINGS_T0 (ESCR_T0_OS | ESCR_T0_USR)
#define RINGS_T1 (ESCR_T1_OS | ESCR_T1_USR)
#define TOP      ((1ull << NETBURST_COUNTER_WIDTH) - 1)

static inline uint32_t escr(enum netburst_event_id e, unsigned mask, uint32_t rings)
{
	return (uint32_t)netburst_event[e].select << ESCR_EVENT_SHIFT | mask << ESCR_MASK_SHIFT | rings;
}

/* The CCCR that lets a counter listen to the event's ESCR, enabled. */
static inline uint32_t cccr(enum netburst_event_id e, uint32_t more)
{
	return CCCR_ENABLE | CCCR_THREAD_ANY | (uint32_t)netburst_event[e].escr_select << CCCR_SELECT_SHIFT |
	       more;
}

static inline void program(unsigned c, enum netburst_event_id e, unsigned mask, uint32_t rings, uint32_t more)
{
	unsigned second = !(netburst_escr[netburst_event[e].escr[0]].counters >> c & 1);

	set(netburst_escr[netburst_event[e].escr[second]].msr, escr(e, mask, rings));
	set(MSR_NETBURST_COUNTER0 + c, 0);
	set(MSR_NETBURST_CCCR0 + c, cccr(e, more));
}

static inline uint64_t value(unsigned c)
{
	return get(MSR_NETBURST_COUNTER0 + c);
}

static inline bool ovf(unsigned c)
{
	return get(MSR_NETBURST_CCCR0 + c) & CCCR_OVF;
}

static inline void advance(const struct step *s)
{
	netburst_model.advance(cpu, s);
}

/* A step of the given terms, in one cycle at least. */
static inline void step_with(const struct qterm *terms, unsigned n, uint8_t cpl)
{
	struct step s = {.terms = terms, .n_terms = n, .cycles = 1, .level = cpl};

	advance(&s);
}

static inline unsigned interrupts(void)
{
	unsigned n = 0;

	while (n < 100 && netburst_model.take_pmi(cpu))
		n++;
	return n;
}

static const struct qterm load[] = {{Q_INSTRUCTIONS, 1}, {Q_LOADS, 1}, {Q_INSN_LOAD, 1}};
static const struct qterm store[] = {{Q_INSTRUCTIONS, 1}, {Q_STORES, 1}, {Q_INSN_STORE, 1}};
static const struct qterm packed_sp[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_SSE, 1}, {Q_FP_128_SP, 1}};
static const struct qterm x87[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_X87, 1}, {Q_X87_OPS, 1}};

#endif
