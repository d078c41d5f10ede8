#include "arch/window.h"

#include "arch/x86/bracket_registers.h"
#include "arch/x86/exceptions/trap.h"
#include "arch/x86/exceptions/user.h"
#include "arch/x86/machine/paging.h"

#include <string.h>

#define ARENA_SIZE  0x4000
#define STACK_SIZE  0x4000
#define STACK_SPARE 0x800 /* from the stack pointer to the end of its page */
#define STACK_LINE  64    /* kernels begin at a multiple of it */
#define RING0_ROOM  (RING0_DEPTH - sizeof(void *))

/* Ring 0: kernels get a stack of their own, with the old stack pointer on top of it. RAX is free before the
 * window. */
#ifdef __i386__
/* From the stack's top to where kernels begin: what a step pushes before that is clear of the bracket's
 * words. */
#define RING0_DEPTH    (2 * STACK_LINE)
#define RING0_STACK_AT 3 /* where the stack's address goes */
static const uint8_t ring0_entry[] = {
	0x89, 0xe0,                   /* mov %esp,%eax */
	0xbc, 0,    0,          0, 0, /* mov $top,%esp */
	0x50,                         /* push %eax */
	0x83, 0xec, RING0_ROOM,       /* sub $124,%esp */
};
static const uint8_t ring0_exit[] = {
	0x83, 0xc4, RING0_ROOM, /* add $124,%esp */
	0x5c,                   /* pop %esp */
	0xc3,                   /* ret */
};
static const uint8_t ring3_entry[] = {
	0x8d, 0xa4, 0x24, 0x00, 0xf8, 0xff, 0xff, /* lea -2048(%esp),%esp */
	0x83, 0xe4, 0xc0,                         /* and $-64,%esp */
};
#else
#define RING0_DEPTH    STACK_LINE
#define RING0_STACK_AT 5 /* where the stack's address goes */
static const uint8_t ring0_entry[] = {
	0x48, 0x89, 0xe0,                         /* mov %rsp,%rax */
	0x48, 0xbc, 0,    0,    0, 0, 0, 0, 0, 0, /* movabs $top,%rsp */
	0x50,                                     /* push %rax */
	0x48, 0x83, 0xec, 0x38,                   /* sub $56,%rsp */
};
static const uint8_t ring0_exit[] = {
	0x48, 0x83, 0xc4, 0x38, /* add $56,%rsp */
	0x5c,                   /* pop %rsp */
	0xc3,                   /* ret */
};

/* Outer rings have a stack of their own, which nobody needs back: make room behind, then align. */
static const uint8_t ring3_entry[] = {
	0x48, 0x8d, 0xa4, 0x24, 0x00, 0xf8, 0xff, 0xff, /* lea -2048(%rsp),%rsp */
	0x48, 0x83, 0xe4, 0xc0,                         /* and $-64,%rsp */
};
#endif
static const uint8_t ring3_exit[] = {0xcd, VECTOR_USER_EXIT};

/* An outer ring counts the two instructions of ring3_entry and the INT of ring3_exit besides the kernel. */
const struct code_share code_user_share = {
	{{Q_INSTRUCTIONS, 3},
	 {Q_UOPS, 3},
	 {Q_BRANCHES, 1},
	 {Q_BR_FAR, 1},
	 {Q_INTERRUPTS_SW, 1},
	 {Q_RING_TO_KERNEL, 1}},
	.ahead = 2,
};

static struct code_arena arenas[3]; /* ring 0, rings 1 and 2, ring 3 */
static uint8_t *data, *stack;
static size_t data_size;

static const struct code_arena *arena_of(uint8_t ring)
{
	return &arenas[ring == 3 ? 2 : ring != 0];
}

