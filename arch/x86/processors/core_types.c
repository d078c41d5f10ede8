#include "arch/x86/processors/core_types.h"

#include <stddef.h>
#include <string.h>

#define CACHES_MAX 16

_Static_assert(4 * sizeof(struct cpuid_regs) == sizeof((struct processor_type *)0)->word, "four leaves");

static const struct {
	uint32_t leaf, subleaf;
} type_leaves[] = {{0x1a, 0}, {0x0a, 0}, {0x23, 0}, {0x23, 1}};

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

void core_identify(struct processor_type *out, core_cpuid *read, const void *context)
{
	uint32_t max_leaf = read(context, 0, 0).eax;
	bool hybrid = max_leaf >= 7 && read(context, 7, 0).edx >> 15 & 1;

	memset(out, 0, sizeof *out);
	for (unsigned i = 0; i < sizeof type_leaves / sizeof type_leaves[0]; i++)
		if (type_leaves[i].leaf <= max_leaf) {
			struct cpuid_regs r = read(context, type_leaves[i].leaf, type_leaves[i].subleaf);

			memcpy(out->word + 4 * i, &r, sizeof r);
		}
	out->core = (uint8_t)(out->word[0] >> 24);
	out->kind = hybrid ? out->core : 0;
	out->far_cache = max_leaf >= 4 && has_l3(read, context);
}

bool processor_same_type(const struct processor_type *a, const struct processor_type *b)
{
	return a->kind == b->kind && a->far_cache == b->far_cache &&
	       !memcmp(a->word, b->word, sizeof a->word);
}

const char *processor_type_name(const struct processor_type *of, const struct processor_type *all, unsigned n)
{
	if (of->kind == PROCESSOR_PERFORMANCE)
		return "P-core";
	if (of->kind != PROCESSOR_EFFICIENCY)
		return NULL;
	for (unsigned i = 0; !of->far_cache && i < n; i++)
		if (all[i].kind == PROCESSOR_EFFICIENCY && all[i].far_cache)
			return "LP E-core";
	return "E-core";
}
