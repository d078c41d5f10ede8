#define _GNU_SOURCE
#include "arch/x86/step/account.h"
#include "tests/self/host/support/stepper_internal.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

/* Where the image sends interrupts, faults and system calls of kernels (tests/kernels/x86/handlers.S). They
 * run in ring 0, so here they are only accounted for. */
extern const uint8_t kernel_on_fault[], kernel_on_fault_code[], kernel_on_test_int[], kernel_on_syscall[],
	kernel_on_sysenter[], kernel_on_xapic[], kernel_on_x2apic[], kernel_on_syscall_xapic[],
	kernel_on_syscall_x2apic[];

/* What interrupts a process. */
#define INTERRUPT SIGUSR1

#define SERVICES_IPI (KERNEL_SERVICE_IPI_XAPIC | KERNEL_SERVICE_IPI_X2APIC)

/* Exceptions that push an error code. */
#define WITH_CODE (1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 17)

/** MOV to DS, ES, FS or GS: a segment that is not present is #NP there, and #SS of SS. SDM vol. 2, MOV. */
static bool loads_data_segment(const uint8_t *code, const struct insn *in)
{
	return in->modrm_at && code[in->modrm_at - 1] == 0x8e && in->special != INSN_MOV_SS;
}

/** The exception vector behind a signal, -1 if it is none. `x87`, `segment`: of the instruction. */
static int vector_of(int signal, const siginfo_t *info, bool x87, bool segment)
{
	switch (signal) {
	case SIGILL:
		return 6;
	case SIGFPE:
		return info->si_code == FPE_INTDIV ? 0 : x87 ? 16 : 19;
	case SIGSEGV:
		return info->si_code == SI_KERNEL ? 13 : 14;
	case SIGBUS:
		return info->si_code == BUS_ADRALN ? 17 : segment ? 11 : 12;
	default:
		return -1;
	}
}

/** What the handler's instructions contribute, from its first to the one that returns to ring 3; its stack is
 * aligned. */
static void account_handler(const uint8_t *code, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct insn in;
	bool returns;

	do {
		if (!insn_decode(code, 15, &in))
			return;
		returns = in.special == INSN_IRET || in.special == INSN_SYSRET || in.special == INSN_SYSEXIT;
		struct insn_retired did = {.insn = &in, .cpl_after = returns ? 3 : 0};
		qvec_add(out, terms, account_retired(&did, terms));
		code += in.length;
	} while (!returns);
}

/* How software asks for a handler. */
struct call {
	uint8_t special; /* enum insn_special */
	char name[12];
	uint64_t service;
	const uint8_t *handler;
	bool delivered; /* through the IDT */
};

static const struct call calls[] = {
	{INSN_INT, "INT n", KERNEL_SERVICE_TEST_INT, kernel_on_test_int, true},
	{INSN_INT3, "INT3", KERNEL_SERVICE_TEST_INT, kernel_on_test_int, true},
	{INSN_INT1, "INT1", KERNEL_SERVICE_TEST_INT, kernel_on_test_int, true},
	{INSN_SYSCALL, "SYSCALL", KERNEL_SERVICE_IPI_XAPIC, kernel_on_syscall_xapic, false},
	{INSN_SYSCALL, "SYSCALL", KERNEL_SERVICE_IPI_X2APIC, kernel_on_syscall_x2apic, false},
	{INSN_SYSCALL, "SYSCALL", KERNEL_SERVICE_SYSCALL, kernel_on_syscall, false},
	{INSN_SYSENTER, "SYSENTER", KERNEL_SERVICE_SYSENTER, kernel_on_sysenter, false},
};
#define CALLS (sizeof calls / sizeof *calls)

const char *stepper_call(const struct kernel *k, const struct insn *in, struct user_regs_struct *r,
			 struct qvec *out)
{
	const struct call *c = calls, *last = NULL;
	struct qterm terms[ACCOUNT_TERMS];

	for (; c < calls + CALLS && (c->special != in->special || !(k->flags & c->service)); c++)
		last = c->special == in->special ? c : last;
	if (c == calls + CALLS)
		return last ? stepper_because("%s without the service for it", last->name) : NULL;
	if (c->delivered)
		qvec_add(out, terms, account_event(STEP_SOFT_INTERRUPT, KERNEL_VECTOR, 3, terms));
	account_handler(c->handler, out);
	if (c->service & SERVICES_IPI && kill(stepper.child, INTERRUPT))
		return stepper_because("the child cannot be interrupted: %s", strerror(errno));
	if (in->special != INSN_SYSENTER)
		return NULL;
	/* SDM vol. 2, SYSEXIT */
	r->rip = r->rdx;
	r->rsp = r->rcx;
	return stepper_set_registers(r);
}

bool stepper_is_interrupt(int signal)
{
	return signal == INTERRUPT;
}

const char *stepper_interrupt(const struct kernel *k, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];

	if (!(k->flags & SERVICES_IPI))
		return stepper_because("an interrupt without the service for it");
	qvec_add(out, terms, account_event(STEP_INTERRUPT, KERNEL_VECTOR, 3, terms));
	account_handler(k->flags & KERNEL_SERVICE_IPI_XAPIC ? kernel_on_xapic : kernel_on_x2apic, out);
	return NULL;
}

const char *stepper_fault(const struct kernel *k, int signal, const uint8_t *code, struct insn_retired *did,
			  struct user_regs_struct *r, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct qvec one = {{0}};
	siginfo_t info;

	qvec_add(&one, terms, account_retired(did, terms));
	if (ptrace(PTRACE_GETSIGINFO, stepper.child, NULL, &info))
		return stepper_because("ptrace: %s", strerror(errno));
	int vector = vector_of(signal, &info, one.v[Q_INSN_X87], loads_data_segment(code, did->insn));
	if (vector < 0 || !(k->flags & KERNEL_SERVICE_RESUME))
		return stepper_because("%s at +%#llx", strsignal(signal),
				       r->rip - (unsigned long long)(uintptr_t)stepper.code_rx);
	if (did->insn->special == INSN_STRING) {
		did->partial = true;
		qvec_add(out, terms, account_retired(did, terms));
	}
	qvec_add(out, terms, account_event(STEP_EXCEPTION, (unsigned)vector, 3, terms));
	account_handler(1u << vector & WITH_CODE ? kernel_on_fault_code : kernel_on_fault, out);
	r->rip = r->r9;
	return stepper_set_registers(r);
}
