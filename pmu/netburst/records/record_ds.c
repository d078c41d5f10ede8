/*
 * Buffers of the debug store: SDM vol. 3, 17.4.9.2 to 17.4.9.5. No register says that a threshold was
 * reached: the index does.
 */
#include "pmu/netburst/records/record.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/state.h"

#include <string.h>

#define ADMINISTRATION 128 /* bytes of memory in front of the records; 50H are used */
#define ALIGNMENT      64

static uint8_t *buffer(const struct pmu_recording *r)
{
	return (uint8_t *)r->memory + ADMINISTRATION;
}

static uint64_t get(const struct pmu *pmu, const uint8_t *at)
{
	uint64_t word = 0;

	memcpy(&word, at, netburst_cpu(pmu)->ds_width);
	return word;
}

static uint8_t *field(const struct pmu *pmu, const struct pmu_recording *r, unsigned word)
{
	return (uint8_t *)r->memory + (size_t)word * netburst_cpu(pmu)->ds_width;
}

static void put(const struct pmu *pmu, const struct pmu_recording *r, unsigned word, uint64_t value)
{
	memcpy(field(pmu, r, word), &value, word == DS_PEBS_RESET ? 8 : netburst_cpu(pmu)->ds_width);
}

static size_t size_of(const struct pmu_recording *r)
{
	return r->source->record_size;
}

static unsigned written(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base)
{
	return (unsigned)((get(pmu, field(pmu, r, base + 1)) - get(pmu, field(pmu, r, base))) / size_of(r));
}

size_t netburst_ds_memory(const struct pmu *pmu, const struct pmu_recording *r)
{
	(void)pmu;
	return ADMINISTRATION + r->records * size_of(r);
}

static const char *unfit(const struct pmu *pmu, const struct pmu_recording *r)
{
	uint64_t start = (uintptr_t)r->memory, end = start + r->size, in_use;

	if (!r->memory || start % ALIGNMENT || r->size < netburst_ds_memory(pmu, r))
		return "the memory is too small for the records, or not aligned";
	if (netburst_cpu(pmu)->ds_width == 4 && end > UINT32_MAX)
		return "a debug store of 32 bits has to lie below 4 GiB";
	if (!r->records || r->threshold > r->records)
		return "a buffer of no records, or one smaller than its threshold";
	if (!msr_read(MSR_DS_AREA, &in_use))
		return "IA32_DS_AREA raised #GP";
	if (in_use && in_use != start)
		return "another recording uses the debug store: there is one for each logical processor";
	return NULL;
}

bool netburst_ds_setup(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base,
		       uint64_t reset, const char **why)
{
	uint64_t start = (uintptr_t)buffer(r), end = start + r->records * size_of(r);

	*why = unfit(pmu, r);
	if (*why)
		return false;
	memset(r->memory, 0, netburst_ds_memory(pmu, r));
	put(pmu, r, base, start);
	put(pmu, r, base + 1, start);
	/* The byte past the end of the buffer, and one: 17.4.9. A threshold that nothing reaches lies above.
	 */
	put(pmu, r, base + 2, end + 1);
	put(pmu, r, base + 3, r->threshold ? start + r->threshold * size_of(r) : end + 2);
	put(pmu, r, DS_PEBS_RESET, reset);
	return msr_write(MSR_DS_AREA, (uintptr_t)r->memory);
}

bool netburst_ds_release(void)
{
	return msr_write(MSR_DS_AREA, 0);
}

static bool blank(const struct pmu_recording *r, const uint8_t *record)
{
	for (size_t i = 0; i < size_of(r); i++)
		if (record[i])
			return false;
	return true;
}

/* A circular buffer does not tell how often it was full: records are what is not blank. */
static unsigned circular_records(const struct pmu_recording *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < r->records; i++)
		n += !blank(r, buffer(r) + i * size_of(r));
	return n;
}

void netburst_ds_state(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base,
		       struct pmu_record_state *out)
{
	out->records = r->circular ? circular_records(r) : written(pmu, r, base);
	out->full = !r->circular && out->records >= r->records;
	out->overflow =
		r->threshold && get(pmu, field(pmu, r, base + 1)) >= get(pmu, field(pmu, r, base + 3));
}

static void take(const struct pmu *pmu, const struct pmu_recording *r, const uint8_t *record,
		 void (*translate)(const struct pmu *, const uint64_t *, struct pmu_record *),
		 struct pmu_record *out)
{
	uint64_t words[PEBS_WORDS_64];

	for (size_t i = 0; i < size_of(r) / netburst_cpu(pmu)->ds_width; i++)
		words[i] = get(pmu, record + i * netburst_cpu(pmu)->ds_width);
	memset(out, 0, sizeof *out);
	out->kind = r->source->kind;
	out->has = r->source->fields;
	translate(pmu, words, out);
}

static unsigned drain_circular(const struct pmu *pmu, const struct pmu_recording *r,
			       enum netburst_ds_word base,
			       void (*translate)(const struct pmu *, const uint64_t *, struct pmu_record *),
			       struct pmu_record *out, unsigned max)
{
	unsigned next = written(pmu, r, base), n = 0;

	for (unsigned i = 0; i < r->records && n < max; i++) {
		uint8_t *record = buffer(r) + (next + i) % r->records * size_of(r);

		if (blank(r, record))
			continue;
		take(pmu, r, record, translate, &out[n++]);
		memset(record, 0, size_of(r));
	}
	return n;
}

unsigned netburst_ds_drain(const struct pmu *pmu, const struct pmu_recording *r, enum netburst_ds_word base,
			   void (*translate)(const struct pmu *, const uint64_t *, struct pmu_record *),
			   struct pmu_record *out, unsigned max)
{
	unsigned there = written(pmu, r, base), n;

	if (r->circular)
		return drain_circular(pmu, r, base, translate, out, max);
	for (n = 0; n < there && n < max; n++)
		take(pmu, r, buffer(r) + n * size_of(r), translate, &out[n]);
	memmove(buffer(r), buffer(r) + n * size_of(r), (there - n) * size_of(r));
	put(pmu, r, base + 1, get(pmu, field(pmu, r, base)) + (there - n) * size_of(r));
	return n;
}
