#include "tests/measure/measure.h"
#include "tests/kernels/x86/emulators.h"
#include "tests/kernels/x86/emulation.h"
#include "tests/kernels/x86/kernel.h"
#include "tests/kernels/x86/services.h"

#include "arch/x86/bracket_registers.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/paging.h"
#include "arch/step.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/exceptions/user.h"
#include "arch/watchdog.h"
#include "pmu/virtual/vpmu.h"

#include <stdio.h>
#include <string.h>

#define ARENA_SIZE      0x4000
#define STACK_SIZE      0x4000
#define STACK_SPARE     0x800 /* from the stack pointer to the end of its page */
#define GROUND_TRUTH_MS 5000

/* Ring 0: kernels get a stack of their own, with the old stack pointer on top of it. RAX is free before the
 * window. */
#define RING0_STACK_AT 5 /* where the stack's address goes */
static const uint8_t ring0_entry[] = {
	0x48, 0x89, 0xe0,                         /* mov %rsp,%rax */
	0x48, 0xbc, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $top,%rsp */
	0x50,                                     /* push %rax */
	0x48, 0x83, 0xec, 0x38,                   /* sub $56,%rsp */
};
static const uint8_t ring0_exit[] = {
	0x48, 0x83, 0xc4, 0x38, /* add $56,%rsp */
	0x5c,                   /* pop %rsp */
	0xc3,                   /* ret */
};

/* Outer rings have a stack of their own, which nobody needs back: make room behind, then align. */
static const uint8_t ring3_entry[] = {
	0x48, 0x8d, 0xa4, 0x24, 0x00, 0xf8, 0xff, 0xff, /* lea -2048(%rsp),%rsp */
	0x48, 0x83, 0xe4, 0xc0,                         /* and $-64,%rsp */
};
static const uint8_t ring3_exit[] = {0xcd, VECTOR_USER_EXIT};

/* An outer ring counts the two instructions of ring3_entry and the INT of ring3_exit besides the kernel. */
const struct pmu_bracket bracket_user = {
	.own = {{Q_INSTRUCTIONS, 3},
		{Q_UOPS, 3},
		{Q_BRANCHES, 1},
		{Q_BR_FAR, 1},
		{Q_INTERRUPTS_SW, 1},
		{Q_RING_TO_KERNEL, 1}},
};

static struct composed {
	struct code_arena arena;
	const struct kernel *kernel;
	const uint8_t *start, *stop; /* of the bracket, NULL if none */
	uint32_t version;
	unsigned alignment;
	bool emulate;
	const void *entry;
	uint64_t kernel_at;
} composed[3]; /* ring 0, rings 1 and 2, ring 3 */

static uint8_t *data, *stack;

static struct composed *for_ring(uint8_t ring)
{
	return &composed[ring == 3 ? 2 : ring != 0];
}

bool measure_init(void)
{
	services_init();
	emulator_trouble(kernels_begin);
	data = data_create(KERNEL_DATA_SIZE);
	stack = data_create(STACK_SIZE);
	for (unsigned i = 0; i < 3; i++)
		composed[i].entry = NULL;
	return data && stack && arena_create(&composed[0].arena, ARENA_SIZE, false) &&
	       arena_create(&composed[1].arena, ARENA_SIZE, false) &&
	       arena_create(&composed[2].arena, ARENA_SIZE, true);
}

static void touch(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i += 64)
		(void)*(volatile const uint8_t *)(p + i);
}

static uint8_t *put(uint8_t *to, const void *code, size_t size)
{
	memcpy(to, code, size);
	return to + size;
}

