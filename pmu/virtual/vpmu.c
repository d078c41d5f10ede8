#include "pmu/virtual/vpmu.h"

#include "arch/breadcrumbs.h"
#include "arch/levels.h"
#include "arch/outcomes.h"
#include "arch/overflow.h"
#include "arch/presented.h"
#include "arch/step.h"
#include "arch/watchdog.h"
#include "pmu/virtual/hypervisor_exits.h"
#include "pmu/virtual/injections.h"
#include "pmu/virtual/machine_model.h"
#include "pmu/contract/pmu.h"
#include "pmu/virtual/premises.h"
#include "pmu/virtual/peers.h"
#include "pmu/virtual/sibling.h"
#include "pmu/virtual/step_faults.h"
#include "pmu/virtual/vpmu_memo.h"

#include <stdlib.h>
#include <string.h>

#define PMIS_PER_STEP 4

static struct step_client vpmu_client;

static struct {
	const struct model_profile *profile;
	const struct pmu_model *model;
	void *state;
	void *before;      /* room for another such, see count_start_by_some() */
	bool active;       /* model->counting() or ->recording(), as of the last write */
	bool recording;    /* model->recording(), likewise */
	bool vectors;      /* model->shows_vectors(), likewise */
	bool own_write;    /* the instruction now retiring is a write that the model has carried out ... */
	bool was_idle;     /* ... and the model was not active before it */
	struct memo *memo; /* of each shape of steps */
	struct machine_memo machine_memo[MACHINE_MEMOS];
	uint32_t epoch;
	struct uarch *machine;
	quantity_number given[MACHINE_QUANTITIES]; /* by the machine model */
	unsigned n_given;
	bool splits;       /* something counts accesses across lines or pages */
	bool machine_runs; /* something counts what it gives */
	bool quick;        /* a shape's memo is all that there is to know of a retirement */
	bool cool;         /* it has to be cold before it runs again */
	bool guest;        /* the stepped code is in one */
	uint8_t thread;    /* logical processor that runs the stepped code */
	enum vpmu_sibling sibling;
	bool others; /* are active */
	unsigned sibling_interrupts;
	struct sibling other; /* one that has counters of its own */
	void *other_state;
	struct peers peers;
	void *own_state; /* while a peer executes the stepped code: that of the virtual CPU */
	struct step_breaker breaker;
	struct premises premises;
	uint32_t hypervisor_exit_faults; /* of the hypervisor: bit per enum hypervisor_exit_fault */
	uint32_t exits;                  /* so many until now */
	struct model_injected injections;
} vpmu;

static uint8_t sibling_level(void)
{
	return vpmu.sibling == SIBLING_USER ? (uint8_t)level_user() : 0;
}

static bool sibling_is_active(void)
{
	return vpmu.sibling != SIBLING_HALTED || vpmu.other.works;
}

/* Something goes on with each step besides what that does. */
static bool has_company(void)
{
	return vpmu.other.works || vpmu.peers.works;
}

/* Fields of a step that say where it happens. */
#define PLACE                                                                                                \
	.guest = vpmu.guest, .thread = vpmu.thread, .sibling = sibling_is_active(),                          \
	.sibling_level = sibling_level(), .others = vpmu.others

/* Likewise of a step that the engine tells. */
static void place(struct step *step)
{
	step->thread = vpmu.thread;
	step->sibling = sibling_is_active();
	step->sibling_level = sibling_level();
	step->others = vpmu.others;
}

/* --- registers -------------------------------------------------------------------------------------- */

void vpmu_identity_details(identity_each *each, void *to)
{
	identity_presented(each, to);
}

bool vpmu_ask_selector(uint32_t index)
{
	struct register_access a = {.space = SPACE_SELECTOR, .number = index, .permitted = true};

	return vpmu.model->access(vpmu.state, &a) == REGISTER_DONE;
}

/* Whether an amount of this quantity may change a counter as things are. */
static bool matters(enum quantity q)
{
	const struct qterm term = {.quantity = (quantity_number)q, .amount = 1};
	struct model_increment increment[MEMO_ROOM];

	if (vpmu.model->counts)
		return vpmu.model->counts(vpmu.state, q);
	const unsigned levels[] = {0, level_user()};

	for (unsigned i = 0; i < 2; i++) {
		struct step step = {.terms = &term, .n_terms = 1, .level = (uint8_t)levels[i], PLACE};

		if (!vpmu.model->increments ||
		    vpmu.model->increments(vpmu.state, &step, increment, MEMO_ROOM) != 0)
			return true;
	}
	return false;
}

