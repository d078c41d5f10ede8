#include "tests/judge/silicon_rules.h"

static bool chosen;

void judge_by_silicon_rules(void)
{
	chosen = true;
}

bool judged_by_silicon_rules(void)
{
	return chosen;
}
