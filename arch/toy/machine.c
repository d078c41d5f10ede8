/*
 * What the toy machine owes the rest (arch/machine.h, levels.h, time.h, masking.h,
 * processors.h): most of it is that there is no such thing.
 */
#include "arch/courage.h"
#include "arch/code.h"
#include "arch/firmware.h"
#include "arch/levels.h"
#include "arch/machine.h"
#include "arch/memory.h"
#include "arch/processors.h"
#include "arch/second_cpu.h"
#include "arch/time.h"
#include "arch/window.h"
#include "arch/toy/cpu.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define HZ   1000000000 /* of its clock */
#define LOOK 100        /* cycles that pass while the harness looks at the clock */

/* --- the clock ---------------------------------------------------------------------------------------- */

uint64_t clock_read(void)
{
	toy_idle(LOOK);
	return toy_cycles();
}

uint64_t clock_hz(void)
{
	return HZ;
}

const char clock_name[] = "clock";

const char *clock_reference(void)
{
	return "the cycles that it interprets";
}

uint64_t time_us(void)
{
	return toy_cycles() / (HZ / 1000000);
}

void time_relax(void)
{
	toy_idle(LOOK);
}

/* --- levels ------------------------------------------------------------------------------ */

const char *level_name(unsigned level)
{
	return level == 0 ? "supervisor" : level == TOY_USER ? "user" : NULL;
}

const char level_option[] = "level", level_choices[] = "0|1|both";

unsigned level_user(void)
{
	return TOY_USER;
}

unsigned level_filter(unsigned level)
{
	return level != 0;
}

const char *level_filter_name(unsigned filter)
{
	return filter == 0 ? "SUPERVISOR" : filter == 1 ? "USER" : NULL;
}

bool level_user_reads_counters(bool allow)
{
	(void)allow;
	return false;
}

/* Its PMU has but one kind of registers: every level may write them. */
void courage_lists(const struct register_range *const *lists, unsigned n)
{
	(void)lists, (void)n;
}

void courage_set(enum courage level)
{
	(void)level;
}

enum courage courage_level(void)
{
	return COURAGE_ALL;
}

enum courage courage_of(enum register_space space, uint64_t number)
{
	(void)space, (void)number;
	return COURAGE_READ;
}

bool courage_allows(enum register_space space, uint64_t number)
{
	(void)space, (void)number;
	return true;
}

/* --- the machine: always taken, one processor -------------------------------------- */

const struct machine_setting machine_settings[] = {{0}};

bool machine_set(const char *name, uint64_t value)
{
	(void)name;
	(void)value;
	return false;
}

const char *machine_init(const struct boot_info *boot, char room[MACHINE_REASON])
{
	(void)boot;
	(void)room;
	return NULL;
}

void machine_take(void)
{
}

void machine_give_back(void)
{
}

bool machine_taken(void)
{
	return true;
}

unsigned machine_cpu_count(void)
{
	return 1;
}

unsigned machine_note_count(void)
{
	return 0;
}

const char *machine_note(unsigned i)
{
	(void)i;
	return NULL;
}

unsigned processor_count(void)
{
	return 1;
}

struct processor processor_at(unsigned number)
{
	(void)number;
	return (struct processor){.enabled = true};
}

unsigned processor_current(void)
{
	return 0;
}

bool processor_run(unsigned number, void (*fn)(void *), void *arg, const char **why)
{
	if (number) {
		*why = "there is one processor";
		return false;
	}
	fn(arg);
	return true;
}

bool processors_dismiss(void)
{
	return true;
}

void processor_spoil(unsigned number, enum processor_fault fault, unsigned turn)
{
	(void)number;
	(void)fault;
	(void)turn;
}

/* --- code --------------------------------------------------------------------------------------------- */

const uint8_t code_nop[4] = {0}; /* R0 = R0 + R0 + 0 */
const unsigned code_nop_size = sizeof code_nop;

/* Two NOPs, with half of the word in each one's immediate. */
const unsigned code_mark_size = 8;

