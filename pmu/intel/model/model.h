/*
 * State of the model of Intel's architectural performance monitoring, and the functions its files share.
 *
 * model_registers.c: which registers exist, what may be written to them, what they read.
 * model_counters.c: what a step adds to a counter, overflow, interrupt, freeze.
 * model_lbr.c: last-branch records and their registers.
 * model_ds.c: the debug store area, and branch traces in it.
 * model_metrics.c: the topdown metrics.
 * model_offcore.c: offcore responses.
 * model_pebs.c: PEBS records, and the registers of single events.
 * model_apebs.c: architectural PEBS.
 * model_other.c: the core's other logical processor.
 * errata/hooks.h: the deviations that can be switched on.
 */
#ifndef PMU_INTEL_MODEL_MODEL_H
#define PMU_INTEL_MODEL_MODEL_H

#include "pmu/intel/records/ds.h"
#include "pmu/intel/errata/deviations.h"
#include "pmu/intel/events/extra.h"
#include "pmu/intel/records/lbr.h"
#include "pmu/intel/leaf0a.h"
#include "pmu/intel/records/pebs.h"
#include "pmu/intel/model/profile.h"
#include "pmu/intel/registers.h"
#include "pmu/contract/counter_condition.h"
#include "pmu/contract/model.h"

/** General counters come first, fixed counter i is at INTEL_GENERAL_MAX + i. */
#define INTEL_COUNTERS (INTEL_GENERAL_MAX + INTEL_FIXED_MAX)

struct intel_counter {
	uint64_t value;
	uint64_t mask; /* of the counter's width; 0: there is no such counter */

	/* Decoded from the selector when it is written. */
	int8_t weight[Q_COUNT]; /* what one unit of each quantity adds */
	uint8_t rings;          /* bit 0: CPL 0, bit 1: CPL 1 to 3 */
	bool pmi;
	bool offcore; /* what it counts depends on MSR_OFFCORE_RSP_x */
	bool latency; /* counts slow loads (load-latency facility) */
	bool simple;  /* no threshold and no edge: the value itself is added */
	bool any;     /* counts what the core's other logical processor does, too */
	bool edge, invert, equal;
	uint8_t cmask;

	/* Changed by counting. */
	bool level;                 /* condition of the previous cycle, for edges */
	struct counter_clock clock; /* .since; the rest is decoded too */
	uint64_t theirs;            /* of the other logical processor, in the cycle that comes */
};

/** What an entry of the last-branch stack consists of. */
enum intel_lbr_part { LBR_FROM, LBR_TO, LBR_TELL };

struct intel_lbr_state {
	struct intel_lbr at;
	uint64_t from[INTEL_LBR_DEPTH_MAX], to[INTEL_LBR_DEPTH_MAX], info[INTEL_LBR_DEPTH_MAX];
	uint64_t ler_from, ler_to, ler_info; /* last exception record */
	uint32_t select, control;
	uint8_t depth; /* entries in use */
	uint8_t tos;
	uint32_t cycles;            /* since the last record */
	uint8_t logged[LBR_LOGGED]; /* what these counters have added since the last record, 3 at most */
};

/** Kinds of slots in MSR_PERF_METRICS; from the fifth on parts of the first four. */
enum intel_metric {
	METRIC_RETIRING,
	METRIC_BAD_SPECULATION,
	METRIC_FRONTEND,
	METRIC_BACKEND,
	METRIC_HEAVY,
	METRIC_MISPREDICTS,
	METRIC_FETCH_LATENCY,
	METRIC_MEMORY,
	INTEL_METRICS
};

struct intel_ds_state {
	const struct step_memory *memory; /* NULL: none was attached */
	bool exists;
	uint64_t area; /* IA32_DS_AREA */
};

/* Counters are bits by their index in intel_state.counter[]. */
struct intel_pebs_state {
	struct intel_pebs at;
	uint64_t enable, data_cfg;
	uint64_t base, index;         /* architectural */
	uint32_t armed;               /* have overflowed: the next occurrence is recorded */
	uint32_t arming;              /* have overflowed in this step */
	uint32_t hit;                 /* were armed and have counted in this step */
	bool late;                    /* where nothing promises better, records are late */
	uint8_t overflows;            /* of armed counters, modulo SKIDS */
	uint8_t skid[INTEL_COUNTERS]; /* occurrences that an armed counter still lets pass */
	struct step_registers before; /* as the last step left them */
};

/** Registers of the processor trace. */
struct intel_pt {
	bool exists;
	uint64_t control, status, base, mask;
};

/** The core's clock and power. */
struct intel_platform {
	bool counts, productive; /* IA32_MPERF and IA32_APERF exist; MSR_PPERF */
	uint64_t mperf, aperf, pperf, modulation;
};

