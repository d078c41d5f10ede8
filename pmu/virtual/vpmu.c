#include "pmu/virtual/vpmu.h"

#include "arch/x86/interrupts/apic.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid_leaves.h"
#include "arch/x86/cpu/register_access.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/step/step.h"
#include "arch/x86/time/time.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/denormals.h"
#include "pmu/virtual/hypervisor_exits.h"
#include "arch/x86/step/insn_quantities.h"
#include "pmu/virtual/machine_model.h"
#include "pmu/contract/pmu.h"
#include "pmu/virtual/premises.h"
#include "arch/x86/step/step_details.h"
#include "pmu/virtual/step_faults.h"
#include "pmu/virtual/vpmu_cpuid.h"
#include "pmu/virtual/vpmu_lvt.h"
#include "pmu/virtual/vpmu_memo.h"

#include <stdlib.h>
#include <string.h>

#define PMIS_PER_STEP 4
#define INJECT_MAX    256 /* longest text of injections */

static struct step_client vpmu_client;

static struct {
	const struct model_profile *profile;
	const struct pmu_model *model;
	void *state;
	void *before;   /* room for another such, see count_start_by_some() */
	bool active;    /* model->counting() or ->recording(), as of the last write */
	bool recording; /* model->recording(), likewise */
	bool vectors;   /* model->shows_vectors(), likewise */
	bool own_write; /* the instruction now retiring is a WRMSR that the model has carried out ... */
	bool was_idle;  /* ... and the model was not active before it */
	struct memo (*memo)[4]; /* of each class: by LOCK, by taken */
	struct machine_memo machine_memo[MACHINE_MEMOS];
	uint32_t epoch;
	struct uarch *machine;
	bool splits;       /* something counts accesses across lines or pages */
	bool assists;      /* something counts floating-point assists */
	bool machine_runs; /* something counts what it gives */
	bool quick;        /* a class's memo is all that there is to know of a retirement */
	bool cool;         /* it has to be cold before it runs again */
	bool guest;        /* the stepped code is in one */
	uint8_t thread;    /* logical processor that runs the stepped code */
	enum vpmu_sibling sibling;
	unsigned sibling_interrupts;
	struct step_breaker breaker;
	struct premises premises;
	uint32_t hypervisor_exit_faults; /* of the hypervisor: bit per enum hypervisor_exit_fault */
	uint32_t exits;                  /* so many until now */
	struct model_injected injections;
	struct cpuid_lies lies;
} vpmu;

/* Fields of a step that say where it happens. */
#define PLACE                                                                                                \
	.guest = vpmu.guest, .thread = vpmu.thread, .sibling = vpmu.sibling != SIBLING_HALTED,               \
	.sibling_level = vpmu.sibling == SIBLING_RING3 ? 3 : 0

/* --- registers -------------------------------------------------------------------------------------- */

static void set_halves(struct trap_frame *f, uint64_t value)
{
	f->rax = (uint32_t)value;
	f->rdx = value >> 32;
}

static enum step_action action(enum register_answer answer)
{
	return answer == REGISTER_DONE ? STEP_DONE : answer == REGISTER_FAULT ? STEP_GP : STEP_RUN;
}

/* The answer goes to EDX:EAX. */
static enum step_action read_register(struct trap_frame *f, struct register_access a)
{
	enum register_answer answer = vpmu.model->access(vpmu.state, &a);

	if (answer == REGISTER_DONE)
		set_halves(f, a.value);
	return action(answer);
}

static void real_cpuid(struct cpuid_row *c)
{
	uint32_t top, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "=a"(top), "=b"(ebx), "+c"(ecx), "=d"(edx) : "a"(c->leaf & 0x80000000));
	c->eax = c->ebx = c->ecx = c->edx = 0;
	if (c->leaf <= top)
		__asm__ volatile("cpuid"
				 : "=a"(c->eax), "=b"(c->ebx), "=c"(c->ecx), "=d"(c->edx)
				 : "a"(c->leaf), "c"(c->subleaf));
}

struct cpuid_regs vpmu_ask_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_row real = {.leaf = leaf, .subleaf = subleaf}, out;

	real_cpuid(&real);
	vpmu_cpuid(vpmu.profile, vpmu.thread, &real, &out);
	cpuid_lies_tell(&vpmu.lies, &out);
	return (struct cpuid_regs){.eax = out.eax, .ebx = out.ebx, .ecx = out.ecx, .edx = out.edx};
}

void vpmu_identity_details(identity_each *each, void *to)
{
	cpuid_pairs(vpmu_ask_cpuid, each, to);
}

