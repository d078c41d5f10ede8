#include "arch/toy/cpu.h"

#include "arch/exceptions.h"

#include <string.h>

uint8_t toy_memory[TOY_MEMORY];

static struct step_client *client;
static uint64_t cycles, steps;

void toy_set_client(struct step_client *c)
{
	client = c;
}

struct step_client *toy_client(void)
{
	return client;
}

uint64_t toy_steps(void)
{
	return steps;
}

uint64_t toy_cycles(void)
{
	return cycles;
}

void toy_idle(uint64_t n)
{
	cycles += n;
	toy_timer_runs(n);
}

/* --- a step ------------------------------------------------------------------------------------------- */

struct doing {
	struct step step;
	struct qterm term[TOY_STEP_TERMS];
	struct step_access access;
	struct step_registers registers;
};

static void add(struct doing *d, enum quantity q, uint32_t amount)
{
	d->term[d->step.n_terms++] = (struct qterm){.quantity = (quantity_number)q, .amount = amount};
}

/* The whole step is made before anybody is told. */
static unsigned terms_of(const struct step *s, struct qterm out[STEP_TERMS])
{
	const struct doing *d = s->instruction;

	memcpy(out, d->term, d->step.n_terms * sizeof *out);
	return d->step.n_terms;
}

static unsigned accesses_of(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES])
{
	const struct doing *d = s->instruction;

	if (turn || !d->step.n_access)
		return 0;
	out[0] = d->access;
	return 1;
}

static const struct step_methods methods = {.terms = terms_of, .accesses = accesses_of};

static void tell_client(const struct doing *d)
{
	static const uint8_t vectors[VECTORS_BOTH]; /* there are none: all zero */
	struct step s = d->step;

	if (!client || !client->step)
		return;
	s.terms = NULL;
	s.n_terms = 0;
	s.methods = &methods;
	s.instruction = d;
	s.vectors = client->wants & STEP_WANTS_VECTORS ? vectors : NULL;
	client->step(client->ctx, &s);
}

static void begin(struct doing *d, const struct toy_cpu *cpu)
{
	memset(d, 0, sizeof *d);
	d->step.ip = cpu->pc;
	d->step.next = cpu->pc + 4;
	d->step.level = d->step.level_after = cpu->level;
	d->step.cycles = 1;
	d->step.length = 4;
	d->step.turns = 1;
}

/* The step is done: those who want to know are told. */
static void end(struct doing *d, struct toy_cpu *cpu)
{
	cpu->r[0] = 0;
	cpu->pc = d->step.next;
	cpu->level = d->step.level_after;
	cycles += d->step.cycles;
	d->registers.ip = cpu->pc;
	memcpy(d->registers.general, cpu->r, sizeof cpu->r);
	d->step.terms = d->term;
	d->step.registers = &d->registers;
	d->step.access = &d->access;
	d->step.clock = cycles;
	steps++;
	toy_timer_runs(d->step.cycles);
	tell_client(d);
	if (cycles > toy_deadline())
		trap_abort(TRAP_WATCHDOG);
}

/* --- the instructions --------------------------------------------------------------------------------- */

struct fields {
	unsigned op, d, a, b;
	int64_t imm;
};

static struct fields decode(uint32_t insn)
{
	return (struct fields){
		.op = insn >> 29,
		.d = insn >> 26 & 7,
		.a = insn >> 23 & 7,
		.b = insn >> 20 & 7,
		.imm = (int64_t)(insn & 0xfffff) - (insn & 0x80000 ? 0x100000 : 0),
	};
}

static uint8_t *place(uint64_t address, size_t size, uint64_t pc)
{
	if (address >= TOY_MEMORY || address % size)
		toy_fault(TOY_FAULT_ADDRESS, pc);
	return toy_memory + address;
}

