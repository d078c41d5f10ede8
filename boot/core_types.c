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
