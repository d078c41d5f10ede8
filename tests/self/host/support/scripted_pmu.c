#include "tests/self/host/support/scripted_pmu.h"
#include "tests/self/host/fake_kernels.h"
#include "tests/judge/attribution.h"
#include "tests/measure/pmi.h"
#include "tests/judge/truth.h"
#include "tests/kernels/services.h"
#include "tests/kernels/handled.h"

#include "arch/exceptions.h"
#include "arch/masking.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/smi.h"
#include "arch/step.h"
#include "arch/time.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define COUNTER_MASK ((UINT64_C(1) << SCRIPTED_WIDTH) - 1) /* the highest value of a plain counter */

struct scripted scripted;

/* --- kernels and events ----------------------------------------------------------------------------- */

FAKE_KERNEL(nop_loop, "nop_loop", KERNEL_CORE, FAKE_EXACT(INSTRUCTIONS, 12, 0), FAKE_EXACT(INSN_NOP, 10, 0),
	    FAKE_EXACT(BRANCHES, 1, 0), FAKE_RANGE(CYCLES, 1, 0, 1000, 1000),
	    FAKE_RANGE(L1D_LOAD_MISS, 0, 0, 1, 0), FAKE_RANGE(REF_CYCLES, 0, 0, 1000, 1000));
FAKE_KERNEL(loop, "loop", KERNEL_CORE, FAKE_EXACT(INSTRUCTIONS, 2, 0), FAKE_EXACT(BRANCHES, 1, 0),
	    FAKE_RANGE(CYCLES, 1, 0, 1000, 1000));

static const struct event_rule exceptions = {.text = "exceptions besides", .also = {{Q_EXCEPTIONS, 1}}};
static const struct pmu_event rows[] = {
	{.name = "I", .code = 'I', .fixed = -1, .terms = {{Q_INSTRUCTIONS, 1}}},
	{.name = "J",
	 .code = 'J',
	 .fixed = -1,
	 .terms = {{Q_INSTRUCTIONS, 1}, {Q_EXCEPTIONS, 1}},
	 .rule = &exceptions},
	{.name = "B", .code = 'B', .fixed = -1, .terms = {{Q_BRANCHES, 1}}},
	{.name = "C", .code = 'C', .fixed = -1, .judgement = EVENT_TIME, .terms = {{Q_CYCLES, 1}}},
	{.name = "R", .code = 'R', .fixed = -1, .judgement = EVENT_TIME, .terms = {{Q_REF_CYCLES, 1}}},
	{.name = "X", .code = 'X', .fixed = -1, .terms = {{Q_L1D_LOAD_MISS, 1}}},
};
#define ROWS (sizeof rows / sizeof rows[0])
static const struct pmu_event *offered[ROWS];

const struct pmu_event *scripted_event(char name)
{
	for (unsigned i = 0; i < ROWS; i++)
		if (rows[i].name[0] == name)
			return &rows[i];
	fail_msg("no event %c", name);
	return NULL;
}

/* --- the driver ------------------------------------------------------------------------------------- */

static struct pmu_config config[SCRIPTED_COUNTERS];
static uint64_t running, status;
static unsigned pending, refusable;
static const struct kernel *last_kernel; /* of the windows in a row */

static bool refused(enum scripted_access what, unsigned c)
{
	return scripted.refuse == what && scripted.refuse_counter == c && refusable++ >= scripted.refuse_from;
}

static bool reset(const struct pmu *pmu, const char **why)
{
	(void)pmu;
	*why = "resetting";
	scripted.resets++;
	scripted.programmed = running = status = 0;
	memset(scripted.value, 0, sizeof scripted.value);
	return !refused(SCRIPTED_RESET, scripted.refuse_counter);
}

static bool program(const struct pmu *pmu, unsigned c, const struct pmu_config *how)
{
	(void)pmu;
	if (refused(SCRIPTED_PROGRAM, c))
		return false;
	config[c] = *how;
	scripted.levels[c] = how->levels;
	scripted.codes[c] = (char)how->code;
	last_kernel = NULL;
	scripted.value[c] = 0;
	scripted.programmed |= UINT64_C(1) << c;
	scripted.programs++;
	return true;
}

static bool release(const struct pmu *pmu, unsigned c)
{
	(void)pmu;
	scripted.programmed &= ~(UINT64_C(1) << c);
	return !refused(SCRIPTED_RELEASE, c);
}

