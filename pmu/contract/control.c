#include "pmu/contract/control.h"

bool control_program(struct control_fixture *h, unsigned c, const struct pmu_config *config, uint64_t first)
{
	h->programmed = c;
	return h->works(h, "programming a counter", h->pmu->driver->program(h->pmu, c, config)) &&
	       h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, first));
}

uint64_t control_value(struct control_fixture *h, unsigned c)
{
	uint64_t value = 0;

	h->works(h, "reading a counter", h->pmu->driver->read(h->pmu, c, &value));
	return value;
}