static bool outcome_matters(enum outcome o)
{
	return outcome_quantities[o] != Q_COUNT && matters((enum quantity)outcome_quantities[o]);
}

static bool records(void)
{
	return vpmu.model->recording && vpmu.model->recording(vpmu.state);
}

/* The model's state has changed: all that was worked out may be different now. With peers nothing runs free,
 * so that each executes the same instructions, whether others work or not. */
static void begin_epoch(void)
{
	bool assists;

	vpmu.epoch++;
	vpmu.recording = records();
	vpmu.vectors = vpmu.recording && vpmu.model->shows_vectors && vpmu.model->shows_vectors(vpmu.state);
	vpmu.active = vpmu.recording || vpmu.model->counting(vpmu.state) || sibling_counts(&vpmu.other) ||
		      vpmu.peers.n;
	vpmu_client.idle = !vpmu.active;
	vpmu.splits = false;
	vpmu_client.wants = 0;
	vpmu.machine_runs = vpmu.recording;
	if (!vpmu.active)
		return;
	for (unsigned i = 0; i < vpmu.n_given; i++)
		vpmu.machine_runs = vpmu.machine_runs || matters((enum quantity)vpmu.given[i]);
	if (vpmu.machine_runs && vpmu.cool) {
		uarch_reset(vpmu.machine);
		vpmu.cool = false;
	}
	uarch_tell_decoded(vpmu.machine, vpmu.machine_runs && (outcome_matters(OUTCOME_DECODED) ||
							       outcome_matters(OUTCOME_CACHED) ||
							       outcome_matters(OUTCOME_DECODED_MISS)));
	assists = vpmu.machine_runs && (vpmu.recording || outcome_matters(OUTCOME_DENORMAL));
	for (const quantity_number *q = quantities_by_address; *q != Q_COUNT; q++)
		vpmu.splits = vpmu.splits || matters((enum quantity) * q);
	vpmu_client.wants = (vpmu.splits ? STEP_WANTS_BY_ADDRESS : 0) |
			    (vpmu.machine_runs ? STEP_WANTS_MACHINE : 0) |
			    (assists ? STEP_WANTS_DENORMALS : 0) | (vpmu.recording ? STEP_WANTS_RECORDS : 0) |
			    (vpmu.vectors ? STEP_WANTS_VECTORS : 0) |
			    (vpmu.hypervisor_exit_faults ? STEP_WANTS_EXITS : 0);
	vpmu.quick =
		!vpmu.machine_runs && !vpmu.hypervisor_exit_faults && !vpmu.premises.faults && !has_company();
}

static void advance(const struct step *step);

/* The write has started counters, of which only some count it. */
static void count_start_by_some(const struct step *write)
{
	size_t size = vpmu.model->state_size;

	memcpy(vpmu.before, vpmu.state, size);
	advance(write);
	if (!premises_put_back(&vpmu.premises))
		return;
	memcpy(vpmu.state, vpmu.before, size);
	begin_epoch();
}

/* Carries the write out. .own_write says whether what it starts does without the instruction itself. */
static enum register_answer write_register(struct register_access *a, const struct step *by)
{
	const struct step step = {
		.terms = by->terms, .n_terms = by->n_terms, .cycles = 1, .level = by->level, PLACE};
	enum register_answer answer;
	bool first;

	if (!vpmu.premises.faults) {
		answer = vpmu.model->access(vpmu.state, a);
		vpmu.own_write = answer == REGISTER_DONE;
		return answer;
	}
	vpmu.premises.by_other = vpmu.model->other_switch && vpmu.model->other_switch(vpmu.state, a);
	/* A record would be of an instruction that has not been there yet. */
	first = premises_before_write(&vpmu.premises, vpmu.model, vpmu.state, &step) && !vpmu.recording;
	if (first)
		advance(&step);
	answer = vpmu.model->access(vpmu.state, a);
	vpmu.own_write = first || answer == REGISTER_DONE;
	if (answer == REGISTER_DONE && premises_after_write(&vpmu.premises, vpmu.model, vpmu.state, &step))
		vpmu.own_write = false;
	if (answer == REGISTER_DONE && !vpmu.recording &&
	    premises_keep_others(&vpmu.premises, vpmu.model, vpmu.state, &step))
		count_start_by_some(&step);
	vpmu.was_idle |= first;
	return answer;
}

