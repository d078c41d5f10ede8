/*
 * Windows of the toy machine (arch/window.h): the row lies in the interpreted machine's memory, SYS END
 * behind it. The kernel finds N in R1 and the data area in R2, the pieces around it their arguments from
 * TOY_ARGUMENT on; the result is R6.
 */
#include "arch/code_image.h"
#include "arch/window.h"

#include "arch/toy/cpu.h"

#include <string.h>

#define SLOT 0x8000 /* bytes of code for each level */

/* The SYS at the end of a row at the user's level. */
const struct code_share code_user_share = {
	.term = {{Q_INSTRUCTIONS, 1}, {Q_CYCLES, 1}, {Q_LEVEL_TO_SYSTEM, 1}},
};

bool code_init(size_t data_size)
{
	if (data_size > TOY_MEMORY - TOY_DATA)
		return false;
	memset(toy_memory, 0, sizeof toy_memory);
	return true;
}

uint8_t *code_data(void)
{
	return toy_memory + TOY_DATA;
}

static uint8_t *put(uint8_t *to, const void *code, const void *end)
{
	size_t size = code ? (size_t)((const uint8_t *)end - (const uint8_t *)code) : 0;

	if (size)
		memcpy(to, code, size);
	return to + size;
}

bool code_compose(const struct code_row *row, struct code_place *place)
{
	const uint32_t sys_end = TOY_INSN((uint32_t)TOY_SYS, 0, 0, 0, TOY_SYS_END);
	uint8_t *area = toy_memory + TOY_CODE + (row->level ? SLOT : 0), *kernel, *p;
	size_t start = (size_t)(row->start_end - row->start);
	size_t rest = (size_t)(row->kernel_end - row->kernel) + (size_t)(row->stop_end - row->stop);

	/* In whole instructions behind the boundary. */
	kernel = area + ((start + CODE_LINE - 1) & ~(size_t)(CODE_LINE - 1)) + (row->alignment & ~3u);
	if (row->alignment >= CODE_LINE || kernel + rest + sizeof sys_end > area + SLOT)
		return false;
	put(kernel - start, row->start, row->start_end);
	p = put(kernel, row->kernel, row->kernel_end);
	p = put(p, row->stop, row->stop_end);
	put(p, &sys_end, &sys_end + 1);
	*place = (struct code_place){
		.entry = kernel - start,
		.kernel = (uint64_t)(kernel - toy_memory),
		.copy = kernel,
		.area = area,
		.area_size = SLOT,
		.runs = area,
		.level = row->level,
	};
	return true;
}

void code_prepare(struct code_call *call, const struct code_place *place, uint64_t n,
		  const uint64_t arguments[CODE_ARGUMENTS])
{
	*call = (struct code_call){.entry = place->entry, .level = place->level};
	call->word[1] = n;
	call->word[2] = TOY_DATA;
	for (unsigned i = 0; i < TOY_ARGUMENTS; i++)
		call->word[TOY_ARGUMENT + i] = arguments[i];
}

uint64_t code_run(struct code_call *call)
{
	struct toy_cpu cpu = {.pc = (uint64_t)((const uint8_t *)call->entry - toy_memory),
			      .level = call->level};

	memcpy(cpu.r, call->word, sizeof cpu.r);
	toy_run(&cpu);
	/* What cannot be masked comes with the next instruction, which is the harness's. */
	for (enum toy_interrupt i; toy_interrupt_pends(&i) && i == TOY_OVERFLOW_NMI;)
		toy_take_interrupt(i, cpu.pc);
	return cpu.r[TOY_RESULT];
}

/* --- code that was not built with it ---------------------------------------------------------------- */

const struct code_image_format code_image_format;

uint8_t *code_image_create(size_t size)
{
	(void)size;
	return NULL;
}

bool code_image_protect(uint8_t *start, size_t size, bool writable, bool executable)
{
	(void)start, (void)size, (void)writable, (void)executable;
	return false;
}

size_t code_image_call(const uint8_t *function, uint8_t out[CODE_IMAGE_CALL])
{
	(void)function, (void)out;
	return 0;
}
