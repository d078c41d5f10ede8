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