struct cpuid_regs vpmu_own_cpuid(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_row out = {.leaf = leaf, .subleaf = subleaf};

	vpmu_cpuid_own(vpmu.profile, leaf, subleaf, &out);
	cpuid_lies_tell(&vpmu.lies, &out);
	return (struct cpuid_regs){.eax = out.eax, .ebx = out.ebx, .ecx = out.ecx, .edx = out.edx};
}

bool vpmu_ask_rdpmc(uint32_t index)
{
	struct register_access a = access_rdpmc(index, 0, false);

	return vpmu.model->access(vpmu.state, &a) == REGISTER_DONE;
}

static void answer_cpuid(struct trap_frame *f)
{
	struct cpuid_regs r = vpmu_ask_cpuid((uint32_t)f->rax, (uint32_t)f->rcx);

	f->rax = r.eax;
	f->rbx = r.ebx;
	f->rcx = r.ecx;
	f->rdx = r.edx;
}

static struct register_access rdpmc(const struct trap_frame *f)
{
	uint64_t cr4;

	__asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
	return access_rdpmc((uint32_t)f->rcx, f->cs & 3, cr4 & CR4_PCE);
}

/* Whether an amount of this quantity may change a counter as things are. */
static bool matters(enum quantity q)
{
	const struct qterm term = {.quantity = (quantity_number)q, .amount = 1};
	struct model_increment increment[MEMO_ROOM];

	if (vpmu.model->counts)
		return vpmu.model->counts(vpmu.state, q);
	for (unsigned cpl = 0; cpl <= 3; cpl += 3) {
		struct step step = {.terms = &term, .n_terms = 1, .level = (uint8_t)cpl, PLACE};

		if (!vpmu.model->increments ||
		    vpmu.model->increments(vpmu.state, &step, increment, MEMO_ROOM) != 0)
			return true;
	}
	return false;
}

static bool records(void)
{
	return vpmu.model->recording && vpmu.model->recording(vpmu.state);
}

