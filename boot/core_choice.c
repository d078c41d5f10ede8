#include "boot/core_choice.h"

#include "arch/processors.h"

bool core_elsewhere(unsigned number, uint32_t id, unsigned thread_bits, unsigned *other)
{
	bool found = false;

	for (unsigned i = 0; i < processor_count(); i++) {
		struct processor p = processor_at(i);
		bool sibling = p.id >> thread_bits == id >> thread_bits;

		if (i == number || !p.enabled || (sibling && found))
			continue;
		*other = i;
		found = true;
		if (!sibling)
			break;
	}
	return found;
}

void core_cluster_add(struct core_clusters *known, uint32_t id, uint8_t bits)
{
	if (known->count == sizeof known->cluster / sizeof known->cluster[0])
		return;
	known->cluster[known->count].id = id;
	known->cluster[known->count++].bits = bits;
}

unsigned core_of_another_cluster(const struct core_clusters *known, unsigned number)
{
	for (; number < processor_count(); number++) {
		struct processor p = processor_at(number);
		unsigned i = 0;

		while (i < known->count &&
		       p.id >> known->cluster[i].bits != known->cluster[i].id >> known->cluster[i].bits)
			i++;
		if (p.enabled && i == known->count)
			break;
	}
	return number;
}
