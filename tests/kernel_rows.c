#include "tests/kernels/kernel.h"

/* A pointer as its distance from where it is kept: half the size, and nothing for the loader to relocate. */
typedef int32_t distance;

/* What the macros KERNEL and SIG_RANGE write. */
struct kernel_row {
	distance name, code, exact, range;
	uint16_t code_size;
	uint8_t n_exact, n_range;
	uint64_t needs;
	uint32_t flags;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct kernel_row) == 32, "macro KERNEL");

struct signature_range_row {
	struct signature_exact low, high;
	distance reason;
} __attribute__((packed, aligned(4)));
_Static_assert(sizeof(struct signature_range_row) == 20, "macro SIG_RANGE");

extern const struct kernel_row rows_begin[] __asm__("__start_kernel_rows");
extern const struct kernel_row rows_end[] __asm__("__stop_kernel_rows");
extern struct kernel kernels[] __asm__("__start_kernels");
extern struct signature_range ranges[] __asm__("__start_kernel_ranges");

static const void *at(const void *field)
{
	return (const uint8_t *)field + *(const distance *)field;
}

void kernels_unpack(void)
{
	struct kernel *k = kernels;
	struct signature_range *next = ranges;

	for (const struct kernel_row *row = rows_begin; row < rows_end; row++, k++) {
		const struct signature_range_row *r = at(&row->range);

		*k = (struct kernel){
			.name = at(&row->name),
			.code = at(&row->code),
			.exact = at(&row->exact),
			.range = next,
			.needs = row->needs,
			.flags = row->flags,
		};
		k->code_end = k->code + row->code_size;
		k->exact_end = k->exact + row->n_exact;
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
