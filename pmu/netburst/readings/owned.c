#include "tests/self/host/support/owned.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/parts.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/netburst/netburst.h"

static struct netburst_use was;

/* Overflow status is a bit of each CCCR. */
static void scramble(uint64_t random)
{
	for (unsigned c = 0; c < NETBURST_COUNTERS; c++) {
		uint64_t cccr = 0;

		msr_read(MSR_NETBURST_CCCR0 + c, &cccr);
		msr_write(MSR_NETBURST_CCCR0 + c,
			  (cccr & ~(uint64_t)CCCR_OVF) | (random >> c & 1 ? CCCR_OVF : 0));
	}
}

static bool rare(const struct pmu_event *e)
{
	return netburst_code_recipe(e->code);
}

static void before(const struct pmu *pmu, unsigned c, const struct pmu_config *first,
		   const struct pmu_config *config)
{
	(void)first, (void)config;
	was = netburst_use(pmu)[c];
}

static void own_escr(uint8_t escr, owner *own)
{
	if (escr != ESCR_NONE)
		own(netburst_escr[escr].msr, ~0ull);
}

static void own_use(const struct netburst_use *u, owner *own)
{
	if (!u->used)
		return;
	own_escr(u->escr, own);
	own_escr(u->source, own);
	if (u->helper != NETBURST_NOBODY) {
		own(MSR_NETBURST_CCCR0 + u->helper, ~0ull);
		own(MSR_NETBURST_COUNTER0 + u->helper, ~0ull);
	}
	if (u->replay) {
		own(MSR_PEBS_ENABLE, ~0ull);
		own(MSR_PEBS_MATRIX_VERT, ~0ull);
	}
}

static void owns(const struct pmu *pmu, enum driver_op op, unsigned c, const struct pmu_config *config,
		 owner *own)
{
	const struct netburst_use *u = &netburst_use(pmu)[c];

	(void)config;
	if (op == PROGRAM || op == RELEASE)
		own(MSR_NETBURST_CCCR0 + c,
		    op == PROGRAM ? ~0ull : ~(uint64_t)CCCR_OVF); /* an overflow stays to be seen */
	if (op == PROGRAM || op == WRITE)
		own(MSR_NETBURST_COUNTER0 + c, ~0ull);
	if (op == PROGRAM || op == RELEASE)
		own_use(&was, own);
	if (op == PROGRAM)
		own_use(u, own);
	if (op == START || op == STOP) {
		own(MSR_NETBURST_CCCR0 + c, op == STOP || !u->waits ? CCCR_ENABLE : 0);
		own_escr(u->escr, own);
	}
	if (op == ACKNOWLEDGE)
		own(MSR_NETBURST_CCCR0 + c, CCCR_OVF);
}

/* SDM 18.15.3, figure 18-32, and 18.16.2; the event's code has the ESCR in its upper half and the recipe's
 * number in its lowest bits. The ESCR's rings are set only to start it. */
static uint64_t selector(const struct pmu *pmu, unsigned c, const struct pmu_config *config)
{
	bool compares = config->edge || config->invert || config->cmask ||
			config->code & (0xfu << 20 | 1u << 19 | 1u << 24);
	uint64_t escr = config->code >> 32, cccr = config->code & 0xfffff800;

	/* A tag has a colour for each ESCR that tags: 18.15.6.2. */
	if (netburst_use(pmu)[c].recipe && netburst_use(pmu)[c].source != ESCR_NONE)
		escr = (escr & ~(0xffffull << 9)) |
		       (uint64_t)netburst_count_mask(netburst_use(pmu)[c].recipe, netburst_use(pmu)[c].source)
			       << 9;
	cccr |= (uint64_t)compares << 18 | (uint64_t)config->invert << 19 |
		(uint64_t)(config->cmask & 15) << 20 | (uint64_t)config->edge << 24 |
		(uint64_t)config->interrupt << (netburst_cpu(pmu)->thread ? 27 : 26);
	return cccr | escr << 32;
}

static uint64_t selected(const struct pmu *pmu, unsigned c)
{
	uint64_t cccr = 0, escr = 0;

	msr_read(0x360 + c, &cccr);
	msr_read(netburst_escr[netburst_use(pmu)[c].escr].msr, &escr);
	return cccr | escr << 32;
}

static void record_owns(const struct pmu *pmu, enum record_op_of_driver op, const struct pmu_recording *r,
			owner *own)
{
	const uint32_t trace =
		DEBUGCTLA_TR | DEBUGCTLA_BTS | DEBUGCTLA_BTINT | DEBUGCTLA_BTS_OFF_OS | DEBUGCTLA_BTS_OFF_USR;
	bool set = op == RECORD_SETUP || op == RECORD_RELEASE,
	     joint = MODELS_0_TO_2 >> netburst_cpu(pmu)->model & 1;

	if (set && r->source->kind != RECORD_LAST_BRANCHES)
		own(MSR_DS_AREA, ~0ull);
	if (r->source->kind == RECORD_BRANCH_TRACE) {
		own(MSR_DEBUGCTLA, trace);
	} else if (r->source->kind == RECORD_PRECISE) {
		owns(pmu,
		     op == RECORD_SETUP     ? PROGRAM
		     : op == RECORD_RELEASE ? RELEASE
		     : op == RECORD_START   ? START
					    : STOP,
		     r->counter, &r->config, own);
		if (!set)
			return;
		own(MSR_PEBS_ENABLE, PEBS_ENABLE_MINE);
		own(MSR_NETBURST_CCCR0 + r->counter, CCCR_OVF);
		own(MSR_NETBURST_COUNTER0 + r->counter, ~0ull);
	} else {
		own(MSR_DEBUGCTLA, DEBUGCTLA_LBR);
		for (unsigned i = 0; set && i < (joint ? 4u : 16u); i++) {
			own((joint ? MSR_LASTBRANCH_0 : MSR_LASTBRANCH_FROM_0) + i, ~0ull);
			if (!joint)
				own(MSR_LASTBRANCH_TO_0 + i, ~0ull);
		}
	}
}

static uint64_t stays(const struct pmu *pmu, uint32_t address)
{
	(void)pmu;
	switch (address) {
	case MSR_DEBUGCTLA:
		return DEBUGCTLA_BTF; /* single-stepping on branches is not the PMU's */
	case MSR_MISC_ENABLE:         /* the firmware's and the system's */
	case MSR_TC_PRECISE_EVENT:    /* tags what nothing counts */
	case MSR_LER_FROM_LIP:
	case MSR_LER_TO_LIP:
	case MSR_LASTBRANCH_TOS:
		return ~0ull;
	default: /* recording clears the stack of branches */
		return address - MSR_LASTBRANCH_0 < 4 || address - MSR_LASTBRANCH_FROM_0 < 16 ||
				       address - MSR_LASTBRANCH_TO_0 < 16
			       ? ~0ull
			       : 0;
	}
}

/* A debug store that is in use is another recording's. */
static const uint32_t in_use[] = {MSR_DS_AREA, 0};

const struct ownership netburst_family_owned = {
	.driver = &netburst_driver,
	.scramble = scramble,
	.rare = rare,
	.before = before,
	.owns = owns,
	.selector = selector,
	.selected = selected,
	.kept_at_release = CCCR_OVF,
	.record_owns = record_owns,
	.stays = stays,
	.in_use = in_use,
	.two_switches = true, /* CCCR and ESCR */
};
