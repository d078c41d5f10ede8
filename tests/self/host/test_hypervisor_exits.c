/* Instructions that exit to a hypervisor: which they are, and what is left of them in a count. */
#include "pmu/virtual/hypervisor_exits.h"
#include "arch/step.h"
#include "arch/x86/step/hypervisor_exits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define APIC 0xfee00000

static const struct {
	uint8_t code[8];
	uint8_t size, kind;
	struct hypervisor_exit_facts facts;
} rows[] = {
	{{0x0f, 0xa2}, 2, EXIT_CPUID, {0}},
	{{0x0f, 0x32}, 2, EXIT_RDMSR, {.rcx = 0x10}},
	{{0x0f, 0x32}, 2, EXIT_RDMSR, {.rcx = 0x7ff}},
	{{0x0f, 0x32}, 2, EXIT_APIC, {.rcx = 0x800}},
	{{0x0f, 0x30}, 2, EXIT_APIC, {.rcx = 0x8ff}},
	{{0x0f, 0x30}, 2, EXIT_APIC, {.rcx = 0x10000080b}}, /* ECX is what names it */
	{{0x0f, 0x30}, 2, EXIT_WRMSR, {.rcx = 0x900}},
	{{0x0f, 0x33}, 2, EXIT_RDPMC, {0}},
	{{0x0f, 0x31}, 2, EXIT_TIME, {0}},
	{{0x0f, 0x01, 0xf9}, 3, EXIT_TIME, {0}},
	{{0x0f, 0xc7, 0xf0}, 3, EXIT_RANDOM, {0}},       /* rdrand %eax */
	{{0x48, 0x0f, 0xc7, 0xf8}, 4, EXIT_RANDOM, {0}}, /* rdseed %rax */
	{{0x0f, 0xc7, 0x0e}, 3, EXIT_KINDS, {0}},        /* cmpxchg8b (%rsi) */
	{{0xe6, 0x80}, 2, EXIT_PORTS, {0}},              /* out %al,$80H */
	{{0xf3, 0x6e}, 2, EXIT_PORTS, {0}},              /* rep outsb */
	{{0x66, 0xed}, 2, EXIT_PORTS, {0}},              /* in %dx,%ax */
	{{0xf3, 0xa4}, 2, EXIT_KINDS, {0}},              /* rep movsb */
	{{0xf3, 0x90}, 2, EXIT_PAUSE, {0}},
	{{0x90}, 1, EXIT_KINDS, {0}},
	{{0x0f, 0x01, 0x3e}, 3, EXIT_INVLPG, {0}},        /* invlpg (%rsi) */
	{{0x0f, 0x01, 0xf8}, 3, EXIT_KINDS, {0}},         /* swapgs */
	{{0x0f, 0x20, 0xc0}, 3, EXIT_CONTROL, {0}},       /* mov %cr0,%rax */
	{{0x44, 0x0f, 0x20, 0xc0}, 4, EXIT_CONTROL, {0}}, /* mov %cr8,%rax */
	{{0x0f, 0x22, 0xd8}, 3, EXIT_CONTROL, {0}},       /* mov %rax,%cr3 */
	{{0x0f, 0x06}, 2, EXIT_CONTROL, {0}},             /* clts */
	{{0x48, 0x0f, 0x01, 0xe0}, 4, EXIT_CONTROL, {0}}, /* smsw %rax */
	{{0x0f, 0x01, 0x36}, 3, EXIT_CONTROL, {0}},       /* lmsw (%rsi) */
	{{0x0f, 0x01, 0xd1}, 3, EXIT_CONTROL, {0}},       /* xsetbv */
	{{0x0f, 0x01, 0xd0}, 3, EXIT_KINDS, {0}},         /* xgetbv */
	{{0x0f, 0x01, 0xd5}, 3, EXIT_KINDS, {0}},         /* xend */
	{{0x0f, 0x01, 0xe8}, 3, EXIT_KINDS, {0}},         /* serialize */
	{{0x0f, 0x23, 0xf8}, 3, EXIT_DEBUG, {0}},         /* mov %rax,%dr7 */
	{{0x0f, 0x01, 0x06}, 3, EXIT_TABLES, {0}},        /* sgdt (%rsi) */
	{{0x0f, 0x01, 0x1e}, 3, EXIT_TABLES, {0}},        /* lidt (%rsi) */
	{{0x0f, 0x00, 0xd8}, 3, EXIT_TABLES, {0}},        /* ltr %ax */
	{{0x0f, 0x00, 0xe0}, 3, EXIT_KINDS, {0}},         /* verr %ax */
	{{0x0f, 0x09}, 2, EXIT_CACHES, {0}},              /* wbinvd */
	{{0xf4}, 1, EXIT_HLT, {0}},
	{{0x0f, 0x01, 0xc8}, 3, EXIT_MWAIT, {0}},
	{{0x0f, 0x01, 0xc9}, 3, EXIT_MWAIT, {0}},
	{{0x0f, 0x01, 0xd8}, 3, EXIT_GUESTS, {0}},                            /* vmrun */
	{{0x0f, 0x01, 0xd9}, 3, EXIT_GUESTS, {0}},                            /* vmmcall */
	{{0x89, 0x06}, 2, EXIT_APIC, {.address = APIC + 0xb0, .apic = APIC}}, /* mov %eax,(%rsi) */
	{{0x89, 0x06}, 2, EXIT_KINDS, {.address = APIC + 4096, .apic = APIC}},
	{{0x89, 0x06}, 2, EXIT_KINDS, {.address = 0xb0}},               /* there is no such page */
	{{0x89, 0xf0}, 2, EXIT_KINDS, {.address = APIC, .apic = APIC}}, /* mov %esi,%eax */
	{{0x0f, 0xae, 0xe8}, 3, EXIT_KINDS, {0}},                       /* lfence */
	{{0xcf}, 1, EXIT_KINDS, {0}},                                   /* iret */
};