static const void *compose(struct composed *c, const struct window *w, const struct pmu_bracket *b)
{
	size_t start = b->start_end - b->start, stop = b->stop_end - b->stop;
	size_t body = w->kernel->code_end - w->kernel->code;
	size_t entry_size = w->ring ? sizeof(ring3_entry) : sizeof(ring0_entry);
	size_t kernel_at = ((entry_size + start + 63) & ~(size_t)63) + w->alignment;
	uint64_t top = (uint64_t)stack + STACK_SIZE - STACK_SPARE;
	uint8_t *p;

	if (w->alignment > 63 || kernel_at + body + stop + sizeof(ring0_exit) > c->arena.size)
		return NULL;
	p = c->arena.rw + kernel_at - start - entry_size;
	*c = (struct composed){
		c->arena,
		w->kernel,
		b->start,
		b->stop,
		b->version,
		w->alignment,
		w->emulate,
		c->arena.rx + (p - c->arena.rw),
		(uint64_t)(c->arena.rx + kernel_at),
	};
	if (w->ring) {
		p = put(p, ring3_entry, sizeof(ring3_entry));
	} else {
		p = put(p, ring0_entry, sizeof(ring0_entry));
		memcpy(p - sizeof(ring0_entry) + RING0_STACK_AT, &top, sizeof(top));
	}
	p = put(p, b->start, start);
	p = put(p, w->kernel->code, body);
	if (w->emulate)
		emulation_replace(w->kernel, p - body);
	p = put(p, b->stop, stop);
	p = w->ring ? put(p, ring3_exit, sizeof(ring3_exit)) : put(p, ring0_exit, sizeof(ring0_exit));

	touch(c->entry, p - c->arena.rw);
	touch(data, KERNEL_DATA_SIZE);
	touch(stack, STACK_SIZE);
	return c->entry;
}

const void *window_compose(const struct window *w)
{
	struct composed *c = for_ring(w->ring);
	const struct pmu_bracket *b = w->bracket ? w->bracket : &bracket_user;
	const void *entry;

	if (c->entry && c->kernel == w->kernel && c->start == b->start && c->stop == b->stop &&
	    c->version == b->version && c->alignment == w->alignment && c->emulate == w->emulate)
		return c->entry;
	step_pause();
	entry = compose(c, w, b);
	step_resume();
	return entry;
}

uint64_t window_kernel_address(uint8_t ring)
{
	return for_ring(ring)->kernel_at;
}

void window_forget(void)
{
	step_pause();
	memset(data, 0, KERNEL_DATA_SIZE);
	step_resume();
}

uint8_t *window_data(void)
{
	return data;
}

static void services_off(const struct window *w)
{
	if (!services_wanted(w->kernel))
		return;
	step_pause();
	services_finish();
	step_resume();
}

