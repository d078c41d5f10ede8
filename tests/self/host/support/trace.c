#include "tests/self/host/support/trace.h"
#include "arch/x86/step/account.h"
#include "tests/self/host/support/stepper.h"
#include "tests/kernels/x86/code_ring.h"

#include <stdlib.h>
#include <string.h>

static struct trace *recording;

static struct trace_step *add(struct trace *t)
{
	if (t->count == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->step = realloc(t->step, t->room * sizeof *t->step);
		if (!t->step)
			abort();
	}
	return &t->step[t->count++];
}

unsigned trace_terms(struct trace_step *s, struct qterm *terms)
{
	s->did.insn = &s->insn;
	return account_retired(&s->did, terms);
}

uint64_t trace_amount(struct trace_step *s, enum quantity q)
{
	struct qterm terms[ACCOUNT_TERMS];
	unsigned n = trace_terms(s, terms);
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += terms[i].quantity == q ? terms[i].amount : 0;
	return sum;
}

static void stepped(const struct insn_retired *did, const uint8_t *code, uint64_t rip, uint64_t next)
{
	struct trace_step *s = add(recording);
	struct qterm terms[ACCOUNT_TERMS];

	*s = (struct trace_step){.did = *did, .insn = *did->insn, .rip = rip, .next = next};
	memcpy(s->code, code, did->insn->length);
	s->denormal = stepper_denormal(did, code, terms, account_retired(did, terms));
}

/* --- read off the code ------------------------------------------------------------------------------- */

#define CODE_AT 0x10000000ull
#define DATA_AT 0x20000000ull
#define RING_AT 0x30000000ull

static uint64_t relative(const struct trace_step *s)
{
	bool near = s->insn.length >= 5;
	int32_t displacement = (int8_t)s->code[s->insn.length - 1];

	if (near)
		memcpy(&displacement, s->code + s->insn.length - 4, 4);
	return s->rip + s->insn.length + (uint64_t)(int64_t)displacement;
}

/* Code in large pages is a return, at the address that RDX has. */
#define LARGE    (KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G)
#define LARGE_AT 0x50000000ull
static uint64_t rdx;
#define RDX 2

/* Of REP: what was last moved to ECX. */
static uint32_t count;
#define MOV_ECX 0xb9

static struct trace_step *walk_one(struct trace *t, const uint8_t *code, size_t room, uint64_t rip)
{
	struct insn_registers registers = {.rip = rip};
	struct trace_step *s = add(t);

	*s = (struct trace_step){.rip = rip};
	if (!insn_decode(code, room < 15 ? room : 15, &s->insn))
		return NULL;
	memcpy(s->code, code, s->insn.length);
	for (unsigned i = 0; i < 16; i++)
		registers.gpr[i] = i == RDX ? rdx : DATA_AT + KERNEL_SCRATCH;
	s->did = (struct insn_retired){.insn = &s->insn,
				       .cpl = 3,
				       .cpl_after = 3,
				       .iterations = 1,
				       .stack = DATA_AT - KERNEL_STACK,
				       .source = DATA_AT + KERNEL_SCRATCH,
				       .dest = DATA_AT + KERNEL_SCRATCH};
	if (s->insn.flags & INSN_F_MEM)
		s->did.address = insn_effective_address(s->code, &s->insn, &registers);
	if (s->code[0] == MOV_ECX)
		memcpy(&count, s->code + 1, sizeof count);
	if (s->insn.special == INSN_STRING && s->insn.flags & INSN_F_REP)
		s->did.iterations = count;
	s->next = rip + s->insn.length;
	return s;
}

#define RINGS (KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL)

static void walk_segment(struct trace *t, bool full, uint64_t segment, uint64_t back)
{
	static uint8_t ring[KERNEL_CODE_SIZE];
	uint64_t at = code_ring_segment(full, segment);
	struct trace_step *s;

	if (!ring[at])
		code_ring_fill(ring);
	for (;;) {
		s = walk_one(t, ring + at, sizeof ring - at, RING_AT + at);
		if (trace_amount(s, Q_BR_RET))
			break;
		if (trace_amount(s, Q_BR_JMP_DIRECT))
			s->next = relative(s);
		at = s->next - RING_AT;
	}
	s->next = back;
}