static void each_is_of_its_kind(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct insn in;

		assert_true(insn_decode(rows[i].code, rows[i].size, &in));
		assert_int_equal(in.length, rows[i].size);
		if (hypervisor_exit_kind_of(rows[i].code, &in, &rows[i].facts) != rows[i].kind)
			fail_msg("row %u is of kind %d", i,
				 hypervisor_exit_kind_of(rows[i].code, &in, &rows[i].facts));
	}
}

/* No kind is without an instruction here. */
static void each_kind_is_met(void **unused)
{
	uint64_t met = 0;

	(void)unused;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
		met |= UINT64_C(1) << rows[i].kind;
	assert_int_equal(met, (UINT64_C(2) << EXIT_KINDS) - 1);
}

static void the_first_one_in_a_piece_of_code(void **unused)
{
	static const uint8_t code[] = {0x90, 0x0f, 0xa2, 0xf4}; /* nop; cpuid; hlt */

	(void)unused;
	assert_int_equal(step_exit_of_code(&(struct step_code){code, code + 4}), EXIT_CPUID);
	assert_int_equal(step_exit_of_code(&(struct step_code){code + 3, code + 4}), EXIT_HLT);
	assert_int_equal(step_exit_of_code(&(struct step_code){code, code + 1}), step_n_exit_kinds);
}

static unsigned left(uint32_t faults, uint32_t turn, struct qterm *terms)
{
	static const struct qterm all[] = {{Q_INSTRUCTIONS, 1}, {Q_UOPS, 4}, {Q_BRANCHES, 1}, {Q_LOADS, 2}};

	memcpy(terms, all, sizeof all);
	return hypervisor_exit_counted(faults, turn, terms, sizeof all / sizeof all[0]);
}

static void each_fault_leaves_its_part(void **unused)
{
	struct qterm t[4 + EXIT_OWN_TERMS];

	(void)unused;
	assert_int_equal(left(0, 1, t), 4);
	assert_int_equal(left(1u << EXITS_HOSTED, 1, t), 4 + EXIT_OWN_TERMS);
	for (unsigned i = 4; i < 4 + EXIT_OWN_TERMS; i++)
		assert_true(t[i].quantity != Q_INSTRUCTIONS && t[i].quantity != Q_BRANCHES && t[i].amount);
	for (unsigned turn = 0; turn < 2; turn++) {
		assert_int_equal(left(1u << EXITS_UNCOUNTED, turn, t), 0);
		assert_int_equal(left(1u << EXITS_EMULATED, turn, t), 2);
		assert_int_equal(t[0].quantity, Q_INSTRUCTIONS);
		assert_int_equal(t[1].quantity, Q_BRANCHES);
		assert_int_equal(left(1u << EXITS_VARY, turn, t), turn ? 0 : 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_of_its_kind),
		cmocka_unit_test(each_kind_is_met),
		cmocka_unit_test(the_first_one_in_a_piece_of_code),
		cmocka_unit_test(each_fault_leaves_its_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
