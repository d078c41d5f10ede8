/*
 * Records: what a PMU writes down about single instructions and branches, beside counting: PEBS, IBS, branch
 * traces in memory (BTS), last-branch stacks (LBR). One form for all, which drivers translate the hardware's
 * records into, and one way to set them up.
 *
 * Example: have the last taken branches of f() written down.
 *
 *     struct pmu_recording r = {.source = source, .levels = LEVELS_ALL};
 *     const struct pmu_record_kind *kind = pmu->driver->recorder->kind[source->kind];
 *     struct pmu_record branch[32];
 *
 *     if (!kind->setup(pmu, &r, &why))
 *             return why;
 *     kind->start(pmu, &r);
 *     f();
 *     kind->stop(pmu, &r);
 *     n = kind->drain(pmu, &r, branch, 32);
 *     kind->release(pmu, &r);
 */
#ifndef PMU_CONTRACT_RECORD_H
#define PMU_CONTRACT_RECORD_H

#include "arch/step.h"
#include "arch/overflow.h"
#include "pmu/contract/pmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How records come about, which decides what a suite can hold them against. A family fills in the kinds that
 * it has (pmu_recorder.kind[]). One that records in yet another way adds a kind here, its name in
 * record_calls.c, and the suite that judges it: no suite could judge a kind that it does not know. */
enum record_kind {
	RECORD_NONE,
	RECORD_PMI,           /* the address that an overflow interrupt finds: no hardware writes it */
	RECORD_PRECISE,       /* PEBS: a counter's overflow has the next occurrence written to memory */
	RECORD_OPERATION,     /* IBS: an operation is tagged each period and its life written to registers */
	RECORD_FETCH,         /* the same for an instruction fetch */
	RECORD_BRANCH_TRACE,  /* BTS: every taken branch, to memory */
	RECORD_LAST_BRANCHES, /* LBR: the last taken branches, in registers */
	RECORD_NEXT_BRANCHES, /* BRS: a counter's overflow has the next taken branches written to registers */
	RECORD_KINDS
};

/** What a record tells; bits of pmu_record.has and pmu_record_source.fields. */
enum record_field {
	RECORD_HAS_NEXT_IP = 1 << 0,      /* .next_ip */
	RECORD_HAS_IP = 1 << 1,           /* .ip */
	RECORD_HAS_BRANCH = 1 << 2,       /* .from, .to */
	RECORD_HAS_MISPREDICTED = 1 << 3, /* .mispredicted */
	RECORD_HAS_CYCLES = 1 << 4,       /* .cycles */
	RECORD_HAS_FLAGS = 1 << 5,        /* .flags */
	RECORD_HAS_GENERAL = 1 << 6,      /* .general[], the first .n_general */
	RECORD_HAS_ADDRESS = 1 << 8,      /* .address */
	RECORD_HAS_LATENCY = 1 << 9,      /* .latency */
	RECORD_HAS_SOURCE = 1 << 10,      /* .source */
	RECORD_HAS_CLOCK = 1 << 11,       /* .clock */
	RECORD_HAS_COUNTERS = 1 << 12,    /* .counters */
	RECORD_HAS_OP = 1 << 13,          /* .op */
	RECORD_HAS_WIDTH = 1 << 14,       /* .width */
	RECORD_HAS_PHYSICAL = 1 << 15,    /* .physical */
	RECORD_HAS_PAGE = 1 << 16,        /* .page_shift */
	RECORD_HAS_TIMES = 1 << 17,       /* .tagged, .completed */
	RECORD_HAS_REFILL = 1 << 18,      /* .refill */
	RECORD_HAS_BEFORE = 1 << 19,      /* .flags and .general[] are those before the instruction */
};

/** Fields that records have only if a recording asks for them: bits of pmu_recording.more and
 * pmu_record_source.more. */
enum record_groups {
	RECORD_MORE_VECTORS = 1 << 0,      /* .vectors */
	RECORD_MORE_BRANCHES = 1 << 1,     /* .branch[] */
	RECORD_MORE_INSTRUCTIONS = 1 << 2, /* .instructions */
	RECORD_MORE_UPPER = 1 << 3,        /* .upper */
};

/** Branches in a record. */
#define RECORD_BRANCHES 8

