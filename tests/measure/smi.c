#include "tests/measure/smi.h"

#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/step/step.h"
#include "arch/time.h"
#include "arch/exceptions.h"
#include "arch/watchdog.h"

#include <string.h>

#define STEPPED 50 /* stepped windows differ by more than real ones, so that the gap has to be wider */

static bool imitating;
static unsigned windows, imitated; /* that were watched meanwhile; in which time was lost */

void smi_imitate(void)
{
	imitating = true;
}

unsigned smi_imitated(void)
{
	unsigned n = imitated;

	imitated = 0;
	return n;
}

/* Not stepped, so that counters do not see it. */
static void lose_time(uint64_t ticks)
{
	step_pause();
	imitated++;
	for (uint64_t from = clock_read(); clock_read() - from < ticks;)
		;
	step_resume();
}

const char *smi_source_name(enum smi_source source)
{
	static const char *const names[] = {"none", "MSR_SMI_COUNT", "gaps in time"};

	return names[source];
}

/* "GenuineIntel" in EBX, EDX and ECX of CPUID leaf 0. */
#define GENU 0x756e6547
#define INEI 0x49656e69
#define NTEL 0x6c65746e

static bool counted_by(uint32_t signature)
{
	/* Family 6 parts from Nehalem's model number on that are older: Dunnington and the first Atoms. */
	static const uint8_t without[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36};
	unsigned family = signature >> 8 & 15, model = (signature >> 4 & 15) | (signature >> 12 & 0xf0);

	if (family == 15)
		return (signature >> 20 & 255) >
		       0; /* 15 itself is NetBurst, above it are the successors of 6 */
	return family == 6 && model >= 0x1a && !memchr(without, (int)model, sizeof(without));
}

bool smi_counted(const char *vendor, uint32_t signature)
{
	return !strcmp(vendor, "GenuineIntel") && counted_by(signature);
}

bool smi_gap(uint64_t *fastest, uint64_t took, uint64_t gap)
{
	if (took < *fastest)
		*fastest = took;
	return took - *fastest > gap;
}

static bool read_count(uint32_t *count)
{
	uint64_t value;

	if (!msr_read(MSR_SMI_COUNT, &value))
		return false;
	*count = (uint32_t)value;
	return true;
}

#define CPUID_1_ECX_PDCM       (1u << 15)
#define IA32_PERF_CAPABILITIES 0x345
#define CAP_SMM_FREEZE         (1u << 12)
#define IA32_DEBUGCTL          0x1d9
#define FREEZE_WHILE_SMM       (1u << 14)

static void freeze(struct smi_watch *w)
{
	uint64_t capabilities;

	if (msr_read(IA32_PERF_CAPABILITIES, &capabilities) && capabilities & CAP_SMM_FREEZE &&
	    msr_read(IA32_DEBUGCTL, &w->debugctl))
		w->freezes = msr_write(IA32_DEBUGCTL, w->debugctl | FREEZE_WHILE_SMM);
}

void smi_watch_close(const struct smi_watch *w)
{
	if (w->freezes)
		msr_write(IA32_DEBUGCTL, w->debugctl);
}

void smi_watch_open(struct smi_watch *w, bool virtual)
{
	struct cpuid_regs name = cpuid(0, 0), one = cpuid(1, 0);
	bool intel = name.ebx == GENU && name.edx == INEI && name.ecx == NTEL;

	*w = (struct smi_watch){.source = virtual && !imitating ? SMI_NONE : SMI_CLOCK};
	if (!imitating && intel && counted_by(one.eax) && read_count(&w->count))
		w->source = SMI_COUNTER;
	else if (w->source == SMI_CLOCK)
		w->gap = clock_hz() / 1000000 * SMI_GAP_US * (virtual ? STEPPED : 1);
	if (intel && one.ecx & CPUID_1_ECX_PDCM)
		freeze(w);
	smi_watch_kind(w);
}

void smi_watch_kind(struct smi_watch *w)
{
	w->fastest = UINT64_MAX;
}

/* That no kernel asked for. */
static unsigned interrupts_of_others(void)
{
	return watchdog_ticks() + trap_strays();
}

void smi_watch_begin(struct smi_watch *w)
{
	w->foreign = interrupts_of_others();
	if (w->source == SMI_CLOCK)
		w->began = clock_read();
}

static bool smi_came(struct smi_watch *w)
{
	uint32_t before = w->count;

	switch (w->source) {
	case SMI_COUNTER:
		/* One look for each window: an SMI between two windows costs a sample that was good. */
		return read_count(&w->count) && w->count != before;
	case SMI_CLOCK:
		if (imitating && w->fastest != UINT64_MAX && ++windows % SMI_IMITATED == 0)
			lose_time(2 * w->gap);
		w->took = clock_read() - w->began;
		return smi_gap(&w->fastest, w->took, w->gap);
	default:
		return false;
	}
}

bool smi_watch_end(struct smi_watch *w)
{
	bool came = smi_came(w);

	w->interrupted = w->foreign != interrupts_of_others();
	return came || w->interrupted;
}
