#include "tests/self/host/support/fake_path.h"

#include "tests/self/host/support/model_registers.h"
#include "pmu/x86/general.h"

#include <string.h>

#define TAKE_AT_MOST 100

void fake_path_start(struct fake_path *p, const struct pmu_model *model, void *state, uint64_t ip)
{
	memset(p, 0, sizeof *p);
	p->model = model;
	p->state = state;
	p->regs.ip = ip;
	p->regs.flags = 2;
	p->clock = 1000;
	for (unsigned i = 0; i < GPR_COUNT; i++)
		p->regs.general[i] = 0x1111000000000000 + (i << 8);
	for (unsigned i = 0; i < VECTORS_BOTH; i++)
		p->vectors[i] = (uint8_t)(i + i / VECTORS_SIZE);
}

static bool active(const struct fake_path *p)
{
	return p->model->counting(p->state) || (p->model->recording && p->model->recording(p->state));
}

void fake_path_step(struct fake_path *p, struct step *s, uint64_t next)
{
	s->cycles = s->cycles ? s->cycles : 1;
	s->level = p->level;
	s->ip = p->regs.ip;
	s->next = next;
	s->clock = p->clock += FAKE_PATH_CYCLE;
	s->registers = &p->regs;
	s->vectors = p->vectors;
	p->regs.ip = next;
	p->level = s->level_after;
	p->changed = p->model->advance(p->state, s);
	p->last = *s;
}

unsigned fake_path_interrupts(struct fake_path *p)
{
	unsigned n = 0;

	while (n < TAKE_AT_MOST && p->model->take_pmi(p->state))
		n++;
	return n;
}

void fake_path_access(struct fake_path *p, unsigned length, const struct qterm *terms, unsigned n_terms,
		      const struct step_access *access, unsigned n_access)
{
	struct step s = {.terms = terms,
			 .n_terms = n_terms,
			 .length = (uint8_t)length,
			 .level_after = p->level,
			 .access = access,
			 .n_access = n_access};

	p->regs.general[GPR_RAX]++;
	fake_path_step(p, &s, p->regs.ip + length);
}

void fake_path_insn(struct fake_path *p, unsigned length, const struct qterm *terms, unsigned n_terms)
{
	fake_path_access(p, length, terms, n_terms, NULL, 0);
}

void fake_path_nops(struct fake_path *p, unsigned count)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_NOP, 1}};

	while (count--)
		fake_path_insn(p, 1, terms, 2);
}

void fake_path_load(struct fake_path *p, uint64_t address)
{
	static const struct qterm terms[] = {
		{Q_INSTRUCTIONS, 1}, {Q_INSN_LOAD, 1}, {Q_LOADS, 1}, {Q_LOAD_BYTES, 8}};
	const struct step_access access = {.address = address, .size = 8};

	fake_path_access(p, 3, terms, 4, &access, 1);
}

void fake_path_store(struct fake_path *p, uint64_t address)
{
	static const struct qterm terms[] = {
		{Q_INSTRUCTIONS, 1}, {Q_INSN_STORE, 1}, {Q_STORES, 1}, {Q_STORE_BYTES, 8}};
	const struct step_access access = {.address = address, .size = 8, .store = true};

	fake_path_access(p, 3, terms, 4, &access, 1);
}

static void branch(struct fake_path *p, enum step_transfer kind, uint64_t to, uint8_t cpl, bool mispredicted)
{
	static const quantity_number quantity[] = {
		[TRANSFER_CONDITIONAL] = Q_BR_COND,
		[TRANSFER_JUMP] = Q_BR_JMP_DIRECT,
		[TRANSFER_JUMP_INDIRECT] = Q_BR_JMP_INDIRECT,
		[TRANSFER_CALL] = Q_BR_CALL_DIRECT,
		[TRANSFER_CALL_INDIRECT] = Q_BR_CALL_INDIRECT,
		[TRANSFER_RETURN] = Q_BR_RET,
		[TRANSFER_SYSTEM] = Q_BR_FAR,
	};
	struct qterm terms[8] = {{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {quantity[kind], 1}};
	bool call = kind == TRANSFER_CALL || kind == TRANSFER_CALL_INDIRECT, ret = kind == TRANSFER_RETURN;
	struct step_access access = {.size = 8, .store = call};
	struct step s = {.terms = terms,
			 .n_terms = 3,
			 .transfer = (uint8_t)kind,
			 .length = 2,
			 .level_after = cpl,
			 .access = &access,
			 .n_access = call || ret};

	if (kind == TRANSFER_CONDITIONAL)
		terms[s.n_terms++] = (struct qterm){Q_BR_COND_TAKEN, 1};
	if (call || ret) {
		terms[s.n_terms++] = (struct qterm){call ? Q_STORES : Q_LOADS, 1};
		terms[s.n_terms++] = (struct qterm){call ? Q_INSN_STORE : Q_INSN_LOAD, 1};
		terms[s.n_terms++] = (struct qterm){call ? Q_STORE_BYTES : Q_LOAD_BYTES, 8};
		access.address = p->regs.general[GPR_RSP] - (call ? 8 : 0);
		p->regs.general[GPR_RSP] += call ? -8ull : 8ull;
	}
	if (mispredicted)
		terms[s.n_terms++] = (struct qterm){Q_BR_MISPRED, 1};
	fake_path_step(p, &s, to);
}

void fake_path_branch(struct fake_path *p, enum step_transfer kind, uint64_t to)
{
	branch(p, kind, to, p->level, false);
}

void fake_path_mispredicted(struct fake_path *p, enum step_transfer kind, uint64_t to)
{
	branch(p, kind, to, p->level, true);
}

void fake_path_not_taken(struct fake_path *p)
{
	static const struct qterm terms[] = {
		{Q_INSTRUCTIONS, 1}, {Q_BRANCHES, 1}, {Q_BR_COND, 1}, {Q_BR_COND_NTAKEN, 1}};
	struct step s = {.terms = terms, .n_terms = 4, .length = 2, .level_after = p->level};

	fake_path_step(p, &s, p->regs.ip + 2);
}

void fake_path_far(struct fake_path *p, uint64_t to, uint8_t cpl)
{
	branch(p, TRANSFER_SYSTEM, to, cpl, false);
}

void fake_path_event(struct fake_path *p, uint64_t handler)
{
	static const struct qterm terms[] = {{Q_INTERRUPTS_HW, 1}, {Q_RING_TO_KERNEL, 1}};
	struct step s = {.terms = terms, .n_terms = p->level ? 2 : 1, .transfer = TRANSFER_EVENT};

	fake_path_step(p, &s, handler);
}

enum register_answer fake_path_wrmsr(struct fake_path *p, uint32_t address, uint64_t value)
{
	static const struct qterm terms[] = {{Q_INSTRUCTIONS, 1}, {Q_INSN_SERIALIZING, 1}, {Q_INSN_WRMSR, 1}};
	struct step s = {
		.terms = terms, .n_terms = 3, .length = 2, .level_after = p->level, .own_write = true};
	bool was_active = active(p);
	enum register_answer access = model_wrmsr(p->model, p->state, address, value);

	if (access != REGISTER_DONE)
		return access;
	if (was_active)
		fake_path_step(p, &s, p->regs.ip + 2);
	else
		p->regs.ip += 2;
	return access;
}
