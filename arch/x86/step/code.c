#include "arch/code.h"

#include <string.h>

const uint8_t code_nop[] = {0x90};
const unsigned code_nop_size = sizeof code_nop;

/* The NOP of eight bytes with a displacement. */
const unsigned code_mark_size = 8;

void code_mark(uint8_t *to, uint32_t word)
{
	static const uint8_t opcode[] = {0x0f, 0x1f, 0x84, 0x00};

	memcpy(to, opcode, sizeof opcode);
	memcpy(to + sizeof opcode, &word, sizeof word);
}

/* Instructions on whole registers: size in 64-bit mode, where REX.W comes first, and the other bytes. */
#ifdef __i386__
#define WORD(size, ...) (size) - 1, {__VA_ARGS__}
#else
#define WORD(size, ...) size, {0x48, __VA_ARGS__}
#endif

const struct code_rung code_rungs[] = {
	{"nop", 1, {0x90}},                        /* as many in a cycle as retire */
	{"add", WORD(3, 0x01, 0xc0)},              /* add %rax,%rax: each waits for the one before */
	{"imul", WORD(4, 0x0f, 0xaf, 0xc0)},       /* imul %rax,%rax: likewise, for some cycles */
	{"mulss", 4, {0xf3, 0x0f, 0x59, 0xc0}},    /* mulss %xmm0,%xmm0 */
	{"load", WORD(4, 0x8b, 0x46, 0x40)},       /* mov 64(%rsi),%rax */
	{"store", WORD(4, 0x89, 0x46, 0x40)},      /* mov %rax,64(%rsi) */
	{"lock add", 4, {0xf0, 0x01, 0x46, 0x40}}, /* lock add %eax,64(%rsi) */
	{"jmp", 2, {0xeb, 0x00}},                  /* to the next rung */
	{"pause", 2, {0xf3, 0x90}},
	{"lfence", 3, {0x0f, 0xae, 0xe8}}, /* nothing begins before all is done */
	{0},
};

#define SET_ECX 0xb9 /* mov $imm32,%ecx */

const struct code_cost code_costs[] = {
	{"RDPMC", 1, 1, true, 5, 2, {SET_ECX}, {0x0f, 0x33}},
	{"RDMSR", 1, 1, false, 5, 2, {SET_ECX, 0x10}, {0x0f, 0x32}}, /* IA32_TIME_STAMP_COUNTER */
	/* xor %eax,%eax; xor %edx,%edx; IA32_SYSENTER_CS, which nothing here uses */
	{"WRMSR", 1, 3, false, 9, 2, {0x31, 0xc0, 0x31, 0xd2, SET_ECX, 0x74, 0x01}, {0x0f, 0x30}},
	{"XOR and CPUID", 2, 0, false, 0, 4, {0}, {0x31, 0xc0, 0x0f, 0xa2}},
	{"LFENCE", 1, 0, false, 0, 3, {0}, {0x0f, 0xae, 0xe8}},
	{0},
};
const char code_costs_manual[] = "SDM vol. 2: one instruction each";

uint8_t *code_cost_setup(uint8_t *to, const struct code_cost *cost, uint32_t selector)
{
	memcpy(to, cost->setup, cost->setup_size);
	if (cost->reads_counter)
		memcpy(to + 1, &selector, sizeof selector);
	return to + cost->setup_size;
}

const unsigned code_loop_instructions = 2;

uint8_t *code_loop(uint8_t *to, const uint8_t *begin)
{
#ifdef __i386__
	static const uint8_t turn[] = {0x4f, 0x75}; /* dec %edi; jnz */
#else
	static const uint8_t turn[] = {0x48, 0xff, 0xcf, 0x75}; /* dec %rdi; jnz */
#endif

	memcpy(to, turn, sizeof turn);
	to += sizeof turn;
	*to = (uint8_t)(begin - (to + 1));
	return to + 1;
}

const uint8_t code_counter_reading[] = {
	0x89, 0xf9,       /* mov %edi,%ecx */
	0x0f, 0x33,       /* rdpmc */
	0x89, 0x06,       /* mov %eax,(%rsi) */
	0x89, 0x56, 0x04, /* mov %edx,4(%rsi) */
};
const unsigned code_counter_reading_size = sizeof code_counter_reading;
const unsigned code_counter_reading_before = 1;
const char code_counter_reading_name[] = "RDPMC";

#ifdef __i386__
#define CALL_NEXT "call 1f\n1:\tadd $4, %%esp"
#else
#define CALL_NEXT "call 1f\n1:\tadd $8, %%rsp"
#endif

/* No red zone is below the stack pointer. */
__attribute__((noipa)) void code_call_next(void)
{
	__asm__ volatile(CALL_NEXT ::: "memory", "cc");
}
