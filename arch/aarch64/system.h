/*
 * System registers of AArch64 as the harness itself uses them (Arm ARM, D13), and barriers.
 *
 * Example: SYS_WRITE(cntp_ctl_el0, 0) stops the physical timer.
 */
#ifndef ARCH_AARCH64_SYSTEM_H
#define ARCH_AARCH64_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

#define SYS_READ(name)                                                                                       \
	({                                                                                                   \
		uint64_t value_;                                                                             \
		__asm__ volatile("mrs %0, " #name : "=r"(value_)::"memory");                                 \
		value_;                                                                                      \
	})

#define SYS_WRITE(name, value)                                                                               \
	do {                                                                                                 \
		__asm__ volatile("msr " #name ", %0; isb" : : "r"((uint64_t)(value)) : "memory");            \
	} while (0)

/** OSLSR_EL1.OSLK: the OS lock, which holds debug exceptions off, is set. D13.3. */
#define SYSTEM_OS_LOCKED() (SYS_READ(oslsr_el1) >> 1 & 1)

static inline void barrier(void)
{
	__asm__ volatile("dsb sy; isb" : : : "memory");
}

/** The exception level that this runs at. */
static inline unsigned system_level(void)
{
	return (unsigned)(SYS_READ(CurrentEL) >> 2 & 3);
}

static inline bool system_at_el2(void)
{
	return system_level() == 2;
}

/* PSTATE's masks in DAIF: debug exceptions, SError, IRQ, FIQ. */
#define DAIF_D 0x200
#define DAIF_A 0x100
#define DAIF_I 0x80
#define DAIF_F 0x40

/** A register of SPACE_SYSTEM (arch/register.h): the fields of MRS and MSR, op0 in bits 15:14. */
#define SYSTEM_REGISTER(op0, op1, crn, crm, op2)                                                             \
	((uint32_t)(op0) << 14 | (uint32_t)(op1) << 11 | (uint32_t)(crn) << 7 | (uint32_t)(crm) << 3 |       \
	 (uint32_t)(op2))

#endif
