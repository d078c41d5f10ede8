/*
 * Windows as code: a piece that starts counting, a kernel and a piece that stops, in one straight row, called
 * at some privilege level with chosen arguments. What the pieces are is for the callers; how they are put
 * together, where they lie and how they are called is the instruction set's.
 *
 * In front of the row the stack is put where kernels want it, behind it the code goes home (x86: RET, or INT
 * from outer rings). Neither lies between start and stop. The kernel finds N, the data area and the way to
 * the writable alias of its copy in registers (x86: RDI, RSI, R8; tests/kernels/x86/kernel.h), the pieces
 * around it find their arguments (x86: R12 to R15; arch/x86/bracket_registers.h).
 *
 * Example: run 1000 turns of a kernel as user code, with nothing around it.
 *
 *     struct code_row row = {.kernel = code, .kernel_end = code_end, .level = level_user()};
 *     struct code_place place;
 *     struct code_call call;
 *     if (code_compose(&row, &place)) {
 *             code_prepare(&call, &place, 1000, (const uint64_t[CODE_ARGUMENTS]){0});
 *             code_run(&call);
 *     }
 */
#ifndef ARCH_WINDOW_H
#define ARCH_WINDOW_H

#include "pmu/quantity/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_LINE      64 /* bytes; kernels are placed within a line */
#define CODE_ARGUMENTS 4  /* words for the pieces around a kernel */

/** Get memory: for code of each level, a stack, and the kernels' data area of so many bytes, page aligned,
 * all zero. Called once, between machine_init() and the first machine_take(). @return false if memory is
 * short */
bool code_init(size_t data_size);

/** The data area. */
uint8_t *code_data(void);

/** What is put into a row. A piece whose end is its beginning, such as NULL and NULL, is left out. */
struct code_row {
	const uint8_t *start, *start_end;
	const uint8_t *kernel, *kernel_end;
	const uint8_t *stop, *stop_end;
	unsigned alignment; /* of the kernel's first byte behind a multiple of CODE_LINE; below that */
	uint8_t level;      /* privilege level that runs it, numbered as the instruction set does */
};

/** Where it lies: valid until another row is composed for the same level. */
struct code_place {
	const void *entry;   /* for code_prepare() alone */
	uint64_t kernel;     /* address of the kernel's first byte */
	uint8_t *copy;       /* the same byte in the writable alias: it may be changed before it runs */
	uint8_t *area;       /* writable alias of all memory for code of this level, page aligned ... */
	size_t area_size;    /* ... so many bytes, whole pages ... */
	const uint8_t *runs; /* ... and the same memory as it runs */
	uint8_t level;
};

/** Put a row together, and touch its code, its data and its stack. @return false if it does not fit */
bool code_compose(const struct code_row *row, struct code_place *place);

/** A call that has been prepared; what is inside is the instruction set's. */
struct code_call {
	const void *entry;
	uint8_t level;
	uint64_t word[32];
};

/** Prepare a call with N = n and the arguments. Vector registers are cleared: what comes between this and
 * code_run() must leave them alone. */
void code_prepare(struct code_call *call, const struct code_place *place, uint64_t n,
		  const uint64_t arguments[CODE_ARGUMENTS]);

/** Call it; once for each code_prepare(). @return what the piece behind the kernel left as the result (x86:
 * RAX) */
uint64_t code_run(struct code_call *call);

/** What the way into a row at the user's level and the way out of it add to counters that count that level
 * alone; ended by an amount of 0. */
#define CODE_TERMS 16
struct code_share {
	struct qterm term[CODE_TERMS];
	uint8_t ahead; /* instructions of them in front of the row */
};
extern const struct code_share code_user_share;

/** How many instructions a piece of code has, up to the first that is none. */
unsigned code_instructions(const uint8_t *code, const uint8_t *end);

#endif
