/*
 * The PMU driver contract: what it takes to program one PMU family through its real registers.
 *
 * A driver reaches its registers through the calls of its instruction set and nothing else of the machine, so
 * the same code runs on silicon, under the vPMU, and in host tests that answer these calls from a model.
 *
 * Example: count one event of f() on counter 0, as C code may; windows use a bracket instead of start() and
 * stop().
 *
 *     static struct pmu pmu;
 *     const struct pmu_config config = {.code = event->code, .levels = LEVELS_ALL};
 *
 *     if (!pmu_find(NULL, &pmu, &why) || !pmu.driver->reset(&pmu, &why))
 *             return why;
 *     pmu.driver->program(&pmu, 0, &config);
 *     pmu.driver->start(&pmu, 1);
 *     f();
 *     pmu.driver->stop(&pmu);
 *     pmu.driver->read(&pmu, 0, &count);
 *     pmu.driver->release(&pmu, 0);
 */
#ifndef PMU_CONTRACT_PMU_H
#define PMU_CONTRACT_PMU_H

#include "pmu/contract/erratum.h"
#include "pmu/contract/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PMU_COUNTERS_MAX  32
#define PMU_SNAPSHOT_MAX  192
#define PMU_SNAPSHOT_NAME 32
#define PMU_REMARKS       4
#define PMU_REMARK_SIZE   128

enum counter_kind { COUNTER_GENERAL, COUNTER_FIXED };

struct pmu_counter {
	char name[16];       /* "PMC0", "FIXED_CTR1" */
	uint8_t kind;        /* enum counter_kind */
	uint8_t index;       /* within its kind */
	uint8_t width;       /* bits */
	uint8_t write_width; /* bits of a written value that are kept; above them bit write_width-1 is copied
			      */
	uint64_t highest;    /* the highest value, which an occurrence makes 0: 0 is all ones of the width
				(pmu/contract/counter_values.h) */
	bool has_status;     /* overflow is reported in a status register */
	bool has_interrupt;
	uint32_t selector; /* by which code reads it (x86: ECX of RDPMC) */
};

/** Rings in which a counter counts. */
enum pmu_levels { LEVELS_SYSTEM = 1, LEVELS_USER = 2, LEVELS_ALL = 3 };

/** One programmed counter. */
struct pmu_config {
	uint64_t code;  /* the event's selector value (pmu_event.code); ignored by fixed counters */
	uint8_t levels; /* enum pmu_levels */
	bool interrupt; /* PMI on overflow */
	bool edge, invert;
	bool any_thread;  /* also what the core's other threads do, where the family has that */
	bool other_alone; /* what the core's other threads do, and not what this one does; likewise */
	uint8_t cmask;
	uint32_t extra_register; /* register to be set to extra_value first, as pmu_event has them; 0: none */
	uint64_t extra_value;
	uint32_t choice; /* the sched_alternative.choice of the alternative that the scheduler took; 0: the
			    driver takes what is free. Without meaning where alternatives is NULL */
};

/**
 * Code that starts or stops counting, to be copied in front of and behind a kernel. Position independent,
 * straight line. Its argument words are in registers of the instruction set's choice, which the kernel in
 * between keeps; besides these it may change a few more (x86: arch/x86/bracket_registers.h).
 */
struct pmu_bracket {
	const uint8_t *start, *start_end;
	const uint8_t *stop, *stop_end;
	uint64_t args[4];     /* argument words */
	uint32_t version;     /* another one for other code at the same place; 0: it never changes */
	struct qterm own[16]; /* what the bracket itself contributes to the counters between start and stop;
				 amount 0 ends */
	uint8_t own_readings; /* of its instructions: readings of a counter (x86: RDPMC), which a hypervisor
				 may carry out itself */
	bool privileged;      /* uses privileged instructions */
	/** Of the instructions in own[], those in front of the kernel, by counter. Wanted where counters
	 * start each other; others leave 0. */
	uint8_t ahead[PMU_COUNTERS_MAX];
};

struct attribution;
struct pmu_state;
struct pmu_manual;

