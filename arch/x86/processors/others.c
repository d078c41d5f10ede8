/*
 * All other processors at work at once (arch/second_cpu.h): each is started into a loop, on a stack and a
 * line of its own, and halts like one that had a turn.
 */
#include "arch/processors.h"
#include "arch/second_cpu.h"
#include "arch/x86/processors/processors_internal.h"
#include "arch/x86/processors/sentry.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/machine/paging_internal.h"

#define STACK   2048 /* calls of a job, and what an exception puts there */
#define TURNS   256  /* before it lets others go on, in an emulator that runs one processor at a time */
#define VECTORS 19   /* up to machine check */
#define LEAVE   2    /* the word of its line that tells it to */

static struct other {
	volatile uint32_t arrived, done;
	unsigned number;
	bool works, counts;
	uint64_t turns;
	volatile uint32_t line[16] __attribute__((aligned(64)));
} others[OTHERS_MAX];

static uint8_t *stacks; /* of all of them, one after the other; NULL: there was no memory for them */
static const struct others_job *job;
static struct processor_type own_type;
static unsigned starting;
static struct idt_gate others_idt[VECTORS] __attribute__((aligned(16)));
static struct descriptor_pointer others_idt_pointer;

/* Of exceptions only that of an access that the job makes: the table of fix-ups is for any processor. */
void others_init(unsigned processors)
{
	gate_set(&others_idt[VECTOR_NMI], park_on_nothing, GATE_INTERRUPT, 0);
	gate_set(&others_idt[VECTOR_MC], park_on_nothing, GATE_INTERRUPT, 0);
	gate_set(&others_idt[VECTOR_GP], trap_stubs + VECTOR_GP * TRAP_STUB_STRIDE, GATE_INTERRUPT, 0);
	others_idt_pointer = (struct descriptor_pointer){sizeof others_idt - 1, (uintptr_t)others_idt};
	stacks = stack_create((processors < OTHERS_MAX ? processors : OTHERS_MAX) * STACK);
}

/* The loop of second_cpu_turns[SECOND_CPU_PATIENT]. */
static uint64_t loop(struct other *own)
{
	uintptr_t turns = 0;

	__asm__ volatile("1:\tmov (%1), %%eax\n\t"
			 "imul %k0, %%eax\n\t"
			 "mov %%eax, 4(%1)\n\t"
			 "pause\n\t"
			 "inc %0\n\t"
			 "cmpl $0, %c2(%1)\n\t"
			 "je 1b"
			 : "+r"(turns)
			 : "r"(own->line), "i"(LEAVE * sizeof own->line[0])
			 : "eax", "cc", "memory");
	return turns;
}

static void store(struct other *own)
{
	for (uint32_t turn = 1; !own->line[LEAVE]; turn++) {
		own->line[0] = turn;
		own->line[1] = own->line[0] * own->line[1] + turn;
		own->arrived = 1;
		if (!(turn % TURNS))
			cpu_relax();
	}
}

/* On the other processor. */
static void member(void)
{
	unsigned i = starting;
	struct other *own = &others[i];
	struct processor_type type;

	idt_load(&others_idt_pointer);
	if (!job) {
		store(own);
		processor_rest();
	}
	processor_type_read(&type);
	own->counts = processor_same_type(&type, &own_type);
	if (own->counts)
		job->begin(job->arg, i);
	own->arrived = 1;
	own->turns = loop(own);
	if (own->counts)
		job->end(job->arg, i);
	own->done = 1;
	processor_rest();
}

static bool same_core(unsigned a, unsigned b, uint8_t bits)
{
	return bits && processor_at(a).id >> bits == processor_at(b).id >> bits;
}

/* @return how many there are; their numbers are in others[] */
static unsigned list(bool one_of_core)
{
	uint8_t bits = processor_thread_bits();
	unsigned n = 0;

	for (unsigned i = 1; stacks && i < processor_count() && n < OTHERS_MAX; i++) {
		bool shares = one_of_core && same_core(i, processor_current(), bits);

		for (unsigned j = 0; j < n && one_of_core; j++)
			shares |= same_core(i, others[j].number, bits);
		if (!shares && processor_at(i).enabled && i != processor_current() && i != sentry_processor())
			others[n++].number = i;
	}
	return n;
}

unsigned others_count(void)
{
	return list(true);
}

unsigned others_begin(const struct others_job *what, unsigned only)
{
	unsigned n, began = 0;
	const char *why;

	second_cpu_dismiss();
	n = list(what != NULL);
	job = what;
	processor_type_read(&own_type);
	for (unsigned i = 0; i < n; i++) {
		struct other *o = &others[i];

		if (o->works || (only != OTHERS_ALL && only != i))
			continue;
		starting = i;
		o->done = o->line[LEAVE] = 0;
		o->counts = false;
		o->works = processor_launch(processor_at(o->number).id, member, stacks + (i + 1) * STACK,
					    &o->arrived, &why);
		began += o->works;
	}
	return began;
}

bool others_end(unsigned i, uint64_t *turns)
{
	struct other *o = &others[i];
	bool counted;

	if (!o->works)
		return false;
	o->line[LEAVE] = 1;
	counted = job && processor_awaits(&o->done, 1, true) && o->counts;
	*turns = o->turns;
	o->works = false;
	processor_put_to_rest(o->number, true);
	return counted;
}

unsigned others_number(unsigned i)
{
	return others[i].number;
}

unsigned others_work(void)
{
	return others_begin(NULL, OTHERS_ALL);
}

void others_rest(void)
{
	uint64_t turns;

	for (unsigned i = 0; i < OTHERS_MAX; i++)
		others_end(i, &turns);
}