static enum register_answer access_register(void *ctx, struct register_access *a, const struct step *by)
{
	enum register_answer answer;
	(void)ctx;

	if (!a->write)
		return vpmu.model->access(vpmu.state, a);
	vpmu.was_idle = !vpmu.model->counting(vpmu.state) && !records();
	answer = write_register(a, by);
	if (answer == REGISTER_HANGS) {
		watchdog_disarm(); /* a processor that hangs takes no NMI either */
		breadcrumbs_fail(BREADCRUMBS_HANG);
	}
	vpmu.own_write = vpmu.own_write && by->length;
	begin_epoch();
	return answer;
}

/* --- time goes on ----------------------------------------------------------------------------------- */

static void raise_pmi(void)
{
	step_request_overflow(OVERFLOW_COUNTERS,
			      vpmu.model->line_stays && vpmu.model->line_stays(vpmu.state));
}

/* Records that interrupt through an entry of their own. */
static void raise_extended(void)
{
	unsigned n;

	for (unsigned i = 0; i < PMIS_PER_STEP && vpmu.model->take_extended(vpmu.state, &n); i++)
		step_request_overflow(step_extra_line(n), true);
}

/* Requests for either logical processor: the one that runs takes its own. */
static void share_pmis(void)
{
	for (unsigned thread = 0; thread < vpmu_threads(); thread++)
		for (unsigned i = 0; i < PMIS_PER_STEP && vpmu.model->take_pmi_of(vpmu.state, thread); i++)
			if (thread == vpmu.thread)
				raise_pmi();
			else
				vpmu.sibling_interrupts++;
}

static void advance(const struct step *step)
{
	bool recorded = vpmu.recording;
	bool changed = vpmu.other.works && sibling_step(&vpmu.other, step);

	if (vpmu.peers.works)
		peers_step(&vpmu.peers);
	if (__builtin_expect(vpmu.model->advance(vpmu.state, step), 0) || changed)
		begin_epoch();
	if (vpmu_threads() > 1) {
		share_pmis();
		return;
	}
	/* Bounded: a model may be made to request without end. */
	for (unsigned i = 0; i < PMIS_PER_STEP && __builtin_expect(vpmu.model->take_pmi(vpmu.state), 0); i++)
		raise_pmi();
	if (recorded && vpmu.model->take_extended)
		raise_extended();
}

/* The long way, which leaves a memo behind if it can. */
static __attribute__((noinline)) void count(struct step *s)
{
	bool exit = vpmu.hypervisor_exit_faults && s->exit;
	bool alike = s->shape && !vpmu.recording && !exit && vpmu.model->increments && !has_company();
	struct memo *m = &vpmu.memo[s->shape];
	struct qterm terms[RECORDED_TERMS + EXIT_OWN_TERMS + PREMISE_TERMS], machine[MACHINE_TERMS];
	uint8_t level = s->level; /* a premise may change it */
	unsigned n_machine = vpmu.machine_runs ? machine_retired(vpmu.machine, s, machine) : 0;
	struct step_copies details;

	if (n_machine)
		m = alike ? machine_memo(vpmu.machine_memo, m, machine, n_machine) : NULL;
	alike = alike && m;
	if (alike && memo_holds(m, vpmu.epoch, s->level) && memo_add_up(m))
		return;

	place(s);
	s->own_write = vpmu.own_write;
	s->n_terms = step_terms(s, terms);
	s->terms = terms;
	if (vpmu.premises.faults)
		premises_step(&vpmu.premises, s, terms);
	for (unsigned i = 0; i < n_machine; i++)
		terms[s->n_terms++] = machine[i];
	if (exit) {
		s->n_terms =
			hypervisor_exit_counted(vpmu.hypervisor_exit_faults, vpmu.exits++, terms, s->n_terms);
		s->unfiltered = vpmu.hypervisor_exit_faults >> EXITS_EMULATED & 1;
	}
	if (vpmu.recording && vpmu.breaker.faults) {
		step_own_details(s, &details);
		step_break(&vpmu.breaker, s, &details, terms);
	}
	if (alike) {
		int n = vpmu.model->increments(vpmu.state, s, m->increment, MEMO_ROOM);

		m->epoch = n < 0 ? 0 : vpmu.epoch;
		m->level = level;
		m->n = (uint8_t)n;
	}
	advance(s);
}