/** What kind of operation a record is of; bits of pmu_record.op. */
enum record_op {
	RECORD_OP_LOAD = 1 << 0,
	RECORD_OP_STORE = 1 << 1,
	RECORD_OP_BRANCH = 1 << 2,
	RECORD_OP_TAKEN = 1 << 3,
	RECORD_OP_RETURN = 1 << 4,
	RECORD_OP_DTLB_MISS = 1 << 5,
	RECORD_OP_L1D_MISS = 1 << 6,
	RECORD_OP_ITLB_MISS = 1 << 7,
	RECORD_OP_L1I_MISS = 1 << 8,
	RECORD_OP_COMPLETE = 1 << 9, /* fetches: the fetch delivered instruction bytes */
	RECORD_OP_LOCKED = 1 << 10,
	RECORD_OP_PREFETCH = 1 << 11, /* by an instruction */
	RECORD_OP_MISALIGNED = 1 << 12,
	RECORD_OP_TLB1_MISS =
		1 << 13, /* in the first-level TLB; .._DTLB_MISS and .._ITLB_MISS: in all levels */
	RECORD_OP_L2_MISS = 1 << 14,
	RECORD_OP_LLC_MISS = 1 << 15,
	RECORD_OP_UNCACHED = 1 << 16,
};

/** Where the data of a record came from, as far as the vendor's encoding (.source) tells it. */
enum record_from {
	RECORD_FROM_UNDEFINED, /* the encoding is a reserved one */
	RECORD_FROM_CACHE,     /* behind the second-level cache, or another core's */
	RECORD_FROM_MEMORY,
	RECORD_FROM_DEVICE,
};

/** .from of a record whose branch began in a level that is not recorded, where the hardware does not tell it.
 */
#define RECORD_HIDDEN UINT64_MAX

/** One record. Only what .has names is meaningful. Addresses are linear. */
struct pmu_record {
	uint8_t kind; /* enum record_kind */
	bool mispredicted;
	bool from_far; /* with RECORD_HAS_SOURCE: the data came from another node, as far as that is told */
	uint32_t has;  /* enum record_field */
	uint64_t ip;   /* of the instruction that the record is of */
	uint64_t next_ip;  /* of the one that was to run next when it was written */
	uint64_t from, to; /* of the branch */
	uint64_t flags;
	uint64_t general[STEP_GENERAL]; /* by the instruction set's numbers (arch/register.h), after the
					   instruction, but see RECORD_HAS_BEFORE */
	uint64_t address;               /* of the data */
	uint64_t physical;              /* the same as a physical address; of fetches: of .ip */
	uint64_t source;                /* where the data came from, as the vendor encodes it */
	uint64_t clock;                 /* of the processor, as a step has it */
	uint64_t counters;              /* counters that it was written for, bit per pmu.counter[] */
	uint32_t latency;               /* core cycles */
	uint32_t cycles;                /* since the branch before, core cycles */
	uint32_t op;                    /* enum record_op */
	uint32_t width;                 /* of the access, bytes */
	uint32_t tagged, completed;     /* core cycles from then until it retired */
	uint32_t refill;                /* core cycles until a miss of the first-level TLB was made good */
	uint8_t from_where;             /* enum record_from; IBS, with RECORD_HAS_SOURCE */
	uint8_t more;                   /* enum record_groups: what it has of */
	uint8_t n_branches;
	uint8_t n_general; /* with RECORD_HAS_GENERAL */
	struct {
		uint64_t from, to;
	} branch[RECORD_BRANCHES]; /* the last ones, newest first; of the recorded levels. One into such a
				      level may have RECORD_HIDDEN as its source */
	uint64_t vectors;          /* vector registers after the instruction: pmu/contract/vectors.h ... */
	uint64_t upper;            /* ... and upper halves of wider ones */
	uint64_t instructions; /* that have retired at the recorded levels while it ran since setup(), this
				  one too */
	uint8_t page_shift; /* bits of the size of the page that the first-level TLB has, but see the source's
			       .page_of_miss */
};

/** How many general registers a record tells, from the first on. */
static inline unsigned record_registers(const struct pmu_record *r)
{
	return r->has & RECORD_HAS_GENERAL ? r->n_general : 0;
}

static inline uint64_t record_register(const struct pmu_record *r, unsigned number)
{
	return r->general[number];
}

/** What periods count where no counter does. */
enum record_unit { RECORD_UNIT_CYCLES, RECORD_UNIT_OPERATIONS, RECORD_UNIT_FETCHES };

