#include "tests/kernels/roles.h"

#include <stddef.h>

const struct trip_ways trip_ways = {
	.name = {[TRIP_INTERRUPT_BY_CODE] = "INT n",
		 [TRIP_CALL] = "SYSCALL",
		 [TRIP_CALL_OTHER] = "SYSENTER",
		 [TRIP_FAULT] = "faults",
		 [TRIP_INTERRUPT] = "interrupts",
		 [TRIP_NMI] = "NMIs"},
	.return_into_user = "IRET into ring 3",
	.user_alone = "in ring 3 alone",
	.of = {[TRIP_INSTRUCTIONS] = {1, 1, 1},
	       [TRIP_INSTRUCTIONS_FIXED] = {1, 1, 1},
	       [TRIP_BRANCHES] = {1, 1, 1},
	       [TRIP_SYSTEM_BRANCHES] = {1, 1, 1},
	       [TRIP_LOADING] = {0, 1, 0},
	       [TRIP_LOADS] = {0, 5, 0}},
};

const struct trip_source trip_sources[] = {
	{"int_ring0", TRIP_INTERRUPT_BY_CODE, false},
	{"int_ring3", TRIP_INTERRUPT_BY_CODE, false},
	{"syscall", TRIP_CALL, false},
	{"sysenter", TRIP_CALL_OTHER, false},
	{"fault_pf_ring0", TRIP_FAULT, false},
	{"fault_gp_ring0", TRIP_FAULT, false},
	{"fault_ud_ring0", TRIP_FAULT, false},
	{"fault_pf_ring3", TRIP_FAULT, false},
	{"fault_gp_ring3", TRIP_FAULT, false},
	{"fault_ud_ring3", TRIP_FAULT, false},
	{"hlt_xapic", TRIP_INTERRUPT, false},
	{"hlt_x2apic", TRIP_INTERRUPT, false},
	{"ipi_xapic", TRIP_INTERRUPT, true},
	{"ipi_x2apic", TRIP_INTERRUPT, true},
	{"nmi_xapic", TRIP_NMI, false},
	{"nmi_x2apic", TRIP_NMI, false},
	{"", 0, false},
};

const struct kernel_disturbance disturbances[] = {
	{"timer interrupt", "hlt_xapic", false},
	{"timer interrupt", "hlt_x2apic", false},
	/* Requested by SYSCALL, for which ring 3 has no other way. */
	{"interrupt", "ipi_xapic", true},
	{"interrupt", "ipi_x2apic", true},
	{"NMI", "nmi_xapic", false},
	{"NMI", "nmi_x2apic", false},
	{"page fault", "fault_pf_ring0", false},
	{"page fault", "fault_pf_ring3", true},
	{"invalid opcode", "fault_ud_ring0", false},
	{"invalid opcode", "fault_ud_ring3", true},
	{"division by zero", "fault_de_ring0", false},
	{"division by zero", "fault_de_ring3", true},
	{"segment not present", "fault_np_ring0", false},
	{"segment not present", "fault_np_ring3", true},
	{"general protection fault", "fault_gp_ring0", false},
	{"general protection fault", "fault_gp_ring3", true},
	{"x87 exception", "fault_mf_ring0", false},
	{"x87 exception", "fault_mf_ring3", true},
	{"page fault in REP STOS", "fault_pf_rep_ring0", false},
	{"page fault in REP STOS", "fault_pf_rep_ring3", true},
	{"x87 not available", "fault_nm", false},
	{"SSE exception", "fault_xm_ring0", false},
	{"SSE exception", "fault_xm_ring3", true},
	{"privileged instruction", "fault_gp_privileged", true},
	{"SYSCALL", "syscall", true},
	{"SYSENTER", "sysenter", true},
	{"software interrupt", "int_ring0", false},
	{"software interrupt", "int_ring3", true},
	{"breakpoint", "int3_ring0", false},
	{"breakpoint", "int3_ring3", true},
	{NULL, NULL, false},
};

const char *const kernels_sampled[] = {
	"loads",
	"stores",
	"loads_split_line",
	"stores_split_line",
	"load_op_store",
	"calls",
	"branches_alternating",
	"branches_taken",
	"jumps_indirect",
	"branches_random",
	"mix",
	"movs_single",
	"clflush_reload",
	"tlb_flush_page",
	"tlb_flush_store",
	"x87_arithmetic",
	"x87_loads",
	"sse_arithmetic",
	"sse_ps",
	"sse_pd",
	"sse_ss",
	"sse_sd",
	"sse_loads",
	"sse_integer",
	"mmx_arithmetic",
	"forward_blocked",
	"nop_loop",
	NULL,
};

const char *const kernels_sampled_more[] = {"sse_ps", "avx256_ps", "calls", NULL};

const char kernel_flushes[] = "clflush_reload";

const char kernels_traced[] =
	"branches_taken,branches_random,conditions,conditions_near,loop_instruction,jump_if_rcx_zero,"
	"loops_nested,jumps_direct,jumps_indirect,jumps_to_next,calls,calls_indirect,calls_deep,"
	"returns_unpaired,returns_far,iret_self,int_*,syscall,fault_ud_*";

const char kernels_of_misses[] = "nop_loop,calls,branches_random,clflush_reload,chain_l1_fits,chain_l2";
