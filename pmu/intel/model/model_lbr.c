/*
 * Last-branch records: SDM 17.4.1, 17.4.7, 17.4.8 and 17.5 to 17.12 for the stacks that go by the model, the
 * last-branch chapter of later editions for the architectural ones.
 *
 * A record is made when the branch retires, before the interrupt that the same instruction may have caused
 * freezes the stack. Filters by ring look at the ring in which the branch ends (table 17-11); interrupts and
 * exceptions are far branches to the filters. The manual of stacks by model does not say what a value is that
 * MSR_LASTBRANCH_TOS must not take: bits beyond the depth are taken for reserved.
 *
 * An exception or interrupt, also one of software, puts the newest record aside, as the last exception
 * record, before its own is made: SDM 17.4.8, tables 35-2 and on. By model it has addresses alone, and can
 * only be read; the architectural one is as a record of the stack, and as that one is filtered.
 *
 * Call-stack mode: a near call pushes, unless it goes to the instruction behind it; a near return pops.
 */
#include "pmu/intel/errata/hooks.h"

#include <string.h>

void intel_lbr_reset(struct intel_state *s, const struct intel_lbr *layout)
{
	struct intel_lbr_state *l = &s->lbr;

	l->at = *layout;
	l->depth = layout->depth;
	if (l->depth > INTEL_LBR_DEPTH_MAX)
		l->depth = INTEL_LBR_DEPTH_MAX;
}

static bool architectural(const struct intel_lbr_state *l)
{
	return l->at.format == LBR_ARCH;
}

bool intel_lbr_enabled(const struct intel_state *s)
{
	const struct intel_lbr_state *l = &s->lbr;

	if (!l->depth || s->status & STATUS_LBR_FRZ)
		return false;
	return architectural(l) ? l->control & LBR_CTL_ENABLE : s->debugctl & DEBUGCTL_LBR;
}

/* --- registers -------------------------------------------------------------------------------------- */

/* Bits 63:47 alike. SDM 17.4.8.1. */
static bool canonical(uint64_t address)
{
	return address == (uint64_t)((int64_t)(address << 16) >> 16);
}

/* What FROM may be given: its flags apart, a canonical address. */
static bool from_valid(const struct intel_lbr_state *l, uint64_t value)
{
	if (l->at.format == LBR_FLAGS || l->at.format == LBR_TIME)
		value = (uint64_t)((int64_t)(value << 1) >> 1);
	else if (l->at.format == LBR_TSX)
		value = (uint64_t)((int64_t)(value << 3) >> 3);
	return canonical(value);
}

static bool to_valid(const struct intel_lbr_state *l, uint64_t value)
{
	return l->at.format == LBR_TIME || canonical(value);
}

/* SDM 17.11, table 17-16; architectural: bits 15:0 and 63:56, the latter as CPUID leaf 1CH has them. */
static uint64_t info_bits(const struct intel_lbr_state *l)
{
	uint64_t bits = LBR_INFO_CYCLES | LBR_MISPREDICTED;

	if (l->at.format != LBR_INFO2)
		bits |= 3ull << 61;
	if (architectural(l))
		bits |= LBR_INFO_VALID | 15ull << LBR_INFO_TYPE;
	for (unsigned c = 0; c < LBR_LOGGED; c++)
		if (l->at.logs >> c & 1)
			bits |= (uint64_t)LBR_LOG_MOST << (LBR_INFO_LOG + 2 * c);
	return bits;
}

/* The register that the address names: which array, and the entry. NULL: none of the stack. */
static uint64_t *entry(struct intel_lbr_state *l, uint32_t address, enum intel_lbr_part *part,
		       unsigned *index)
{
	const struct {
		uint32_t first;
		uint64_t *array;
	} parts[] = {[LBR_FROM] = {l->at.from, l->from},
		     [LBR_TO] = {l->at.to, l->to},
		     [LBR_TELL] = {l->at.info, l->info}};
	unsigned range = architectural(l) ? INTEL_LBR_DEPTH_MAX : l->at.depth;

	for (unsigned p = 0; p < 3; p++)
		if (parts[p].first && address >= parts[p].first && address - parts[p].first < range) {
			*part = (enum intel_lbr_part)p;
			*index = address - parts[p].first;
			return &parts[p].array[*index];
		}
	return NULL;
}

/* Records of the stack, newest first in the architectural one, lie beyond what IA32_LBR_DEPTH says: #GP. */
static bool within(const struct intel_lbr_state *l, unsigned index)
{
	return index < l->depth;
}

