/*
 * System registers by number (arch/register.h, SPACE_SYSTEM), and which of them may be written
 * (arch/courage.h).
 */
#include "arch/breadcrumbs_page.h"
#include "arch/courage.h"
#include "arch/exceptions.h"
#include "arch/register.h"
#include "arch/aarch64/step/step.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"

#include <stddef.h>

extern const char register_code[], register_code_end[], register_refused[];
uint64_t register_call(const void *code, uint64_t value, bool *refused);

#define CODE 8 /* bytes */

/* As registers.S has them, in the same order. */
static const struct block {
	uint8_t op0, op1, crn, crm, count;
} blocks[] = {{3, 0, 0, 0, 8}, {3, 0, 9, 9, 2},  {3, 0, 9, 13, 2}, {2, 0, 14, 8, 5},
	      {3, 3, 9, 4, 3}, {3, 3, 9, 12, 3}, {3, 3, 14, 8, 8}, {3, 3, 13, 0, 1}};
#define BLOCKS (sizeof blocks / sizeof blocks[0])

/* @return NULL: there is none for this register */
static const char *code_of(uint64_t number, bool write)
{
	unsigned crm = number >> 3 & 15, crn = number >> 7 & 15, op1 = number >> 11 & 7, at = 0, all = 0,
		 found = 0;
	bool known = false;

	for (unsigned i = 0; i < BLOCKS; i++) {
		const struct block *b = &blocks[i];

		if (!known && b->op0 == number >> 14 && b->op1 == op1 && b->crn == crn && crm >= b->crm &&
		    crm < b->crm + b->count) {
			found = at + (crm - b->crm) * 8 + (number & 7);
			known = true;
		}
		at += b->count * 8u;
	}
	all = at;
	if (!known)
		return NULL;
	return register_code + (found + (write ? all : 0)) * CODE;
}

uint64_t register_fixup(uint64_t pc)
{
	return pc >= (uint64_t)register_code && pc < (uint64_t)register_code_end
		       ? (uint64_t)register_refused
		       : 0;
}

bool register_read(enum register_space space, uint64_t number, uint64_t *value)
{
	const char *code = space == SPACE_SYSTEM ? code_of(number, false) : NULL;
	struct register_access a = {.space = (uint8_t)space, .number = number, .permitted = true};
	bool refused = true, good;

	if (code && step_asks(&a, &good)) {
		*value = good ? a.value : 0;
		return good;
	}
	*value = code ? register_call(code, 0, &refused) : 0;
	return !refused;
}

/* --- courage
 * ------------------------------------------------------------------------------------------------ */

static const struct register_range *lists[COURAGE_LISTS];
static unsigned n_lists;
static enum courage level = COURAGE_ALL;

void courage_lists(const struct register_range *const *list, unsigned n)
{
	n_lists = n < COURAGE_LISTS ? n : COURAGE_LISTS;
	for (unsigned i = 0; i < n_lists; i++)
		lists[i] = list[i];
}

void courage_set(enum courage to)
{
	level = to;
}

enum courage courage_level(void)
{
	return level;
}

enum courage courage_of(enum register_space space, uint64_t number)
{
	enum courage least = COURAGE_NEVER;

	for (unsigned i = 0; i < n_lists; i++) {
		if (!lists[i])
			return COURAGE_READ;
		for (const struct register_range *r = lists[i]; r->last; r++)
			if (r->space == space && number >= r->first && number <= r->last &&
			    r->courage < least)
				least = r->courage;
	}
	return least;
}

bool courage_allows(enum register_space space, uint64_t number)
{
	return level == COURAGE_ALL || courage_of(space, number) <= level;
}

bool register_write(enum register_space space, uint64_t number, uint64_t value)
{
	const char *code = space == SPACE_SYSTEM ? code_of(number, true) : NULL;
	struct register_access a = {
		.space = (uint8_t)space, .number = number, .permitted = true, .write = true, .value = value};
	bool refused = true, good;
	uint64_t holds;

	if (code && !courage_allows(space, number)) {
		if (register_read(space, number, &holds) && holds == value)
			return true;
		trap_abort(TRAP_REFUSED);
	}
	if (code && step_asks(&a, &good))
		return good;
	if (code) {
		/* Told first: the write may be the last thing that the machine does. */
		breadcrumbs_live->number = (uint32_t)number;
		breadcrumbs_live->value = value;
		register_call(code, value, &refused);
	}
	step_run_free();
	return !refused;
}

const char *general_register_name(unsigned number)
{
	static const char *const names[32] = {"X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",
					      "X8",  "X9",  "X10", "X11", "X12", "X13", "X14", "X15",
					      "X16", "X17", "X18", "X19", "X20", "X21", "X22", "X23",
					      "X24", "X25", "X26", "X27", "X28", "X29", "X30", "SP"};

	return number < 32 ? names[number] : NULL;
}