static bool start(const struct pmu *pmu, uint64_t mask)
{
	(void)pmu;
	running = mask;
	return !refused(SCRIPTED_START, scripted.refuse_counter);
}

static bool stop(const struct pmu *pmu)
{
	(void)pmu;
	running = 0;
	return !refused(SCRIPTED_STOP, scripted.refuse_counter);
}

static uint64_t seen(unsigned c)
{
	return scripted.reads_zero >> c & 1 ? 0 : scripted.value[c];
}

static bool read(const struct pmu *pmu, unsigned c, uint64_t *value)
{
	(void)pmu;
	*value = seen(c);
	return !refused(SCRIPTED_READ, c);
}

/* As the counter wraps. */
static uint64_t wrapped(unsigned c, int64_t value)
{
	int64_t values = (int64_t)scripted.wraps_behind[c] + 1, rest = value % values;

	return (uint64_t)(rest < 0 ? rest + values : rest);
}

static bool write(const struct pmu *pmu, unsigned c, uint64_t value)
{
	(void)pmu;
	scripted.value[c] = wrapped(c, (int64_t)(value & COUNTER_MASK)) &
			    ~(scripted.drops_bit_4 >> c & 1 ? UINT64_C(0x10) : 0);
	return !refused(SCRIPTED_WRITE, c);
}

static bool read_all(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX])
{
	(void)pmu;
	for (; mask; mask &= mask - 1) {
		unsigned c = (unsigned)__builtin_ctzll(mask);

		assert_in_range(c, 0, SCRIPTED_COUNTERS - 1);
		if (refused(SCRIPTED_READ, c))
			return false;
		out[c] = seen(c);
	}
	return true;
}

static bool overflowed(const struct pmu *pmu, uint64_t *mask)
{
	(void)pmu;
	*mask = status;
	return !refused(SCRIPTED_STATUS, scripted.refuse_counter);
}

static bool acknowledge(const struct pmu *pmu, uint64_t mask)
{
	(void)pmu;
	status &= ~(mask & ~scripted.sticky_status);
	return !refused(SCRIPTED_ACKNOWLEDGE, scripted.refuse_counter);
}

/* nop; nop; nop; wrmsr */
static const uint8_t start_code[] = {0x90, 0x90, 0x90, 0x0f, 0x30},
		     stop_code[] = {0x90, 0x90, 0x90, 0x0f, 0x30};
#define START_INSTRUCTIONS 4
/* rdpmc; nop; nop */
static const uint8_t read_code[] = {0x0f, 0x33, 0x90, 0x90};

static bool bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	(void)pmu;
	*out = (struct pmu_bracket){.start = start_code,
				    .start_end = start_code + sizeof start_code,
				    .stop = stop_code,
				    .stop_end = stop_code + sizeof stop_code,
				    .args = {mask},
				    .own = {{Q_INSTRUCTIONS, SCRIPTED_SHARE}}};
	return !refused(SCRIPTED_BRACKET, scripted.refuse_counter);
}

static bool bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out)
{
	(void)pmu;
	*out = (struct pmu_bracket){.start = read_code,
				    .start_end = read_code + sizeof read_code,
				    .stop = read_code,
				    .stop_end = read_code + sizeof read_code,
				    .args = {UINT64_C(1) << c},
				    .own = {{Q_INSTRUCTIONS, SCRIPTED_SHARE}},
				    .own_readings = 1};
	return true;
}

/* nop; nop; nop; nop; wrmsr */
static const uint8_t mixed_code[] = {0x90, 0x90, 0x90, 0x90, 0x0f, 0x30};
#define MIXED_SHARE 4

static bool bracket_mixed(const struct pmu *pmu, unsigned c, enum pmu_switch first, enum pmu_switch last,
			  struct pmu_bracket *out)
{
	(void)pmu;
	assert_int_equal(scripted.value[c], 0); /* it has just been programmed */
	*out = (struct pmu_bracket){.start = mixed_code,
				    .start_end = mixed_code + sizeof mixed_code,
				    .stop = mixed_code,
				    .stop_end = mixed_code + sizeof mixed_code,
				    .args = {UINT64_C(1) << c, first, last},
				    .own = {{Q_INSTRUCTIONS, MIXED_SHARE}}};
	return scripted.two_switches && !refused(SCRIPTED_MIXED, c);
}

static bool can_count(const struct pmu *pmu, const struct pmu_event *e, unsigned c)
{
	(void)pmu;
	return !(scripted.clocks >> c & 1) || e->judgement == EVENT_TIME;
}