/** One kind of records that this CPU can make. */
struct pmu_record_source {
	uint8_t kind;      /* enum record_kind */
	const char *name;  /* "PEBS, record format 3" */
	uint32_t fields;   /* enum record_field: what each record tells */
	uint64_t counters; /* counters that can sample, bit per pmu.counter[]; 0: it samples without one, or
			      it is a trace */
	unsigned depth;    /* entries of the stack; 0: as many as memory holds */
	uint8_t address_bits;  /* traces: of .from and .to, how many low bits the records tell; 0: all */
	unsigned period_unit;  /* periods are multiples of it, and not less; 0: it has no period of its own */
	size_t record_size;    /* bytes of memory for each record; 0: it uses none */
	unsigned records_most; /* that a buffer may hold; 0: as many as there is memory for */
	uint8_t units;    /* sources with .period_unit and without .counters: what a period can count, bit per
			     enum record_unit */
	uint16_t line;    /* through which it interrupts (arch/overflow.h); 0, OVERFLOW_COUNTERS: as counters
			     do; OVERFLOW_NO_LINE: it cannot here */
	uint32_t filters; /* traces: kinds of branches that can be left out, bit per enum step_transfer
			     (pmu/contract/model.h). TRANSFER_EVENT goes with TRANSFER_SYSTEM */
	bool one_node;    /* all memory and all processors are of one node: no data comes from another */
	bool far_filter;  /* it can leave out what does not miss the last-level cache */
	uint16_t latency_unit, latency_most; /* it can leave out all but loads whose miss took longer than a
						multiple of so many core cycles, and up to how many; 0: not */
	bool page_of_miss;    /* .page_shift is told of accesses that miss the first-level TLB, too */
	uint8_t more;         /* enum record_groups: what can be asked for besides .fields */
	bool level_of_target; /* traces: where single levels are recorded, a branch between levels belongs to
				the one in which it ends; else there is no telling */
	bool hides_source;    /* ... and if it began in one that is left out, .from is RECORD_HIDDEN */
	bool ends_at_debug;   /* traces: a debug exception ends recording */
	bool call_stack;      /* traces: pmu_recording.call_stack can be asked for */
	const char *manual;   /* manual and section */
};

/** What is to be recorded. */
struct pmu_recording {
	const struct pmu_record_source *source;
	uint8_t levels;           /* enum pmu_levels; setup() refuses what cannot be told apart */
	unsigned counter;         /* sources with .counters: the one that samples */
	struct pmu_config config; /* ... and what it counts; .interrupt is not looked at */
	uint64_t period;  /* occurrences between records: the first is of occurrence number `period` after
			     setup(), the next of number 2 * period, however often it is stopped and started
			     in between; traces: not looked at */
	bool loosely;     /* PEBS: the event may be one that no record can be of, like cycles. A record is
			     then of some instruction soon after each `period` occurrences, and those until
			     it is written are not counted */
	uint8_t unit;     /* sources with .units: which */
	uint32_t without; /* traces: kinds of branches to leave out, among the source's .filters */
	bool call_stack;  /* traces: near calls alone, and a near return takes the newest one back: what is
			     left    are the calls that have not come back; .without is not looked at */
	bool far_only;    /* only what misses the last-level cache, if the source's .far_filter says so */
	uint16_t latency_above; /* only loads that do, and whose miss took longer than so many core cycles, a
				   multiple of the source's .latency_unit; 0: whatever it takes */
	void *memory;           /* for the records, 64-byte aligned, accessible to the CPU; sources without
				   .record_size: NULL */
	size_t size;            /* of it, in bytes: room for administration besides the records, see
				   record_memory() */
	unsigned records;       /* that the buffer is to hold; IBS: not looked at */
	uint8_t more;           /* enum record_groups, among the source's */
	unsigned threshold;     /* interrupt when this many have been written; 0: none */
	bool circular;          /* traces: start again at the buffer's beginning when it is full; else see
				   record_state() */
};

/** How a recording stands. */
struct pmu_record_state {
	unsigned records; /* written and not drained */
	bool overflow;    /* the hardware says that a threshold was reached (status register) */
	bool full;        /* no further record fits */
};

/**
 * How a family makes records of one kind. As the rest of a driver it calls msr_*() and cpuid() alone; besides
 * it reads and writes the memory of the recording.
 */
struct pmu_record_kind {
	/** Fill in *out; .kind already is. @return false with *why, one line, if this CPU has no such records
	 */
	bool (*describe)(const struct pmu *pmu, struct pmu_record_source *out, const char **why);

	/** See record_can_sample(). NULL: whatever counts. */
	bool (*can_sample)(const struct pmu *pmu, const struct pmu_recording *r, const char **why);

