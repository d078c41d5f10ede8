/*
 * Exceptions that end one check and not the run: guarded calls. What nobody claims inside of one is dumped to
 * the console, and the call ends; what follows it goes on.
 *
 * Example: run a check that may fault, and say why it did not finish.
 *
 *     struct trap_report report;
 *     if (!trap_guard(check, &arg, &report))
 *             console_text("ended by %s\n", report.text);
 */
#ifndef ARCH_EXCEPTIONS_H
#define ARCH_EXCEPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/** What ended a guarded call. */
struct trap_report {
	int vector; /* of the exception, numbered as the instruction set does, or one of the TRAP_ values */
	char text[96]; /* one line: what, where (symbol+offset) */
};
#define TRAP_NONE     (-1)
#define TRAP_WATCHDOG 256 /* the watchdog's deadline passed (arch/watchdog.h) */
#define TRAP_RECALLED 257 /* the boot processor wants the run back from this one (arch/processors.h) */
#define TRAP_REFUSED                                                                                         \
	258 /* a register was to be written for which there is not the courage (arch/courage.h) */

/**
 * Call fn(arg) so that an unexpected exception, or the watchdog, ends only it.
 * The unexpected exception is dumped (vector, error code, registers, backtrace with symbols, current check)
 * to the console first. Nests. Stack, callee-saved registers, whether interrupts are held off, the handlers
 * and the step engine's state are as before the call if it was ended. The outermost call runs on the
 * harness's own stack of 256 KiB, with a guard page under it.
 * @return true if fn returned by itself; false otherwise, with *report (may be NULL) filled in.
 */
bool trap_guard(void (*fn)(void *), void *arg, struct trap_report *report);

/** Leave the innermost trap_guard() at once with the given report vector; from handlers or plain code. */
_Noreturn void trap_abort(int vector);

/** What the dump calls "running", copied: set by suites before each check, NULL between them. */
void trap_set_context(const char *description);

/** Interrupts and exceptions that arrived where nobody had claimed them since the last call (interrupts were
 * acknowledged). */
unsigned trap_stray_count(void);

/** The same since power-on. */
unsigned trap_strays(void);

/** Let maskable interrupts in from here on, and hold them off again. The harness runs with them held off. */
void interrupts_open(void);
void interrupts_close(void);

/** Let pending maskable interrupts in, for two instructions. */
void interrupts_drain(void);

/** Raise a debug exception and come back from it (x86: INT1). @return the address of the instruction that
 * raises it; 0: none came, or the instruction set has no such */
uint64_t trap_debug_exception(void);

/**
 * For functions that run as trap handlers, or that handlers call: floating-point and vector registers are the
 * interrupted code's and must not be touched. (arch/ and pmu/ are compiled like this as a whole.)
 */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
#define GENERAL_REGISTERS_ONLY __attribute__((target("general-regs-only")))
#else
#define GENERAL_REGISTERS_ONLY
#endif

#endif
