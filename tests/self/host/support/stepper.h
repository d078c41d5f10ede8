/*
 * Runs kernels on the machine's real processor, one instruction at a time: a child process holds their
 * memory, and this one steps it by ptrace and accounts for every instruction as the image's oracle does.
 *
 * What the image's handlers add, in ring 0, is read off their code. The operating system's stand for them in
 * faults, INT3 and SYSCALL; an interrupt is a signal. The stepper carries out itself
 *
 * XBEGIN and its like   as the trap of each step would abort transactions
 * SERIALIZE             where the CPU lacks it
 * RDPMC, INT n          when the CPU has raised #GP for it, as operating systems have it do
 * INT1                  before the CPU sees it: hypervisors start it over for ever
 * SYSENTER              likewise: it leads into the operating system's 32-bit code, or nowhere (AMD)
 * far pointers of 64 bits   where the CPU reads 32 (AMD)
 * SGDT, SIDT, SLDT, STR, SMSW   where the CPU may refuse them (UMIP): operating systems carry them out then,
 * and no trap comes behind
 */
#ifndef TESTS_HOST_STEPPER_H
#define TESTS_HOST_STEPPER_H

#include "arch/x86/step/retired.h"
#include "pmu/quantity/quantity.h"
#include "tests/kernels/x86/kernel.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

/** Start the child; the kernels must have been unpacked. @return NULL, or one line that says why stepping is
 * not possible here */
const char *stepper_start(void);
void stepper_stop(void);

/** Whether this machine has a CPU feature. */
bool stepper_cpu_has(enum cpu_feature feature);

/** From now on it has none, but for UMIP, which cannot be done without, is none of Intel's CPUs, and raises
 * neither #XM nor #AC. */
void stepper_without_features(bool without);

/** What becomes of transactions from now on: aborted at once (at first), or not before they must. */
void stepper_transactions(enum transaction_outcome outcome);

/**
 * Step one kernel with N = n and add up all architectural quantities. Where the CPU shows what the decoder
 * claims (the next instruction's address, taken or not), it is compared.
 * @return NULL, or one line that says what went wrong; valid until the next call
 */
const char *stepper_run(const struct kernel *k, uint64_t n, struct qvec *out);

/**
 * Call seen() for every instruction that retires, with its bytes, its address and that of the one that
 * follows. `did` and what it points to last until it returns. NULL: nobody watches.
 */
void stepper_watch(void (*seen)(const struct insn_retired *did, const uint8_t *code, uint64_t rip,
				uint64_t next));

/** An instruction has retired that found registers as in *before: change in *after what a CPU other than this
 * one may leave otherwise. */
typedef void stepper_answer(const uint8_t *code, const struct insn *in, const struct user_regs_struct *before,
			    struct user_regs_struct *after);

/** Have a CPU's answers in place of this one's from now on (other_cpu.h); NULL: its own. */
void stepper_answer_otherwise(stepper_answer *otherwise);

/** For seen(): whether the instruction met a denormal number (arch/x86/step/denormals.h). */
bool stepper_denormal(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
		      unsigned n_terms);

/** Where kernels' code can be written: for uarch_code_alias(). */
void stepper_code_alias(uint64_t *start, uint64_t *end, uint64_t *distance);

/** Selector of a data segment that is not present, 0 if the operating system gives none. This process and
 * those that it forks later have it. */
uint16_t stepper_absent_segment(void);

/** What a kernel needs of the harness or the machine that is not to be had here; NULL if nothing. Valid until
 * the next call. */
const char *stepper_unfit(const struct kernel *k);

/** Whether a kernel can only be stepped, not run freely: the CPU lacks, or the operating system refuses, what
 * the stepper carries out itself. Software interrupts and system calls are not asked for. */
bool stepper_emulates(const struct kernel *k);

#endif