	/** See record_is_exact(). NULL: of no recording. */
	bool (*is_exact)(const struct pmu *pmu, const struct pmu_recording *r);

	/** See record_memory(). NULL: none. */
	size_t (*memory)(const struct pmu *pmu, const struct pmu_recording *r);

	/** See record_setup(), which asks can_sample() before. */
	bool (*setup)(const struct pmu *pmu, const struct pmu_recording *r, const char **why);

	/** See record_start(), ... */
	bool (*start)(const struct pmu *pmu, const struct pmu_recording *r);
	bool (*stop)(const struct pmu *pmu, const struct pmu_recording *r);
	bool (*bracket)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out);

	/** See record_state(); *out is all zero before. */
	bool (*state)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out);

	unsigned (*drain)(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
			  unsigned max);
	bool (*release)(const struct pmu *pmu, const struct pmu_recording *r);
};

/** The part of a driver that makes records (struct pmu_driver.recorder). */
struct pmu_recorder {
	/** By enum record_kind; NULL: the family has no such records. */
	const struct pmu_record_kind *kind[RECORD_KINDS];

	/**
	 * Of an event of micro-operations: the architectural event that occurs at the same instructions, and
	 * on the family's model as often; on silicon there may be more micro-operations than one for each of
	 * its occurrences. NULL: there are none.
	 * @param out the event with other terms
	 * @return false if there is none for this one
	 */
	bool (*instructions_of)(const struct pmu *pmu, const struct pmu_event *e, struct pmu_event *out);

	/** Of an event of loads that take longer than some time, whose records tell it: that time in core
	 * cycles. NULL: there are none. @return false if it is none */
	bool (*latency_above)(const struct pmu *pmu, const struct pmu_event *e, uint32_t *cycles);
};

/* All below but record_source(), record_absent() and record_can_sample() are for a source of that PMU. */

/** What this PMU can record; kept until the next call for it. @return how many *out has */
unsigned record_sources(const struct pmu *pmu, const struct pmu_record_source **out);

/** The source of this kind; NULL if this PMU has none. */
const struct pmu_record_source *record_source(const struct pmu *pmu, enum record_kind kind);

/** Why there is no source of this kind, one line; NULL if there is one, or if the family has none. */
const char *record_absent(const struct pmu *pmu, enum record_kind kind);

/** Whether the source can sample what the configuration counts on that counter. On false *why gets one line:
 * the reason, and what would do. */
bool record_can_sample(const struct pmu *pmu, const struct pmu_recording *r, const char **why);

/** Whether the hardware promises that every record is of the very occurrence that its period says. Else
 * records may be late: while the facility gets ready occurrences pass, and the next period begins later. For
 * recordings that the source can sample. */
bool record_is_exact(const struct pmu *pmu, const struct pmu_recording *r);

/** Bytes of memory that a recording of r->records takes, administration (DS area) included. */
size_t record_memory(const struct pmu *pmu, const struct pmu_recording *r);

/** Get everything ready, nothing running yet. The counter of the recording is programmed by this; a driver's
 * program() must not be called for it. @return false with *why if it was refused */
bool record_setup(const struct pmu *pmu, const struct pmu_recording *r, const char **why);

/** Start and stop from the harness's level, for windows that are no bracket. */
bool record_start(const struct pmu *pmu, const struct pmu_recording *r);
bool record_stop(const struct pmu *pmu, const struct pmu_recording *r);

/** Code that starts and stops it, straight line, as struct pmu_bracket says. .own need not be filled in for
 * traces. */
bool record_bracket(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_bracket *out);

/** How it stands; may be asked in an interrupt handler. */
bool record_state(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record_state *out);

/** Take records out, oldest first, and make room for new ones; to be called stopped, or in the handler of its
 * interrupt (whose status it acknowledges, so that recording can go on). @return how many, at most max */
unsigned record_drain(const struct pmu *pmu, const struct pmu_recording *r, struct pmu_record *out,
		      unsigned max);

/** Everything of it off and zero. */
bool record_release(const struct pmu *pmu, const struct pmu_recording *r);

/** "pebs", "ibs-op", "ibs-fetch", "bts", "lbr", "brs", "pmi": as the configuration has it (record=). "none"
 * for RECORD_NONE. */
extern const char *const record_kind_names[RECORD_KINDS];

/** What periods of the source count best: operations or fetches, else cycles. Of sources without .units:
 * RECORD_UNIT_CYCLES, which nobody looks at. */
enum record_unit record_unit(const struct pmu_record_source *source);

#endif