/* The model's state has changed: all that was worked out may be different now. */
static void begin_epoch(void)
{
	vpmu.epoch++;
	vpmu.recording = records();
	vpmu.vectors = vpmu.recording && vpmu.model->shows_vectors && vpmu.model->shows_vectors(vpmu.state);
	vpmu.active = vpmu.recording || vpmu.model->counting(vpmu.state);
	vpmu_client.idle = !vpmu.active;
	vpmu.splits = vpmu_client.details = false;
	vpmu.machine_runs = vpmu.recording;
	if (!vpmu.active)
		return;
	for (const quantity_number *q = machine_quantities; *q != Q_COUNT; q++)
		vpmu.machine_runs = vpmu.machine_runs || matters((enum quantity) * q);
	if (vpmu.machine_runs && vpmu.cool) {
		uarch_reset(vpmu.machine);
		vpmu.cool = false;
	}
	uarch_tell_decoded(vpmu.machine,
			   vpmu.machine_runs && (matters(Q_UOPS_DECODED) || matters(Q_UOPS_CACHED) ||
						 matters(Q_DECODED_MISS)));
	vpmu.assists = vpmu.machine_runs && (vpmu.recording || matters(Q_ASSISTS_FP));
	for (const quantity_number *q = account_by_address; *q != Q_COUNT; q++)
		vpmu.splits = vpmu.splits || matters((enum quantity) * q);
	vpmu_client.details = vpmu.machine_runs || vpmu.splits || vpmu.hypervisor_exit_faults;
	vpmu.quick = !vpmu.machine_runs && !vpmu.hypervisor_exit_faults && !vpmu.premises.faults;
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
static enum register_answer write_register(struct register_access *a)
{
	static const struct qterm wrmsr[] = {
		{Q_INSTRUCTIONS, 1}, {Q_INSN_WRMSR, 1}, {Q_INSN_SERIALIZING, 1}, {Q_UOPS, 1}};
	const struct step step = {
		.terms = wrmsr, .n_terms = sizeof wrmsr / sizeof wrmsr[0], .cycles = 1, PLACE};
	enum register_answer answer;
	bool first;

	if (!vpmu.premises.faults) {
		answer = vpmu.model->access(vpmu.state, a);
		vpmu.own_write = answer == REGISTER_DONE;
		return answer;
	}
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

static enum step_action before(void *ctx, struct trap_frame *f, const struct insn *in)
{
	struct register_access write;
	enum register_answer answer;
	(void)ctx;

	switch (in->special) {
	case INSN_CPUID:
		answer_cpuid(f);
		return STEP_DONE;
	case INSN_RDPMC:
		return read_register(f, rdpmc(f));
	case INSN_RDMSR:
		if (f->cs & 3)
			return STEP_GP;
		return read_register(f, access_rdmsr((uint32_t)f->rcx));
	case INSN_WRMSR:
		if (f->cs & 3)
			return STEP_GP;
		vpmu.was_idle = !vpmu.model->counting(vpmu.state) && !records();
		write = access_wrmsr((uint32_t)f->rcx, f->rdx << 32 | (uint32_t)f->rax);
		answer = write_register(&write);
		vpmu.own_write = vpmu.own_write && in->length;
		begin_epoch();
		return action(answer);
	default:
		return STEP_RUN;
	}
}

/* --- time goes on ----------------------------------------------------------------------------------- */

static void raise(enum apic_register lvt, bool stays)
{
	uint32_t entry = apic_read(lvt);

	switch (lvt_request(&entry, stays)) {
	case LVT_LOST:
		return;
	case LVT_NMI:
		apic_write(lvt, entry);
		step_raise_nmi();
		return;
	case LVT_FIXED:
		apic_write(lvt, entry);
		apic_self_ipi((uint8_t)(entry & LVT_VECTOR));
		return;
	}
}

static void raise_pmi(void)
{
	raise(APIC_LVT_PERF, vpmu.model->lvt_stays && vpmu.model->lvt_stays(vpmu.state));
}

/* Records that interrupt through an entry of their own. */
static void raise_extended(void)
{
	unsigned n;

	for (unsigned i = 0; i < PMIS_PER_STEP && vpmu.model->take_extended(vpmu.state, &n); i++)
		if (n < APIC_EXT_LVTS)
			raise(APIC_EXT_LVT0 + 0x10 * n, true);
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

	if (__builtin_expect(vpmu.model->advance(vpmu.state, step), 0))
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

/* Whether the class, LOCK, and taken or not, is all that tells two retirements apart (but for addresses). */
static bool repeats(const struct insn *in)
{
	const uint64_t specials =
		1ull << INSN_PLAIN | 1ull << INSN_JCC | 1ull << INSN_LOOP | 1ull << INSN_JRCXZ;

	return (specials >> in->special & 1) && !(in->flags & INSN_F_INVALID);
}

static inline struct memo *memo_of(const struct insn_retired *did)
{
	return &vpmu.memo[did->insn->klass][(did->insn->flags & INSN_F_LOCK ? 2 : 0) + did->taken];
}

/* The vector registers are the stepped code's: nothing here touches them. */
static bool met_denormal(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
			 unsigned n)
{
	static uint8_t fxsave[DENORMALS_FXSAVE] __attribute__((aligned(16)));
	uint8_t memory[DENORMALS_MEMORY] = {0};

	if (!denormals_possible(did, code, terms, n))
		return false;
	__asm__ volatile("fxsave %0" : "=m"(fxsave));
	if ((did->insn->flags & INSN_F_MEM) && !step_copy(memory, (const void *)did->address, sizeof memory))
		return false;
	return denormals_met(did, code, terms, n, fxsave, memory);
}

/* What the machine model makes of it. */
static unsigned ask_machine(const struct step_retired *r, struct qterm out[MACHINE_TERMS])
{
	const struct insn_retired *did = &r->did;
	const uint8_t *code = (const uint8_t *)r->rip;
	struct qterm terms[ACCOUNT_TERMS];
	bool denormal = vpmu.assists && machine_meets_denormals(did->insn->klass) &&
			met_denormal(did, code, terms, account_retired(did, terms));

	return machine_retired(vpmu.machine, did, code, r->rip, r->after->rip, denormal, out);
}

static bool exits(const struct step_retired *r)
{
	const struct insn_retired *did = &r->did;
	const struct hypervisor_exit_facts facts = {r->after->rcx, did->address, apic_page()};

	return hypervisor_exit_kind_of((const uint8_t *)r->rip, did->insn, &facts) != EXIT_KINDS;
}

/* The long way, which leaves a memo behind if it can. */
static __attribute__((noinline)) void count(const struct step_retired *r, struct memo *m)
{
	const struct insn_retired *did = &r->did;
	bool exit = vpmu.hypervisor_exit_faults && exits(r);
	bool alike = !vpmu.recording && !exit && repeats(did->insn) && vpmu.model->increments &&
		     !(vpmu.splits && insn_classes[did->insn->klass].n_accesses);
	struct qterm terms[STEP_TERMS + EXIT_OWN_TERMS + PREMISE_TERMS], machine[MACHINE_TERMS];
	unsigned n_machine = vpmu.machine_runs ? ask_machine(r, machine) : 0;
	struct step_details details;

	if (n_machine)
		m = alike ? machine_memo(vpmu.machine_memo, m, machine, n_machine) : NULL;
	alike = alike && m;
	if (alike && memo_holds(m, vpmu.epoch, did->cpl) && memo_add_up(m))
		return;

	struct step step = {
		.terms = terms,
		.n_terms = account_retired(did, terms),
		.cycles = did->insn->special == INSN_STRING && did->iterations > 1 ? (uint32_t)did->iterations
										   : 1,
		.level = did->cpl,
		.own_write = vpmu.own_write,
		.ip = r->rip,
		.next = r->after->rip,
		PLACE,
	};

	if (vpmu.premises.faults)
		premises_step(&vpmu.premises, did, &step, terms);
	if (vpmu.recording)
		details_of_retired(&details, &step, r);
	if (vpmu.vectors)
		details_of_vectors(&details, &step);
	for (unsigned i = 0; i < n_machine; i++)
		terms[step.n_terms++] = machine[i];
	if (exit) {
		step.n_terms = hypervisor_exit_counted(vpmu.hypervisor_exit_faults, vpmu.exits++, terms,
						       step.n_terms);
		step.unfiltered = vpmu.hypervisor_exit_faults >> EXITS_EMULATED & 1;
	}
	if (vpmu.recording && vpmu.breaker.faults)
		step_break(&vpmu.breaker, &step, &details, terms);
	if (alike) {
		int n = vpmu.model->increments(vpmu.state, &step, m->increment, MEMO_ROOM);

		m->epoch = n < 0 ? 0 : vpmu.epoch;
		m->level = did->cpl;
		m->n = (uint8_t)n;
	}
	advance(&step);
}

static void retired(void *ctx, const struct step_retired *r)
{
	const struct insn_retired *did = &r->did;
	struct memo *m;
	(void)ctx;

	if (!vpmu.active)
		return;
	/* A WRMSR that the model has carried out began an epoch: it finds no memo. */
	m = memo_of(did);
	if (__builtin_expect(memo_holds(m, vpmu.epoch, did->cpl) && vpmu.quick, 1) && memo_add_up(m))
		return;
	if (!vpmu.own_write || !vpmu.was_idle)
		count(r, m);
	vpmu.own_write = false;
}

static void delivered(void *ctx, const struct step_delivered *d)
{
	struct qterm terms[ACCOUNT_TERMS + PREMISE_TERMS];
	struct step_details details;
	struct step step = {
		.terms = terms, .cycles = 1, .level = d->cpl, .ip = d->rip, .next = d->after->rip, PLACE};
	(void)ctx;

	if (!vpmu.active)
		return;
	step.n_terms = account_event(d->kind, d->vector, d->cpl, terms);
	if (vpmu.premises.faults)
		premises_delivery(&vpmu.premises, d->kind, &step, terms);
	if (vpmu.recording)
		details_of_delivered(&details, &step, d);
	if (vpmu.vectors)
		details_of_vectors(&details, &step);
	advance(&step);
}

/* Core cycles, if they did tick, would do so as the time-stamp counter does. */
static void halted(void *ctx, uint64_t ticks)
{
	struct step step = {.cycles = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks,
			    .halted = true,
			    .tsc = vpmu.recording ? tsc_read() : 0,
			    PLACE};
	(void)ctx;

	if (vpmu.active)
		advance(&step);
}

/* What a step adds may depend on it. */
static void world(void *ctx, bool guest)
{
	(void)ctx;
	if (vpmu.guest != guest)
		begin_epoch();
	vpmu.guest = guest;
}

static struct step_client vpmu_client = {
	.before = before,
	.intercepts = 1ull << INSN_RDMSR | 1ull << INSN_WRMSR | 1ull << INSN_RDPMC | 1ull << INSN_CPUID,
	.retired = retired,
	.delivered = delivered,
	.world = world,
	.halted = halted,
};

/* --- memory ----------------------------------------------------------------------------------------- */

static bool read_memory(void *ctx, uint64_t address, void *out, size_t size)
{
	(void)ctx;
	return page_readable((const void *)address, size) && step_copy(out, (const void *)address, size);
}

static bool write_memory(void *ctx, uint64_t address, const void *data, size_t size)
{
	(void)ctx;
	return page_writable((const void *)address, size) && step_copy((void *)address, data, size);
}

static bool translate(void *ctx, uint64_t address, uint64_t *physical, unsigned *shift)
{
	(void)ctx;
	return page_translate(address, physical, shift);
}

static const struct model_memory memory = {
	.read = read_memory, .write = write_memory, .translate = translate};

/* A list of injections, by whose they are. */
struct injections {
	uint32_t machine, step, premises, exits;
	struct model_injected model;
	struct cpuid_lies lies;
};

static bool injections_take(const struct model_profile *profile, const char *inject, struct injections *out,
			    const char **why)
{
	char no_lies[INJECT_MAX], not_the_machines[INJECT_MAX], not_the_steps[INJECT_MAX],
		of_the_cpu[INJECT_MAX], of_the_pmu[INJECT_MAX];

	if (!profile) {
		*why = "no virtual CPU of this name";
		return false;
	}
	return cpuid_lies_take(inject, &out->lies, no_lies, sizeof no_lies, why) &&
	       faults_take(uarch_faults, UARCH_FAULTS, no_lies, &out->machine, not_the_machines,
			   sizeof not_the_machines, why) &&
	       faults_take(step_faults, STEP_FAULTS, not_the_machines, &out->step, not_the_steps,
			   sizeof not_the_steps, why) &&
	       faults_take(premises, PREMISES, not_the_steps, &out->premises, of_the_cpu, sizeof of_the_cpu,
			   why) &&
	       faults_take(hypervisor_exit_faults, EXIT_FAULTS, of_the_cpu, &out->exits, of_the_pmu,
			   sizeof of_the_pmu, why) &&
	       model_injections_parse(profile->model, of_the_pmu, &out->model, why);
}

bool vpmu_knows(const char *profile, const char *inject, const char **why)
{
	struct injections known;

	return injections_take(model_profile_by_name(profile), inject, &known, why);
}

bool vpmu_create(const char *name, const char *inject, const char **why)
{
	const struct model_profile *profile = model_profile_by_name(name);
	struct uarch_geometry geometry;
	struct injections injections;

	if (!injections_take(profile, inject, &injections, why))
		return false;
	free(vpmu.state);
	free(vpmu.before);
	free(vpmu.memo);
	free(vpmu.machine);
	geometry = machine_geometry(profile);
	vpmu.profile = NULL;
	vpmu.state = calloc(1, profile->model->state_size);
	vpmu.before = calloc(1, profile->model->state_size);
	vpmu.memo = calloc(insn_class_count, sizeof *vpmu.memo);
	vpmu.machine = calloc(1, uarch_size(&geometry));
	if (!vpmu.state || !vpmu.before || !vpmu.memo || !vpmu.machine) {
		*why = "not enough memory for the virtual CPU";
		return false;
	}
	uarch_create(vpmu.machine, &geometry);
	uarch_break(vpmu.machine, injections.machine);
	vpmu.profile = profile;
	vpmu.model = profile->model;
	vpmu.own_write = false;
	vpmu.breaker = (struct step_breaker){.faults = injections.step};
	vpmu.premises = (struct premises){.faults = injections.premises};
	vpmu.hypervisor_exit_faults = injections.exits;
	vpmu.exits = 0;
	memset(vpmu.machine_memo, 0, sizeof vpmu.machine_memo);
	vpmu.epoch = 0;
	vpmu.injections = injections.model;
	vpmu.lies = injections.lies;
	apic_emulate_extended(vpmu.model->take_extended);
	vpmu_power_up();
	return true;
}

void vpmu_power_up(void)
{
	vpmu.thread = 0;
	vpmu.sibling = SIBLING_HALTED;
	vpmu.model->reset(vpmu.state, vpmu.profile, &vpmu.injections);
	if (vpmu.model->attach)
		vpmu.model->attach(vpmu.state, &memory);
	begin_epoch();
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
	vpmu.sibling = sibling;
	vpmu.sibling_interrupts = 0;
	if (vpmu.model->place)
		vpmu.model->place(vpmu.state, thread);
	begin_epoch(); /* what a step adds may be different now */
	if (vpmu.active)
		step_wake();
	return true;
}

unsigned vpmu_sibling_interrupts(void)
{
	return vpmu.sibling_interrupts;
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
	apic_emulate_extended(false);
}

const struct model_profile *vpmu_profile(void)
{
	return vpmu.profile;
}

void vpmu_call(void (*fn)(void *), void *arg)
{
	step_call(&vpmu_client, fn, arg);
}
