/*
 * x86's general registers, numbered as steps and records have them (arch/step.h, general_register_name()).
 */
#ifndef PMU_X86_GENERAL_H
#define PMU_X86_GENERAL_H

enum x86_general {
	GPR_RAX,
	GPR_RBX,
	GPR_RCX,
	GPR_RDX,
	GPR_RSI,
	GPR_RDI,
	GPR_RBP,
	GPR_RSP,
	GPR_R8,
	GPR_R9,
	GPR_R10,
	GPR_R11,
	GPR_R12,
	GPR_R13,
	GPR_R14,
	GPR_R15,
	GPR_COUNT
};

/** Those that code of 32 bits has: the first ones. */
#define GPR_COUNT_32 (GPR_RSP + 1)

#endif
