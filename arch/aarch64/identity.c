/*
 * What the processor says that it is (arch/identity.h), from its identification registers (Arm ARM, D13.2),
 * and levels (arch/levels.h).
 */
#include "arch/identity.h"
#include "arch/levels.h"
#include "arch/presented.h"
#include "arch/register.h"
#include "arch/aarch64/identity.h"
#include "arch/aarch64/presented.h"
#include "arch/aarch64/serial.h"
#include "arch/aarch64/step/step.h"
#include "arch/aarch64/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *isa_name(void)
{
	return "aarch64";
}

struct midr {
	unsigned implementer, variant, part, revision;
};

#define MIDR_EL1        SYSTEM_REGISTER(3, 0, 0, 0, 0)
#define ID_AA64DFR0_EL1 SYSTEM_REGISTER(3, 0, 0, 5, 0)

static uint64_t own(uint32_t number)
{
	uint64_t value;

	register_read(SPACE_SYSTEM, number, &value);
	return value;
}

static struct midr read_midr(void)
{
	uint64_t midr = own(MIDR_EL1);

	return (struct midr){
		.implementer = midr >> 24 & 0xff,
		.variant = midr >> 20 & 0xf,
		.part = midr >> 4 & 0xfff,
		.revision = midr & 0xf,
	};
}

/* Of each processor's own manual, the chapter of MIDR_EL1. */
static const struct {
	uint8_t implementer;
	uint16_t part;
	const char *vendor, *name;
} parts[] = {
	{0x41, 0xd02, "Arm", "Cortex-A34"},  {0x41, 0xd03, "Arm", "Cortex-A53"},
	{0x41, 0xd04, "Arm", "Cortex-A35"},  {0x41, 0xd05, "Arm", "Cortex-A55"},
	{0x41, 0xd06, "Arm", "Cortex-A65"},  {0x41, 0xd07, "Arm", "Cortex-A57"},
	{0x41, 0xd08, "Arm", "Cortex-A72"},  {0x41, 0xd09, "Arm", "Cortex-A73"},
	{0x41, 0xd0a, "Arm", "Cortex-A75"},  {0x41, 0xd0b, "Arm", "Cortex-A76"},
	{0x41, 0xd0c, "Arm", "Neoverse N1"}, {0x41, 0xd0d, "Arm", "Cortex-A77"},
	{0x41, 0xd40, "Arm", "Neoverse V1"}, {0x41, 0xd41, "Arm", "Cortex-A78"},
	{0x41, 0xd44, "Arm", "Cortex-X1"},   {0x41, 0xd46, "Arm", "Cortex-A510"},
	{0x41, 0xd47, "Arm", "Cortex-A710"}, {0x41, 0xd48, "Arm", "Cortex-X2"},
	{0x41, 0xd49, "Arm", "Neoverse N2"}, {0x41, 0xd4a, "Arm", "Neoverse E1"},
	{0x41, 0xd4b, "Arm", "Cortex-A78C"}, {0x41, 0xd4c, "Arm", "Cortex-X1C"},
	{0x41, 0xd4f, "Arm", "Neoverse V2"}, {0x41, 0x909, "Arm", "PMUv3p9 of no part"},
	{0x00, 0x051, "QEMU", "max"},        {0x46, 0x001, "Fujitsu", "A64FX"},
};

static const char *vendor_name(unsigned implementer)
{
	for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i].implementer == implementer)
			return parts[i].vendor;
	return "unknown";
}

static const char *part_name(const struct midr *m)
{
	for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i].implementer == m->implementer && parts[i].part == m->part)
			return parts[i].name;
	return "unknown";
}

static void add(struct identity_pair *out, unsigned max, unsigned *n, const char *name, const char *value)
{
	if (*n == max)
		return;
	out[*n] = (struct identity_pair){.name = name};
	snprintf(out[(*n)++].value, IDENTITY_VALUE, "%s", value);
}

static void add_number(struct identity_pair *out, unsigned max, unsigned *n, const char *name, uint64_t value)
{
	char text[IDENTITY_VALUE];

	snprintf(text, sizeof text, "%#" PRIx64, value);
	add(out, max, n, name, text);
}