static const struct pmu_driver driver = {
	.name = "scripted",
	.reset = reset,
	.program = program,
	.release = release,
	.start = start,
	.stop = stop,
	.read = read,
	.write = write,
	.read_all = read_all,
	.overflowed = overflowed,
	.acknowledge = acknowledge,
	.bracket_enable = bracket_enable,
	.bracket_read = bracket_read,
	.bracket_mixed = bracket_mixed,
	.switch_name = {"the main switch", "the side switch"},
	.can_count = can_count,
};

/* --- windows ---------------------------------------------------------------------------------------- */

struct pmu_bracket bracket_user = {.own = {{Q_INSTRUCTIONS, 3}, {Q_BRANCHES, 1}}};

static struct window composed;
static struct pmu_bracket composed_bracket;
static uint8_t data[64];

const void *window_compose(const struct window *w)
{
	composed = *w;
	composed_bracket = *w->bracket;
	return &composed;
}

uint8_t *window_data(void)
{
	return data;
}

static bool counts_instructions(unsigned c)
{
	return config[c].code == 'I';
}

/* In a ring where the counter counts: the signature and the bracket. Clocks tick once for each instruction.
 */
static int64_t declared(unsigned c, const struct window *w, uint64_t n)
{
	const struct pmu_event *e = scripted_event((char)config[c].code);
	enum quantity q = e->judgement == EVENT_TIME ? Q_INSTRUCTIONS : e->terms[0].quantity;
	const struct pmu_event counted = {.terms = {{q, 1}}};

	return kernel_amount(w->kernel, q, n).low + bracket_share(w->bracket, &counted);
}

static void add(unsigned c, int64_t amount)
{
	uint64_t bit = UINT64_C(1) << c, before = scripted.value[c];

	scripted.value[c] = wrapped(c, (int64_t)before + amount);
	if (amount <= 0 || scripted.value[c] >= before)
		return;
	if (!(scripted.no_status & bit))
		status |= bit;
	if (config[c].interrupt && !(scripted.no_interrupt & bit))
		pending += scripted.two_interrupts & bit ? 2 : 1;
}

static bool start_is_doubled(const struct window *w)
{
	return w->bracket->start && w->bracket->start_end - w->bracket->start == 2 * sizeof start_code;
}

/* Reads itself as the code of shares_learn.c does: one instruction behind the start. */
static void read_inside(unsigned c, uint64_t n)
{
	uint64_t value = scripted.value[c] + 1 + (scripted.counts_start >> c & 1) +
			 (scripted.rdpmc_sees_itself >> c & 1) - (scripted.rdpmc_lags >> c & 1) +
			 (scripted.rdpmc_shakes >> c & 1 ? scripted.windows_read % 2 : 0);

	assert_int_equal(n, scripted.pmu.counter[c].selector);
	memcpy(data, &value, sizeof value);
	scripted.windows_read++;
}

static bool is_mixed(const struct window *w)
{
	return w->bracket->start == mixed_code;
}

/* What the two writes of a window count, by the switches that they turn. */
static int64_t counted_writes(unsigned c, const struct window *w)
{
	bool other_start = is_mixed(w) && w->bracket->args[1] == SWITCH_OTHER,
	     other_stop = is_mixed(w) && w->bracket->args[2] == SWITCH_OTHER;
	uint64_t first = other_start ? scripted.counts_other_start : scripted.counts_start,
		 last = other_stop ? scripted.counts_other_stop : scripted.counts_stop;
	int64_t shaken = is_mixed(w) && scripted.mixes_shake >> c & 1 ? scripted.windows_mixed % 2 : 0;

	return (first >> c & 1) + (last >> c & 1) + shaken;
}

static uint64_t count(unsigned c, const struct scripted_window *at, bool enabled_inside)
{
	const struct window *w = at->w;
	uint64_t bit = UINT64_C(1) << c;
	uint8_t here = w->level ? LEVELS_USER : LEVELS_SYSTEM;
	int64_t amount = 0;

	if (config[c].levels & here && !(scripted.never_ticks & bit)) {
		amount = declared(c, w, at->n);
		if (counts_instructions(c) && enabled_inside) {
			amount += counted_writes(c, w);
			if (start_is_doubled(w))
				amount += START_INSTRUCTIONS - 1 + scripted.running_write[c];
		}
		if (counts_instructions(c) && w->bracket->own_readings)
			amount += scripted.rdpmc[c] - 1;
		if (scripted.beyond)
			amount += scripted.beyond(c, at);
	}
	if (!strcmp(w->kernel->name, "RDPMC"))
		read_inside(c, at->n);
	add(c, amount);
	return wrapped(c, amount);
}