struct pmu {
	const struct pmu_driver *driver;
	struct pmu_state *state; /* what the driver keeps of it (pmu/contract/state.h); copies share it */
	char name[48];           /* "Intel architectural PMU version 2" */
	const char *perf_name; /* what perf calls this PMU, of a hybrid CPU's kinds "cpu_core" and "cpu_atom";
				  NULL: "cpu" */
	unsigned version;
	unsigned n_counters, n_general, n_fixed;
	struct pmu_counter counter[PMU_COUNTERS_MAX];
	const struct pmu_event *const
		*events; /* events that this CPU offers; valid until this PMU is identified again */
	unsigned n_events;
	unsigned n_unexplained; /* more rows behind them that declare nothing: they have names and codes, and
				   what they count is not known (pmu/events/vendor_import.h) */
	bool has_global;        /* one write starts and stops all counters */
	bool joint;             /* counters can share a window: bracket_enable() takes several */
	uint16_t most_select;   /* the highest event select, where other CPUs of the family have more bits for
				   it; 0: that of the grammar */
	bool has_pmi;
	bool pmi_late;         /* an overflow interrupts at the occurrence after it */
	bool line_stays;       /* delivering an overflow interrupt does not mask the line (arch/overflow.h) */
	bool under_hypervisor; /* a hypervisor or emulator says that it is there: what CPUID does not promise
		       may be missing */
	char hypervisor[13];   /* its signature, as CPUID leaf 40000000H spells it; empty if it has none */
	/* Measured, a bit or a number per counter, of those that count instructions; not set by identify().
	 */
	uint64_t counts_start, counts_stop; /* it counts the write that starts it, that stops it; all bits set
					       if each one does */
	int8_t counts_reading[PMU_COUNTERS_MAX]; /* how often it counts a reading of a counter, beyond once */
	uint64_t hypervisor_exits_lost; /* instructions that a hypervisor carries out and does not count, or
				not each time: bit per row of step_exit_kinds[]
				(arch/step.h). Not set by identify() */
	const struct attribution
		*attribution; /* what deliveries and returns count (tests/judge/attribution.h);
				 NULL: as the manual has it. Not set by identify() */
	bool counts_only;     /* nothing interrupts or records, by level of courage. Not set by identify() */
	bool virtual;         /* answered by a model */
	bool deterministic;   /* and by nothing else: the same each time, at once, without speculation. Where
				 silicon is  given an interval, equality is wanted; judge_by_silicon_rules()
				 takes it   away */
	char model[48];       /* the model's profile when virtual */
	char remark[PMU_REMARKS][PMU_REMARK_SIZE]; /* what identify() found to make no sense, or missing,
						      and left out: a line each; an empty one ends */
	const struct errata *errata;        /* of the family (pmu/contract/erratum.h); NULL: none are known */
	struct erratum_processor processor; /* as they name it */
	uint32_t loaded; /* revision of what is loaded into it (x86: microcode); 0: it is not known, as that
			    of virtual CPUs. Not set by identify() */
	uint32_t workarounds_due; /* those of the driver's that this CPU takes (pmu/contract/workaround.h): a
				     bit each. Not set by identify() */
	uint32_t works_around;    /* of these, those that are carried out: all or none */
	uint64_t left_out;        /* counters that are not to be believed, a bit each: schedule_events() does
				     without them. Not set by identify() */
};

/** A PMU register as found before anything was touched. */
struct pmu_snapshot_entry {
	char name[PMU_SNAPSHOT_NAME];
	uint32_t address;
	uint64_t value;
	bool readable; /* false: reading raised a fault */
	bool enable;   /* the value says that a counter is running */
	uint8_t space; /* enum register_space (arch/register.h) of .address */
};

struct pmu_snapshot {
	unsigned count;
	struct pmu_snapshot_entry entry[PMU_SNAPSHOT_MAX];
};

enum pmu_access_kind {
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_SELECTOR,
	ACCESS_KEPT,    /* a write, after which the register reads what was written */
	ACCESS_IGNORED, /* a write, after which it reads what it read before */
};

