/*
 * What kernels of AArch64 need of the harness: handlers for the exceptions that they raise, registers of the
 * PMU at EL0, features of the processor.
 */
#include "tests/kernels/services.h"

#include "arch/exceptions.h"
#include "arch/timer.h"
#include "arch/aarch64/step/account.h"
#include "arch/aarch64/gic.h"
#include "arch/aarch64/system.h"
#include "arch/aarch64/trap.h"
#include "arch/levels.h"
#include "tests/kernels/aarch64/chains.h"
#include "tests/kernels/aarch64/kernel.h"
#include "tests/kernels/handled.h"

#include <stddef.h>

#define SELF         (KERNEL_SERVICE_SELF | KERNEL_SERVICE_SELF_MAPPED)
#define OWN_SERVICES (KERNEL_SERVICE_RESUME | KERNEL_SERVICE_PMU | KERNEL_SERVICE_WAKE | SELF | KERNEL_SERVICE_CHAINS)
#define BYTES        4 /* of an instruction */

_Static_assert(offsetof(struct gic_self, address) == KERNEL_PARAM_ADDRESS &&
		       offsetof(struct gic_self, value) == KERNEL_PARAM_VALUE,
	       "what kernels find");

static uint64_t on;
static bool user_read;
static struct gic_self *told;

void services_init(void)
{
	chains_create();
}

bool services_wanted(const struct kernel *k)
{
	return k->flags & OWN_SERVICES;
}

/* What faults has not advanced; SVC has. */
static GENERAL_REGISTERS_ONLY bool resume(struct trap_frame *f)
{
	unsigned class = trap_class(f);

	if (f->vector < 8 || (class == EC_SVC && trap_immediate(f) != KERNEL_CALL))
		return false;
	if (class != EC_SVC)
		f->pc += BYTES;
	return true;
}

bool services_prepare(const struct kernel *k, const struct kernel_place *place)
{
	services_finish();
	on = k->flags & OWN_SERVICES;
	if (on & KERNEL_SERVICE_RESUME) {
		trap_claim(resume);
		trap_quick(QUICK_USER);
	}
	if (on & KERNEL_SERVICE_PMU)
		user_read = level_user_reads_counters(true);
	if (on & KERNEL_SERVICE_WAKE)
		gic_enable(gic_place.virtual_timer, true);
	if (on & KERNEL_SERVICE_CHAINS)
		chain_provide(on, (struct ring *)(place->data + KERNEL_PARAM_CHAIN));
	if (on & SELF) {
		told = (struct gic_self *)place->data;
		*told = gic_self_begin();
		trap_self_interface = gic_place.cpu;
		trap_quick(on & KERNEL_SERVICE_SELF ? QUICK_SELF : QUICK_SELF_MAPPED);
	}
	return true;
}

void services_finish(void)
{
	if (on & KERNEL_SERVICE_RESUME) {
		trap_quick(QUICK_NONE);
		trap_claim(NULL);
	}
	if (on & KERNEL_SERVICE_PMU)
		level_user_reads_counters(user_read);
	if (on & KERNEL_SERVICE_WAKE)
		timer_stop();
	if (on & SELF) {
		trap_quick(QUICK_NONE);
		gic_self_end();
		*told = (struct gic_self){0};
	}
	on = 0;
}

/* Fields of identification registers, Arm ARM, D13.2. */
static bool has(uint64_t need)
{
	uint64_t isar0 = SYS_READ(id_aa64isar0_el1), isar1 = SYS_READ(id_aa64isar1_el1);
	unsigned pmu = SYS_READ(id_aa64dfr0_el1) >> 8 & 0xf;

	switch (need) {
	case KERNEL_NEEDS_LSE:
		return (isar0 >> 20 & 0xf) >= 2;
	case KERNEL_NEEDS_CRC:
		return (isar0 >> 16 & 0xf) >= 1;
	case KERNEL_NEEDS_AES:
		return (isar0 >> 4 & 0xf) >= 1;
	case KERNEL_NEEDS_RCPC:
		return (isar1 >> 20 & 0xf) >= 1;
	case KERNEL_NEEDS_PMU:
		return pmu && pmu != 0xf;
	case KERNEL_NEEDS_FP16:
		return (SYS_READ(id_aa64pfr0_el1) >> 16 & 0xf) == 1;
	case KERNEL_NEEDS_IC:
		return !(SYS_READ(ctr_el0) >> 29 & 1);
	case KERNEL_NEEDS_SVE:
		return SYS_READ(id_aa64pfr0_el1) >> 32 & 0xf;
	default:
		return false;
	}
}

