#include "tests/self/host/support/register_file.h"

#include "arch/courage.h"
#include "pmu/contract/family.h"
#include "tests/self/host/support/fake_cpu.h"
#include "tests/self/host/support/model_registers.h"

#include <stdio.h>
#include <stdlib.h>

/* Where models have registers that are only read, and where others of the same names may lie; the time-stamp
 * counter and its like are none of a model's. What a driver may write is in its own list besides. */
static const struct register_range common[] = {{.first = 0x34, .last = 0x1fff},
					       {.first = 0x107cc, .last = 0x107d3},
					       {.first = 0xc0000080, .last = 0xc000030f},
					       {.first = 0xc0010000, .last = 0xc001103f},
					       {0}};

static bool get(uint32_t address, uint64_t *value)
{
	struct fake_path *p = fake_cpu_path();

	return model_rdmsr(p->model, p->state, address, value) == REGISTER_DONE;
}

static bool put(uint32_t address, uint64_t value)
{
	struct fake_path *p = fake_cpu_path();

	return model_wrmsr(p->model, p->state, address, value) == REGISTER_DONE;
}

static uint64_t kept_bits(uint32_t address, uint64_t value)
{
	uint64_t kept = 0, after;

	for (unsigned bit = 0; bit < 64; bit++) {
		if (put(address, value ^ 1ull << bit) && get(address, &after))
			kept |= (after ^ value) & 1ull << bit;
		put(address, value);
	}
	return kept;
}

/* What changes with register i besides is derived from it. */
static void find_derived(struct register_file *f, unsigned i, uint64_t bit)
{
	static uint64_t before[REGISTER_FILE_MAX], after[REGISTER_FILE_MAX];

	register_file_read(f, before);
	if (!put(f->reg[i].address, before[i] ^ bit))
		return;
	register_file_read(f, after);
	put(f->reg[i].address, before[i]);
	for (unsigned j = 0; j < f->n; j++)
		if (j != i && before[j] != after[j] && (j > i || !f->reg[j].kept) && !f->reg[j].derived) {
			f->reg[j].derived = true;
			f->reg[j].same = i;
		}
}

static bool is_in(const struct register_range *r, uint64_t address)
{
	for (; r->last; r++)
		if (address >= r->first && address <= r->last)
			return true;
	return false;
}

static void add(struct register_file *f, const struct register_range *r, const struct register_range *but)
{
	for (; r->last; r++)
		for (uint64_t a = r->first; a <= r->last; a++) {
			uint64_t value;

			if ((but && is_in(but, a)) || !get((uint32_t)a, &value))
				continue;
			if (f->n == REGISTER_FILE_MAX)
				abort();
			f->reg[f->n].derived = false;
			f->reg[f->n].address = (uint32_t)a;
			f->reg[f->n++].kept = kept_bits((uint32_t)a, value);
		}
}

/* What the driver of the family with this model may write; NULL: no family has it. */
static const struct register_range *writable(const struct pmu_model *model)
{
	const struct pmu_family *family;

	for (unsigned i = 0; (family = pmu_family(i)); i++)
		for (const struct model_profile *const *p = family->profiles; *p; p++)
			if ((*p)->model == model)
				return family->driver->registers;
	return NULL;
}

void register_file_find(struct register_file *f)
{
	const struct register_range *own = writable(fake_cpu_path()->model);

	f->n = 0;
	add(f, common, NULL);
	if (own)
		add(f, own, common);
	if (!f->n) {
		fprintf(stderr, "no register is known of the model of this CPU\n");
		abort();
	}
	for (unsigned i = 0; i < f->n; i++)
		if (f->reg[i].kept && !f->reg[i].derived) {
			find_derived(f, i, f->reg[i].kept & -f->reg[i].kept);
			find_derived(f, i, 1ull << (63 - __builtin_clzll(f->reg[i].kept)));
		}
}

unsigned register_file_at(const struct register_file *f, uint32_t address)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->reg[i].address == address)
			return f->reg[i].derived ? f->reg[i].same : i;
	fprintf(stderr, "there is no MSR %#x\n", address);
	abort();
}

static uint32_t random32(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8 ^ *seed << 13;
}

static bool is_listed(const uint32_t *list, uint32_t address)
{
	for (; *list; list++)
		if (*list == address)
			return true;
	return false;
}

void register_file_scramble(const struct register_file *f, uint32_t seed, const uint32_t *keep)
{
	unsigned from = random32(&seed) % f->n;

	for (unsigned k = 0; k < f->n; k++) {
		unsigned i = (from + k) % f->n;
		uint64_t value, bits = (uint64_t)random32(&seed) << 32 | random32(&seed);

		if (!f->reg[i].derived && f->reg[i].kept && !is_listed(keep, f->reg[i].address) &&
		    get(f->reg[i].address, &value))
			put(f->reg[i].address, (value & ~f->reg[i].kept) | (bits & f->reg[i].kept));
	}
}

void register_file_read(const struct register_file *f, uint64_t *value)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!get(f->reg[i].address, &value[i]))
			value[i] = 0;
}
