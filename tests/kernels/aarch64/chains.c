#include "tests/kernels/aarch64/chains.h"
#include "tests/kernels/aarch64/kernel.h"
#include "tests/kernels/services.h"

#include "arch/aarch64/data.h"
#include "arch/aarch64/system.h"

#include <stddef.h>

#define LEVELS   3 /* more than three have no core of Arm's; a cache of the system CLIDR_EL1 does not tell of */
#define LINE     64
#define POOL_MIN (1u << 20)
#define POOL_MAX (64u << 20)
#define NEAR     4 /* times the first level */
#define ROOM     2 /* times the ring, so that wherever its lines lie the second level has them */
#define LINKS    64 /* of a turn */

static uint8_t *pool;
static uint64_t pool_size;

/* Bytes of the data or unified cache of a level, from 1; 0: there is none (Arm ARM, CLIDR_EL1, CCSIDR_EL1). */
static uint64_t cache_size(unsigned level)
{
	bool wide = SYS_READ(id_aa64mmfr2_el1) >> 20 & 0xf; /* CCIDX */
	uint64_t is, sets, ways;

	if ((SYS_READ(clidr_el1) >> 3 * (level - 1) & 7) < 2)
		return 0;
	SYS_WRITE(csselr_el1, (level - 1) << 1);
	is = SYS_READ(ccsidr_el1);
	sets = wide ? is >> 32 & 0xffffff : is >> 13 & 0x7fff;
	ways = wide ? is >> 3 & 0x1fffff : is >> 3 & 0x3ff;
	return (sets + 1) * (ways + 1) << ((is & 7) + 4);
}

/* What all levels hold at most. */
static uint64_t cache_sizes(void)
{
	uint64_t sum = 0;

	for (unsigned level = 1; level <= LEVELS; level++)
		sum += cache_size(level);
	return sum;
}

static uint64_t power_of_two(uint64_t least)
{
	uint64_t size = POOL_MIN / 64;

	while (size < least)
		size *= 2;
	return size;
}

/* @return bytes of the ring, a power of two, or 0 and why there is none */
static uint64_t ring_size(uint64_t flags, const char **why)
{
	uint64_t size = flags & KERNEL_SERVICE_CHAIN_L1 ? NEAR * cache_size(1) : 2 * cache_sizes();

	*why = NULL;
	if (!size)
		*why = "CLIDR_EL1 tells of no cache of data";
	else if (flags & KERNEL_SERVICE_CHAIN_L1 && cache_size(2) < ROOM * power_of_two(size))
		*why = "there is no second-level cache that is eight times as large as the first";
	else if (flags & KERNEL_SERVICE_CHAIN_HELD && !cache_size(3))
		*why = "CLIDR_EL1 tells of no third-level cache";
	else if (power_of_two(size) > pool_size)
		*why = "the caches are too large for the memory there is";
	return *why ? 0 : power_of_two(size);
}

void chains_create(void)
{
	uint64_t size = power_of_two(2 * cache_sizes());

	for (size = size < POOL_MAX ? size : POOL_MAX; !pool && size >= POOL_MIN; size /= 2) {
		pool = data_take(size);
		pool_size = pool ? size : 0;
	}
}

const char *chain_missing(uint64_t flags)
{
	const char *why;

	ring_size(flags, &why);
	return why;
}

static uint64_t *place(uint64_t line)
{
	return (uint64_t *)(pool + line * LINE);
}

/* A ring through all lines, in the order of numbers that follow each other by a multiplication and an addition: of a
 * power of two, with a multiplier of one more than a multiple of four and an odd summand, they are all. One that is
 * there already is left alone: where the last kernel stopped in it, its lines are those used longest ago. */
void chain_provide(uint64_t flags, struct ring *at)
{
	static uint64_t made;
	const char *why;
	uint64_t size = ring_size(flags, &why), lines = size / LINE;

	if (!size || (made == size && at->line))
		return;
	for (uint64_t i = 0; made != size && i < lines; i++)
		*place(i) = (uint64_t)place((i * 1664525 + 1013904223) & (lines - 1));
	made = size;
	*at = (struct ring){(uint64_t)place(0), (uint64_t)(place(0) + 1), size - 1, 0};
}

uint64_t chain_round(const struct kernel *k)
{
	const char *why;

	if (!(k->flags & KERNEL_SERVICE_CHAIN_L1))
		return 0;
	return (ring_size(k->flags, &why) / LINE + LINKS - 1) / LINKS;
}
