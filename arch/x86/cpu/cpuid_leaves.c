#include "arch/x86/cpu/cpuid_leaves.h"

#include <inttypes.h>
#include <stdio.h>

#define HYPERVISOR    0x40000000u
#define EXTENDED      0x80000000u
#define SERIAL_NUMBER 3
#define RANGE         0x40 /* leaves of one range; there are CPUs that name a highest leaf out of bounds */

struct listing {
	cpuid_query *query;
	void (*each)(void *to, uint32_t leaf, uint32_t subleaf, struct cpuid_regs r);
	void *to;
};

/* SDM vol. 2, CPUID; APM vol. 3, appendix E. */
static bool has_subleaves(uint32_t leaf)
{
	static const uint32_t those[] = {4,    7,    0xb,        0xd,        0xf,       0x10, 0x12,
					 0x14, 0x17, 0x18,       0x1d,       0x1e,      0x1f, 0x20,
					 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026};

	for (unsigned i = 0; i < sizeof those / sizeof those[0]; i++)
		if (those[i] == leaf)
			return true;
	return false;
}

static void list_range(const struct listing *l, uint32_t first)
{
	uint32_t last = l->query(first, 0).eax;

	for (uint32_t leaf = first; leaf <= last && leaf - first < RANGE; leaf++) {
		unsigned n = leaf == SERIAL_NUMBER ? 0 : has_subleaves(leaf) ? CPUID_SUBLEAVES : 1;

		for (uint32_t i = 0; i < n; i++) {
			struct cpuid_regs r = l->query(leaf, i);

			if (r.eax | r.ebx | r.ecx | r.edx)
				l->each(l->to, leaf, i, r);
		}
	}
}

void cpuid_leaves(cpuid_query *query,
		  void (*each)(void *to, uint32_t leaf, uint32_t subleaf, struct cpuid_regs r), void *to)
{
	struct listing l = {query, each, to};
	struct cpuid_regs hypervisor = query(HYPERVISOR, 0);

	list_range(&l, 0);
	if (query(1, 0).ecx >> 31)
		each(to, HYPERVISOR, 0, hypervisor);
	list_range(&l, EXTENDED);
}

struct pairs {
	identity_each *each;
	void *to;
};

static void add_pair(void *to, uint32_t leaf, uint32_t subleaf, struct cpuid_regs r)
{
	const struct pairs *p = to;
	char name[32], value[48];

	snprintf(name, sizeof name, "CPUID.%" PRIX32 "H.%" PRIu32, leaf, subleaf);
	snprintf(value, sizeof value, "0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32 " 0x%" PRIx32, r.eax, r.ebx,
		 r.ecx, r.edx);
	p->each(p->to, name, value);
}

void cpuid_pairs(cpuid_query *query, identity_each *each, void *to)
{
	struct pairs p = {each, to};

	cpuid_leaves(query, add_pair, &p);
}
