#include "boot/core_types.h"

#include <stddef.h>
#include <string.h>

#define CACHES_MAX 16

static const struct {
	uint32_t leaf, subleaf;
} type_leaves[CORE_TYPE_LEAVES] = {{0x1a, 0}, {0x0a, 0}, {0x23, 0}, {0x23, 1}};

/* SDM vol. 2, CPUID leaf 4: EAX[4:0] type, 0 ends; EAX[7:5] level. */
static bool has_l3(core_cpuid *read, const void *context)
{
	for (unsigned i = 0; i < CACHES_MAX; i++) {
		uint32_t eax = read(context, 4, i).eax;

		if (!(eax & 0x1f))
			return false;
		if ((eax >> 5 & 7) == 3)
			return true;
	}
	return false;
}

void core_identify(struct core_identity *out, core_cpuid *read, const void *context)
{
	uint32_t max_leaf = read(context, 0, 0).eax;
	bool hybrid = max_leaf >= 7 && read(context, 7, 0).edx >> 15 & 1;

	memset(out, 0, sizeof *out);
	for (unsigned i = 0; i < CORE_TYPE_LEAVES; i++)
		if (type_leaves[i].leaf <= max_leaf)
			out->leaf[i] = read(context, type_leaves[i].leaf, type_leaves[i].subleaf);
	out->kind = hybrid ? (uint8_t)(out->leaf[0].eax >> 24) : 0;
	out->l3 = max_leaf >= 4 && has_l3(read, context);
}

bool core_same_type(const struct core_identity *a, const struct core_identity *b)
{
	return a->kind == b->kind && a->l3 == b->l3 && !memcmp(a->leaf, b->leaf, sizeof a->leaf);
}

const char *core_label(const struct core_identity *of, const struct core_identity *all, unsigned n)
{
	if (of->kind == CORE_PERFORMANCE)
		return "P-core";
	if (of->kind != CORE_EFFICIENCY)
		return NULL;
	for (unsigned i = 0; !of->l3 && i < n; i++)
		if (all[i].kind == CORE_EFFICIENCY && all[i].l3)
			return "LP E-core";
	return "E-core";
}

static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
}

/* SDM vol. 3, 8.9.3; AMD APM vol. 3, CPUID Fn8000001E. */
uint8_t core_thread_bits(core_cpuid *read, const void *context)
{
	uint32_t max_leaf = read(context, 0, 0).eax;

	if (max_leaf >= 0xb && read(context, 0xb, 0).ebx)
		return read(context, 0xb, 0).eax & 31;
	if (read(context, 0x80000000, 0).eax >= 0x8000001e && read(context, 0x80000001, 0).ecx >> 22 & 1)
		return (uint8_t)bits_for((read(context, 0x8000001e, 0).ebx >> 8 & 0xff) + 1);
	if (max_leaf < 4 || !(read(context, 1, 0).edx >> 28 & 1))
		return 0;
	unsigned logical = bits_for(read(context, 1, 0).ebx >> 16 & 0xff),
		 cores = bits_for((read(context, 4, 0).eax >> 26) + 1);
	return (uint8_t)(logical > cores ? logical - cores : 0);
}
