/*
 * A presented processor: what code that is stepped for a client with .presents (arch/step.h) is told that its
 * processor is. There is one at a time.
 *
 * Example: identity_present(profile->identity, profile->threads, &answers) before step_call().
 */
#ifndef ARCH_PRESENTED_H
#define ARCH_PRESENTED_H

#include "arch/identity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** An answer of the test's own, whatever the identity has. x86: register .place (0 to 3: EAX, EBX, ECX, EDX)
 * of CPUID leaf .number, subleaf .part. */
struct identity_answer {
	uint32_t number, part, value;
	uint8_t place;
};
#define IDENTITY_ANSWERS_MAX 8
struct identity_answers {
	struct identity_answer answer[IDENTITY_ANSWERS_MAX];
	unsigned count;
};

/** Whether an injection is such an answer. x86: "cpuid:...". */
bool identity_answer_is_one(const char *name);

/** Add one. x86: cpuid:LEAF:SUBLEAF:REGISTER:VALUE (numbers in hexadecimal, REGISTER one of eax, ebx, ecx,
 * edx). @return false if it is malformed, or there are too many */
bool identity_answer_add(const char *name, struct identity_answers *out);

/** What one looks like, for people. */
extern const char identity_answer_form[];

/**
 * Present a processor from now on.
 * @param identity in the instruction set's own form, a profile's (pmu/contract/model.h); stays valid
 * @param threads  logical processors of its core; 0 and 1: one
 * @param answers  copied
 */
void identity_present(const void *identity, unsigned threads, const struct identity_answers *answers);

/** All that it tells about itself. There must be one. */
identity_source identity_presented;

/** From now on it is the logical processor of this number that asks; at first 0. */
void identity_present_thread(unsigned thread);

#endif