const char *kernel_unfit(const struct kernel *k, uint8_t level)
{
	static const struct {
		uint64_t need;
		const char *why;
	} needs[] = {
		{KERNEL_NEEDS_LSE, "the processor has no LSE atomics"},
		{KERNEL_NEEDS_CRC, "the processor has no CRC32"},
		{KERNEL_NEEDS_AES, "the processor has no AES"},
		{KERNEL_NEEDS_RCPC, "the processor has no LDAPR"},
		{KERNEL_NEEDS_PMU, "the processor has no PMUv3"},
		{KERNEL_NEEDS_SVE, "the processor has no SVE"},
		{KERNEL_NEEDS_FP16, "the processor has no arithmetic of half precision"},
		{KERNEL_NEEDS_IC, "the processor's instruction caches need not be emptied"},
	};

	if (level > level_user())
		return "there is no such level";
	if (level && k->flags & KERNEL_PRIVILEGED)
		return "it is for EL1 only";
	if (!level && k->flags & KERNEL_USER_ONLY)
		return "it is for EL0 only";
	if (k->flags & KERNEL_SERVICE_WAKE && !timer_is_free())
		return "the virtual timer is not free";
	if (k->flags & KERNEL_SERVICE_SELF && gic_place.version != 3)
		return "there is no GICv3";
	if (k->flags & KERNEL_SERVICE_SELF_MAPPED && gic_place.version != 2)
		return "there is no GICv2";
	if (k->flags & KERNEL_SERVICE_CHAINS && chain_missing(k->flags))
		return chain_missing(k->flags);
	for (unsigned i = 0; i < sizeof needs / sizeof needs[0]; i++)
		if (k->needs & needs[i].need && !has(needs[i].need))
			return needs[i].why;
	return NULL;
}

const char *kernel_unsteppable(const struct kernel *k, uint8_t level)
{
	return kernel_unfit(k, level);
}

void services_emulate(const struct kernel *k, uint8_t *copy)
{
	(void)k, (void)copy;
}

bool exceptions_emulated(const struct kernel *k)
{
	(void)k;
	return false;
}

void exceptions_withhold(bool withhold)
{
	(void)withhold;
}

bool kernel_leaves_level(const struct kernel *k)
{
	return k->flags & KERNEL_SERVICE_RESUME;
}

/* How often the quick handler of a system call, or of a fault, makes a quantity. */
static int64_t handler_makes(bool call, enum quantity q)
{
	const uint32_t *path[QUICK_MOST];
	unsigned n = trap_quick_path(call, path);
	struct insn_state at = {.pc = 0};
	struct insn_effect e;
	int64_t sum = q == Q_LEVEL_TO_USER;

	at.x[9] = call ? UINT64_C(0x15) << 26 | KERNEL_CALL : 0;
	for (unsigned i = 0; i < n; i++) {
		insn_account(*path[i], &at, &e);
		for (unsigned t = 0; t < e.n_terms; t++)
			if (e.term[t].quantity == q)
				sum += e.term[t].amount;
	}
	return sum;
}

struct amount kernel_handled(const struct kernel *k, enum quantity q, uint64_t n)
{
	struct amount all = kernel_amount(k, Q_EXCEPTIONS, n), calls = kernel_amount(k, Q_EXC_SVC, n);
	int64_t sum;

	if (!kernel_leaves_level(k))
		return (struct amount){.defined = true};
	sum = calls.low * handler_makes(true, q) + (all.low - calls.low) * handler_makes(false, q);
	return (struct amount){.defined = quantity_info[q].class == QUANTITY_ARCH, .low = sum, .high = sum};
}