enum register_answer intel_lbr_read(struct intel_state *s, uint32_t address, uint64_t *value)
{
	struct intel_lbr_state *l = &s->lbr;
	enum intel_lbr_part part;
	unsigned index;
	const uint64_t *e = entry(l, address, &part, &index);

	*value = 0;
	if (e) {
		if (!within(l, index) || intel_hook_record_refused(s))
			return REGISTER_FAULT;
		*value = intel_pt_hides_branches(s) ? 0 : *e;
		return REGISTER_DONE;
	}
	switch (address) {
	case MSR_LER_FROM_LIP:
		*value = l->ler_from;
		return l->depth ? REGISTER_DONE : REGISTER_FAULT;
	case MSR_LER_TO_LIP:
		*value = intel_hook_ler_to(s, l->ler_to);
		return l->depth ? REGISTER_DONE : REGISTER_FAULT;
	case IA32_LER_INFO:
		*value = l->ler_info;
		return l->depth && architectural(l) ? REGISTER_DONE : REGISTER_NOT_MINE;
	case MSR_LBR_SELECT:
		*value = l->select;
		return l->at.select ? REGISTER_DONE : REGISTER_FAULT;
	case MSR_LASTBRANCH_TOS:
		*value = l->tos;
		return l->depth && !architectural(l) ? REGISTER_DONE : REGISTER_FAULT;
	case IA32_LBR_CTL:
		*value = l->control;
		return architectural(l) ? REGISTER_DONE : REGISTER_FAULT;
	case IA32_LBR_DEPTH:
		*value = architectural(l) ? l->depth : 0;
		return architectural(l) ? REGISTER_DONE : REGISTER_FAULT;
	default:
		return REGISTER_NOT_MINE;
	}
}

/* A depth that CPUID offers; all records are cleared. */
static enum register_answer write_depth(struct intel_lbr_state *l, uint64_t value)
{
	if (!architectural(l) || !value || value % 8 || value > 64 || !(l->at.depths >> (value / 8 - 1) & 1))
		return REGISTER_FAULT;
	l->depth = (uint8_t)value;
	memset(l->from, 0, sizeof l->from);
	memset(l->to, 0, sizeof l->to);
	memset(l->info, 0, sizeof l->info);
	return REGISTER_DONE;
}

enum register_answer intel_lbr_write(struct intel_state *s, uint32_t address, uint64_t value)
{
	struct intel_lbr_state *l = &s->lbr;
	enum intel_lbr_part part;
	unsigned index;
	uint64_t *e = entry(l, address, &part, &index);

	if (e) {
		if (intel_hook_record_ignores(s, intel_pt_hides_branches(s)))
			return REGISTER_DONE;
		if (!within(l, index) || (part == LBR_FROM && intel_hook_from_refused(s, value)) ||
		    (part == LBR_FROM && l->at.to && l->at.format >= LBR_FLAGS && !from_valid(l, value)) ||
		    (part == LBR_TO && l->at.format >= LBR_FLAGS && !to_valid(l, value)) ||
		    (part == LBR_TELL && intel_reserved(s, &value, info_bits(l))))
			return REGISTER_FAULT;
		*e = value;
		return REGISTER_DONE;
	}
	switch (address) {
	case MSR_LER_FROM_LIP:
	case MSR_LER_TO_LIP:
		if (!l->depth || !architectural(l) || !canonical(value))
			return REGISTER_FAULT;
		*(address == MSR_LER_FROM_LIP ? &l->ler_from : &l->ler_to) = value;
		return REGISTER_DONE;
	case IA32_LER_INFO:
		if (!l->depth || !architectural(l))
			return REGISTER_NOT_MINE;
		if (intel_reserved(s, &value, info_bits(l)))
			return REGISTER_FAULT;
		l->ler_info = value;
		return REGISTER_DONE;
	case MSR_LBR_SELECT:
		if (!l->at.select || intel_reserved(s, &value, l->at.select))
			return REGISTER_FAULT;
		l->select = (uint32_t)value;
		return REGISTER_DONE;
	case MSR_LASTBRANCH_TOS:
		if (!l->depth || architectural(l) || intel_reserved(s, &value, l->depth - 1))
			return REGISTER_FAULT;
		l->tos = (uint8_t)value;
		return REGISTER_DONE;
	case IA32_LBR_CTL:
		if (!architectural(l) || intel_reserved(s, &value, l->at.control))
			return REGISTER_FAULT;
		l->control = (uint32_t)value;
		return REGISTER_DONE;
	case IA32_LBR_DEPTH:
		return write_depth(l, value);
	default:
		return REGISTER_NOT_MINE;
	}
}

