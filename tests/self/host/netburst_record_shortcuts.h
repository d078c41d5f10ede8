/*
 * Short hands for tests that look at the NetBurst model's records: a program, and a debug store in memory.
 * Offsets are those of the manual's figures 17-5 to 17-10, not the driver's.
 */
#ifndef TESTS_SELF_HOST_NETBURST_RECORD_SHORTCUTS_H
#define TESTS_SELF_HOST_NETBURST_RECORD_SHORTCUTS_H

#include "tests/self/host/netburst_model_shortcuts.h"
#include "tests/self/host/support/fake_memory.h"
#include "tests/self/host/support/fake_path.h"

#define BTS_BUFFER  0x100 /* offsets from the administration's start */
#define PEBS_BUFFER 0x800
#define CODE        0x401000

static struct fake_path path;
static uint8_t *area;
static unsigned ds_word; /* bytes */

static inline void put_word(unsigned at, uint64_t value)
{
	memcpy(area + at, &value, ds_word);
}

static inline uint64_t get_word(unsigned at)
{
	uint64_t value = 0;

	memcpy(&value, area + at, ds_word);
	return value;
}

static inline uint64_t address_of(unsigned at)
{
	return (uintptr_t)area + at;
}

/* The administration: buffers of `bts` and `pebs` records, thresholds after as many (0: above the maximum).
 */
static inline void set_up_ds(unsigned bts, unsigned bts_threshold, unsigned pebs, unsigned pebs_threshold,
			     uint64_t reset)
{
	unsigned bts_size = 3 * ds_word, pebs_size = ds_word == 8 ? 144 : 40;
	unsigned bts_max = BTS_BUFFER + bts * bts_size + 1, pebs_max = PEBS_BUFFER + pebs * pebs_size + 1;

	put_word(0 * ds_word, address_of(BTS_BUFFER));
	put_word(1 * ds_word, address_of(BTS_BUFFER));
	put_word(2 * ds_word, address_of(bts_max));
	put_word(3 * ds_word,
		 address_of(bts_threshold ? BTS_BUFFER + bts_threshold * bts_size : bts_max + 1));
	put_word(4 * ds_word, address_of(PEBS_BUFFER));
	put_word(5 * ds_word, address_of(PEBS_BUFFER));
	put_word(6 * ds_word, address_of(pebs_max));
	put_word(7 * ds_word,
		 address_of(pebs_threshold ? PEBS_BUFFER + pebs_threshold * pebs_size : pebs_max + 1));
	memcpy(area + 8 * ds_word, &reset, 8);
	set(MSR_DS_AREA, (uintptr_t)area);
}

/* A program of the model that is powered up, with memory. */
static inline void begin_path(void)
{
	area = fake_memory_create(8192);
	netburst_model.attach(cpu, &fake_memory);
	fake_path_start(&path, &netburst_model, cpu, CODE);
	ds_word = 8;
}

static inline void start_path(const struct model_profile *p, const char *inject)
{
	power_up(p, inject);
	begin_path();
}

static inline unsigned bts_records(void)
{
	return (unsigned)(get_word(ds_word) - get_word(0)) / (3 * ds_word);
}

static inline unsigned pebs_records(void)
{
	return (unsigned)(get_word(5 * ds_word) - get_word(4 * ds_word)) / (ds_word == 8 ? 144 : 40);
}

static inline void jump(uint64_t to)
{
	fake_path_branch(&path, TRANSFER_JUMP, to);
}

static inline void exception(uint8_t vector, uint64_t handler)
{
	struct step s = {.transfer = TRANSFER_EVENT, .vector = vector};

	fake_path_step(&path, &s, handler);
}

#define BTS_ON (DEBUGCTLA_TR | DEBUGCTLA_BTS)

/* Loads are tagged in the front end and counted by IQ_COUNTER4. */
static inline void set_up_pebs(uint32_t more, uint64_t value)
{
	set(netburst_escr[RAT_ESCR0].msr, escr(NB_UOP_TYPE, 2, RINGS_T0));
	program(16, NB_FRONT_END_EVENT, 1, RINGS_T0, more);
	set(MSR_NETBURST_COUNTER0 + 16, value);
}

#endif
