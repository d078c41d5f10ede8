/*
 * What the loops of second_cpu.S and others.c consist of.
 */
#include "arch/second_cpu.h"

/* clang-format off */
#define INSTRUCTION(...)                                                                                     \
	{                                                                                                    \
		sizeof((struct qterm[]){__VA_ARGS__}) / sizeof(struct qterm), { __VA_ARGS__ }                \
	}
#define ONE      {Q_INSTRUCTIONS, 1}
#define LOOPS    ONE, {Q_BRANCHES, 1}, {Q_BR_COND, 1}, {Q_BR_COND_TAKEN, 1}
#define LOADS(n) {Q_INSN_LOAD, 1}, {Q_LOADS, n}
#define STORE    {Q_INSN_STORE, 1}, {Q_STORES, 1}

const struct second_cpu_turn second_cpu_turns[SECOND_CPU_LOOPS] = {
	[SECOND_CPU_PLAIN] = {6,
			      {INSTRUCTION(ONE, LOADS(1)), INSTRUCTION(ONE, {Q_INSN_MUL, 1}),
			       INSTRUCTION(ONE, STORE), INSTRUCTION(ONE), INSTRUCTION(ONE, LOADS(1)),
			       INSTRUCTION(LOOPS)}},
	[SECOND_CPU_PATIENT] = {7,
				{INSTRUCTION(ONE, LOADS(1)), INSTRUCTION(ONE, {Q_INSN_MUL, 1}),
				 INSTRUCTION(ONE, STORE), INSTRUCTION(ONE, {Q_INSN_PAUSE, 1}), INSTRUCTION(ONE),
				 INSTRUCTION(ONE, LOADS(1)), INSTRUCTION(LOOPS)}},
#ifdef __i386__
	[SECOND_CPU_FAR] = {7,
			    {INSTRUCTION(ONE, STORE), INSTRUCTION(ONE, STORE), INSTRUCTION(ONE, STORE),
			     INSTRUCTION(ONE, LOADS(3), {Q_INSN_SERIALIZING, 1}, {Q_BRANCHES, 1},
					 {Q_BR_FAR, 1}),
			     INSTRUCTION(ONE), INSTRUCTION(ONE, LOADS(1)), INSTRUCTION(LOOPS)}},
#else
	[SECOND_CPU_FAR] = {9,
			    {INSTRUCTION(ONE, STORE), INSTRUCTION(ONE, STORE), INSTRUCTION(ONE, STORE),
			     INSTRUCTION(ONE, STORE), INSTRUCTION(ONE, STORE),
			     INSTRUCTION(ONE, LOADS(5), {Q_INSN_SERIALIZING, 1}, {Q_BRANCHES, 1},
					 {Q_BR_FAR, 1}),
			     INSTRUCTION(ONE), INSTRUCTION(ONE, LOADS(1)), INSTRUCTION(LOOPS)}},
#endif
};
