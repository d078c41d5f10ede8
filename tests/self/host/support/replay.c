#include "tests/self/host/support/replay.h"
#include "arch/x86/step/describe.h"
#include "tests/self/host/support/stepper.h"

#include <stdlib.h>

#define POOL        (32 << 20)
#define POOL_START  0x40000000ull
#define CHAIN_PAGES (KERNEL_SERVICE_CHAIN_4K | KERNEL_SERVICE_CHAIN_2M | KERNEL_SERVICE_CHAIN_1G)

static uint64_t size_of(const struct machine_cache *c)
{
	return (uint64_t)c->sets * c->ways * c->line;
}

static bool third_level_holds(const struct machine_geometry *g)
{
	return size_of(&g->llc) >= 8 * size_of(&g->l2);
}

static struct replay_chain chain_for(const struct kernel *k, const struct machine_geometry *g)
{
	const struct machine_cache *c = k->flags & KERNEL_SERVICE_CHAIN_L1   ? &g->l1d
					: k->flags & KERNEL_SERVICE_CHAIN_L2 ? &g->l2
									     : NULL;

	struct replay_chain chain = {.large = k->flags & KERNEL_SERVICE_CHAIN_2M   ? 21
					      : k->flags & KERNEL_SERVICE_CHAIN_1G ? 30
										   : 0};

	chain.code = chain.large && kernel_amount(k, Q_BR_CALL_INDIRECT, 1).high;
	if (k->flags & CHAIN_PAGES) {
		chain.stride = 4096 + 64;
		chain.lines = 2u * (g->dtlb + g->stlb_sets * g->stlb_ways);
	}
	if (k->flags & KERNEL_SERVICE_CHAIN_DTLB && g->stlb_sets * g->stlb_ways >= 4u * g->dtlb) {
		chain.stride = 4096 + 64;
		chain.lines = 2u * g->dtlb;
	}
	if (k->flags & KERNEL_SERVICE_CHAIN_LLC) {
		chain.stride = g->llc.line;
		chain.lines = 2u * g->llc.sets * g->llc.ways;
	}
	if (!c || (k->flags & KERNEL_SERVICE_CHAIN_HELD && !third_level_holds(g)))
		return chain;
	chain.stride = (uint64_t)c->sets * c->line;
	chain.lines = 4u * c->ways < POOL / chain.stride ? 4u * c->ways : POOL / chain.stride;
	if (k->flags & KERNEL_SERVICE_CHAIN_FITS)
		chain.lines = c->ways * 3u / 4;
	return chain;
}

struct uarch *replay_machine(const struct machine_geometry *g)
{
	void *memory = malloc(uarch_size(g));

	struct uarch *machine = memory ? uarch_create(memory, g) : NULL;

	if (machine)
		uarch_tell_decoded(machine, true);
	return machine;
}

bool replay_begin(struct replay *r, struct uarch *machine, const struct machine_geometry *g,
		  const struct kernel *k)
{
	uint64_t start, end, distance;

	*r = (struct replay){.machine = machine, .chain = chain_for(k, g)};
	uarch_reset(machine);
	stepper_code_alias(&start, &end, &distance);
	uarch_code_alias(machine, start, end, distance);
	uarch_large_pages(machine, POOL_START, r->chain.large ? POOL_START + POOL : 0, r->chain.large);
	return !(k->flags & KERNEL_SERVICE_CHAINS) || r->chain.lines;
}

const struct qvec *replay_run(struct replay *r, struct trace *t)
{
	struct replay_chain *chain = &r->chain;

	r->total = (struct qvec){{0}};
	for (size_t i = 0; i < t->count; i++) {
		struct trace_step *s = &t->step[i];
		struct qterm out[MACHINE_TERMS];
		struct description about;
		struct step step;

		s->did.insn = &s->insn;
		/* The first load of a chain kernel fetches the chain's address, its last instruction may
		 * store that. */
		if (chain->lines && !chain->code && i > 0 && i + 1 < t->count && s->insn.flags & INSN_F_MEM) {
			s->did.address = POOL_START + chain->stride * (chain->at % chain->lines);
			/* INVLPG names what the next one accesses. */
			chain->at += trace_amount(s, Q_LOADS) + trace_amount(s, Q_STORES) > 0;
		}
		describe_instruction(&about, &s->insn, s->code);
		describe_step(&step, &about, &s->did, s->rip, s->next);
		describe_for_machine(&step, &about);
		step.denormal = s->denormal;
		qvec_add(&r->total, out, machine_retired(r->machine, &step, out));
	}
	return &r->total;
}