static void access_memory(struct doing *d, struct toy_cpu *cpu, const struct fields *f)
{
	bool store = f->op == TOY_STORE;
	uint64_t address = cpu->r[f->a] + (uint64_t)f->imm;
	uint8_t *at = place(address, 8, cpu->pc);

	if (store)
		memcpy(at, &cpu->r[f->b], 8);
	else
		memcpy(&cpu->r[f->d], at, 8);
	d->access = (struct step_access){.address = address, .size = 8, .store = store};
	d->step.n_access = 1;
	d->step.cycles++;
	add(d, store ? Q_INSN_STORE : Q_INSN_LOAD, 1);
	add(d, store ? Q_STORES : Q_LOADS, 1);
	add(d, store ? Q_STORE_BYTES : Q_LOAD_BYTES, 8);
}

static void go(struct doing *d, enum quantity kind, enum step_transfer transfer, uint64_t to)
{
	d->step.next = to;
	d->step.transfer = d->step.branch = (uint8_t)transfer;
	add(d, Q_BRANCHES, 1);
	add(d, kind, 1);
}

static void branch(struct doing *d, const struct toy_cpu *cpu, const struct fields *f)
{
	bool taken = (cpu->r[f->a] == 0) == (f->d == TOY_IF_ZERO);

	go(d, Q_BR_COND, TRANSFER_CONDITIONAL, taken ? cpu->pc + (uint64_t)f->imm : d->step.next);
	d->step.taken = taken;
	if (!taken)
		d->step.transfer = TRANSFER_NONE;
	add(d, taken ? Q_BR_COND_TAKEN : Q_BR_COND_NTAKEN, 1);
}

static void jump(struct doing *d, struct toy_cpu *cpu, const struct fields *f)
{
	uint64_t to = f->op == TOY_JUMP ? cpu->pc + (uint64_t)f->imm : cpu->r[f->a];

	if (f->op == TOY_JUMP)
		go(d, f->d ? Q_BR_CALL_DIRECT : Q_BR_JMP_DIRECT, f->d ? TRANSFER_CALL : TRANSFER_JUMP, to);
	else if (f->d)
		go(d, Q_BR_CALL_INDIRECT, TRANSFER_CALL_INDIRECT, to);
	else if (f->a == TOY_LINK)
		go(d, Q_BR_RET, TRANSFER_RETURN, to);
	else
		go(d, Q_BR_JMP_INDIRECT, TRANSFER_JUMP_INDIRECT, to);
	cpu->r[f->d] = cpu->pc + 4;
}

/* The machine has registers of its own; all others are those of a PMU, which the client answers. */
static bool carry_out(struct register_access *a, struct step *by)
{
	if (a->number >= TOY_REG_MACHINE)
		return toy_own_register(a);
	by->answered = client && client->access && client->spaces >> a->space & 1 &&
		       client->access(client->ctx, a, by) == REGISTER_DONE;
	return by->answered;
}

static void access_register(struct doing *d, struct toy_cpu *cpu, const struct fields *f)
{
	struct register_access a = {
		.space = SPACE_SYSTEM,
		.write = (f->imm & TOY_WRITE) != 0,
		.level = cpu->level,
		.permitted = cpu->level == 0,
		.number = (uint64_t)f->imm & (TOY_WRITE - 1),
		.value = cpu->r[f->b],
	};

	if (cpu->level)
		toy_fault(TOY_FAULT_PRIVILEGE, cpu->pc);
	add(d, Q_INSN_REG, 1);
	if (a.write)
		add(d, Q_INSN_REGISTER_WRITE, 1);
	d->step.terms = d->term;
	if (!carry_out(&a, &d->step))
		toy_fault(TOY_FAULT_REGISTER, cpu->pc);
	if (!a.write)
		cpu->r[f->d] = a.value;
	d->step.kind = a.write ? STEP_WRITES_REGISTER : STEP_INSTRUCTION;
}

/* Where SYS_RETURN goes. */
static uint64_t return_to;
static uint8_t return_level;