bool code_init(size_t size)
{
	data_size = size;
	data = data_create(size);
	stack = data_create(STACK_SIZE);
	return data && stack && arena_create(&arenas[0], ARENA_SIZE, false) &&
	       arena_create(&arenas[1], ARENA_SIZE, false) && arena_create(&arenas[2], ARENA_SIZE, true);
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

/* Code that is written to is dear, above all in an emulator, which has translated it: whole words, and only
 * what changes. */
static uint8_t *put(uint8_t *to, const void *code, size_t size)
{
	const uint8_t *from = code;
	uint8_t *end = to + size;

	while (to < end) {
		size_t at = (uintptr_t)to % sizeof(uintptr_t), left = end - to;
		size_t part = sizeof(uintptr_t) - at < left ? sizeof(uintptr_t) - at : left;
		uintptr_t *place = (uintptr_t *)(to - at), word = *place;

		memcpy((uint8_t *)&word + at, from, part);
		if (*place != word)
			*place = word;
		to += part;
		from += part;
	}
	return end;
}

bool code_compose(const struct code_row *row, struct code_place *place)
{
	const struct code_arena *arena = arena_of(row->level);
	size_t start = row->start_end - row->start, stop = row->stop_end - row->stop;
	size_t body = row->kernel_end - row->kernel;
	size_t entry_size = row->level ? sizeof(ring3_entry) : sizeof(ring0_entry);
	size_t kernel_at = ((entry_size + start + CODE_LINE - 1) & ~(size_t)(CODE_LINE - 1)) + row->alignment;
	uintptr_t top = (uintptr_t)stack + STACK_SIZE - STACK_SPARE;
	uint8_t entry[sizeof(ring0_entry)], *p;

	if (row->alignment >= CODE_LINE || kernel_at + body + stop + sizeof(ring0_exit) > arena->size)
		return false;
	p = arena->rw + kernel_at - start - entry_size;
	*place = (struct code_place){
		.entry = arena->rx + (p - arena->rw),
		.kernel = (uintptr_t)(arena->rx + kernel_at),
		.copy = arena->rw + kernel_at,
		.area = arena->rw,
		.area_size = arena->size,
		.runs = arena->rx,
		.level = row->level,
	};
	if (row->level) {
		p = put(p, ring3_entry, sizeof(ring3_entry));
	} else {
		memcpy(entry, ring0_entry, sizeof(entry));
		memcpy(entry + RING0_STACK_AT, &top, sizeof(top));
		p = put(p, entry, sizeof(entry));
	}
	p = put(p, row->start, start);
	p = put(p, row->kernel, body);
	p = put(p, row->stop, stop);
	p = row->level ? put(p, ring3_exit, sizeof(ring3_exit)) : put(p, ring0_exit, sizeof(ring0_exit));

	touch(place->entry, p - arena->rw);
	touch(data, data_size);
	touch(stack, STACK_SIZE);
	return true;
}

/* So that what a kernel finds there is the same in each run. The compiler uses none of them here, and its
 * callers keep nothing in them. */
static inline void clear_vectors(void)
{
	__asm__ volatile("pxor %xmm0, %xmm0; pxor %xmm1, %xmm1; pxor %xmm2, %xmm2; pxor %xmm3, %xmm3\n\t"
			 "pxor %xmm4, %xmm4; pxor %xmm5, %xmm5; pxor %xmm6, %xmm6; pxor %xmm7, %xmm7");
#ifndef __i386__
	__asm__ volatile("pxor %xmm8, %xmm8; pxor %xmm9, %xmm9; pxor %xmm10, %xmm10\n\t"
			 "pxor %xmm11, %xmm11; pxor %xmm12, %xmm12; pxor %xmm13, %xmm13\n\t"
			 "pxor %xmm14, %xmm14; pxor %xmm15, %xmm15");
#endif
}

_Static_assert(sizeof(struct call_registers) <= sizeof((struct code_call *)0)->word, "registers fit");

void code_prepare(struct code_call *call, const struct code_place *place, uint64_t n,
		  const uint64_t arguments[CODE_ARGUMENTS])
{
	struct call_registers regs = {
		.rdi = n,
		.rsi = (uintptr_t)data,
#ifdef __i386__
		.rbx = place->kernel,
		.rbp = (uintptr_t)(place->area - place->runs),
	};

	bracket_arguments(place->level ? (uint8_t *)user_stack_top() - STACK_SPARE
				       : stack + STACK_SIZE - STACK_SPARE - RING0_DEPTH,
			  arguments);
#else
		.r8 = place->area - place->runs,
	};

	bracket_arguments(&regs, arguments);
#endif
	call->entry = place->entry;
	call->level = place->level;
	memcpy(call->word, &regs, sizeof regs);
	clear_vectors();
}

uint64_t code_run(struct code_call *call)
{
	struct call_registers *regs = (struct call_registers *)call->word;

	if (call->level)
		ring_call(call->level, call->entry, regs);
	else
		call_with_registers(call->entry, regs);
#ifdef __i386__
	return regs->rdx << 32 | regs->rax;
#else
	return regs->rax;
#endif
}
