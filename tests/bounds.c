#include "tests/bounds.h"

#define PARTS_MAX 12

/** amount of .of (its low end for a lower bound, else its high end) times .times, divided by .per, rounded down */
struct part {
	uint8_t of; /* enum quantity */
	uint16_t times, per; /* times 0 ends */
	uint64_t flags;	     /* only of kernels that have one of these; 0: of all */
};

struct bound {
	uint8_t quantity; /* enum quantity */
	uint16_t low, high; /* fixed parts */
	struct part low_parts[2], high_parts[PARTS_MAX];
	const char *reason;
};

#define ODD_MEMORY (KERNEL_SERVICE_UC | KERNEL_SERVICE_WC)
#define CHAINS	   (KERNEL_SERVICE_CHAIN_L1 | KERNEL_SERVICE_CHAIN_L2)

/*
 * Fixed parts: cycles and misses of the bracket and of what the machine does besides (a system-management interrupt, another
 * thread of the core). Numbers of cycles are the worst of published instruction tables, and of an exit to a hypervisor for
 * what can cause one.
 */
static const struct bound bounds[] = {
	{Q_CYCLES, 1, 20000,
	 {{Q_INSTRUCTIONS, 1, 16, 0}},
	 {{Q_INSTRUCTIONS, 60, 1, 0},
	  {Q_INSTRUCTIONS, 4000, 1, KERNEL_RING0_ONLY},
	  {Q_REP_ITERATIONS, 60, 1, 0},
	  {Q_LOADS, 500, 1, 0},
	  {Q_STORES, 500, 1, 0},
	  {Q_INSN_X87, 400, 1, 0},
	  {Q_INSN_PAUSE, 4000, 1, 0},
	  {Q_INSN_SERIALIZING, 20000, 1, 0},
	  {Q_BR_FAR, 2000, 1, 0},
	  {Q_EXCEPTIONS, 20000, 1, 0},
	  {Q_INTERRUPTS_HW, 60000, 1, 0},
	  {Q_INSN_FENCE, 2000, 1, 0}},
	 "at most sixteen instructions a cycle, at most some hundreds of cycles for a slow one"},
	{Q_REF_CYCLES, 1, 0, {{Q_CYCLES, 1, 16, 0}}, {{Q_CYCLES, 16, 1, 0}},
	 "from a sixteenth of the core's clock to sixteen times it"},
	{Q_BUS_CYCLES, 0, 1, {{Q_CYCLES, 1, 500, 0}}, {{Q_CYCLES, 1, 1, 0}},
	 "no bus is faster than its core, none is five hundred times slower"},
	{Q_SLOTS, 4, 0, {{Q_CYCLES, 4, 1, 0}}, {{Q_CYCLES, 16, 1, 0}}, "four to sixteen slots a cycle"},
	{Q_BR_MISPRED, 0, 16, {{0}},
	 {{Q_BR_COND, 1, 2, 0},
	  {Q_BR_JMP_INDIRECT, 1, 2, 0},
	  {Q_BR_CALL_INDIRECT, 1, 2, 0},
	  {Q_BR_RET, 1, 2, 0},
	  {Q_BR_FAR, 1, 1, 0},
	  {Q_EXCEPTIONS, 2, 1, 0},
	  {Q_INTERRUPTS_HW, 2, 1, 0}},
	 "branches in a regular pattern that has been seen before: a predictor is right about most"},
	{Q_LLC_REF, 0, 64, {{0}},
	 {{Q_LOADS, 1, 4, 0},
	  {Q_STORES, 1, 4, 0},
	  {Q_LOADS, 1, 1, ODD_MEMORY | CHAINS},
	  {Q_STORES, 1, 1, ODD_MEMORY},
	  {Q_STORES_NT, 2, 1, 0},
	  {Q_INSN_CLFLUSH, 2, 1, 0},
	  {Q_PREFETCHES, 2, 1, 0},
	  {Q_INSN_SERIALIZING, 8, 1, 0},
	  {Q_EXCEPTIONS, 8, 1, 0},
	  {Q_BR_FAR, 2, 1, 0},
	  {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "the working set has been touched before and fits the caches above; what goes past them reaches it"},
	{Q_LLC_MISS, 0, 32, {{0}},
	 {{Q_LOADS, 1, 32, 0},
	  {Q_STORES, 1, 32, 0},
	  {Q_LOADS, 1, 1, ODD_MEMORY | CHAINS},
	  {Q_STORES, 1, 1, ODD_MEMORY},
	  {Q_STORES_NT, 2, 1, 0},
	  {Q_INSN_CLFLUSH, 2, 1, 0},
	  {Q_PREFETCHES, 2, 1, 0},
	  {Q_INTERRUPTS_HW, 8, 1, 0}},
	 "the working set has been touched before and fits; what goes past the caches or was flushed misses"},
	{Q_L1D_LOAD_MISS, 0, 32, {{0}},
	 {{Q_LOADS, 1, 4, 0},
	  {Q_LOADS, 1, 1, ODD_MEMORY | CHAINS},
	  {Q_STORES_NT, 1, 1, 0},
	  {Q_INSN_CLFLUSH, 2, 1, 0},
	  {Q_EXCEPTIONS, 8, 1, 0},
	  {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "the working set has been touched before and fits the first level, but for kernels that say otherwise"},
	{Q_L2_LOAD_MISS, 0, 32, {{0}},
	 {{Q_LOADS, 1, 32, 0},
	  {Q_LOADS, 1, 1, ODD_MEMORY | CHAINS},
	  {Q_STORES_NT, 1, 1, 0},
	  {Q_INSN_CLFLUSH, 2, 1, 0},
	  {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "the working set has been touched before and fits the second level"},
	{Q_L1I_MISS, 0, 64, {{0}},
	 {{Q_INSTRUCTIONS, 1, 32, 0}, {Q_EXCEPTIONS, 8, 1, 0}, {Q_BR_FAR, 2, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "the code has run before and fits the first level"},
	{Q_DTLB_LOAD_MISS, 0, 32, {{0}},
	 {{Q_LOADS, 1, 16, 0}, {Q_INSN_SERIALIZING, 8, 1, 0}, {Q_EXCEPTIONS, 4, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "some twenty pages, all touched before"},
	{Q_DTLB_STORE_MISS, 0, 32, {{0}},
	 {{Q_STORES, 1, 16, 0}, {Q_INSN_SERIALIZING, 8, 1, 0}, {Q_EXCEPTIONS, 4, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "some twenty pages, all touched before"},
	{Q_ITLB_MISS, 0, 32, {{0}},
	 {{Q_INSTRUCTIONS, 1, 64, 0}, {Q_INSN_SERIALIZING, 4, 1, 0}, {Q_EXCEPTIONS, 4, 1, 0}, {Q_INTERRUPTS_HW, 16, 1, 0}},
	 "a few pages of code, all run before"},
	{Q_STORE_FORWARD, 0, 0, {{0}}, {{Q_LOADS, 1, 1, 0}}, "a load is forwarded to once, if at all"},
	{Q_STORE_FORWARD_BLOCK, 0, 8, {{0}}, {{Q_LOADS, 4, 1, 0}}, "a load may be counted again each time it tries"},
};

static const struct bound *find(enum quantity q)
{
	for (unsigned i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
		if (bounds[i].quantity == q)
			return &bounds[i];
	return NULL;
}

static bool add_part(int64_t *sum, const struct part *p, const struct kernel *k, uint64_t n, bool high)
{
	struct amount a;
	int64_t product;

	if (p->flags && !(k->flags & p->flags))
		return true;
	a = bounds_amount(k, p->of, n);
	return !a.overflow && !__builtin_mul_overflow(high ? a.high : a.low, (int64_t)p->times, &product) &&
	       !__builtin_add_overflow(*sum, product / p->per, sum);
}

struct amount bounds_amount(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount r = kernel_amount(k, q, n);
	const struct bound *b = r.defined ? NULL : find(q);

	if (!b)
		return r;
	r = (struct amount){.defined = true, .low = b->low, .high = b->high, .reason = b->reason};
	for (unsigned i = 0; i < 2 && b->low_parts[i].times; i++)
		r.overflow |= !add_part(&r.low, &b->low_parts[i], k, n, false);
	for (unsigned i = 0; i < PARTS_MAX && b->high_parts[i].times; i++)
		r.overflow |= !add_part(&r.high, &b->high_parts[i], k, n, true);
	return r;
}