/* So that what a kernel finds there is the same in each run. */
static inline void clear_vectors(void)
{
	__asm__ volatile(
		"pxor %%xmm0, %%xmm0; pxor %%xmm1, %%xmm1; pxor %%xmm2, %%xmm2; pxor %%xmm3, %%xmm3\n\t"
		"pxor %%xmm4, %%xmm4; pxor %%xmm5, %%xmm5; pxor %%xmm6, %%xmm6; pxor %%xmm7, %%xmm7\n\t"
		"pxor %%xmm8, %%xmm8; pxor %%xmm9, %%xmm9; pxor %%xmm10, %%xmm10\n\t"
		"pxor %%xmm11, %%xmm11; pxor %%xmm12, %%xmm12; pxor %%xmm13, %%xmm13\n\t"
		"pxor %%xmm14, %%xmm14; pxor %%xmm15, %%xmm15" ::
			: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
			  "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

/* What a window starts from: registers, memory, services. @return false if a service could not be set up */
static __attribute__((noinline)) bool prepare(const struct window *w, uint64_t n, struct call_registers *regs)
{
	const struct pmu_bracket *b = w->bracket ? w->bracket : &bracket_user;
	const struct code_arena *arena = &for_ring(w->ring)->arena;
	const struct kernel_place place = {w->ring, data, arena->rw, arena->size, arena->rx, w->emulate};
	bool good = !services_wanted(w->kernel) || services_prepare(w->kernel, &place);

	*regs = (struct call_registers){
		.rdi = n,
		.rsi = (uint64_t)data,
		.r8 = arena->rw - arena->rx,
	};
	bracket_arguments(regs, b->args);
	clear_vectors();
	return good;
}

uint64_t window_run(const void *entry, const struct window *w, uint64_t n)
{
	struct call_registers regs;
	bool good;

	step_pause(); /* what comes before is no part of the experiment: neither stepped nor counted */
	good = prepare(w, n, &regs);
	step_resume();
	if (!good)
		trap_abort(TRAP_NONE);
	if (w->ring)
		ring_call(w->ring, entry, &regs);
	else
		call_with_registers(entry, &regs);
	services_off(w);
	return regs.rax;
}

/* Of 64 bits, as their complements are asked for. */
#define EMULATED_FEATURES ((uint64_t)KERNEL_NEEDS_LENT)
/* Emulated for a virtual CPU of any profile; what else can be emulated, to those whose profile has it. */
#define LENT_TO_ALL ((uint64_t)(KERNEL_NEEDS_RTM | KERNEL_NEEDS_SERIALIZE))
_Static_assert((~EMULATED_FEATURES & KERNEL_NEEDS_SVM) != 0, "needs above 32 bits are not emulated");

static bool profile_has(enum cpu_feature feature)
{
	return cpu_has(feature) || cpu_tells(feature, vpmu_own_cpuid);
}

static const char *feature_missing(const struct kernel *k, enum services_for whom)
{
	const char *missing;

	if (whom == FOR_SILICON)
		return kernel_missing(k->needs, cpu_has, xcr0_read());
	missing = kernel_missing(k->needs & ~EMULATED_FEATURES, cpu_has, xcr0_read());
	if (missing || whom == FOR_ORACLE)
		return missing;
	return kernel_missing(k->needs & EMULATED_FEATURES & ~LENT_TO_ALL, profile_has, UINT64_MAX);
}

static const char *unfit(const struct kernel *k, uint8_t ring, enum services_for whom)
{
	static char text[64];
	const struct emulator_trouble *trouble = emulator_trouble(k);
	const char *missing;

	if (ring && (k->flags & KERNEL_RING0_ONLY))
		return "privileged instructions";
	if (!ring && (k->flags & KERNEL_RING3_ONLY))
		return "for ring 3 only";
	missing = services_missing(k, whom);
	if (missing)
		return missing;
	missing = feature_missing(k, whom);
	if (missing) {
		snprintf(text, sizeof(text), "the CPU lacks %s", missing);
		return text;
	}
	return trouble && whom == FOR_SILICON ? trouble->reason : NULL;
}

const char *kernel_unfit(const struct kernel *k, uint8_t ring)
{
	return unfit(k, ring, vpmu_profile() ? FOR_VIRTUAL_CPU : FOR_SILICON);
}

const char *kernel_unsteppable(const struct kernel *k, uint8_t ring)
{
	return unfit(k, ring, FOR_ORACLE);
}

struct truth {
	const void *entry;
	const struct window *window;
	uint64_t n;
	enum outcome outcome;
	struct qvec *out;
};

static void run_once(void *arg)
{
	const struct truth *t = arg;

	window_run(t->entry, t->window, t->n);
}

static void run_watched(void *arg)
{
	struct truth *t = arg;

	if (t->outcome == OUTCOME_COMMIT)
		oracle_call_committing(run_once, t, t->out);
	else
		oracle_call(run_once, t, t->out);
}

bool ground_truth(const struct kernel *k, uint8_t ring, uint64_t n, enum outcome outcome, struct qvec *out,
		  struct result *r)
{
	struct pmu_bracket markers;
	struct window w = {.kernel = k, .bracket = &markers, .ring = ring};
	struct truth t = {.window = &w, .n = n, .outcome = outcome, .out = out};
	struct trap_report report = {0};
	bool done;

	oracle_bracket(&markers);
	t.entry = window_compose(&w);
	if (!t.entry) {
		if (r)
			judgement_set(&r->judgement, VERDICT_ERROR, "kernel %s does not fit the code arena",
				      k->name);
		return false;
	}
	watchdog_arm(GROUND_TRUTH_MS);
	done = trap_guard(run_watched, &t, &report);
	watchdog_disarm();
	services_finish();
	if (!done && r)
		judgement_set(&r->judgement, VERDICT_ERROR, "the oracle was ended by %s", report.text);
	return done;
}
