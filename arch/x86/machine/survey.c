#include "arch/identity.h"
#include "arch/x86/machine/survey.h"

#include "arch/firmware.h"
#include "arch/time.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/machine/acpi.h"
#include "arch/x86/machine/cpu_state.h"
#include "arch/x86/machine/smbios.h"
#include "arch/x86/time/time_internal.h"

#include <stdio.h>
#include <string.h>

#define SMI_WATCH_MS 200

static const uint8_t *smbios;
static size_t smbios_size;

void survey_init(uint64_t entry, uint64_t top)
{
	smbios = smbios_find(entry, top, &smbios_size);
}

/* Names are those of the manuals: SDM vol. 4, APM vol. 2, appendix A. One that faults is not there. */
static const struct {
	uint32_t first, last;
	const char *name; /* with a number behind it where there are several */
} intel[] =
	{
		{0x1b, 0x1b, "IA32_APIC_BASE"},
		{0x34, 0x34, "MSR_SMI_COUNT"},
		{0x3a, 0x3a, "IA32_FEATURE_CONTROL"},
		{0xce, 0xce, "MSR_PLATFORM_INFO"},
		{0xe2, 0xe2, "MSR_PKG_CST_CONFIG_CONTROL"},
		{0x198, 0x199, "IA32_PERF_STATUS and _CTL, "},
		{0x19a, 0x19a, "IA32_CLOCK_MODULATION"},
		{0x1a0, 0x1a0, "IA32_MISC_ENABLE"},
		{0x1a4, 0x1a4, "MSR_PREFETCH_CONTROL"},
		{0x1ad, 0x1ad, "MSR_TURBO_RATIO_LIMIT"},
		{0x1d9, 0x1d9, "IA32_DEBUGCTL"},
		{0x1fc, 0x1fc, "MSR_POWER_CTL"},
		{0x345, 0x345, "IA32_PERF_CAPABILITIES"},
		{0x10a, 0x10a, "IA32_ARCH_CAPABILITIES"},
		{0x770, 0x770, "IA32_PM_ENABLE"},
},
  amd[] =
	  {
		  {0x1b, 0x1b, "APIC_BASE"},
		  {0x1d9, 0x1d9, "DebugCtl"},
		  {0xc0010010, 0xc0010010, "SYSCFG"},
		  {0xc0010015, 0xc0010015, "HWCR"},
		  {0xc0010055, 0xc0010055, "Interrupt Pending and CMP-Halt"},
		  {0xc0010061, 0xc0010063, "P-state "},
		  {0xc0010111, 0xc0010114, "SMM_BASE to VM_CR, "},
		  {0xc0011020, 0xc0011023, "LS_CFG to CU_CFG, "},
},
  mtrrs[] = {
	  {0xfe, 0xfe, "IA32_MTRRCAP"},       {0x2ff, 0x2ff, "IA32_MTRR_DEF_TYPE"},
	  {0x250, 0x250, "IA32_MTRR_FIX64K"}, {0x258, 0x259, "IA32_MTRR_FIX16K_"},
	  {0x268, 0x26f, "IA32_MTRR_FIX4K_"}, {0x200, 0x213, "IA32_MTRR_PHYSBASE and MASK, "},
};

static void each_msr(const void *rows, unsigned n, identity_each *each, void *to)
{
	const __typeof__(intel[0]) *row = rows;

	for (; n--; row++)
		for (uint32_t at = row->first; at <= row->last; at++) {
			char name[64], value[24];
			uint64_t v;

			if (!msr_read(at, &v))
				continue;
			snprintf(name, sizeof name, row->last > row->first ? "%s%u" : "%s", row->name,
				 (unsigned)(at - row->first));
			snprintf(value, sizeof value, "%#lx", (unsigned long)v);
			each(to, name, value);
		}
}
#define EACH_MSR(rows) each_msr(rows, sizeof rows / sizeof rows[0], each, to)

static void each_table(identity_each *each, void *to)
{
	for (unsigned i = 0; i < acpi.n_tables; i++) {
		char name[24], value[IDENTITY_VALUE];

		snprintf(name, sizeof name, "ACPI table %u", i + 1);
		snprintf(value, sizeof value, "%.4s revision %u, %u bytes, %.6s %.8s %#lx",
			 acpi.table[i].signature, acpi.table[i].revision, (unsigned)acpi.table[i].length,
			 acpi.table[i].oem, acpi.table[i].oem_table,
			 (unsigned long)acpi.table[i].oem_revision);
		for (char *c = value; *c; c++)
			if (*c < ' ' || *c > '~')
				*c = '?';
		each(to, name, value);
	}
}

static void each_clock(identity_each *each, void *to)
{
	static const char *const names[TIME_CLOCKS] = {"TSC by HPET", "TSC by ACPI PM timer", "TSC by PIT"};

	for (unsigned i = 0; i < TIME_CLOCKS; i++) {
		uint64_t hz = time_by_clock(i);
		char value[32];

		snprintf(value, sizeof value, "%lu Hz", (unsigned long)hz);
		each(to, names[i], hz ? value : "not there");
	}
}

static void smi_rate(identity_each *each, void *to)
{
	uint32_t before, after;
	char value[48];

	if (!firmware_is_counted() || !firmware_interrupts(&before)) {
		each(to, "SMIs", "not counted by this CPU");
		return;
	}
	for (uint64_t from = clock_read(); clock_read() - from < clock_hz() / 1000 * SMI_WATCH_MS;)
		time_relax();
	if (firmware_interrupts(&after)) {
		snprintf(value, sizeof value, "%u in %u ms", (unsigned)(after - before), SMI_WATCH_MS);
		each(to, "SMIs", value);
	}
}

void identity_survey(identity_each *each, void *to)
{
	struct cpu_identity cpu;

	cpu_identify(&cpu);
	cpu_state_found(each, to);
	EACH_MSR(mtrrs);
	if (!strcmp(cpu.vendor, "AuthenticAMD") || !strcmp(cpu.vendor, "HygonGenuine"))
		EACH_MSR(amd);
	else if (!strcmp(cpu.vendor, "GenuineIntel"))
		EACH_MSR(intel);
	if (smbios)
		smbios_pairs(smbios, smbios_size, each, to);
	each_table(each, to);
	each_clock(each, to);
	smi_rate(each, to);
}