struct intel_state {
	const struct intel_profile *profile;
	struct intel_leaf0a leaf;
	bool pdcm;
	uint32_t signature;        /* CPUID.1:EAX */
	unsigned threads;          /* of a core, as CPUID leaf 4 tells them */
	uint8_t thread;            /* which of them this is */
	struct intel_state *other; /* the other one; NULL: there is none */
	int core; /* whose events it counts besides the architectural ones; INTEL_NO_CORE: none */
	struct intel_deviations deviations;

	uint64_t select[INTEL_GENERAL_MAX];
	uint64_t fixed_control, global_control, status, ovf_control, debugctl;
	struct intel_counter counter[INTEL_COUNTERS];
	uint64_t reload_by[INTEL_COUNTERS], cfg_c[INTEL_COUNTERS];
	uint64_t metric[INTEL_METRICS], metric_slots; /* PERF_METRICS: slots of each kind, and all */
	struct intel_lbr_state lbr;
	struct intel_ds_state ds;
	struct intel_pt pt;
	struct intel_platform platform;
	struct intel_pebs_state pebs;
	uint64_t misc_enable;
	struct intel_extra extra[INTEL_EXTRAS];
	uint64_t extra_value[INTEL_EXTRAS];
	unsigned n_extras;

	uint32_t running; /* counters that count now */
	uint32_t started; /* of them, those that the last write started */
	uint8_t run_list[INTEL_COUNTERS];
	unsigned n_running;
	bool quick; /* nothing that runs needs more than adding up weighted terms and cycles */

	unsigned pmi_pending;
	bool freeze; /* a PMI was raised in this step */

	uint64_t steps;
	uint32_t overflowed; /* counters that overflowed in this step */
	uint32_t smis;
};

/** Whether a value has bits set that must be 0. */
bool intel_reserved(const struct intel_state *s, uint64_t *value, uint64_t valid);

/** How much of a quantity a step has. */
static inline unsigned intel_amount(const struct step *step, enum quantity q)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < step->n_terms; i++)
		if (step->terms[i].quantity == q)
			sum += step->terms[i].amount;
	return sum;
}

static inline bool intel_is_fixed(unsigned c)
{
	return c >= INTEL_GENERAL_MAX;
}

/** Bit of counter c in the global registers. SDM 18.2.2. */
static inline uint64_t intel_global_bit(unsigned c)
{
	return 1ull << (intel_is_fixed(c) ? GLOBAL_FIXED_SHIFT + c - INTEL_GENERAL_MAX : c);
}

/** What a reload loads into counter c: IA32_PMC_GPn_CFG_C, IA32_PMC_FXn_CFG_C. */
uint64_t intel_reload_value(const struct intel_state *s, unsigned c);

/** Decode the selector of general counter c / the control field of fixed counter c into its counter. */
void intel_decode_general(struct intel_state *s, unsigned c);
void intel_decode_fixed(struct intel_state *s, unsigned c);

/** Likewise, if the selector is that of an offcore response: by the register that goes with it. @return
 * whether it is */
bool intel_decode_offcore(const struct intel_state *s, struct intel_counter *k, uint64_t select);

/** Work out which counters run, after any register that has a say was written. */
void intel_update_running(struct intel_state *s);

/** The core's other logical processor: whether there is one, and a step of its. */
bool intel_has_other(const void *state);
void intel_join(void *first, void *second);
bool intel_advance_other(struct intel_state *s, const struct step *step);

/** Add to counter c, as counting does; whether a counter counts in a ring. */
void intel_add(struct intel_state *s, unsigned c, uint64_t amount);
bool intel_ring_selected(const struct intel_state *s, const struct intel_counter *k, uint8_t cpl);

/** A step has ended: what follows from an overflow in it. @return whether that is more than a change of
 * counters */
bool intel_conclude(struct intel_state *s);

bool intel_counts(const void *state, enum quantity q);
bool intel_advance(void *state, const struct step *step);
int intel_increments(void *state, const struct step *step, struct model_increment *out, unsigned room);

/** Last-branch records. The accesses answer REGISTER_NOT_MINE for what is no register of theirs. */
void intel_lbr_reset(struct intel_state *s, const struct intel_lbr *layout);
enum register_answer intel_lbr_read(struct intel_state *s, uint32_t address, uint64_t *value);
enum register_answer intel_lbr_write(struct intel_state *s, uint32_t address, uint64_t value);
bool intel_lbr_enabled(const struct intel_state *s);

/** General counter c has added something. */
void intel_lbr_log(struct intel_state *s, unsigned c, uint64_t amount);

/** A step while they are enabled; `pmi`: it raised an interrupt. */
void intel_lbr_advance(struct intel_state *s, const struct step *step, bool pmi);