/* A register write that the model has carried out began an epoch: it finds no memo. */
static bool quick(void *ctx, uint32_t shape, uint8_t level)
{
	const struct memo *m = &vpmu.memo[shape];
	(void)ctx;

	return __builtin_expect(memo_holds(m, vpmu.epoch, level) && vpmu.quick, 1) && memo_add_up(m);
}

static void deliver(struct step *s)
{
	struct qterm terms[STEP_TERMS + PREMISE_TERMS];

	place(s);
	s->n_terms = step_terms(s, terms);
	s->terms = terms;
	if (vpmu.premises.faults)
		premises_delivery(&vpmu.premises, s, terms);
	advance(s);
}

static void take_step(void *ctx, struct step *s)
{
	(void)ctx;
	if (!vpmu.active)
		return;
	if (s->kind >= STEP_DELIVERED) {
		deliver(s);
		return;
	}
	if (!vpmu.own_write || !vpmu.was_idle)
		count(s);
	vpmu.own_write = false;
}

/* What a step adds may depend on it. */
static void world(void *ctx, bool guest)
{
	(void)ctx;
	if (vpmu.guest == guest)
		return;
	vpmu.guest = guest;
	begin_epoch();
}

static struct step_client vpmu_client = {
	.access = access_register,
	.spaces = UINT32_MAX, /* the model says which registers are its own */
	.presents = true,
	.quick = quick,
	.step = take_step,
	.world = world,
};

static bool injections_take(const struct model_profile *profile, const char *inject, struct injections *out,
			    struct reason *why)
{
	why->line = profile ? why->text : "no virtual CPU of this name";
	return profile && injections_parse(profile->model, inject, out, why->text);
}

bool vpmu_knows(const char *profile, const char *inject, struct reason *why)
{
	struct injections known;

	return injections_take(model_profile_by_name(profile), inject, &known, why);
}

bool vpmu_create(const char *name, const char *inject, struct reason *why)
{
	const struct model_profile *profile = model_profile_by_name(name);
	struct machine_geometry geometry;
	struct injections injections;

	if (!injections_take(profile, inject, &injections, why))
		return false;
	vpmu_be_oneself();
	peers_close(&vpmu.peers);
	free(vpmu.state);
	free(vpmu.before);
	free(vpmu.other_state);
	free(vpmu.memo);
	free(vpmu.machine);
	geometry = machine_geometry(profile);
	vpmu.profile = NULL;
	vpmu.state = calloc(1, profile->model->state_size);
	vpmu.before = calloc(1, profile->model->state_size);
	vpmu.other_state = calloc(1, profile->model->state_size);
	vpmu.memo = calloc(step_shapes(), sizeof *vpmu.memo);
	vpmu.machine = calloc(1, uarch_size(&geometry));
	if (!vpmu.state || !vpmu.before || !vpmu.other_state || !vpmu.memo || !vpmu.machine) {
		why->line = "not enough memory for the virtual CPU";
		return false;
	}
	uarch_create(vpmu.machine, &geometry);
	vpmu.n_given = machine_quantities(vpmu.given);
	uarch_break(vpmu.machine, injections.faults[INJECTION_MACHINE]);
	vpmu.profile = profile;
	vpmu.model = profile->model;
	vpmu.own_write = false;
	vpmu.breaker = (struct step_breaker){.faults = injections.faults[INJECTION_STEP]};
	vpmu.premises = (struct premises){.faults = injections.faults[INJECTION_PREMISE]};
	vpmu.hypervisor_exit_faults = injections.faults[INJECTION_EXIT];
	vpmu.exits = 0;
	memset(vpmu.machine_memo, 0, sizeof vpmu.machine_memo);
	vpmu.epoch = 0;
	vpmu.injections = injections.model;
	identity_present(profile->identity, profile->threads, &injections.answers);
	step_emulate_extra_lines(vpmu.model->take_extended);
	vpmu_power_up();
	return true;
}

