/*
 * For machines whose other processors are given no job of their own and do not count: nobody works beside
 * what is judged (arch/second_cpu.h), and the sweep along that axis is skipped.
 */
#include "arch/second_cpu.h"

const struct second_cpu_turn second_cpu_turns[SECOND_CPU_LOOPS];

bool second_cpu_access(struct register_access *a)
{
	(void)a;
	return false;
}

bool second_cpu_count(enum second_cpu_loop loop, const struct register_access *start,
		      const struct register_access *stop)
{
	(void)loop, (void)start, (void)stop;
	return false;
}

bool second_cpu_counted(uint64_t *turns)
{
	*turns = 0;
	return false;
}

unsigned others_count(void)
{
	return 0;
}

unsigned others_begin(const struct others_job *job, unsigned only)
{
	(void)job, (void)only;
	return 0;
}

bool others_end(unsigned i, uint64_t *turns)
{
	(void)i, (void)turns;
	return false;
}

unsigned others_number(unsigned i)
{
	return i;
}
