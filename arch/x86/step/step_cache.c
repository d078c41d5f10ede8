#include "arch/x86/step/step_cache.h"

#include "arch/x86/step/step.h"

#include <stddef.h>

struct decoded step_cache[1 << STEP_CACHE_BITS];

#define FIRST(n) ((1ull << 8 * (n)) - 1)
const uint64_t step_first_bytes[16] = {FIRST(0), FIRST(1), FIRST(2), FIRST(3), FIRST(4), FIRST(5),
				       FIRST(6), FIRST(7), ~0ull,    ~0ull,    ~0ull,    ~0ull,
				       ~0ull,    ~0ull,    ~0ull,    ~0ull};
const uint64_t step_later_bytes[16] = {[9] = FIRST(1),  [10] = FIRST(2), [11] = FIRST(3), [12] = FIRST(4),
				       [13] = FIRST(5), [14] = FIRST(6), [15] = FIRST(7)};

#define POSITION(reg) (offsetof(struct trap_frame, reg) / 8)
const uint8_t step_register_position[16] = {
	POSITION(rax), POSITION(rcx), POSITION(rdx), POSITION(rbx), POSITION(rsp), POSITION(rbp),
	POSITION(rsi), POSITION(rdi), POSITION(r8),  POSITION(r9),  POSITION(r10), POSITION(r11),
	POSITION(r12), POSITION(r13), POSITION(r14), POSITION(r15),
};

/*
 * The memory operand as a linear form. An address is a sum, so it is enough to ask for it with all registers
 * zero and with each of them 1 in turn; a register that is both base and index shows with 1 + scale.
 */
static void find_operand(struct decoded *d, uint64_t rip)
{
	const uint8_t *code = (const uint8_t *)d->bytes;
	struct insn_registers r = {.rip = rip};
	uint64_t width = sizeof(void *) == 4 ? (d->in.flags & INSN_F_ADDR32 ? UINT16_MAX : UINT32_MAX)
			 : d->in.flags & INSN_F_ADDR32 ? UINT32_MAX
						       : UINT64_MAX;

	d->base = d->index = NO_REGISTER;
	d->scale = 0;
	d->displacement = insn_effective_address(code, &d->in, &r);
	for (unsigned i = 0; i < 16; i++) {
		r.gpr[i] = 1;
		uint64_t factor = (insn_effective_address(code, &d->in, &r) - d->displacement) & width;
		r.gpr[i] = 0;
		if ((factor & 1) && d->base == NO_REGISTER) {
			d->base = step_register_position[i];
			factor--;
		}
		if (factor) {
			d->index = step_register_position[i];
			d->scale = (uint8_t)__builtin_ctzll(factor);
		}
	}
}

/* A conditional branch to the next instruction: RIP afterwards does not tell whether it was taken. */
static bool branches_to_next(const struct decoded *d)
{
	const uint8_t *end = (const uint8_t *)d->bytes + d->in.length;
	bool near =
		d->in.special == INSN_JCC && d->in.length >= 6 && end[-6] == 0x0f && (end[-5] & 0xf0) == 0x80;

	return near ? !(end[-4] | end[-3] | end[-2] | end[-1]) : !end[-1];
}

static enum decoded_kind kind_of(const struct decoded *d)
{
	if (d->in.flags & INSN_F_INVALID)
		return DECODED_SPECIAL; /* if the CPU knows it all the same, it has no shape */
	switch (d->in.special) {
	case INSN_PLAIN:
		return DECODED_PLAIN;
	case INSN_JCC:
	case INSN_LOOP:
	case INSN_JRCXZ:
		return branches_to_next(d) ? DECODED_SPECIAL : DECODED_BRANCH;
	default:
		return DECODED_SPECIAL;
	}
}

static bool same_bytes(const struct decoded *d, const uint64_t bytes[2])
{
	return (((bytes[0] ^ d->bytes[0]) & step_first_bytes[d->in.length]) |
		((bytes[1] ^ d->bytes[1]) & step_later_bytes[d->in.length])) == 0;
}

struct decoded *step_cache_fill(uint64_t rip)
{
	struct decoded *d = step_cache_entry(rip);
	unsigned room = step_cache_own_code(rip) ? 16 : 0x1000 - (unsigned)(rip & 0xfff);
	unsigned size = room < 16 ? room : 16;
	uint64_t key = room < 16 ? ~rip : rip;
	uint64_t bytes[2] = {0, 0};
	bool valid;

	if (!step_copy(bytes, (const void *)(uintptr_t)rip, size))
		return NULL;
	if (d->rip == key && d->in.length <= size && same_bytes(d, bytes))
		return d;
	valid = insn_decode((const uint8_t *)bytes, size, &d->in);
	if (!valid && size < 15) {
		/* Perhaps cut off by the end of the page. */
		d->rip = 0;
		if (!step_copy((uint8_t *)bytes + size, (const void *)(uintptr_t)(rip + size), 16 - size))
			return NULL;
		valid = insn_decode((const uint8_t *)bytes, 16, &d->in);
	}
	if (!valid)
		d->in = (struct insn){.length = 1, .flags = INSN_F_INVALID};
	d->rip = key;
	d->bytes[0] = bytes[0];
	d->bytes[1] = bytes[1];
	d->kind = (uint8_t)kind_of(d);
	describe_instruction(&d->about, &d->in, (const uint8_t *)d->bytes);
	if (d->in.flags & INSN_F_MEM)
		find_operand(d, rip);
	return d;
}
