#include "tools/report_cpu.h"
#include "tools/model_cpu.h"
#include "tools/report_json.h"

#include "arch/x86/cpu/cpuid_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define REGISTERS 1024
#define LEAVES    512

static struct {
	uint32_t address;
	uint64_t value;
} registers[REGISTERS];
static unsigned n_registers;
static struct cpuid_row leaf[LEAVES];

static void keep(uint32_t address, uint64_t value)
{
	unsigned i = 0;

	while (i < n_registers && registers[i].address != address)
		i++;
	if (i == REGISTERS)
		return;
	registers[i].address = address;
	registers[i].value = value;
	n_registers += i == n_registers;
}

/* --- a model that is nothing but registers -------------------------------------------------------------- */

static void reset(void *state, const struct model_profile *profile, const struct model_injected *injections)
{
	(void)state, (void)profile, (void)injections;
}

/* What no snapshot has is there and reads 0: the driver that made the report found what it was looking for.
 */
static enum register_answer access(void *state, struct register_access *a)
{
	(void)state;
	if (a->write) {
		keep((uint32_t)a->number, a->value);
		return REGISTER_DONE;
	}
	a->value = 0;
	for (unsigned i = 0; i < n_registers; i++)
		if (a->space == SPACE_MSR && registers[i].address == a->number)
			a->value = registers[i].value;
	return REGISTER_DONE;
}

static const struct pmu_model as_reported = {
	.name = "report", .state_size = 1, .reset = reset, .access = access};

/* --- from the report ---------------------------------------------------------------------------------- */

#define MISC_ENABLE         0x1a0
#define MISC_ENABLE_PERFMON (1u << 7) /* SDM vol. 4: performance monitoring is available */

static void take_registers(const json_t *report)
{
	size_t i, k;
	const json_t *snapshot, *r;

	n_registers = 0;
	keep(MISC_ENABLE, MISC_ENABLE_PERFMON);
	json_array_foreach (json_object_get(report, "snapshots"), i, snapshot)
		json_array_foreach (json_object_get(snapshot, "registers"), k, r) {
			uint64_t address, value;

			if (report_hex(json_object_get(r, "address"), &address) &&
			    report_hex(json_object_get(r, "value"), &value))
				keep((uint32_t)address, value);
		}
}

/* A pair of the PMU's identity (arch/identity.h, identity_details). */
static bool take_leaf(const json_t *pair, struct cpuid_row *out)
{
	const char *name = report_string(pair, "name"), *value = report_string(pair, "value");
	int name_end = 0, value_end = 0;

	return sscanf(name, "CPUID.%8" SCNx32 "H.%2" SCNu32 "%n", &out->leaf, &out->subleaf, &name_end) ==
		       2 &&
	       !name[name_end] &&
	       sscanf(value, "0x%8" SCNx32 " 0x%8" SCNx32 " 0x%8" SCNx32 " 0x%8" SCNx32 "%n", &out->eax,
		      &out->ebx, &out->ecx, &out->edx, &value_end) == 4 &&
	       !value[value_end];
}

static bool take_leaves(const json_t *list, unsigned *n)
{
	*n = (unsigned)json_array_size(list);
	if (!*n || *n > LEAVES)
		return false;
	for (unsigned i = 0; i < *n; i++)
		if (!take_leaf(json_array_get(list, i), &leaf[i]))
			return false;
	return true;
}

static bool identify(const char *driver, struct pmu *out, const char **why)
{
	char forced[48];

	if (pmu_find(driver, out, why))
		return true;
	snprintf(forced, sizeof forced, "force:%s", driver);
	return pmu_find(forced, out, why);
}

const char *report_cpu_identify(const json_t *report, const json_t *entry, struct pmu *out)
{
	static struct model_profile profile;
	static struct cpuid_table table;
	static char text[320];
	const char *why = "";
	unsigned n;

	if (!take_leaves(json_object_get(entry, "identity"), &n))
		return "it does not hold what CPUID told";
	take_registers(report);
	table = (struct cpuid_table){leaf, n};
	profile = (struct model_profile){.name = "report", .model = &as_reported, .identity = &table};
	if (!model_cpu_start(&profile))
		return "memory is short";
	if (!identify(report_string(entry, "driver"), out, &why)) {
		snprintf(text, sizeof text, "no driver of today fits its CPU: %s", why);
		return text;
	}
	out->driver->list_events(out);
	out->virtual = json_is_true(json_object_get(entry, "virtual"));
	out->deterministic = json_is_true(json_object_get(entry, "deterministic"));
	return NULL;
}
