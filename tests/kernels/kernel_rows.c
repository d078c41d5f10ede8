#include "tests/kernels/kernel.h"

#include <string.h>

/* A pointer as its distance from where it is kept: half the size, and nothing for the loader to relocate. */
typedef int32_t distance;

/* What the macros KERNEL, SIG and SIG_RANGE write. */
struct kernel_row {
	distance name, code, exact, range;
	uint32_t code_size;
	uint16_t n_exact, n_range;
	uint64_t needs, flags;
};
_Static_assert(sizeof(struct kernel_row) == KERNEL_ROW_SIZE, "macro KERNEL");

struct signature_row {
	quantity_number quantity;
	int32_t a, b;
} __attribute__((packed, aligned(2)));
_Static_assert(sizeof(struct signature_row) == SIGNATURE_ROW_SIZE, "macro SIG");

struct signature_range_row {
	quantity_number quantity;
	int32_t a_low, b_low, a_high, b_high;
	distance reason;
} __attribute__((packed, aligned(2)));
_Static_assert(sizeof(struct signature_range_row) == RANGE_ROW_SIZE, "macro SIG_RANGE");

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

/* The field need not be aligned. */
static const void *at(const void *field)
{
	distance d;

	memcpy(&d, field, sizeof(d));
	return (const uint8_t *)field + d;
}

static void unpack_exact(struct kernel *k, const struct signature_row *line, unsigned n,
			 struct signature_exact **next, struct signature_range **range)
{
	k->exact = *next;
	for (; n; n--, line++)
		if (line->quantity == SIGNATURE_LOOP) {
			memcpy(*next, loop_exact, sizeof(loop_exact));
			*next += sizeof(loop_exact) / sizeof(loop_exact[0]);
			*(*range)++ = loop_range;
		} else {
			*(*next)++ = (struct signature_exact){line->quantity, line->a, line->b};
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
				.quantity = r[i].quantity,
				.a_low = r[i].a_low,
				.b_low = r[i].b_low,
				.a_high = r[i].a_high,
				.b_high = r[i].b_high,
				.reason = at((const uint8_t *)&r[i] +
					     offsetof(struct signature_range_row, reason)),
			};
		k->range_end = next;
	}
}