unsigned trace_ring_turns(const struct kernel *k)
{
	return k->flags & RINGS ? code_ring_segments(k->flags & KERNEL_SERVICE_CODE_FULL) : 0;
}

#define COND_NS 9 /* loops that are closed by JNS are entered at their end */

static const char *walk(struct trace *t, const struct kernel *k, uint64_t from)
{
	size_t size = (size_t)(k->code_end - k->code);
	uint64_t closed = 0, segment = from;
	bool full = k->flags & KERNEL_SERVICE_CODE_FULL;
	static const uint8_t ret[] = {0xc3};

	rdx = k->flags & LARGE && kernel_amount(k, Q_BR_CALL_INDIRECT, 1).high ? LARGE_AT
									       : DATA_AT + KERNEL_SCRATCH;
	for (uint64_t at = 0; at < size;) {
		struct trace_step *s = walk_one(t, k->code + at, size - at, CODE_AT + at);
		bool direct, call, large, moves;

		if (!s)
			return "there is something that is no instruction";
		direct = trace_amount(s, Q_BR_JMP_DIRECT);
		call = trace_amount(s, Q_BR_CALL_INDIRECT) && k->flags & RINGS;
		large = trace_amount(s, Q_BR_CALL_INDIRECT) && k->flags & LARGE;
		if (s->insn.special == INSN_JCC && relative(s) <= s->rip) {
			s->did.taken = ++closed < t->n + (s->insn.cond == COND_NS);
			s->next = s->did.taken ? relative(s) : s->next;
		} else if (direct) {
			s->next = relative(s);
		}
		at = s->next - CODE_AT;
		if (call) {
			s->next = RING_AT + code_ring_segment(full, segment);
			moves = s->insn.length == 2; /* through RAX, in which a segment leaves the next one */
			walk_segment(t, full, segment, CODE_AT + at);
			segment += moves;
		}
		if (large) {
			s->next = LARGE_AT;
			walk_one(t, ret, sizeof ret, LARGE_AT)->next = CODE_AT + at;
		}
	}
	return NULL;
}

static void add_up(struct trace *t)
{
	struct qterm terms[ACCOUNT_TERMS];

	t->total[OUTCOME_ABORT] = (struct qvec){{0}};
	for (size_t i = 0; i < t->count; i++)
		qvec_add(&t->total[OUTCOME_ABORT], terms, trace_terms(&t->step[i], terms));
	t->total[OUTCOME_COMMIT] = t->total[OUTCOME_ABORT];
}

#define HANDLERS                                                                                             \
	(KERNEL_SERVICE_TEST_INT | KERNEL_SERVICE_RESUME | KERNEL_SERVICE_SYSCALL |                          \
	 KERNEL_SERVICE_SYSENTER | KERNEL_SERVICE_XAPIC | KERNEL_SERVICE_X2APIC | KERNEL_SERVICE_NMI)

/* Gathers and scatters: how many elements they access is in a register. */
static bool has_masks(const struct kernel *k)
{
	struct insn in;

	for (const uint8_t *p = k->code; p < k->code_end && insn_decode(p, (size_t)(k->code_end - p), &in);
	     p += in.length)
		if (in.special == INSN_MASKMOV)
			return true;
	return false;
}

bool trace_is_whole(const struct kernel *k)
{
	return !stepper_unfit(k) || (!(k->flags & HANDLERS) && kernel_has_path(k) && !has_masks(k));
}

const char *trace_record(struct trace *t, const struct kernel *k, uint64_t n, uint64_t from)
{
	const char *why;

	t->kernel = k;
	t->n = n;
	t->count = 0;
	t->stepped = !stepper_unfit(k) && !(k->flags & RINGS);
	if (!t->stepped) {
		why = walk(t, k, from);
		add_up(t);
		return why;
	}
	recording = t;
	stepper_watch(stepped);
	why = stepper_run(k, n, &t->total[OUTCOME_ABORT]);
	stepper_watch(NULL);
	t->total[OUTCOME_COMMIT] = t->total[OUTCOME_ABORT];
	if (!why && kernel_transacts(k)) {
		stepper_transactions(OUTCOME_COMMIT);
		why = stepper_run(k, n, &t->total[OUTCOME_COMMIT]);
		stepper_transactions(OUTCOME_ABORT);
	}
	return why;
}

void trace_free(struct trace *t)
{
	free(t->step);
	*t = (struct trace){0};
}
