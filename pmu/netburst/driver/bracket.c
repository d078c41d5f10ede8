/*
 * Code around a kernel that starts and stops counters.
 *
 * There is no global enable, and OVF lies in the register that holds ENABLE: a CCCR must be read and written
 * back, and an overflow in between would be lost. So the rings of the ESCRs start and stop the window, and
 * ENABLE is changed outside of it. The ESCRs are stopped in the order in which they were started: each
 * counter then sees the same number of instructions besides the kernel, whichever its place. WRMSR serialises
 * (SDM 8.3).
 */
#include "pmu/netburst/driver/bracket.h"

#include "arch/x86/cpu/msr.h"
#include "pmu/netburst/driver/state.h"
#include "pmu/x86/bracket_read.h"
#include "pmu/x86/bracket_switch.h"

#include <string.h>

/* Of all PMUs' brackets together, since one PMU's may come to lie where another's was. */
static uint32_t version;

static void put(struct netburst_code *code, const char *bytes, unsigned n)
{
	memcpy(code->byte + code->size, bytes, n);
	code->size += n;
}

static void put_32(struct netburst_code *code, char opcode, uint32_t value)
{
	put(code, &opcode, 1);
	memcpy(code->byte + code->size, &value, sizeof value);
	code->size += sizeof value;
}

#define MOV_ECX ((char)0xb9)
#define MOV_EAX ((char)0xb8)

static void change_enable(struct netburst_code *code, unsigned c, bool on)
{
	put_32(code, MOV_ECX, MSR_NETBURST_CCCR0 + c);
	put(code, "\x0f\x32", 2);                                   /* rdmsr */
	put(code, on ? "\x0f\xba\xe8\x0c" : "\x0f\xba\xf0\x0c", 4); /* bts, btr $12,%eax */
	put(code, "\x0f\x30", 2);                                   /* wrmsr */
}

static void write_msr(struct netburst_code *code, uint32_t address, uint32_t value)
{
	put_32(code, MOV_ECX, address);
	put_32(code, MOV_EAX, value);
	put(code, "\x31\xd2\x0f\x30", 4); /* xor %edx,%edx; wrmsr */
}

/* Four instructions, of which the last is no part of the window that it begins or ends. */
#define WRITE_INSTRUCTIONS 4

bool netburst_bracket_enable(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out)
{
	struct netburst_code *start = &netburst_pmu(pmu)->start, *stop = &netburst_pmu(pmu)->stop;
	const struct netburst_use *use = netburst_use(pmu);
	uint64_t escrs = 0;
	uint8_t ahead[PMU_COUNTERS_MAX] = {0}; /* first, how many ESCRs start before the counter's own */
	unsigned n = 0;

	start->size = stop->size = 0;
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		if (!(mask >> c & 1))
			continue;
		if (!use[c].used)
			return false;
		if (!use[c].waits)
			change_enable(start, c, true);
	}
	for (unsigned c = 0; c < pmu->n_counters; c++) {
		const struct netburst_use *u = &use[c];

		if (!(mask >> c & 1))
			continue;
		if (escrs >> u->escr & 1) {
			for (unsigned same = 0; same < c; same++)
				if (mask >> same & 1 && use[same].escr == u->escr)
					ahead[c] = ahead[same];
			continue;
		}
		ahead[c] = (uint8_t)n;
		escrs |= UINT64_C(1) << u->escr;
		write_msr(start, netburst_escr[u->escr].msr, u->escr_value);
		write_msr(stop, netburst_escr[u->escr].msr, u->escr_value & ~NETBURST_RINGS);
		n++;
	}
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1)
			change_enable(stop, c, false);

	unsigned others = n ? n - 1 : 0;
	uint32_t own = others * WRITE_INSTRUCTIONS + WRITE_INSTRUCTIONS - 1;

	*out = (struct pmu_bracket){
		.start = start->byte,
		.start_end = start->byte + start->size,
		.stop = stop->byte,
		.stop_end = stop->byte + stop->size,
		.version = ++version,
		.own = {{Q_INSTRUCTIONS, own},
			{Q_UOPS, own},
			{Q_INSN_SERIALIZING, others},
			{Q_INSN_WRMSR, others}},
		.privileged = true,
	};
	for (unsigned c = 0; c < pmu->n_counters; c++)
		if (mask >> c & 1)
			out->ahead[c] = (uint8_t)((others - ahead[c]) * WRITE_INSTRUCTIONS);
	return n;
}

bool netburst_bracket_debugctl(const struct pmu *pmu, uint32_t mask, uint32_t set, struct pmu_bracket *out)
{
	struct netburst_code *start = &netburst_pmu(pmu)->trace_start, *stop = &netburst_pmu(pmu)->trace_stop;
	uint64_t now;

	if (!msr_read(MSR_DEBUGCTLA, &now))
		return false;
	start->size = stop->size = 0;
	write_msr(start, MSR_DEBUGCTLA, ((uint32_t)now & ~mask) | set);
	write_msr(stop, MSR_DEBUGCTLA, (uint32_t)now & ~mask);
	*out = (struct pmu_bracket){.start = start->byte,
				    .start_end = start->byte + start->size,
				    .stop = stop->byte,
				    .stop_end = stop->byte + stop->size,
				    .version = ++version,
				    .own = {{Q_INSTRUCTIONS, WRITE_INSTRUCTIONS - 1}},
				    .privileged = true};
	return true;
}

bool netburst_bracket_read(const struct pmu *pmu, unsigned c, struct pmu_bracket *out)
{
	bracket_rdpmc(pmu->counter[c].selector, (1ull << NETBURST_COUNTER_WIDTH) - 1, out);
	out->own[3] = (struct qterm){Q_UOPS, BRACKET_RDPMC_OWN};
	return true;
}

/* ENABLE as a write that starts: what else the CCCR holds was just written, and nothing has overflowed. */
bool netburst_bracket_mixed(const struct pmu *pmu, unsigned c, enum pmu_switch start, enum pmu_switch stop,
			    struct pmu_bracket *out)
{
	const struct netburst_use *u = &netburst_use(pmu)[c];
	uint64_t cccr;

	if (!u->used || u->waits || !msr_read(MSR_NETBURST_CCCR0 + c, &cccr))
		return false;
	const struct msr_switch both[SWITCHES] = {
		[SWITCH_USUAL] = {netburst_escr[u->escr].msr, u->escr_value, u->escr_value & ~NETBURST_RINGS},
		[SWITCH_OTHER] = {MSR_NETBURST_CCCR0 + c, cccr | CCCR_ENABLE, cccr & ~(uint64_t)CCCR_ENABLE},
	};
	return bracket_switch(both, start, stop, out);
}