/** What the manual says of an access: that it works, or raises #GP; the latter because there is no such
 * register or counter, of which hypervisors may answer reads with 0 and ignore writes; or it writes reserved
 * bits that a hypervisor is known to take: which one, is said beside the row. */
enum pmu_access_outcome { ACCESS_WORKS, ACCESS_FAULTS, ACCESS_OF_NOTHING, ACCESS_FAULTS_ON_SILICON };

/** One access to a register, and whether the manual says that it raises #GP. */
struct pmu_access {
	const char *name; /* unique: "write IA32_PERFEVTSEL0, bit 32" */
	uint8_t kind;     /* enum pmu_access_kind */
	uint8_t faults;   /* enum pmu_access_outcome */
	uint32_t address; /* of the register; ECX of RDPMC */
	uint64_t value;   /* written */
	const char *manual;
};

/** What a register holds after power-up. */
struct pmu_power_up {
	const char *name; /* of the register */
	uint32_t address;
	uint64_t value;
	const char *manual;
};

#define IDENTITY_TERMS 12

enum identity_relation {
	IDENTITY_ZERO,
	IDENTITY_NOT_NEGATIVE,
	IDENTITY_OF_SOME = 0x80, /* besides: only some CPUs of the family have these events, it is no matter
				    where one is missing */
	IDENTITY_UNION = 0x40,   /* besides: it holds where the first event's unit mask is the union of the
				    others', and these have no bit that counts the same twice */
};
#define IDENTITY_MARKS (IDENTITY_OF_SOME | IDENTITY_UNION)

/** An equation between events that the manual promises, whatever runs: the sum of coefficient times count. */
struct pmu_identity {
	const char *name;
	const char *manual;
	uint8_t relation; /* enum identity_relation: what the sum is */
	struct {
		int8_t coefficient; /* 0 ends */
		const char *event;  /* as pmu/events/grammar.h has it: "INST_RETIRED.ANY_P:u" */
	} term[IDENTITY_TERMS];
};

/** Whether the unit masks (bits 15:8 of the codes) are as IDENTITY_UNION wants them: that of the first is the
 * union of those of the other n - 1, all else is the same. */
static inline bool identity_is_union(const uint64_t *code, unsigned n)
{
	uint64_t parts = 0;

	for (unsigned i = 1; i < n; i++) {
		if ((code[i] ^ code[0]) & ~UINT64_C(0xff00))
			return false;
		parts |= code[i] & 0xff00;
	}
	return parts == (code[0] & 0xff00);
}

/** What a write can start and stop a counter by: what bracket_enable() uses, or another enable. */
enum pmu_switch { SWITCH_USUAL, SWITCH_OTHER, SWITCHES };

struct pmu_control_check;
struct register_range;
struct event_grammar;
struct event_request;
struct pmu_recorder;
struct pmu_workaround;
struct register_field;
struct sched_alternative;
struct vendor_event;

struct pmu_driver {
	const char *name;  /* "intel", as in pmu=intel */
	size_t state_size; /* what it keeps of a PMU, in bytes (pmu/contract/state.h) */

	/** How events are written (pmu/events/grammar.h), and the fields of the registers
	 * (pmu/events/fields.h), for people. NULL: not said. */
	const struct event_grammar *grammar;
	const struct register_field *fields;

	/** Equations between events, name NULL ends. NULL: none are listed. */
	const struct pmu_identity *identities;

	/** Whether this CPU has the family's PMU; fills *pmu (all of it but its events, .virtual,
	 * .deterministic and .model). *pmu is all zero before the first time. On false *why gets one line. */
	bool (*identify)(struct pmu *pmu, const char **why);

	/** The same on a CPU that is none of the family's: *pmu as if it was one. For those who know better
	 * than CPUID; NULL: it cannot be forced. */
	bool (*force)(struct pmu *pmu, const char **why);

	/** Fill in the events of the CPU that identify() or force() has found. Asks the CPU nothing, so that
	 * these thousands of rows need not be worked out by stepped code. */
	void (*list_events)(struct pmu *pmu);

