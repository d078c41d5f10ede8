#include "tests/kernels/kernel.h"

#include <string.h>

/* A pointer as its distance from where it is kept: half the size, and nothing for the loader to relocate. */
typedef int32_t distance;

/* What the macros KERNEL and SIG_RANGE write. */
struct kernel_row {
	distance name, code, exact, range;
	uint16_t code_size;
	uint8_t n_exact, n_range;
	uint64_t needs, flags;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct kernel_row) == 36, "macro KERNEL");

struct signature_range_row {
	struct signature_exact low, high;
	distance reason;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct signature_range_row) == 20, "macro SIG_RANGE");

extern const struct kernel_row rows_begin[] __asm__("__start_kernel_rows");
extern const struct kernel_row rows_end[] __asm__("__stop_kernel_rows");
extern struct kernel kernels[] __asm__("__start_kernels");
extern struct signature_range ranges[] __asm__("__start_kernel_ranges");
extern struct signature_exact exacts[] __asm__("__start_kernel_exacts");

/* SIG_LOOP spelt out. */
static const struct signature_exact loop_exact[] = {
	{Q_BRANCHES, 1, 0}, {Q_BR_COND, 1, 0}, {Q_BR_COND_TAKEN, 1, -1}, {Q_BR_COND_NTAKEN, 0, 1}};
static const struct signature_range loop_range = {
	.quantity = Q_BR_MISPRED,
	.b_high = 12,
	.reason = "the closing branch: once at the end, and some times while it is learnt",
};

static const void *at(const void *field)
{
	return (const uint8_t *)field + *(const distance *)field;
}

static void unpack_exact(struct kernel *k, const struct signature_exact *line, unsigned n,
			 struct signature_exact **next, struct signature_range **range)
{
	k->exact = *next;
	for (; n; n--, line++)
		if (line->quantity == SIGNATURE_LOOP) {
			memcpy(*next, loop_exact, sizeof(loop_exact));
			*next += sizeof(loop_exact) / sizeof(loop_exact[0]);
			*(*range)++ = loop_range;
		} else {
			*(*next)++ = *line;
		}
	k->exact_end = *next;
}

void kernels_unpack(void)
{
	struct kernel *k = kernels;
	struct signature_exact *exact = exacts;
	struct signature_range *next = ranges;

	for (const struct kernel_row *row = rows_begin; row < rows_end; row++, k++) {
		const struct signature_range_row *r = at(&row->range);

		*k = (struct kernel){
			.name = at(&row->name),
			.code = at(&row->code),
			.range = next,
			.needs = row->needs,
			.flags = row->flags,
		};
		k->code_end = k->code + row->code_size;
		unpack_exact(k, at(&row->exact), row->n_exact, &exact, &next);
		for (unsigned i = 0; i < row->n_range; i++)
			*next++ = (struct signature_range){
				.quantity = (int64_t)r[i].low.quantity,
				.a_low = r[i].low.a,
				.b_low = r[i].low.b,
				.a_high = r[i].high.a,
				.b_high = r[i].high.b,
				.reason = at(&r[i].reason),
			};
		k->range_end = next;
	}
}
