/*
 * Privileged instructions as functions: control registers, IF, I/O ports. SDM vol. 2.
 */
#ifndef ARCH_X86_CPU_CPU_H
#define ARCH_X86_CPU_CPU_H

#include <stdint.h>

#define CR0_PE (1ull << 0)
#define CR0_MP (1ull << 1)
#define CR0_EM (1ull << 2)
#define CR0_TS (1ull << 3)
#define CR0_NE (1ull << 5)
#define CR0_WP (1ull << 16)
#define CR0_AM (1ull << 18)
#define CR0_NW (1ull << 29)
#define CR0_CD (1ull << 30)
#define CR0_PG (1ull << 31)

#define CR4_TSD        (1ull << 2)
#define CR4_DE         (1ull << 3)
#define CR4_PAE        (1ull << 5)
#define CR4_PGE        (1ull << 7)
#define CR4_PCE        (1ull << 8)
#define CR4_OSFXSR     (1ull << 9)
#define CR4_OSXMMEXCPT (1ull << 10)
#define CR4_UMIP       (1ull << 11)
#define CR4_LA57       (1ull << 12)
#define CR4_FSGSBASE   (1ull << 16)
#define CR4_PCIDE      (1ull << 17)
#define CR4_OSXSAVE    (1ull << 18)
#define CR4_SMEP       (1ull << 20)
#define CR4_SMAP       (1ull << 21)
#define CR4_PKE        (1ull << 22)
#define CR4_CET        (1ull << 23)
#define CR4_PKS        (1ull << 24)

/* Instructions that keep all that there is of a register's width. */
#ifdef __i386__
#define FXSAVE  "fxsave"
#define FXRSTOR "fxrstor"
#define XSAVE   "xsave"
#define XRSTOR  "xrstor"
#else
#define FXSAVE  "fxsave64"
#define FXRSTOR "fxrstor64"
#define XSAVE   "xsave64"
#define XRSTOR  "xrstor64"
#endif

#define EFER_SCE (1ull << 0)
#define EFER_NXE (1ull << 11)

#define RFLAGS_TF (1ull << 8)
#define RFLAGS_IF (1ull << 9)

#define CONTROL_REGISTER(name)                                                                               \
	static inline uint64_t name##_read(void)                                                             \
	{                                                                                                    \
		unsigned long value;                                                                         \
		__asm__ volatile("mov %%" #name ", %0" : "=r"(value));                                       \
		return value;                                                                                \
	}                                                                                                    \
	static inline void name##_write(uint64_t value)                                                      \
	{                                                                                                    \
		__asm__ volatile("mov %0, %%" #name ::"r"((unsigned long)value) : "memory");                 \
	}

CONTROL_REGISTER(cr0)
CONTROL_REGISTER(cr2)
CONTROL_REGISTER(cr3)
CONTROL_REGISTER(cr4)
CONTROL_REGISTER(dr0)
CONTROL_REGISTER(dr1)
CONTROL_REGISTER(dr2)
CONTROL_REGISTER(dr3)
CONTROL_REGISTER(dr6)
CONTROL_REGISTER(dr7)

#undef CONTROL_REGISTER

/* State components in XCR0: SDM vol. 1, 13.1. */
#define XCR0_YMM    0x6
#define XCR0_OPMASK 0x20

/** XCR0, 0 if the CPU has none or it is off. */
static inline uint64_t xcr0_read(void)
{
	uint32_t low, high;

	if (!(cr4_read() & CR4_OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return (uint64_t)high << 32 | low;
}

/** Clear IF. @return RFLAGS before, for interrupts_restore(). */
static inline uint64_t interrupts_mask(void)
{
	unsigned long flags;
	__asm__ volatile("pushf; cli; pop %0" : "=r"(flags)::"memory");
	return flags;
}

static inline void interrupts_restore(uint64_t flags)
{
	if (flags & RFLAGS_IF)
		__asm__ volatile("sti" ::: "memory");
}

static inline void port_write8(uint16_t port, uint8_t value)
{
	__asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint8_t port_read8(uint16_t port)
{
	uint8_t value;
	__asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline uint16_t port_read16(uint16_t port)
{
	uint16_t value;
	__asm__ volatile("inw %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static inline void port_write32(uint16_t port, uint32_t value)
{
	__asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port));
}

static inline uint32_t port_read32(uint16_t port)
{
	uint32_t value;
	__asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/** Segment selectors: CS, SS, DS, ES, FS, GS. */
static inline void selectors_read(uint16_t out[6])
{
	__asm__ volatile("mov %%cs, %0" : "=r"(out[0]));
	__asm__ volatile("mov %%ss, %0" : "=r"(out[1]));
	__asm__ volatile("mov %%ds, %0" : "=r"(out[2]));
	__asm__ volatile("mov %%es, %0" : "=r"(out[3]));
	__asm__ volatile("mov %%fs, %0" : "=r"(out[4]));
	__asm__ volatile("mov %%gs, %0" : "=r"(out[5]));
}

static inline void cpu_relax(void)
{
	__asm__ volatile("pause");
}

#endif