void vpmu_power_up(void)
{
	vpmu.thread = 0;
	identity_present_thread(0);
	vpmu.sibling = SIBLING_HALTED;
	vpmu.others = false;
	vpmu.model->reset(vpmu.state, vpmu.profile, &vpmu.injections);
	if (vpmu.model->attach)
		vpmu.model->attach(vpmu.state, &step_memory);
	sibling_power_up(&vpmu.other, vpmu.other_state, vpmu.state, vpmu.profile, &vpmu.injections);
	begin_epoch();
}

bool vpmu_has_other(void)
{
	return vpmu.profile && vpmu.other.exists;
}

/* Stepped code may call these; what they do themselves is not stepped, as each step would have the other one
 * go on meanwhile. */
bool vpmu_other_access(struct register_access *a)
{
	bool done;

	step_pause();
	a->permitted = true;
	done = vpmu.model->access(vpmu.other_state, a) == REGISTER_DONE;
	step_resume();
	return done;
}

void vpmu_other_begin(enum second_cpu_loop loop)
{
	step_pause();
	sibling_begin(&vpmu.other, loop);
	begin_epoch(); /* what a step adds may be different now */
	step_resume();
	if (vpmu.active)
		step_wake();
}

uint64_t vpmu_other_end(void)
{
	uint64_t turns;

	step_pause();
	turns = sibling_end(&vpmu.other);
	begin_epoch();
	step_resume();
	return turns;
}

unsigned vpmu_threads(void)
{
	return vpmu.profile && vpmu.profile->threads > 1 ? vpmu.profile->threads : 1;
}

bool vpmu_place(unsigned thread, enum vpmu_sibling sibling)
{
	if (thread >= vpmu_threads())
		return false;
	vpmu.thread = (uint8_t)thread;
	identity_present_thread(thread);
	vpmu.sibling = sibling;
	vpmu.sibling_interrupts = 0;
	if (vpmu.model->place)
		vpmu.model->place(vpmu.state, thread);
	begin_epoch(); /* what a step adds may be different now */
	if (vpmu.active)
		step_wake();
	return true;
}

void vpmu_others(bool active)
{
	vpmu.others = active;
	begin_epoch();
	if (vpmu.active)
		step_wake();
}

unsigned vpmu_peers_open(unsigned n)
{
	peers_close(&vpmu.peers);
	return peers_open(&vpmu.peers, vpmu.profile, &vpmu.injections, n);
}

void vpmu_peers_close(void)
{
	peers_close(&vpmu.peers);
	begin_epoch();
}

static void execute_as(void *state)
{
	step_pause();
	vpmu.state = state;
	begin_epoch();
	step_resume();
	if (vpmu.active)
		step_wake();
}

void vpmu_be_peer(unsigned i)
{
	vpmu.own_state = vpmu.state;
	execute_as(peers_state(&vpmu.peers, i));
}

void vpmu_be_oneself(void)
{
	if (vpmu.own_state)
		execute_as(vpmu.own_state);
	vpmu.own_state = NULL;
}

void vpmu_peer_begin(unsigned i)
{
	step_pause();
	peers_begin(&vpmu.peers, i);
	vpmu.peers.others = vpmu.others;
	begin_epoch();
	step_resume();
	step_wake();
}

uint64_t vpmu_peer_end(unsigned i)
{
	uint64_t turns;

	step_pause();
	turns = peers_end(&vpmu.peers, i);
	begin_epoch();
	step_resume();
	return turns;
}

unsigned vpmu_sibling_interrupts(void)
{
	return vpmu.sibling_interrupts + vpmu.other.interrupts;
}

void vpmu_cool(void)
{
	vpmu.cool = true;
}

void vpmu_large_pages(uint64_t start, uint64_t end, uint8_t shift)
{
	if (vpmu.machine)
		uarch_large_pages(vpmu.machine, start, end, shift);
}

void vpmu_code_alias(uint64_t start, uint64_t end, uint64_t distance)
{
	if (vpmu.machine)
		uarch_code_alias(vpmu.machine, start, end, distance);
}

void vpmu_forget(void)
{
	vpmu.profile = NULL;
	step_emulate_extra_lines(false);
}

const struct model_profile *vpmu_profile(void)
{
	return vpmu.profile;
}

void vpmu_call(void (*fn)(void *), void *arg)
{
	step_call(&vpmu_client, fn, arg);
}