	/** Read every register of the family without changing any. */
	void (*snapshot)(const struct pmu *pmu, struct pmu_snapshot *out);

	/** Everything off and zero: selectors, counters, global control, status. @return false if an access
	 * faulted; *why says which. */
	bool (*reset)(const struct pmu *pmu, const char **why);

	/** Program counter c, stopped, its value 0. @return false if the hardware refused (#GP). */
	bool (*program)(const struct pmu *pmu, unsigned c, const struct pmu_config *config);

	/** Take counter c out of use. */
	bool (*release)(const struct pmu *pmu, unsigned c);

	/** Start and stop the counters of the bit mask from C (for tests of the control logic, not for exact
	 * windows). */
	bool (*start)(const struct pmu *pmu, uint64_t mask);
	bool (*stop)(const struct pmu *pmu);

	/** Counter values, zero-extended from their width. A written value is taken modulo 2^width; of it
	 * write_width bits are kept, see struct pmu_counter. No value above the highest is written. */
	bool (*read)(const struct pmu *pmu, unsigned c, uint64_t *value);
	bool (*write)(const struct pmu *pmu, unsigned c, uint64_t value);

	/** What read() gives, of each counter of the mask, in the fewest instructions that the hardware
	 * allows: for counters that may still run. out[] is by counter; of others it is left alone. */
	bool (*read_all)(const struct pmu *pmu, uint64_t mask, uint64_t out[PMU_COUNTERS_MAX]);

	/** Overflow status, bit c per counter. A family without a status register derives it from the
	 * counter: it is now below the value that was last written or acknowledged. That holds until it has
	 * wrapped once and passed that value again. */
	bool (*overflowed)(const struct pmu *pmu, uint64_t *mask);
	bool (*acknowledge)(const struct pmu *pmu, uint64_t mask);

	/** Bracket by enabling and disabling the counters of the mask together, all programmed before. No
	 * register is written here. own[] holds what lies between the write that enables and the write that
	 * disables. Whether these two count themselves no manual says: it is measured (tests/judge/shares.h).
	 *  @return false if the family cannot */
	bool (*bracket_enable)(const struct pmu *pmu, uint64_t mask, struct pmu_bracket *out);

	/** Bracket by reading counter c before and after while it runs (RDPMC; legal in ring 3 with CR4.PCE =
	 * 1). The difference, taken as the counter wraps, is what the window returns (x86: RAX at its end).
	 */
	bool (*bracket_read)(const struct pmu *pmu, unsigned c, struct pmu_bracket *out);

	/** Bracket that starts counter c, which has just been programmed, by one of its two switches, and
	 * stops it by the same or by the other one. The one that does not start it is turned on here, so this
	 * and program() come before each window. NULL: there is one switch.
	 *  @return false if this PMU has but one, or refuses */
	bool (*bracket_mixed)(const struct pmu *pmu, unsigned c, enum pmu_switch start, enum pmu_switch stop,
			      struct pmu_bracket *out);

	/** What the switches are called: "the global enable". */
	const char *switch_name[SWITCHES];

	/** Whether event e may be counted by counter c. */
	bool (*can_count)(const struct pmu *pmu, const struct pmu_event *e, unsigned c);

	/**
	 * Ways to count a request (pmu/events/schedule.h), for families where that takes more than a counter:
	 * a selector that several counters listen to, a register that tags, another counter to keep either
	 * awake. A way's first use is the counter, for itself alone; the others are the family's own
	 * resources, numbered from PMU_COUNTERS_MAX up, or further counters. The counter that a request asks
	 * for is the scheduler's business. NULL: a counter is all that it takes, and can_count() tells which.
	 * @param out room for SCHEDULE_ALTERNATIVES
	 * @param why gets one line if there are none
	 * @return how many there are
	 */
	unsigned (*alternatives)(const struct pmu *pmu, const struct event_request *request,
				 struct sched_alternative *out, const char **why);

	/** Name of a family's own resource ("MSR_CRU_ESCR2"). NULL: there are no such resources. */
	const char *(*resource_name)(const struct pmu *pmu, unsigned resource);