/* --- recording -------------------------------------------------------------------------------------- */

/* Of each kind of transfer: the bit that leaves it out, the place of the one that takes it in, and how it is
 * encoded in the record. */
static const struct {
	uint16_t select;
	uint8_t control, type;
} kinds[] = {
	[TRANSFER_CONDITIONAL] = {SELECT_JCC, 0, 0},
	[TRANSFER_JUMP] = {SELECT_JUMP, 1, 2},
	[TRANSFER_JUMP_INDIRECT] = {SELECT_JUMP_INDIRECT, 2, 1},
	[TRANSFER_CALL] = {SELECT_CALL, 3, 4},
	[TRANSFER_CALL_INDIRECT] = {SELECT_CALL_INDIRECT, 4, 3},
	[TRANSFER_RETURN] = {SELECT_RETURN, 5, 5},
	[TRANSFER_SYSTEM] = {SELECT_FAR, 6, 8},
	[TRANSFER_EVENT] = {SELECT_FAR, 6, 8},
};

/* Whether branches that end at this level are recorded. */
static bool ring_wanted(const struct intel_lbr_state *l, uint8_t cpl)
{
	if (architectural(l))
		return !(l->at.control & LBR_CTL_OS) || l->control & (cpl ? LBR_CTL_USR : LBR_CTL_OS);
	return !(l->select & (cpl ? SELECT_CPL3 : SELECT_CPL0));
}

static bool kind_wanted(const struct intel_lbr_state *l, unsigned transfer)
{
	if (architectural(l))
		return !(l->at.control & LBR_CTL_ALL_KINDS) ||
		       l->control >> (LBR_CTL_KINDS + kinds[transfer].control) & 1;
	return !(l->select & kinds[transfer].select);
}

static bool call_stack(const struct intel_lbr_state *l)
{
	return architectural(l) ? l->control & LBR_CTL_CALL_STACK : l->select & SELECT_CALL_STACK;
}

/* Entry 0 of the architectural stack is always the newest: the others move. */
static void move(struct intel_lbr_state *l, bool down)
{
	uint64_t *parts[] = {l->from, l->to, l->info};

	for (unsigned p = 0; p < 3; p++) {
		memmove(parts[p] + down, parts[p] + !down, (l->depth - 1) * sizeof *parts[p]);
		parts[p][down ? 0 : l->depth - 1] = 0;
	}
}

/* Index of the newest entry after making room for one. */
static unsigned push(struct intel_lbr_state *l)
{
	if (architectural(l)) {
		move(l, true);
		return 0;
	}
	l->tos = (l->tos + 1u) % l->depth;
	return l->tos;
}

static void pop(struct intel_lbr_state *l)
{
	if (architectural(l)) {
		move(l, false);
		return;
	}
	l->from[l->tos] = l->to[l->tos] = l->info[l->tos] = 0;
	l->tos = (l->tos + (l->depth - 1u)) % l->depth;
}

void intel_lbr_log(struct intel_state *s, unsigned c, uint64_t amount)
{
	struct intel_lbr_state *l = &s->lbr;

	if (c >= LBR_LOGGED || !(s->select[c] & EVTSEL_LBR_LOG) || !intel_lbr_enabled(s))
		return;
	amount += l->logged[c];
	l->logged[c] = (uint8_t)(amount > LBR_LOG_MOST ? LBR_LOG_MOST : amount);
}

/* What the counters have added since the last record goes into this one. */
static uint64_t take_logs(struct intel_state *s)
{
	struct intel_lbr_state *l = &s->lbr;
	uint64_t bits = 0;

	for (unsigned c = 0; c < LBR_LOGGED; c++)
		bits |= (uint64_t)l->logged[c] << (LBR_INFO_LOG + 2 * c);
	memset(l->logged, 0, sizeof l->logged);
	return intel_hook_lbr_logs(s, bits);
}