unsigned identity_read(struct identity_pair *out, unsigned max)
{
	struct midr m = read_midr();
	unsigned n = 0;

	add(out, max, &n, "vendor", vendor_name(m.implementer));
	add(out, max, &n, "part", part_name(&m));
	add_number(out, max, &n, "MIDR_EL1", own(MIDR_EL1));
	add_number(out, max, &n, "ID_AA64DFR0_EL1", own(ID_AA64DFR0_EL1));
	if (identity_board[0])
		add(out, max, &n, "board", identity_board);
	return n;
}

char identity_board[IDENTITY_VALUE];
bool identity_is_guest, identity_smbios_emulated;

void identity_name(char out[IDENTITY_NAME])
{
	struct midr m = read_midr();

	snprintf(out, IDENTITY_NAME, "%s-%X-%X-%X", vendor_name(m.implementer), m.part, m.variant,
		 m.revision);
}

void identity_title(char out[IDENTITY_TITLE])
{
	struct midr m = read_midr();

	snprintf(out, IDENTITY_TITLE, "%s %s r%up%u", vendor_name(m.implementer), part_name(&m), m.variant,
		 m.revision);
}

/* Identification registers: op0 3, op1 0, CRn 0, CRm 0 to 7. MPIDR_EL1 (CRm 0, op2 5) tells one processor
 * from another, and is left out. */
void identity_registers(identity_each *each, void *to, identity_answer_to *answer)
{
	for (unsigned crm = 0; crm < 8; crm++)
		for (unsigned op2 = 0; op2 < 8; op2++) {
			const uint32_t number = SYSTEM_REGISTER(3, 0, 0, crm, op2);
			char name[24], text[24];
			uint64_t value;

			if ((crm == 0 && op2 == 5) ||
			    (!(answer && answer(number, &value)) &&
			     !register_read(SPACE_SYSTEM, number, &value)) ||
			    !value)
				continue;
			snprintf(name, sizeof name, "S3_0_C0_C%u_%u", crm, op2);
			snprintf(text, sizeof text, "%#" PRIx64, value);
			each(to, name, text);
		}
}

void identity_details(identity_each *each, void *to)
{
	identity_registers(each, to, NULL);
}

void identity_presented(identity_each *each, void *to)
{
	identity_registers(each, to, presented_register);
}

static void each_number(identity_each *each, void *to, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%#" PRIx64, value);
	each(to, name, text);
}

void identity_survey(identity_each *each, void *to)
{
	each_number(each, to, "CNTFRQ_EL0", SYS_READ(cntfrq_el0));
	each_number(each, to, "CTR_EL0", SYS_READ(ctr_el0));
	each_number(each, to, "DCZID_EL0", SYS_READ(dczid_el0));
	each_number(each, to, "CPACR_EL1", SYS_READ(cpacr_el1));
	each_number(each, to, "MAIR_EL1", SYS_READ(mair_el1));
}

bool identity_hypervisor(char name[IDENTITY_HYPERVISOR])
{
	bool says = identity_is_guest && !step_presents();

	name[0] = 0;
	if (says && identity_emulated())
		strcpy(name, "QEMU");
	return says;
}

bool identity_emulated(void)
{
	/* An emulator has the same tables as a hypervisor: its debugger tells it, or its name, or a processor
	 * that nobody makes (MIDR_EL1.Implementer: 0 is for software's use). */
	return identity_is_guest &&
	       (semihosting || identity_smbios_emulated || !(SYS_READ(midr_el1) >> 24 & 0xff));
}

/* --- levels
 * ------------------------------------------------------------------------------------------------- */

#define USER 1

const char *level_name(unsigned level)
{
	return level == 0 ? "EL1" : level == USER ? "EL0" : NULL;
}

const char level_option[] = "level", level_choices[] = "0|1|both";

unsigned level_user(void)
{
	return USER;
}

unsigned level_filter(unsigned level)
{
	return level != 0;
}

const char *level_filter_name(unsigned filter)
{
	return filter == 0 ? "EL1" : filter == 1 ? "EL0" : NULL;
}
