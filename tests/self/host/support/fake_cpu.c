#define _GNU_SOURCE /* REG_RIP and its like */
#include "tests/self/host/support/fake_cpu.h"

#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/model_registers.h"

#include "arch/identity.h"
#include "arch/memory.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/cpuid_table.h"
#include "arch/x86/cpu/msr.h"
#include "pmu/virtual/injections.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define LEAVES     8
#define PATH_START 0x400000

static const struct model_profile *profile;
static void *state;
static struct fake_path path;
static struct cpuid_row leaves[LEAVES];
static unsigned n_leaves;
static uint32_t broken_msr, added_msr;
static uint64_t added_value;
static unsigned strays;
static bool held;
static uint32_t spoiled_msr;
static uint64_t spoiled_bits;
static struct fake_access *notes;
static unsigned n_notes, notes_room;

void fake_cpu_start(const struct model_profile *p, const char *inject)
{
	struct injections injections;
	char why[INJECTION_REASON];

	if (!injections_parse(p->model, inject, &injections, why)) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	fake_cpu_stop();
	profile = p;
	state = calloc(1, p->model->state_size);
	p->model->reset(state, p, &injections.model);
	if (p->model->attach)
		p->model->attach(state, &fake_memory);
	fake_path_start(&path, p->model, state, PATH_START);
}

/* The CPU that does not answer. */
static struct {
	const struct model_profile *profile;
	void *state;
	struct fake_path path;
} other;

void fake_cpu_switch(void)
{
	const struct model_profile *was_profile = profile;
	void *was_state = state;
	struct fake_path was_path = path;

	profile = other.profile;
	state = other.state;
	path = other.path;
	other.profile = was_profile;
	other.state = was_state;
	other.path = was_path;
}

void fake_cpu_stop(void)
{
	free(state);
	state = NULL;
	n_leaves = 0;
	broken_msr = added_msr = 0;
	strays = 0;
	held = false;
	spoiled_msr = 0;
	notes = NULL;
}

void fake_cpu_hold(void)
{
	held = true;
}

void fake_cpu_spoil_write(uint32_t address, uint64_t bits)
{
	spoiled_msr = address;
	spoiled_bits = bits;
}

void fake_cpu_note(struct fake_access *room, unsigned size)
{
	notes = room;
	notes_room = size;
	n_notes = 0;
}

unsigned fake_cpu_noted(void)
{
	return n_notes;
}

static void note(bool write, uint32_t address, uint64_t value)
{
	if (!notes)
		return;
	if (n_notes == notes_room)
		abort();
	notes[n_notes++] = (struct fake_access){write, address, value};
}

void *fake_cpu_state(void)
{
	return state;
}

struct fake_path *fake_cpu_path(void)
{
	return &path;
}

void fake_cpu_set_leaf(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx, uint32_t ecx,
		       uint32_t edx)
{
	if (n_leaves == LEAVES)
		abort();
	leaves[n_leaves++] = (struct cpuid_row){leaf, subleaf, eax, ebx, ecx, edx};
}

void fake_cpu_break_msr(uint32_t address)
{
	broken_msr = address;
}

void fake_cpu_add_msr(uint32_t address, uint64_t value)
{
	added_msr = address;
	added_value = value;
}

unsigned fake_cpu_strays(void)
{
	return strays;
}

/* The test's own answer, the last one that it gave. */
static const struct cpuid_row *find_own(uint32_t leaf, uint32_t subleaf)
{
	for (unsigned i = n_leaves; i-- > 0;)
		if (leaves[i].leaf == leaf && leaves[i].subleaf == subleaf)
			return &leaves[i];
	return NULL;
}

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
	const struct cpuid_row *r = find_own(leaf, subleaf);

	if (!r)
		r = cpuid_row_of(cpuid_table_of(profile->identity), leaf, subleaf);
	return (struct cpuid_regs){r->eax, r->ebx, r->ecx, r->edx};
}

bool cpu_has(enum cpu_feature feature)
{
	return cpu_tells(feature, cpuid);
}

/* Whoever asks for the hypervisor sets it himself. */
void cpu_identify(struct cpu_identity *out)
{
	cpu_decode(out, cpuid);
	out->under_hypervisor = false;
}

static bool active(void)
{
	return profile->model->counting(state) ||
	       (profile->model->recording && profile->model->recording(state));
}

static bool allowed(uint32_t address, enum register_answer access)
{
	if (access == REGISTER_NOT_MINE && added_msr && address == added_msr)
		return true;
	if (access == REGISTER_NOT_MINE)
		strays++;
	return access == REGISTER_DONE && address != broken_msr;
}

/* An instruction that reads a register, which the model has answered, retires. */
static void retire(const struct qterm *terms, unsigned n_terms)
{
	if (!held && active())
		fake_path_insn(&path, 2, terms, n_terms);
}

bool msr_read(uint32_t address, uint64_t *value)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}};
	bool ok = allowed(address, model_rdmsr(profile->model, state, address, value));
	if (!ok) {
		*value = 0;
		return false;
	}
	if (added_msr && address == added_msr)
		*value = added_value;
	note(false, address, *value);
	retire(terms, 1);
	return true;
}

static enum register_answer carry_out(uint32_t address, uint64_t value)
{
	return held ? model_wrmsr(profile->model, state, address, value)
		    : fake_path_wrmsr(&path, address, value);
}

bool msr_read_list(const uint32_t *address, unsigned n, uint64_t *value)
{
	for (unsigned i = 0; i < n; i++)
		if (!msr_read(address[i], &value[i]))
			return false;
	return true;
}

