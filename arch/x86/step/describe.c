#include "arch/x86/step/describe.h"

#include "arch/x86/step/account.h"
#include "arch/x86/step/denormals.h"
#include "arch/x86/step/insn_quantities.h"

#include <string.h>

_Static_assert(STEP_TERMS >= ACCOUNT_TERMS, "a step has room for what an instruction contributes");
_Static_assert(STEP_TURN_ACCESSES >= 2 * ACCOUNT_ACCESSES, "and for its accesses");

static unsigned terms(const struct step *s, struct qterm out[STEP_TERMS])
{
	return account_retired(s->instruction, out);
}

static unsigned accesses(const struct step *s, uint64_t turn, struct step_access out[STEP_TURN_ACCESSES])
{
	return account_accesses(s->instruction, turn, out);
}

const struct step_methods describe_methods = {.terms = terms, .accesses = accesses};

static uint32_t shape_of(const struct insn *in)
{
	const uint64_t specials =
		1ull << INSN_PLAIN | 1ull << INSN_JCC | 1ull << INSN_LOOP | 1ull << INSN_JRCXZ;

	if (!(specials >> in->special & 1) || in->flags & INSN_F_INVALID)
		return 0;
	return 1 + in->klass * 4u + (in->flags & INSN_F_LOCK ? 2 : 0);
}

uint32_t step_shapes(void)
{
	return 1 + 4u * insn_class_count;
}

static enum step_kind kind_of(const struct insn *in)
{
	switch ((enum insn_special)in->special) {
	case INSN_WRMSR:
		return STEP_WRITES_REGISTER;
	case INSN_RDPMC:
		return STEP_READS_COUNTER;
	case INSN_INT:
	case INSN_INT3:
	case INSN_INT1:
	case INSN_SYSCALL:
	case INSN_SYSENTER:
		return STEP_CALLS;
	case INSN_IRET:
		return STEP_RETURNS;
	case INSN_SYSRET:
	case INSN_SYSEXIT:
		return STEP_RETURNS_FAST;
	default:
		return STEP_INSTRUCTION;
	}
}

void describe_step(struct step *s, const struct description *about, const struct insn_retired *did,
		   uint64_t ip, uint64_t next)
{
	*s = (struct step){.methods = &describe_methods};
	describe_again(s, about, did, ip, next);
}

/* --- for a model of the machine --------------------------------------------------------------------- */

/* What it looks at in a class of instructions. */
struct kind {
	bool known;
	uint8_t branch;   /* enum step_transfer; of conditional ones as if taken */
	uint8_t transfer; /* likewise, far ones too */
	bool sse, avx;
	bool flushes;   /* CLFLUSH and its like */
	bool denormals; /* its operands may be such */
};

static void add_quantity(struct kind *k, enum quantity q)
{
	static const struct {
		quantity_number quantity;
		uint8_t branch;
	} branches[] = {
		{Q_BR_COND, TRANSFER_CONDITIONAL},
		{Q_BR_RET, TRANSFER_RETURN},
		{Q_BR_JMP_DIRECT, TRANSFER_JUMP},
		{Q_BR_CALL_DIRECT, TRANSFER_CALL},
		{Q_BR_JMP_INDIRECT, TRANSFER_JUMP_INDIRECT},
		{Q_BR_CALL_INDIRECT, TRANSFER_CALL_INDIRECT},
		{Q_BR_FAR, TRANSFER_SYSTEM},
	};

	for (unsigned i = 0; i < sizeof branches / sizeof branches[0]; i++)
		if (q == branches[i].quantity)
			k->transfer = branches[i].branch;
	k->sse |= q == Q_INSN_SSE;
	k->avx |= q == Q_INSN_AVX || q == Q_INSN_AVX512;
	k->flushes |= q == Q_INSN_CLFLUSH;
}

/* Classes that are asked for over and over are worked out once. */
#define KINDS 512

static const struct kind *find_kind(unsigned class)
{
	static struct kind kinds[KINDS], other;
	const struct insn_class *c = &insn_classes[class];
	struct kind *k = class < KINDS ? &kinds[class] : &other;
	bool branches = false;

	if (k->known)
		return k;
	*k = (struct kind){.known = k != &other};
	for (unsigned i = 0; i < c->n_once; i++) {
		enum quantity q = (enum quantity)insn_terms[c->terms + i].quantity;

		add_quantity(k, q);
		branches |= q == Q_BRANCHES;
	}
	k->branch = branches && k->transfer != TRANSFER_SYSTEM ? k->transfer : TRANSFER_NONE;
	k->denormals = denormals_class(class);
	return k;
}

static bool is_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x67};

	return memchr(prefixes, byte, sizeof prefixes);
}

/* SDM vol. 2, 2.3.5 (VEX: L) and 2.7.1 (EVEX: L'L; with rounding they are no length, but the registers are
 * 512 bits wide). */
static bool is_wide(const uint8_t *code)
{
	switch (code[0]) {
	case 0xc5:
		return code[1] & 4;
	case 0xc4:
	case 0x8f: /* XOP */
		return code[2] & 4;
	default:
		return code[3] & 0x60;
	}
}

static enum step_uppers uppers_of(const struct kind *k, const struct insn *in, const uint8_t *code)
{
	if (!k->avx)
		return k->sse ? UPPERS_KEPT : UPPERS_UNTOUCHED;
	while (is_prefix(*code))
		code++;
	if (!(in->flags & INSN_F_MODRM)) /* VZEROUPPER, VZEROALL */
		return UPPERS_ZEROED;
	return is_wide(code) ? UPPERS_USED : UPPERS_CLEARED;
}

static enum step_flush flush_of(const struct kind *k, const struct insn *in, const uint8_t *code)
{
	const uint8_t *modrm = code + in->modrm_at;
	unsigned reg;

	if (!(in->flags & INSN_F_MODRM) || in->modrm_at < 2 || modrm[-2] != 0x0f)
		return FLUSH_NONE;
	reg = *modrm >> 3 & 7;
	if (reg == 7 && k->flushes) /* CLWB, with 6, keeps the line */
		return FLUSH_LINE;
	if (modrm[-1] == 0x01 && reg == 7 && (in->flags & INSN_F_MEM)) /* INVLPG */
		return FLUSH_PAGE;
	if (modrm[-1] == 0x22 && reg == 3) /* MOV to CR3 */
		return FLUSH_TRANSLATIONS;
	return FLUSH_NONE;
}

void describe_instruction(struct description *about, const struct insn *in, const uint8_t *code)
{
	const struct kind *k = find_kind(in->klass);

	*about = (struct description){
		.shape = shape_of(in),
		.kind = (uint8_t)kind_of(in),
		.branch = k->branch,
		.transfer = k->transfer,
		.uppers = (uint8_t)uppers_of(k, in, code),
		.flush = (uint8_t)flush_of(k, in, code),
		.accesses = insn_classes[in->klass].n_accesses != 0,
		.denormals = k->denormals,
		.iterates = in->special == INSN_STRING || in->special == INSN_ENTER,
	};
}

enum step_transfer describe_transfer(const struct description *about, const struct insn_retired *did)
{
	uint8_t special = did->insn->special, transfer = about->transfer;

	if (did->partial || special == INSN_INT || special == INSN_INT3 || special == INSN_INT1 ||
	    (transfer == TRANSFER_CONDITIONAL && !did->taken))
		return TRANSFER_NONE;
	return (enum step_transfer)transfer;
}
