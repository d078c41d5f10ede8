#include "pmu/contract/apart.h"

void pmu_apart_begin(void *arg, unsigned i)
{
	struct pmu_apart *a = arg;
	const struct pmu_driver *d = a->pmu->driver;

	a->of[i].good = d->program(a->pmu, a->counter, &a->config) && d->start(a->pmu, 1ull << a->counter);
}

void pmu_apart_end(void *arg, unsigned i)
{
	struct pmu_apart *a = arg;
	const struct pmu_driver *d = a->pmu->driver;
	bool stopped = d->stop(a->pmu);

	a->of[i].good &= stopped && d->read(a->pmu, a->counter, &a->of[i].count);
	d->release(a->pmu, a->counter);
}