bool msr_write(uint32_t address, uint64_t value)
{
	uint64_t bits = address == spoiled_msr ? spoiled_bits : 0;

	if (address == broken_msr || !allowed(address, carry_out(address, value ^ bits)))
		return false;
	if (address == spoiled_msr)
		spoiled_msr = 0;
	if (added_msr && address == added_msr)
		added_value = value;
	note(true, address, value);
	return true;
}

bool pmc_read(uint32_t index, uint64_t *value)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}};
	bool ok = model_rdpmc(profile->model, state, index, 0, false, value) == REGISTER_DONE;
	if (!ok)
		*value = 0;
	else
		retire(terms, 1);
	return ok;
}

void fake_cpu_run(const struct qterm *terms, unsigned n_terms, uint32_t cycles, uint8_t cpl, uint64_t count)
{
	struct step step = {
		.terms = terms, .n_terms = n_terms, .cycles = cycles, .level_after = cpl, .length = 1};
	uint8_t own = path.level;

	path.level = cpl;
	while (count--)
		fake_path_step(&path, &step, path.regs.ip + 1);
	path.level = own; /* register accesses are not of that code */
}

void fake_cpu_nops(uint64_t count)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_NOP, 1}};
	fake_cpu_run(terms, 2, 1, 0, count);
}

unsigned fake_cpu_interrupts(void)
{
	return fake_path_interrupts(&path);
}

/* code on the real processor */

#define TRAP_FLAG 0x100

static const uint8_t *window, *window_end;

static bool inside(uint64_t rip)
{
	return rip >= (uintptr_t)window && rip < (uintptr_t)window_end;
}

/* After each instruction: it has retired. The step of LFENCE is told apart, all others are plain. */
static const uint8_t *last;

static void on_step(int number, siginfo_t *info, void *context)
{
	static const struct qterm plain[] = {{Q_INSTRUCTIONS, 1}},
				  fence[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_FENCE, 1}, {Q_INSN_LFENCE, 1}};
	ucontext_t *u = context;
	bool lfence = last && !memcmp(last, "\x0f\xae\xe8", 3);

	(void)number;
	(void)info;
	if (last)
		fake_cpu_run(lfence ? fence : plain, lfence ? 3 : 1, 1, 0, 1);
	last = inside(u->uc_mcontext.gregs[REG_RIP]) ? (const uint8_t *)u->uc_mcontext.gregs[REG_RIP] : NULL;
	if (!last)
		u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Privileged instructions fault in ring 3: the fake CPU carries them out. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *r = u->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)r[REG_RIP];
	uint64_t value = (uint64_t)r[REG_RDX] << 32 | (uint32_t)r[REG_RAX];
	bool ok = false;

	(void)info;
	if (inside((uintptr_t)code) && code[0] == 0x0f) {
		if (code[1] == 0x30)
			ok = msr_write(r[REG_RCX], value);
		else if (code[1] == 0x32)
			ok = msr_read(r[REG_RCX], &value);
		else if (code[1] == 0x33)
			ok = pmc_read(r[REG_RCX], &value);
	}
	if (!ok) {
		fprintf(stderr, "signal %d at %p\n", number, (const void *)code);
		_Exit(3);
	}
	if (code[1] != 0x30) {
		r[REG_RAX] = (uint32_t)value;
		r[REG_RDX] = value >> 32;
	}
	r[REG_RIP] += 2;
	last = inside(r[REG_RIP]) ? code + 2 : NULL;
	/* The trap flag stays on: the next trap belongs to the next instruction. */
}

uint64_t fake_cpu_execute(const uint8_t *code, unsigned size, uint64_t regs[4])
{
	uint8_t *copy =
		mmap(NULL, 0x10000, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
	struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
	struct sigaction old_step, old_fault;
	uint64_t rax;

	if (copy == MAP_FAILED || size > 0xfff0)
		abort();
	memcpy(copy, code, size);
	copy[size] = 0xc3;
	window = copy;
	window_end = copy + size;
	last = NULL;
	sigaction(SIGTRAP, &step, &old_step);
	sigaction(SIGSEGV, &fault, &old_fault);
	/* The trap after the CALL finds RIP inside the window, and from there on each one is a retired
	 * instruction. */
	__asm__ volatile("mov %[regs], %%rbx\n\t"
			 "mov 0(%%rbx), %%r12\n\t"
			 "mov 8(%%rbx), %%r13\n\t"
			 "mov 16(%%rbx), %%r14\n\t"
			 "mov 24(%%rbx), %%r15\n\t"
			 "lea -128(%%rsp), %%rsp\n\t"
			 "pushfq\n\t"
			 "orl $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "call *%[copy]\n\t"
			 "lea 128(%%rsp), %%rsp\n\t"
			 "mov %%r12, 0(%%rbx)\n\t"
			 "mov %%r13, 8(%%rbx)\n\t"
			 "mov %%r14, 16(%%rbx)\n\t"
			 "mov %%r15, 24(%%rbx)\n\t"
			 : "=&a"(rax)
			 : [regs] "S"(regs), [copy] "D"(copy)
			 : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
			   "memory", "cc");
	sigaction(SIGTRAP, &old_step, NULL);
	sigaction(SIGSEGV, &old_fault, NULL);
	munmap(copy, 0x10000);
	return rax;
}

bool page_also_at(uint64_t address, void *page)
{
	(void)address, (void)page;
	return false;
}

bool page_translate(uint64_t address, uint64_t *physical, unsigned *shift)
{
	*physical = address;
	*shift = 12;
	return true;
}

bool identity_hypervisor(char name[IDENTITY_HYPERVISOR])
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	memcpy(name, cpu.hypervisor, sizeof cpu.hypervisor);
	return cpu.under_hypervisor;
}