	/** Whether an overflow of counter `from` can start counter `to`; then *config, which is for `to`, is
	 * changed so that it waits for that. NULL: counters do not cascade. */
	bool (*cascade)(const struct pmu *pmu, unsigned from, unsigned to, struct pmu_config *config);

	/** Find the requests of one experiment that act together: what one of them makes, another one counts.
	 * Sets .joined, and .counts_as where the table says what that is. NULL: events do not act together.
	 * @return whether some do: they share a window, or count nothing */
	bool (*join)(const struct pmu *pmu, struct event_request *all, unsigned n);

	/** Registers that may be written, by level of courage (arch/courage.h); a row whose .last is 0 ends.
	 * NULL: none, where the instruction set refuses what is not listed (x86); else any. */
	const struct register_range *registers;

	/** Where the registers lie that accesses() and power_up() name: enum register_space
	 * (arch/register.h). */
	uint8_t space;

	/**
	 * Accesses to this CPU's registers that must fault, and some that must not: reserved bits, missing
	 * registers, RDPMC of what does not exist. What they leave behind, reset() removes. NULL: none are
	 * listed.
	 * @return how many were put into out, at most max
	 */
	unsigned (*accesses)(const struct pmu *pmu, struct pmu_access *out, unsigned max);

	/**
	 * Registers whose value after power-up the manual tells, and it is not 0 or matters. Firmware may
	 * have changed them, so that only a virtual CPU shows it. NULL: none.
	 * @return how many were put into out, at most max
	 */
	unsigned (*power_up)(const struct pmu *pmu, struct pmu_power_up *out, unsigned max);

	/** Checks of control logic that is this family's own (pmu/contract/control.h). NULL: none. */
	const struct pmu_control_check *control;

	/** Sections that checks of every family rest on (pmu/contract/manual.h). NULL: they are not told. */
	const struct pmu_manual *manual;

	/** An event of the vendor's own file (pmu/events/vendor_json.h) as a row without name and meaning:
	 * code and counters. NULL: the vendor publishes none for this family.
	 * @return false if this CPU cannot count it, *why in words that stay */
	bool (*encode)(const struct pmu *pmu, const struct vendor_event *v, struct pmu_event *out,
		       const char **why);

	/** What an event of this name counts, on whatever CPU of the family: terms, judgement, flags, rule
	 * and source of *out. Where microarchitectures differ the encoding, which *out has, may decide. NULL:
	 * not known for any.
	 * @return false if it is not known */
	bool (*meaning)(const char *name, struct pmu_event *out);

	/** Of an event whose name means one thing on one microarchitecture and something else on another, and
	 * whose encoding does not tell them apart: the i-th meaning, from 0. NULL: there are no such names.
	 * @param out gets the event with that meaning
	 * @param core gets the name of a microarchitecture that means it so
	 * @return false if there is none */
	bool (*candidate)(const struct pmu_event *e, unsigned i, struct pmu_event *out, const char **core);

	/** Of the listed events those that libpfm4 encodes otherwise than the vendor, where a counter can
	 * count both: the i-th, from 0. NULL: none are known.
	 * @param vendors, peers get the row in either encoding
	 * @return the row, NULL if there is none */
	const struct pmu_event *(*disputed)(const struct pmu *pmu, unsigned i, struct pmu_event *vendors,
					    struct pmu_event *peers);

	/** PEBS, IBS, BTS and LBR (pmu/contract/record.h). NULL: the family makes no records, or the driver
	 * does not know them. */
	const struct pmu_recorder *recorder;

	/** What it does about errata (pmu/contract/workaround.h), number NULL ends. NULL: nothing. */
	const struct pmu_workaround *workarounds;
};

/** Ask each family's driver (or only the one called `name`) whether it fits this CPU; "force:NAME" takes that
 * one though it does not. The driver's list_events() is left to the caller. @return false with *why if none
 * does. */
bool pmu_find(const char *name, struct pmu *pmu, const char **why);

/** Add a line to what identify() found to make no sense, or missing; of more than PMU_REMARKS the first ones
 * stay. */
void pmu_remark(struct pmu *pmu, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
