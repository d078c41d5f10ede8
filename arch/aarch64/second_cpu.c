/*
 * Other processors that work beside the first one, which judges (arch/second_cpu.h). None is known to share
 * its core.
 */
#include "arch/second_cpu.h"

#include "arch/processors.h"
#include "arch/time.h"
#include "arch/aarch64/processors.h"

#include <stddef.h>

#define WORKERS 64
#define WORK_MS 20000 /* as long as an emulator may take */

static volatile uint32_t *line_of[WORKERS];
static bool works[WORKERS];
static volatile bool resting;

/* An emulator that carries out one processor at a time goes on to another one in each turn. */
static void work(unsigned number)
{
	volatile uint32_t *line = line_of[number];

	while (!resting) {
		line[0]++;
		(void)line[1];
		time_relax();
	}
}

const char *second_cpu_missing(enum second_cpu_kind kind)
{
	return kind == SECOND_CPU_SIBLING ? "no processor is known to share a core" : processor_stays();
}

static bool start(unsigned number, volatile uint32_t *line)
{
	uint64_t until = clock_read() + clock_hz() / 1000 * WORK_MS;
	uint32_t first = line[0];

	line_of[number] = line;
	resting = false;
	works[number] = processor_send(number, work);
	while (works[number] && line[0] == first && clock_read() < until)
		time_relax();
	return works[number] && line[0] != first;
}

bool second_cpu_work(enum second_cpu_kind kind, volatile uint32_t *line)
{
	return !second_cpu_missing(kind) && start(1, line);
}

unsigned others_work(void)
{
	static uint32_t lines[WORKERS][16] __attribute__((aligned(64)));
	unsigned n = 0;

	for (unsigned i = 1; i < processor_count() && i < WORKERS && !processor_stays(); i++)
		n += start(i, lines[i]);
	return n;
}

void others_rest(void)
{
	resting = true;
	for (unsigned i = 1; i < WORKERS; i++) {
		if (works[i])
			processor_back(i);
		works[i] = false;
	}
}

void second_cpu_rest(void)
{
	others_rest();
}

void second_cpu_dismiss(void)
{
	others_rest();
}
