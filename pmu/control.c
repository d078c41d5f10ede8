#include "pmu/control.h"

#include "arch/x86/msr.h"

bool control_program(struct pmu_hands *h, unsigned c, const struct pmu_config *config, uint64_t first)
{
	return h->works(h, "programming a counter", h->pmu->driver->program(h->pmu, c, config)) &&
	       h->works(h, "writing a counter", h->pmu->driver->write(h->pmu, c, first));
}

uint64_t control_value(struct pmu_hands *h, unsigned c)
{
	uint64_t value = 0;

	h->works(h, "reading a counter", h->pmu->driver->read(h->pmu, c, &value));
	return value;
}

uint64_t control_register(struct pmu_hands *h, uint32_t address)
{
	uint64_t value = 0;

	h->works(h, "reading a register", msr_read(address, &value));
	return value;
}
