/*
 * Records in memory: the debug store area, and what goes there. SDM vol. 3, 17.4.9, 18.15.7, 18.16.3.
 *
 * A record is written whole or not at all. What the manual leaves open is done so: where memory cannot be
 * written, and where no room is left, the record is lost and nothing else changes, but the counter of a PEBS
 * record is loaded anew all the same.
 */
#include "pmu/netburst/errata/hooks.h"
#include "pmu/netburst/model/model.h"
#include "pmu/x86/general.h"
#include "pmu/contract/counter_bank.h"

#include <string.h>

/* 17.4.9.1. */
static unsigned width(const struct netburst_state *s)
{
	return s->profile->dtes64 || !s->profile->legacy_mode ? 8 : 4;
}

/* Bytes from an address to the end of the address space; 0: all of it. */
static uint64_t to_the_top(const struct netburst_state *s, uint64_t at)
{
	return width(s) == 4 ? (uint32_t)-at : -at;
}

static bool read_words(const struct netburst_state *s, uint64_t at, uint64_t *words, unsigned n)
{
	uint8_t bytes[8 * DS_WORDS];
	unsigned w = width(s);

	if (!s->memory || !s->memory->read(s->memory->ctx, at, bytes, (size_t)n * w))
		return false;
	for (unsigned i = 0; i < n; i++) {
		words[i] = 0;
		memcpy(&words[i], bytes + i * w, w);
	}
	return true;
}

static bool write_bytes(const struct netburst_state *s, uint64_t at, const uint8_t *bytes, size_t size)
{
	return s->memory->write(s->memory->ctx, at, bytes, size);
}

static bool write_words(const struct netburst_state *s, uint64_t at, const uint64_t *words, unsigned n)
{
	uint8_t bytes[8 * PEBS_WORDS_64];
	unsigned w = width(s);
	size_t size = (size_t)n * w, below = to_the_top(s, at);

	for (unsigned i = 0; i < n; i++)
		memcpy(bytes + i * w, &words[i], w);
	/* Past the end of the address space, which only erratum P79 gets to. */
	if (below && below < size)
		return write_bytes(s, at, bytes, below) && write_bytes(s, 0, bytes + below, size - below);
	return write_bytes(s, at, bytes, size);
}

static uint64_t word_at(const struct netburst_state *s, unsigned thread, enum netburst_ds_word word)
{
	return s->thread[thread].ds_area + (uint64_t)word * width(s);
}

/* "Absolute maximum" is the byte past the end, or one more: 17.4.9 has both. */
static bool has_room(const struct netburst_state *s, uint64_t index, uint64_t maximum, uint64_t size)
{
	if (netburst_hook_room(s, size, to_the_top(s, index)))
		return true;
	return index <= maximum && maximum - index >= size;
}

bool netburst_store(struct netburst_state *s, unsigned thread, enum netburst_ds_word base,
		    const uint64_t *words, unsigned n, bool circular)
{
	enum { BASE, INDEX, MAXIMUM, THRESHOLD, FIELDS };
	uint64_t ds[FIELDS], size = (uint64_t)n * width(s);

	if (!read_words(s, word_at(s, thread, base), ds, FIELDS) ||
	    !has_room(s, ds[INDEX], ds[MAXIMUM], size) || !write_words(s, ds[INDEX], words, n))
		return false;

	uint64_t before = ds[INDEX];

	ds[INDEX] += size;
	bool reached = before < ds[THRESHOLD] && ds[INDEX] >= ds[THRESHOLD];

	if (circular && !has_room(s, ds[INDEX], ds[MAXIMUM], size))
		ds[INDEX] = ds[BASE];
	write_words(s, word_at(s, thread, base + INDEX), &ds[INDEX], 1);
	return reached;
}

/* 18.15.7: state after the instruction, so the address is that of the next one. */
void netburst_pebs_record(struct netburst_state *s, unsigned c, const struct step *step)
{
	static const struct step_registers none;
	const struct step_registers *now = step->registers ? step->registers : &none;
	const struct netburst_line *k = &s->counter[c];
	uint64_t words[PEBS_WORDS_64];

	words[PEBS_FLAGS] = now->flags;
	words[PEBS_IP] = step->next;
	memcpy(&words[PEBS_GPRS], now->general, GPR_COUNT * sizeof now->general[0]);

	unsigned n = netburst_pebs_words(width(s));
	bool reached = netburst_store(s, k->sampled, DS_PEBS_BASE, words, n, false);

	if (!netburst_hook_pebs_threshold(s, reached))
		return;
	s->pmi_pending[k->sampled]++;
	s->changed = true;
}

void netburst_pebs(struct netburst_state *s, unsigned c, const struct step *step)
{
	struct netburst_line *k = &s->counter[c];
	uint64_t reset = 0;

	if (!netburst_hook_skid(s, c))
		netburst_pebs_record(s, c, step);
	if (!read_words(s, word_at(s, k->sampled, DS_PEBS_RESET), &reset, 1) || netburst_hook_no_reload(s))
		return;
	/* It takes 8 bytes in either form, of which 40 bits count. */
	if (width(s) == 4) {
		uint64_t high;

		if (!read_words(s, word_at(s, k->sampled, DS_PEBS_RESET + 1), &high, 1))
			return;
		reset |= high << 32;
	}
	k->value = counter_keeps(reset, NETBURST_HIGHEST);
}