uint64_t window_run(const void *entry, const struct window *w, uint64_t n)
{
	static struct scripted_window at;
	bool inside = w->bracket->start == start_code || start_is_doubled(w) || is_mixed(w);
	uint64_t mask = inside ? w->bracket->args[0] : running, rax = 0;

	assert_ptr_equal(entry, &composed);
	assert_memory_equal(&composed_bracket, w->bracket, sizeof composed_bracket);
	if (!inside)
		assert_true(running);
	at.of_kernel = last_kernel == w->kernel && at.n == n ? at.of_kernel + 1 : 0;
	at.w = w;
	at.n = n;
	at.number = scripted.windows++;
	last_kernel = w->kernel;
	scripted.windows_mixed += is_mixed(w);
	for (unsigned i = 0; i < SHARE_LENGTHS; i++)
		scripted.windows_of[i] += w->kernel == share_kernel(i);
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++)
		if (mask & scripted.programmed & UINT64_C(1) << c)
			rax = count(c, &at, inside);
	if (scripted.during)
		scripted.during(&at);
	return rax;
}

const char *kernel_unfit(const struct kernel *k, uint8_t ring)
{
	if (!scripted.by_ring)
		return NULL;
	return ring && k->flags & KERNEL_PRIVILEGED   ? "privileged instructions"
	       : !ring && k->flags & KERNEL_USER_ONLY ? "for ring 3 only"
						      : NULL;
}

bool ground_truth(const struct kernel *k, uint8_t ring, uint64_t n, enum transaction_outcome outcome,
		  struct qvec *out, struct result *r)
{
	(void)k, (void)ring, (void)n, (void)outcome, (void)r;
	memset(out, 0, sizeof *out);
	return true;
}

void truth_check(const struct kernel *k, uint8_t ring, uint64_t n, struct result *r)
{
	(void)ring, (void)n;
	r->kernel = k->name;
	if (scripted.untrue && !strcmp(k->name, scripted.untrue))
		judgement_set(&r->judgement, VERDICT_ERROR, "its signature does not hold");
}

void oracle_hypervisor_exits(struct oracle_hypervisor_exits *only)
{
	(void)only;
}

bool kernel_leaves_level(const struct kernel *k)
{
	(void)k;
	return scripted.handled != 0;
}

struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n)
{
	(void)k, (void)q, (void)n;
	return (struct amount){.defined = true, .low = scripted.handled, .high = scripted.handled};
}

uint64_t chain_round(const struct kernel *k)
{
	(void)k;
	return 0;
}

void vpmu_cool(void)
{
	scripted.cools++;
}

void attribution_measure(struct run *run, const struct kernel *k)
{
	(void)run, (void)k;
	scripted.attributions++;
}

/* --- the machine ------------------------------------------------------------------------------------ */

void step_pause(void)
{
}

void step_resume(void)
{
}

void trap_set_context(const char *description)
{
	(void)description;
}

unsigned trap_strays(void)
{
	return scripted.strays;
}

unsigned watchdog_ticks(void)
{
	return scripted.ticks;
}

uint64_t clock_hz(void)
{
	return UINT64_C(1) << 62; /* no window is long */
}

uint64_t clock_read(void)
{
	static uint64_t ticks;

	return ++ticks + scripted.passed;
}

bool overflow_present(unsigned line)
{
	return line == OVERFLOW_COUNTERS;
}

void masking_begin(bool keep_overflow)
{
	(void)keep_overflow;
}

void masking_end(void)
{
}

/* Coffee Lake: it counts SMIs, and has IA32_PERF_CAPABILITIES. */
struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	(void)subleaf;
	if (leaf == 0)
		return (struct cpuid_regs){0x16, 0x756e6547, 0x6c65746e, 0x49656e69};
	return (struct cpuid_regs){.eax = 0x000906ea, .ecx = 1u << 15};
}

bool msr_read(uint32_t address, uint64_t *value)
{
	*value = 0;
	switch (address) {
	case MSR_SMI_COUNT:
		*value = scripted.smis;
		return !scripted.no_smi_counter;
	case 0x345:
		*value = scripted.freezes ? 1u << 12 : 0;
		return true;
	case 0x1d9:
		*value = scripted.debugctl;
		return true;
	default:
		return false;
	}
}