/* What the registers hold of an address: with its flags as the format has them. */
static void store(struct intel_state *s, unsigned i, uint64_t from, uint64_t to, bool mispredicted,
		  uint32_t cycles, unsigned type)
{
	struct intel_lbr_state *l = &s->lbr;
	uint64_t flag = mispredicted && l->at.mispredicts ? LBR_MISPREDICTED : 0;
	const uint64_t low = 0xffffffff;

	if (cycles > LBR_INFO_CYCLES)
		cycles = LBR_INFO_CYCLES;
	l->info[i] = 0;
	if (!l->at.to) {
		l->from[i] = (from & low) | to << 32;
		return;
	}
	l->from[i] = from;
	l->to[i] = to;
	switch (l->at.format) {
	case LBR_32:
		l->from[i] &= low;
		l->to[i] &= low;
		break;
	case LBR_FLAGS:
	case LBR_TSX:
	case LBR_TIME:
		/* The address is sign-extended from bit 47 into the bits that are no flags, and those are 0
		 * but for what they say. */
		l->from[i] &= l->at.format == LBR_TSX ? ~(7ull << 61) : ~LBR_MISPREDICTED;
		l->from[i] |= flag;
		if (l->at.format == LBR_TIME)
			l->to[i] = (to & ((1ull << LBR_TO_CYCLES) - 1)) | (uint64_t)cycles << LBR_TO_CYCLES;
		break;
	case LBR_INFO:
	case LBR_INFO2:
		l->info[i] = flag | cycles;
		break;
	case LBR_ARCH:
		l->info[i] = flag | (l->at.types ? (uint64_t)type << LBR_INFO_TYPE : 0) |
			     (l->at.cycles ? LBR_INFO_VALID | cycles : 0) | take_logs(s);
		break;
	}
}

void intel_lbr_recent(const struct intel_state *s, unsigned i, uint64_t *from, uint64_t *to, uint64_t *info)
{
	const struct intel_lbr_state *l = &s->lbr;
	unsigned at = architectural(l) || !l->depth ? i : (l->tos + l->depth - i % l->depth) % l->depth;
	bool there = i < l->depth;

	*from = there ? l->from[at] : 0;
	*to = there ? l->to[at] : 0;
	*info = there ? l->info[at] : 0;
}

/* The newest record, without what its format has besides addresses. */
static void put_aside(struct intel_state *s)
{
	struct intel_lbr_state *l = &s->lbr;
	uint64_t from, to, info;
	unsigned flags = l->at.format == LBR_FLAGS || l->at.format == LBR_TIME ? 1
			 : l->at.format == LBR_TSX                             ? 3
									       : 0;

	intel_lbr_recent(s, 0, &from, &to, &info);
	if (!l->at.to) {
		to = from >> 32;
		from &= 0xffffffff;
	}
	if (intel_hook_ler_stale(s))
		return;
	l->ler_from = (uint64_t)((int64_t)(from << flags) >> flags);
	l->ler_to = l->at.format == LBR_TIME ? (uint64_t)((int64_t)(to << 16) >> 16) : to;
	l->ler_info = architectural(l) ? info : 0;
}

void intel_lbr_advance(struct intel_state *s, const struct step *step, bool pmi)
{
	struct intel_lbr_state *l = &s->lbr;
	uint64_t from = step->ip;

	/* The delivery of an INT n is a far transfer of no length. */
	if (step->transfer == TRANSFER_EVENT || (step->transfer == TRANSFER_SYSTEM && !step->length) ||
	    intel_hook_ler_changes(s, step))
		put_aside(s);

	if (!step->halted)
		l->cycles += step->cycles;
	if (!step->transfer || !ring_wanted(l, step->level_after) ||
	    !intel_hook_lbr_kind(s, step->transfer, kind_wanted(l, step->transfer)))
		return;
	if (call_stack(l)) {
		if (step->transfer == TRANSFER_RETURN) {
			if (!intel_hook_call_stays(s))
				pop(l);
			return;
		}
		if (step->next == step->ip + step->length && !intel_hook_call_next(s))
			return;
	}
	if (architectural(l) && !ring_wanted(l, step->level))
		from = LBR_HIDDEN_SOURCE;

	bool freezing = pmi && s->debugctl & DEBUGCTL_FREEZE_LBRS_ON_PMI;
	if (intel_hook_lbr_lost(s))
		return;
	unsigned last = architectural(l) ? 0 : l->tos;
	from = intel_hook_lbr_from(s, from, l->from[last], freezing);
	unsigned i = push(l);
	/* Where entry 0 is always the newest, the others have moved on by one. */
	if (!intel_hook_lbr_repeated(s, i, architectural(l) ? 1 : last, freezing))
		store(s, i, from, step->next, intel_amount(step, Q_BR_MISPRED) != 0, l->cycles,
		      kinds[step->transfer].type);
	l->cycles = 0;
}