/** MSR_PERF_METRICS. */
bool intel_metrics_exist(const struct intel_state *s);
bool intel_metrics_run(const struct intel_state *s);
uint64_t intel_metrics_read(const struct intel_state *s);
void intel_metrics_write(struct intel_state *s, uint64_t value);
void intel_metrics_advance(struct intel_state *s, const struct step *step);

/** The i-th newest record; zeroes if there is none. */
void intel_lbr_recent(const struct intel_state *s, unsigned i, uint64_t *from, uint64_t *to, uint64_t *info);

/** The debug store area. @return false if it is not there */
void intel_attach(void *state, const struct step_memory *memory);
bool intel_ds_read(const struct intel_state *s, unsigned offset, uint64_t *value);
bool intel_ds_write(const struct intel_state *s, unsigned offset, uint64_t value);

/** A buffer has reached its threshold: status and interrupt. SDM 18.2.2, figure 18-3. */
void intel_ds_overflow(struct intel_state *s);

bool intel_bts_enabled(const struct intel_state *s);
void intel_bts_advance(struct intel_state *s, const struct step *step);

/** What a record loads counter c with. @return false if there is no telling */
bool intel_pebs_reset_value(const struct intel_state *s, unsigned c, uint64_t *value);

/** The core's clock and power: registers likewise, and what a step adds to them while they run. */
enum register_answer intel_platform_read(struct intel_state *s, uint32_t address, uint64_t *value);
enum register_answer intel_platform_write(struct intel_state *s, uint32_t address, uint64_t value);
bool intel_platform_runs(const struct intel_state *s);
void intel_platform_advance(struct intel_state *s, const struct step *step);

/** The processor trace: registers as struct pmu_model has them, REGISTER_NOT_MINE for all others. While it is
 * on, last-branch records may be hidden. */
enum register_answer intel_pt_read(struct intel_state *s, uint32_t address, uint64_t *value);
enum register_answer intel_pt_write(struct intel_state *s, uint32_t address, uint64_t value);
bool intel_pt_hides_branches(const struct intel_state *s);

/** Counter c, which samples, has overflowed. */
void intel_pebs_overflow(struct intel_state *s, unsigned c);

/** Whether counter c samples. What it did in this step goes into .hit and .arming. */
bool intel_pebs_samples(const struct intel_state *s, unsigned c);
bool intel_pebs_recording(const struct intel_state *s);

/** Whether counter c counts slow loads, and how many of them a step has. */
bool intel_pebs_is_latency(const struct intel_state *s, unsigned c);
unsigned intel_pebs_slow_loads(const struct intel_state *s, const struct step *step);

/** Of a step: the counters in the layout of the global registers, the data address for these counters, and of
 * a load how long it took and where it found its data. */
uint64_t intel_pebs_counters(const struct intel_state *s, uint32_t counters);
uint64_t intel_pebs_address(const struct intel_state *s, uint32_t hit, const struct step *step);
unsigned intel_pebs_load_latency(const struct step *step);
uint64_t intel_pebs_load_source(const struct step *step);

/** Architectural PEBS: whether counter c samples; bits of its CFG_C register, 0 if it cannot; what follows
 * from a write to a register; IA32_PEBS_BASE and IA32_PEBS_INDEX. */
bool intel_apebs_samples(const struct intel_state *s, unsigned c);
uint64_t intel_apebs_config_bits(const struct intel_state *s, unsigned c);
void intel_apebs_changed(struct intel_state *s);
enum register_answer intel_apebs_read(const struct intel_state *s, uint32_t address, uint64_t *value);
enum register_answer intel_apebs_write(struct intel_state *s, uint32_t address, uint64_t value);

/** Write a record for the counters that were hit. @return false if it finds no room */
bool intel_apebs_put(struct intel_state *s, uint32_t hit, const struct step *step);

/** The value of counter c that a record tells. */
uint64_t intel_pebs_snapshot(const struct intel_state *s, unsigned c);

/** Whether records tell XMM registers. */
bool intel_apebs_shows_vectors(const struct intel_state *s);
bool intel_pebs_shows_vectors(const void *state);

/** Whether any counter may sample. */
bool intel_pebs_on(const struct intel_state *s);

/** The end of a step while intel_pebs_on(). @return whether recording() may have changed */
bool intel_pebs_advance(struct intel_state *s, const struct step *step);

/** MISC_ENABLE, DS area, PEBS and the registers of single events; REGISTER_NOT_MINE for any other. */
enum register_answer intel_pebs_read(struct intel_state *s, uint32_t address, uint64_t *value);
enum register_answer intel_pebs_write(struct intel_state *s, uint32_t address, uint64_t value);

/** Raise an overflow interrupt request. SDM 18.2.1.1, 18.2.2. */
void intel_raise_pmi(struct intel_state *s);

extern const struct model_injection intel_injections[];

#endif