bool msr_write(uint32_t address, uint64_t value)
{
	assert_int_equal(address, 0x1d9);
	scripted.debugctl = value;
	return true;
}

static struct pmi *claimed;

void pmi_claim(struct pmi *p, const struct pmu *pmu)
{
	*p = (struct pmi){.pmu = pmu};
	claimed = p;
}

void pmi_unclaim(void)
{
	claimed = NULL;
}

void pmi_arm(struct pmi *p, enum overflow_way way)
{
	(void)way;
	p->maskable = pending = 0;
}

void interrupts_drain(void)
{
	assert_non_null(claimed);
	claimed->maskable += pending;
	pending = 0;
}

/* --- the run ---------------------------------------------------------------------------------------- */

static bool call(struct run *run, void (*fn)(void *), void *arg, unsigned ms, struct result *r)
{
	(void)run, (void)ms;
	if (scripted.call_fails) {
		if (r)
			judgement_set(&r->judgement, VERDICT_ERROR, "it was ended");
		return false;
	}
	fn(arg);
	return true;
}

static void report(struct run *run, const struct result *r)
{
	unsigned i = scripted.n_results++;

	(void)run;
	assert_true(i < SCRIPTED_RESULTS);
	snprintf(scripted.result[i].name, sizeof scripted.result[i].name, "%s", r->name);
	snprintf(scripted.result[i].event, sizeof scripted.result[i].event, "%s", r->event ? r->event : "");
	snprintf(scripted.result[i].text, sizeof scripted.result[i].text, "%s", r->judgement.text);
	scripted.result[i].verdict = r->judgement.verdict;
}

static void fact(struct run *run, const char *suite, const char *name, const char *text)
{
	(void)run;
	assert_true(scripted.n_facts < SCRIPTED_FACTS);
	snprintf(scripted.fact[scripted.n_facts++], sizeof scripted.fact[0], "%s: %s: %s", suite, name, text);
}

static void value(struct run *run, const char *suite, const char *name, const char *text, const char *unit)
{
	char line[400];

	snprintf(line, sizeof line, "%s %s", text, unit);
	fact(run, suite, name, line);
}

static void share(struct run *run, const struct share_report *s)
{
	(void)run, (void)s;
	scripted.n_shares++;
}

void scripted_start(const char *events)
{
	struct pmu *pmu = &scripted.pmu;

	scripted = (struct scripted){0};
	running = status = 0;
	pending = refusable = 0;
	claimed = NULL;
	memset(config, 0, sizeof config);
	pmu->driver = &driver;
	pmu->n_counters = pmu->n_general = SCRIPTED_COUNTERS;
	pmu->events = offered;
	pmu->joint = pmu->has_global = pmu->has_pmi = true;
	pmu->virtual = pmu->deterministic = true;
	for (unsigned c = 0; c < SCRIPTED_COUNTERS; c++) {
		struct pmu_counter *k = &pmu->counter[c];

		snprintf(k->name, sizeof k->name, "PMC%u", c);
		k->index = (uint8_t)c;
		k->width = k->write_width = SCRIPTED_WIDTH;
		k->has_status = k->has_interrupt = true;
		k->selector = 0x40 + c;
		scripted.running_write[c] = scripted.rdpmc[c] = 1;
		scripted.wraps_behind[c] = COUNTER_MASK;
	}
	for (; *events; events++)
		offered[pmu->n_events++] = scripted_event(*events);
	scripted.run = (struct run){.options = &scripted.options,
				    .pmu = pmu,
				    .call = call,
				    .report = report,
				    .value = value,
				    .detail = value,
				    .fact = fact,
				    .share = share};
	shares_forget();
}

void scripted_wrap(unsigned c, uint64_t highest, bool told)
{
	scripted.wraps_behind[c] = highest;
	if (told)
		scripted.pmu.counter[c].highest = highest;
}

unsigned scripted_result(const char *name)
{
	unsigned found = 0, at = 0;

	for (unsigned i = 0; i < scripted.n_results; i++)
		if (strstr(scripted.result[i].name, name)) {
			at = i;
			found++;
		}
	if (found != 1)
		fail_msg("%u results are called %s", found, name);
	return at;
}

unsigned scripted_facts(const char *text)
{
	unsigned n = 0;

	for (unsigned i = 0; i < scripted.n_facts; i++)
		n += strstr(scripted.fact[i], text) != NULL;
	return n;
}
