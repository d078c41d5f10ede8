#include "arch/x86/step/step_engine.h"

#include <stddef.h>

void step_emulate_exceptions(int (*raises)(const struct trap_frame *f, const struct insn_retired *did))
{
	step_engine.raises = raises;
	step_engine.attention.emulated = raises != NULL;
}

bool step_raised(struct trap_frame *f, const struct decoded *d)
{
	struct step_engine *e = &step_engine;
	int vector = d->in.flags & INSN_F_INVALID ? -1 : e->raises(f, &e->now.did);

	if (vector < 0)
		return false;
	step_fault(f, (unsigned)vector, step_has_error_code((unsigned)vector) ? 0 : -1);
	return true;
}
