#define _GNU_SOURCE
#include "tests/self/host/support/stepper_internal.h"

#include <asm/ldt.h>
#include <cpuid.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Features that stepping does without. */
#define EMULATED ((uint64_t)(KERNEL_NEEDS_RTM | KERNEL_NEEDS_SERIALIZE | KERNEL_NEEDS_SEP))

struct feature_bit {
	uint32_t leaf, subleaf;
	char reg[4];
	uint8_t bit;
};

static const struct feature_bit features[] = {
#define CPU_FEATURE(id, leaf, subleaf, reg, bit) {leaf, subleaf, #reg, bit},
#include "arch/x86/cpu/cpu_features.def"
#undef CPU_FEATURE
};

static bool featureless;

void stepper_without_features(bool without)
{
	featureless = without;
}

bool stepper_cpu_has(enum cpu_feature feature)
{
	const struct feature_bit *f = &features[feature];
	unsigned r[4] = {0};

	if (featureless && feature != CPU_UMIP)
		return false;
	__get_cpuid_count(f->leaf, f->subleaf, &r[0], &r[1], &r[2], &r[3]);
	return r[f->reg[1] - 'a'] >> f->bit & 1;
}

static uint64_t xcr0(void)
{
	unsigned a, b, c, d, low, high;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1))
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low | (uint64_t)high << 32;
}

bool stepper_as_intel(void)
{
	unsigned a, b, c, d;

	return !featureless && __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx;
}

/* Whether CPUID tells of IA32_CORE_CAPABILITIES: what that says is not for this ring. */
static bool split_locks_may_fault(void)
{
	unsigned a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && d >> 30 & 1;
}

uint16_t stepper_absent_segment(void)
{
	static uint16_t selector;
	struct user_desc d = {.limit = 0xfffff, .seg_32bit = 1, .limit_in_pages = 1, .seg_not_present = 1};

	if (!selector && !syscall(SYS_modify_ldt, 1, &d, sizeof d))
		selector = 0 << 3 | 7;
	return selector;
}

/* --- exceptions that an emulator which serves as this machine may leave out -------------------------- */

/* 1 over 0: SDM vol. 1, 11.5.2.3. */
static void divide_unmasked(void)
{
	const uint32_t unmasked = 0x1f80 & ~0x200u, one = 0x3f800000;

	__asm__ volatile("ldmxcsr %0\n\t"
			 "xorps %%xmm1, %%xmm1\n\t"
			 "movd %1, %%xmm0\n\t"
			 "divss %%xmm1, %%xmm0"
			 :
			 : "m"(unmasked), "m"(one)
			 : "xmm0", "xmm1");
}

/* SDM vol. 3, 6.15, interrupt 17. */
static void load_misaligned(void)
{
	static const uint64_t words[2];

	__asm__ volatile("pushfq\n\t"
			 "orq $0x40000, (%%rsp)\n\t" /* AC */
			 "popfq\n\t"
			 "movl 1(%0), %%ecx\n\t"
			 "pushfq\n\t"
			 "andq $-0x40001, (%%rsp)\n\t"
			 "popfq"
			 :
			 : "r"(words)
			 : "rcx", "cc", "memory");
}

static struct exception {
	uint64_t flag; /* of kernels that cause it */
	int signal;
	void (*attempt)(void);
	const char *missing;
	enum { UNTRIED, RAISED, NOT_RAISED } found;
} exceptions[] = {
	{KERNEL_SERVICE_XM, SIGFPE, divide_unmasked, "this machine raises no SIMD floating-point exception",
	 UNTRIED},
	{KERNEL_SERVICE_ALIGNED, SIGBUS, load_misaligned, "this machine checks no alignment", UNTRIED},
};

/** Whether a process ends of it. */
static bool raises(const struct exception *e)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		signal(e->signal, SIG_DFL);
		e->attempt();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	       WTERMSIG(status) == e->signal;
}

static const char *exception_missing(const struct kernel *k)
{
	for (struct exception *e = exceptions; e < exceptions + sizeof exceptions / sizeof *exceptions; e++) {
		if (!(k->flags & e->flag))
			continue;
		if (e->found == UNTRIED)
			e->found = raises(e) ? RAISED : NOT_RAISED;
		if (featureless || e->found == NOT_RAISED)
			return e->missing;
	}
	return NULL;
}

const char *stepper_unfit(const struct kernel *k)
{
	static char text[64];
	const struct kernel_need *feature;
	const char *missing;

	if (k->flags & KERNEL_PRIVILEGED)
		return "needs ring 0";
	if (k->flags & KERNEL_SERVICE_SEGMENT && !stepper_absent_segment())
		return "the operating system has no segment that is not present";
	if (k->flags & KERNEL_SERVICE_SPLIT_LOCK && split_locks_may_fault())
		return "the operating system may have split locks fault";
	missing = exception_missing(k);
	if (missing)
		return missing;
	feature = kernel_missing(k->needs & ~EMULATED, stepper_cpu_has, xcr0());
	if (feature)
		snprintf(text, sizeof text, "needs %s, which this machine does not have", feature->name);
	return feature ? text : NULL;
}

static bool has_emulated_instruction(const struct kernel *k)
{
	struct insn in;

	for (const uint8_t *p = k->code; p < k->code_end && insn_decode(p, (size_t)(k->code_end - p), &in);
	     p += in.length)
		if (stepper_is_emulated(p, &in))
			return true;
	return false;
}

bool stepper_emulates(const struct kernel *k)
{
	/* Transactions run freely where the CPU has them. */
	return k->flags & KERNEL_SERVICE_RDPMC ||
	       kernel_missing(k->needs & EMULATED, stepper_cpu_has, xcr0()) ||
	       (!kernel_transacts(k) && has_emulated_instruction(k));
}