void code_mark(uint8_t *to, uint32_t word)
{
	const uint32_t nops[] = {TOY_INSN((uint32_t)TOY_ADD, 0, 0, 0, word & 0xffff),
				 TOY_INSN((uint32_t)TOY_ADD, 0, 0, 0, word >> 16)};

	memcpy(to, nops, sizeof nops);
}

const struct code_rung code_rungs[] = {{"nop", 4, {0}}, {0}};

/* Which register is read stands in the instruction. */
const struct code_cost code_costs[] = {{0}};
const char code_costs_manual[] = "arch/toy/encoding.h";
const uint8_t code_counter_reading[1] = {0};
const unsigned code_counter_reading_size = 0, code_counter_reading_before = 0;
const char code_counter_reading_name[] = "REG";

uint8_t *code_cost_setup(uint8_t *to, const struct code_cost *cost, uint32_t selector)
{
	(void)cost;
	(void)selector;
	return to;
}

/* R1 = R1 - 1; back to the beginning, if it is not 0. */
const unsigned code_loop_instructions = 2;

uint8_t *code_loop(uint8_t *to, const uint8_t *begin)
{
	const uint32_t turn[] = {TOY_INSN((uint32_t)TOY_ADD, 1, 1, 0, -1),
				 TOY_INSN((uint32_t)TOY_BRANCH, 0, 1, 0, begin - (to + 4))};

	memcpy(to, turn, sizeof turn);
	return to + sizeof turn;
}

void code_call_next(void)
{
}

unsigned code_instructions(const uint8_t *code, const uint8_t *end)
{
	return (unsigned)((end - code) / 4);
}

/* --- registers ---------------------------------------------------------------------------------------- */

bool register_read(enum register_space space, uint64_t number, uint64_t *value)
{
	struct register_access a = {.space = (uint8_t)space, .number = number};
	bool good = space == SPACE_SYSTEM && toy_register(&a);

	*value = good ? a.value : 0;
	return good;
}

bool register_write(enum register_space space, uint64_t number, uint64_t value)
{
	struct register_access a = {.space = (uint8_t)space, .write = true, .number = number, .value = value};

	return space == SPACE_SYSTEM && toy_register(&a);
}

/* --- firmware that interrupts, a second CPU: there are none ------------------------------------------- */

const char *const firmware_counter_name = "none";

bool firmware_is_counted(void)
{
	return true;
}

bool firmware_interrupts(uint32_t *count)
{
	*count = 0;
	return true;
}

bool firmware_hold_counters(uint64_t *before)
{
	*before = 0;
	return false;
}

void firmware_let_counters(uint64_t before)
{
	(void)before;
}

const char *second_cpu_missing(enum second_cpu_kind kind)
{
	(void)kind;
	return "there is one processor";
}

bool second_cpu_work(enum second_cpu_kind kind, volatile uint32_t *line)
{
	(void)kind;
	(void)line;
	return false;
}

void second_cpu_rest(void)
{
}

void second_cpu_dismiss(void)
{
}

unsigned others_work(void)
{
	return 0;
}

void others_rest(void)
{
}

/* --- memory: addresses are physical ones -------------------------------------------------------------- */

bool page_readable(const void *start, size_t size)
{
	const uint8_t *p = start;

	return p >= toy_memory && size <= TOY_MEMORY && p <= toy_memory + TOY_MEMORY - size;
}

bool page_writable(const void *start, size_t size)
{
	return page_readable(start, size);
}

bool page_also_at(uint64_t address, void *page)
{
	(void)address, (void)page;
	return false;
}

bool page_translate(uint64_t address, uint64_t *physical, unsigned *shift)
{
	*physical = address;
	*shift = 12;
	return address < TOY_MEMORY;
}

const char *general_register_name(unsigned number)
{
	static const char *const names[TOY_REGISTERS] = {"R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7"};

	return number < TOY_REGISTERS ? names[number] : NULL;
}

_Noreturn void machine_stop(void)
{
	abort();
}
