/*
 * Windows (arch/window.h). A kernel finds N in X0, the data area in X1, the way to the writable alias of its
 * copy in X2; the pieces around it find their arguments in X19 to X22, which it keeps. The result is X0. Rows
 * of EL1 end by going where the word at the stack pointer says, those of EL0 by SVC.
 */
#include "arch/window.h"

#include "arch/code_image.h"
#include "arch/levels.h"
#include "arch/step.h"
#include "arch/aarch64/data.h"
#include "arch/aarch64/mmu.h"
#include "arch/aarch64/trap.h"

#include <string.h>

#define ARENA_SIZE  0x8000
#define STACK_SIZE  0x4000
#define STACK_SPARE 0x800 /* from the stack pointer to the end of its page */
#define WORDS       12    /* X0 to X7, X19 to X22 */

uint64_t window_call(const void *entry, uint64_t *word, void *stack);
uint64_t window_call_user(const void *entry, uint64_t *word, void *stack, uint64_t *kept);

static const uint32_t system_exit[] = {
	0xf94003e9, /* ldr x9, [sp] */
	0xd61f0120, /* br x9 */
};
static const uint32_t user_exit[] = {0xd4000001 | SVC_WINDOW_END << 5};

/* EL0 counts the SVC besides the kernel. */
const struct code_share code_user_share = {
	{{Q_INSTRUCTIONS, 1},
	 {Q_BRANCHES, 1},
	 {Q_BR_FAR, 1},
	 {Q_EXCEPTIONS, 1},
	 {Q_EXC_SVC, 1},
	 {Q_LEVEL_TO_SYSTEM, 1}},
	.ahead = 0,
};

static struct arena {
	uint8_t *rw, *rx;
} arenas[2]; /* EL1, EL0 */
static uint8_t *data, *stack;
static size_t data_size;

static void *(*pages)(size_t n);

void window_memory(void *(*alloc_pages)(size_t n));

void window_memory(void *(*alloc_pages)(size_t n))
{
	pages = alloc_pages;
}

static uint8_t *user_data(size_t size)
{
	uint8_t *at = pages(size / 4096);

	return at && mmu_protect(at, size, MMU_WRITE | MMU_USER) ? at : NULL;
}

static bool arena_create(struct arena *a, bool user)
{
	a->rw = pages(ARENA_SIZE / 4096);
	a->rx = a->rw ? mmu_alias(a->rw, ARENA_SIZE, MMU_EXEC | (user ? MMU_USER : 0u)) : NULL;
	return a->rx;
}

bool code_init(size_t size)
{
	data_size = size;
	data = user_data(size);
	stack = user_data(STACK_SIZE);
	return data && stack && arena_create(&arenas[0], false) && arena_create(&arenas[1], true);
}

uint8_t *code_data(void)
{
	return data;
}

static void touch(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i += 64)
		(void)*(volatile const uint8_t *)(p + i);
}

static uint8_t *put(uint8_t *to, const void *code, size_t size)
{
	if (size)
		memcpy(to, code, size);
	return to + size;
}

bool code_compose(const struct code_row *row, struct code_place *place)
{
	const struct arena *arena = &arenas[row->level != 0];
	size_t start = (size_t)(row->start_end - row->start), stop = (size_t)(row->stop_end - row->stop);
	size_t body = (size_t)(row->kernel_end - row->kernel);
	/* In whole instructions behind the boundary. */
	size_t kernel_at = ((start + CODE_LINE - 1) & ~(size_t)(CODE_LINE - 1)) + (row->alignment & ~3u);
	uint8_t *begin = arena->rw + kernel_at - start, *p = begin;

	if (row->alignment >= CODE_LINE || kernel_at + body + stop + sizeof system_exit > ARENA_SIZE)
		return false;
	*place = (struct code_place){
		.entry = arena->rx + (begin - arena->rw),
		.kernel = (uint64_t)(arena->rx + kernel_at),
		.copy = arena->rw + kernel_at,
		.area = arena->rw,
		.area_size = ARENA_SIZE,
		.runs = arena->rx,
		.level = row->level,
	};
	p = put(p, row->start, start);
	p = put(p, row->kernel, body);
	p = put(p, row->stop, stop);
	p = row->level ? put(p, user_exit, sizeof user_exit) : put(p, system_exit, sizeof system_exit);
	mmu_code_written(begin, (size_t)(p - begin));
	touch(begin, (size_t)(p - begin));
	touch(data, data_size);
	touch(stack, STACK_SIZE);
	return true;
}

/* So that what a kernel finds there is the same in each run. The compiler uses none of them here. */
void window_clear_vectors(void);

_Static_assert(WORDS * sizeof(uint64_t) <= sizeof((struct code_call *)0)->word, "registers fit");

void code_prepare(struct code_call *call, const struct code_place *place, uint64_t n,
		  const uint64_t arguments[CODE_ARGUMENTS])
{
	*call = (struct code_call){.entry = place->entry, .level = place->level};
	call->word[0] = n;
	call->word[1] = (uint64_t)data;
	call->word[2] = (uint64_t)(place->area - place->runs);
	for (unsigned i = 0; i < CODE_ARGUMENTS; i++)
		call->word[8 + i] = arguments[i];
	window_clear_vectors();
}

uint64_t code_run(struct code_call *call)
{
	uint8_t *top = stack + STACK_SIZE - STACK_SPARE;
	uint64_t result;

	step_hold();
	if (call->level)
		result = window_call_user(call->entry, call->word, top, &trap_user_return);
	else
		result = window_call(call->entry, call->word, top);
	step_release();
	return result;
}

unsigned code_instructions(const uint8_t *code, const uint8_t *end)
{
	return (unsigned)((end - code) / 4);
}

/* --- code that was not built with it (arch/code_image.h)
 * ------------------------------------------------------ */

#define EM_AARCH64         183
#define R_AARCH64_RELATIVE 1027

const struct code_image_format code_image_format = {EM_AARCH64, R_AARCH64_RELATIVE};

uint8_t *data_take(size_t size)
{
	return user_data(size);
}

uint8_t *code_image_create(size_t size)
{
	return user_data(size);
}

bool code_image_protect(uint8_t *start, size_t size, bool writable, bool executable)
{
	if (writable && executable)
		return false;
	/* What EL0 may execute as well EL1 could not without another mapping: such code runs at EL1 alone. */
	if (!mmu_protect(start, size,
			 executable ? MMU_EXEC : (unsigned)MMU_USER | (writable ? (unsigned)MMU_WRITE : 0u)))
		return false;
	if (executable)
		mmu_code_written(start, size);
	return true;
}

size_t code_image_call(const uint8_t *function, uint8_t out[CODE_IMAGE_CALL])
{
	/* ldr x9, .+12; blr x9; b .+12; its address would make 20 bytes: MOVZ and MOVK build it. */
	uint64_t address = (uint64_t)function;
	const uint32_t code[] = {
		0xd2800009 | (uint32_t)(address & 0xffff) << 5,
		0xf2a00009 | (uint32_t)(address >> 16 & 0xffff) << 5,
		0xf2c00009 | (uint32_t)(address >> 32 & 0xffff) << 5, 0xd63f0120, /* blr x9 */
	};

	memcpy(out, code, sizeof code);
	return sizeof code;
}
