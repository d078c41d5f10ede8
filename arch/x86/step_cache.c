#include "arch/x86/step_cache.h"

#include <stddef.h>

struct decoded step_cache[STEP_CACHE_ENTRIES];

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
static void find_operand(struct decoded *d)
{
	const uint8_t *code = (const uint8_t *)d->bytes;
	struct insn_registers r = {.rip = d->rip};
	uint64_t width = d->in.flags & INSN_F_ADDR32 ? UINT32_MAX : UINT64_MAX;

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

struct decoded *step_cache_fill(uint64_t rip)
{
	struct decoded *d = &step_cache[rip % STEP_CACHE_ENTRIES];
	uint64_t room = 0x1000 - (rip & 0xfff);
	unsigned size = room < 16 ? room : 16;
	bool valid;

	d->rip = ~rip;
	d->bytes[0] = d->bytes[1] = 0;
	if (!step_copy(d->bytes, (const void *)rip, size))
		return NULL;
	valid = insn_decode((const uint8_t *)d->bytes, size, &d->in);
	if (!valid && size < 15) {
		/* Perhaps cut off by the end of the page. */
		if (!step_copy((uint8_t *)d->bytes + size, (const void *)(rip + size), 16 - size))
			return NULL;
		valid = insn_decode((const uint8_t *)d->bytes, 16, &d->in);
	}
	if (!valid)
		d->in = (struct insn){.length = 1, .flags = INSN_F_INVALID};
	for (unsigned i = 0; i < 2; i++) {
		int bits = ((int)d->in.length - 8 * (int)i) * 8;

		d->mask[i] = bits <= 0 ? 0 : bits >= 64 ? ~0ull : (1ull << bits) - 1;
	}
	d->rip = rip;
	if (d->in.flags & INSN_F_MEM)
		find_operand(d);
	return d;
}
