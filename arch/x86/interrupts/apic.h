/*
 * The local APIC, in xAPIC (memory) and x2APIC (MSR) mode. SDM vol. 3, chapter 10.
 * IA32_APIC_BASE.EN is never cleared. x2APIC is used if the firmware left it on, or if asked for.
 */
#ifndef ARCH_X86_INTERRUPTS_APIC_H
#define ARCH_X86_INTERRUPTS_APIC_H

#include <stdbool.h>
#include <stdint.h>

/** Registers by their xAPIC offset; the x2APIC MSR is 800H + offset/16. */
enum apic_register {
	APIC_ID = 0x20,
	APIC_VERSION = 0x30,
	APIC_TPR = 0x80,
	APIC_PPR = 0xa0,
	APIC_EOI = 0xb0,
	APIC_LDR = 0xd0,
	APIC_DFR = 0xe0,
	APIC_SVR = 0xf0,
	APIC_ISR = 0x100,
	APIC_IRR = 0x200,
	APIC_ESR = 0x280,
	APIC_LVT_CMCI = 0x2f0,
	APIC_ICR = 0x300,
	APIC_ICR_HIGH = 0x310,
	APIC_LVT_TIMER = 0x320,
	APIC_LVT_THERMAL = 0x330,
	APIC_LVT_PERF = 0x340,
	APIC_LVT_LINT0 = 0x350,
	APIC_LVT_LINT1 = 0x360,
	APIC_LVT_ERROR = 0x370,
	APIC_TIMER_INITIAL = 0x380,
	APIC_TIMER_CURRENT = 0x390,
	APIC_TIMER_DIVIDE = 0x3e0,
	APIC_EXT_FEATURE = 0x400, /* AMD's extended space: APM vol. 2, 16.7 */
	APIC_EXT_LVT0 = 0x500,    /* + 10H * n */
};

#define APIC_LVT_MASKED   (1u << 16)
#define APIC_LVT_MODE     (7u << 8)
#define APIC_LVT_FIXED    (0u << 8)
#define APIC_LVT_NMI      (4u << 8)
#define APIC_LVT_PERIODIC (1u << 17)

bool apic_present(void);
bool apic_is_x2(void);

/** The page with its registers in xAPIC mode; 0 if it is not in that mode. */
uint64_t apic_page(void);

/** Switch to x2APIC mode. @return false if the CPU has none or the switch did not take (then nothing
 * changed). */
bool apic_enable_x2(void);

/** Whether this APIC has the entry of the local vector table. */
bool apic_has_lvt(enum apic_register reg);

/** AMD's extended local vector table, by which IBS interrupts: the most entries that are looked after. */
#define APIC_EXT_LVTS 4

/** From now on let the extended entries be memory, all masked, for a virtual CPU that has them though this
 * one has not; or (false) this CPU's own again. */
void apic_emulate_extended(bool emulate);

/**
 * Emulate (or no more) x2APIC mode for a CPU that lacks it: as long as the APIC is in xAPIC mode, its
 * registers answer for the MSRs that kernels use, EOI, timer, ICR and ID. The step engine asks the two
 * functions below; they return false where the CPU is to see to it itself.
 */
void apic_emulate_x2(bool emulate);
bool apic_emulated_write(uint32_t msr, uint64_t value);
bool apic_emulated_read(uint32_t msr, uint64_t *value);

uint32_t apic_read(enum apic_register reg);
void apic_write(enum apic_register reg, uint32_t value);
void apic_eoi(void);
uint32_t apic_id(void);

/** Send this CPU an interrupt. Fixed: vector 16 to 255. */
void apic_self_ipi(uint8_t vector);
void apic_self_nmi(void);

/** Whether a fixed interrupt with this vector is requested (IRR) or in service (ISR). */
bool apic_requested(uint8_t vector);
bool apic_in_service(uint8_t vector);

/** Run the timer once: VECTOR_TIMER after `ticks` of the APIC timer clock divided by 1. 0 stops it. */
void apic_timer_oneshot(uint32_t ticks);
/** APIC error interrupts so far; *status is everything that the error status register said (SDM vol. 3,
 * figure 10-9). */
unsigned apic_error_count(uint32_t *status);
/** APIC timer clock in Hz, as calibrated against the time base. 0 if it could not be. */
uint64_t apic_timer_hz(void);

#endif