static bool call_supervisor(struct doing *d, const struct toy_cpu *cpu, const struct fields *f)
{
	switch (f->imm) {
	case TOY_SYS_CALL:
		return_to = cpu->pc + 4;
		return_level = cpu->level;
		go(d, Q_BR_FAR, TRANSFER_SYSTEM, TOY_SUPERVISOR);
		d->step.level_after = 0;
		d->step.kind = STEP_CALLS;
		add(d, Q_SYS_CALLS, 1);
		break;
	case TOY_SYS_RETURN:
		go(d, Q_BR_FAR, TRANSFER_SYSTEM, return_to);
		d->step.level_after = return_level;
		d->step.kind = STEP_RETURNS;
		break;
	case TOY_SYS_BEGIN_MARK:
	case TOY_SYS_END_MARK:
		if (client && client->marker) {
			client->marker(client->ctx, f->imm == TOY_SYS_BEGIN_MARK);
			d->step.answered = true;
		}
		break;
	case TOY_SYS_END:
		d->step.level_after = 0;
		break;
	default:
		toy_fault(TOY_FAULT_CALL, cpu->pc);
	}
	if (d->step.level && !d->step.level_after)
		add(d, Q_LEVEL_TO_SYSTEM, 1);
	if (!d->step.level && d->step.level_after)
		add(d, Q_LEVEL_TO_USER, 1);
	return f->imm != TOY_SYS_END;
}

/* @return false at the end */
static bool execute(struct toy_cpu *cpu)
{
	struct doing d;
	struct fields f;
	uint32_t insn;
	bool on = true;

	begin(&d, cpu);
	memcpy(&insn, place(cpu->pc, 4, cpu->pc), 4);
	f = decode(insn);
	add(&d, Q_INSTRUCTIONS, 1);
	switch (f.op) {
	case TOY_ADD:
		cpu->r[f.d] = cpu->r[f.a] + cpu->r[f.b] + (uint64_t)f.imm;
		if (!f.d)
			add(&d, Q_INSN_NOP, 1);
		break;
	case TOY_LOAD:
	case TOY_STORE:
		access_memory(&d, cpu, &f);
		break;
	case TOY_BRANCH:
		branch(&d, cpu, &f);
		break;
	case TOY_JUMP:
	case TOY_JUMPR:
		jump(&d, cpu, &f);
		break;
	case TOY_REG:
		access_register(&d, cpu, &f);
		break;
	case TOY_SYS:
		on = call_supervisor(&d, cpu, &f);
		break;
	}
	end(&d, cpu);
	return on;
}

/* The handler is the host's: the interrupt is one step, and the code goes on where it was. */
static void deliver(struct toy_cpu *cpu, enum toy_interrupt interrupt)
{
	struct doing d;

	begin(&d, cpu);
	d.step.length = 0;
	d.step.kind = STEP_DELIVERED;
	d.step.next = cpu->pc;
	d.step.transfer = TRANSFER_EVENT;
	add(&d, interrupt == TOY_OVERFLOW_NMI ? Q_INTERRUPTS_NMI : Q_INTERRUPTS_HW, 1);
	toy_take_interrupt(interrupt, cpu->pc);
	end(&d, cpu);
}

void toy_run(struct toy_cpu *cpu)
{
	enum toy_interrupt interrupt;
	const uint32_t supervisor = TOY_INSN((uint32_t)TOY_SYS, 0, 0, 0, TOY_SYS_RETURN);

	memcpy(toy_memory + TOY_SUPERVISOR, &supervisor, sizeof supervisor);
	do
		while (toy_interrupt_pends(&interrupt))
			deliver(cpu, interrupt);
	while (execute(cpu));
}

bool toy_register(struct register_access *a)
{
	struct step by = {.cycles = 1};

	a->space = SPACE_SYSTEM;
	a->level = 0;
	a->permitted = true;
	return carry_out(a, &by);
}
