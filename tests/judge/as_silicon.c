#include "tests/judge/as_silicon.h"

static bool chosen;

void judge_as_silicon(void)
{
	chosen = true;
}

bool judged_as_silicon(void)
{
	return chosen;
}
