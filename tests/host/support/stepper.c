#define _GNU_SOURCE
#include "tests/host/support/stepper.h"
#include "pmu/account.h"
#include "pmu/denormals.h"
#include "tests/kernels/code_ring.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define RINGS      (KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL)
#define CODE_SIZE  0x10000 /* the rings of code are behind it */
#define STACK_SIZE 0x4000
#define STEP_LIMIT 5000000
#define RFLAGS_DF  (1u << 10)
#define XSTATE_MAX 16384

/* Where the image sends faults, INT3 and SYSCALL of kernels (tests/kernels/handlers.S). They run in ring 0,
 * so here they are only accounted for. */
extern const uint8_t kernel_on_fault[], kernel_on_fault_code[], kernel_on_test_int[], kernel_on_syscall[];

static struct {
	pid_t child;
	uint8_t *code_rw, *code_rx, *stack; /* at the same addresses in both processes */
	uint8_t *data[2];                   /* the second has an absent page */
	struct user_regs_struct initial;
	uint8_t xstate[XSTATE_MAX]; /* as FNINIT and reset leave it */
	size_t xstate_size;
	uint64_t random; /* seed of the kernels' generator, another one in each run */
	void (*seen)(const struct insn_retired *did, const uint8_t *code, uint64_t rip, uint64_t next);
	char why[160];
} s;

static const char *because(const char *format, ...) __attribute__((format(printf, 1, 2)));
static const char *because(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(s.why, sizeof s.why, format, args);
	va_end(args);
	return s.why;
}

/* --- the child -------------------------------------------------------------------------------------- */

static void *shared(size_t size, int protection, int fd)
{
	return mmap(NULL, size, protection, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
}

/** Let the child go on as `request` says until it stops again. @return the signal, 0 if it is gone */
static int resume(long request)
{
	int status;
	if (ptrace((enum __ptrace_request)request, s.child, NULL, NULL) ||
	    waitpid(s.child, &status, 0) != s.child)
		return 0;
	return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

static bool save_xstate(void)
{
	struct iovec io = {s.xstate, sizeof s.xstate};
	if (ptrace(PTRACE_GETREGSET, s.child, (void *)NT_X86_XSTATE, &io))
		return false;
	s.xstate_size = io.iov_len;
	/* Nothing but x87 and SSE in use, both as after reset; the bytes 464 to 511 belong to the kernel. SDM
	 * vol. 1, 13.4. */
	uint8_t software[48];
	memcpy(software, s.xstate + 464, sizeof software);
	memset(s.xstate, 0, sizeof s.xstate);
	memcpy(s.xstate + 464, software, sizeof software);
	memcpy(s.xstate, &(uint16_t){0x37f}, 2);
	memcpy(s.xstate + 24, &(uint32_t){0x1f80}, 4);
	s.xstate[512] = 3;
	return true;
}

const char *stepper_start(void)
{
	int fd = memfd_create("kernel code", 0);
	if (fd < 0 || ftruncate(fd, CODE_SIZE + KERNEL_CODE_SIZE))
		return because("no memory for the code: %s", strerror(errno));
	stepper_absent_segment(); /* the child inherits it */
	s.code_rw = shared(CODE_SIZE + KERNEL_CODE_SIZE, PROT_READ | PROT_WRITE, fd);
	s.code_rx = shared(CODE_SIZE + KERNEL_CODE_SIZE, PROT_READ | PROT_EXEC, fd);
	for (unsigned i = 0; i < 2; i++)
		s.data[i] = shared(KERNEL_DATA_SIZE, PROT_READ | PROT_WRITE, -1);
	s.stack = shared(STACK_SIZE, PROT_READ | PROT_WRITE, -1);
	close(fd);
	if (s.code_rw == MAP_FAILED || s.code_rx == MAP_FAILED || s.data[0] == MAP_FAILED ||
	    s.data[1] == MAP_FAILED || s.stack == MAP_FAILED ||
	    mprotect(s.data[1] + KERNEL_SPECIAL, KERNEL_DATA_SIZE - KERNEL_SPECIAL, PROT_NONE))
		return because("no memory for the kernels: %s", strerror(errno));
	code_ring_fill(s.code_rw + CODE_SIZE);

	int status;
	s.child = fork();
	if (s.child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	if (s.child < 0 || waitpid(s.child, &status, 0) != s.child)
		return because("no child process: %s", strerror(errno));
	if (!WIFSTOPPED(status))
		return because("ptrace is not allowed here");
	if (ptrace(PTRACE_SETOPTIONS, s.child, NULL, (void *)PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, s.child, NULL, &s.initial) || !save_xstate())
		return because("ptrace cannot read registers here: %s", strerror(errno));
	return NULL;
}

void stepper_stop(void)
{
	kill(s.child, SIGKILL);
	waitpid(s.child, NULL, 0);
}

/* --- one kernel ------------------------------------------------------------------------------------- */

static void to_encoding_order(const struct user_regs_struct *r, struct insn_registers *out)
{
	*out = (struct insn_registers){
		.gpr = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi, r->r8, r->r9, r->r10,
			r->r11, r->r12, r->r13, r->r14, r->r15},
		.rip = r->rip,
		.fs_base = r->fs_base,
		.gs_base = r->gs_base,
	};
}

/** Elements that the gather or scatter about to run accesses, from the child's mask register. */
static unsigned gather_elements(const uint8_t *code, const struct insn *in)
{
	static uint8_t xstate[XSTATE_MAX];
	struct iovec io = {xstate, sizeof xstate};
	struct insn_gather g;
	uint8_t mask[32];
	unsigned size, offset, c, d;

	insn_gather(code, in, &g);
	if (ptrace(PTRACE_GETREGSET, s.child, (void *)NT_X86_XSTATE, &io))
		return 0;
	/* Where the components lie: SDM vol. 1, 13.4.3. */
	__cpuid_count(13, g.opmask ? 5 : 2, size, offset, c, d);
	(void)size, (void)c, (void)d;
	if (g.opmask) {
		memcpy(mask, xstate + offset + 8 * g.mask, 8);
	} else {
		memcpy(mask, xstate + 160 + 16 * g.mask, 16);
		memcpy(mask + 16, xstate + offset + 16 * g.mask, 16);
	}
	return insn_gather_elements(&g, mask);
}

static uint64_t branch_target(const uint8_t *code, const struct insn *in, uint64_t next)
{
	bool near = in->special == INSN_JCC && in->length >= 6 && code[in->length - 6] == 0x0f;
	int32_t displacement = (int8_t)code[in->length - 1];
	if (near)
		memcpy(&displacement, code + in->length - 4, 4);
	return next + (uint64_t)(int64_t)displacement;
}

/** Everything that is known before an instruction runs. */
static void look_at(const uint8_t *code, const struct insn *in, const struct user_regs_struct *r,
		    struct insn_retired *did)
{
	struct insn_registers registers;
	*did = (struct insn_retired){
		.insn = in,
		.cpl = 3,
		.cpl_after = 3,
		.backwards = r->eflags & RFLAGS_DF,
		.stack = r->rsp,
		.source = r->rsi,
		.dest = r->rdi,
		.frame = r->rbp,
		.taken = insn_branch_taken(in, r->eflags, r->rcx),
		.iterations = 1,
	};
	if (in->flags & INSN_F_MEM) {
		to_encoding_order(r, &registers);
		did->address = insn_effective_address(code, in, &registers);
	}
	if (in->special == INSN_MASKMOV)
		did->iterations = gather_elements(code, in);
}

/** Add what it did to *out. @return NULL, or how the CPU disagrees about where it went */
static const char *account(const uint8_t *code, const struct insn_retired *did, uint64_t rip, uint64_t after,
			   struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct qvec one = {{0}};
	unsigned n = account_retired(did, terms);
	uint64_t next = rip + did->insn->length, expected = next;

	account_add(&one, terms, n);
	account_add(out, terms, n);
	if (s.seen)
		s.seen(did, code, rip, after);
	if (one.v[Q_BR_COND])
		expected = did->taken ? branch_target(code, did->insn, next) : next;
	else if (one.v[Q_BRANCHES])
		return NULL;
	if (after != expected)
		return because("the CPU went from +%#lx to +%#lx where the decoder says +%#lx",
			       rip - (uint64_t)s.code_rx, after - (uint64_t)s.code_rx,
			       expected - (uint64_t)s.code_rx);
	return NULL;
}

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

/** Make one step. *signal is 0 if it retired (or iterated), else what it raised instead. */
static const char *step_once(struct user_regs_struct *r, int *signal)
{
	*signal = resume(PTRACE_SINGLESTEP);
	if (*signal == 0)
		return because("the process is gone");
	if (*signal == SIGTRAP)
		*signal = 0;
	if (ptrace(PTRACE_GETREGS, s.child, NULL, r))
		return because("ptrace: %s", strerror(errno));
	return NULL;
}

/** What the handler's instructions contribute, from its first to its IRETQ or SYSRET; its stack is aligned.
 */
static void account_handler(const uint8_t *code, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct insn in;
	bool returns;

	do {
		if (!insn_decode(code, 15, &in))
			return;
		returns = in.special == INSN_IRET || in.special == INSN_SYSRET;
		struct insn_retired did = {.insn = &in, .cpl_after = returns ? 3 : 0};
		account_add(out, terms, account_retired(&did, terms));
		code += in.length;
	} while (!returns);
}

/** Make the step of SYSCALL: the operating system finds a number that it does not have. */
static const char *step_syscall(struct user_regs_struct *r, int *signal)
{
	uint64_t rax = r->rax;
	const char *why;

	r->rax = ~0ull;
	if (ptrace(PTRACE_SETREGS, s.child, NULL, r))
		return because("ptrace: %s", strerror(errno));
	why = step_once(r, signal);
	r->rax = rax;
	r->orig_rax = ~0ull;
	return why || !ptrace(PTRACE_SETREGS, s.child, NULL, r) ? why
								: because("ptrace: %s", strerror(errno));
}

/** INT3 or SYSCALL has retired: the operating system's handler stands for the image's, which the kernel asks
 * for. */
static const char *account_call(const struct kernel *k, const struct insn *in, struct qvec *out)
{
	bool int3 = in->special == INSN_INT3, call = in->special == INSN_SYSCALL;
	struct qterm terms[ACCOUNT_TERMS];

	if (!int3 && !call)
		return NULL;
	if (!(k->flags & (int3 ? KERNEL_SERVICE_TEST_INT : KERNEL_SERVICE_SYSCALL)))
		return because("%s without the service for it", int3 ? "INT3" : "SYSCALL");
	if (int3)
		account_add(out, terms, account_event(STEP_SOFT_INTERRUPT, 3, 3, terms));
	account_handler(int3 ? kernel_on_test_int : kernel_on_syscall, out);
	return NULL;
}

/**
 * The instruction faulted. It did not retire; iterations that a string instruction had made count. Go on
 * where the image's handler would return to.
 */
static const char *fault(const struct kernel *k, int signal, const uint8_t *code, struct insn_retired *did,
			 struct user_regs_struct *r, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct qvec one = {{0}};
	siginfo_t info;

	account_add(&one, terms, account_retired(did, terms));
	if (ptrace(PTRACE_GETSIGINFO, s.child, NULL, &info))
		return because("ptrace: %s", strerror(errno));
	int vector = vector_of(signal, &info, one.v[Q_INSN_X87], loads_data_segment(code, did->insn));
	if (vector < 0 || !(k->flags & KERNEL_SERVICE_RESUME))
		return because("%s at +%#llx", strsignal(signal),
			       r->rip - (unsigned long long)(uintptr_t)s.code_rx);
	if (did->insn->special == INSN_STRING) {
		did->partial = true;
		account_add(out, terms, account_retired(did, terms));
	}
	account_add(out, terms, account_event(STEP_EXCEPTION, (unsigned)vector, 3, terms));
	account_handler(1u << vector & WITH_CODE ? kernel_on_fault_code : kernel_on_fault, out);
	r->rip = r->r9;
	return ptrace(PTRACE_SETREGS, s.child, NULL, r) ? because("ptrace: %s", strerror(errno)) : NULL;
}

/* --- transactions ----------------------------------------------------------------------------------- */

#define RFLAGS_STATUS 0x8d5u /* CF, PF, AF, ZF, SF, OF */
#define RFLAGS_ZF     0x40u

static struct {
	enum outcome outcome;
	unsigned depth;
	uint64_t fallback;
	struct user_regs_struct begin;
	uint8_t data[KERNEL_DATA_SIZE], stack[STACK_SIZE], xstate[XSTATE_MAX];
	size_t xstate_size;
} transaction;

void stepper_transactions(enum outcome outcome)
{
	transaction.outcome = outcome;
}

/** All is as at XBEGIN, but for RIP and EAX. */
static const char *transaction_abort(struct user_regs_struct *r, uint32_t status, uint8_t *data)
{
	struct iovec io = {transaction.xstate, transaction.xstate_size};

	transaction.depth = 0;
	*r = transaction.begin;
	r->rip = transaction.fallback;
	r->rax = status;
	memcpy(data, transaction.data, KERNEL_SPECIAL);
	memcpy(s.stack, transaction.stack, STACK_SIZE);
	return ptrace(PTRACE_SETREGSET, s.child, (void *)NT_X86_XSTATE, &io)
		       ? because("ptrace: %s", strerror(errno))
		       : NULL;
}

static const char *transaction_begin(const struct user_regs_struct *r, uint64_t fallback, const uint8_t *data)
{
	struct iovec io = {transaction.xstate, sizeof transaction.xstate};

	transaction.begin = *r;
	transaction.fallback = fallback;
	memcpy(transaction.data, data, KERNEL_SPECIAL);
	memcpy(transaction.stack, s.stack, STACK_SIZE);
	if (ptrace(PTRACE_GETREGSET, s.child, (void *)NT_X86_XSTATE, &io))
		return because("ptrace: %s", strerror(errno));
	transaction.xstate_size = io.iov_len;
	return NULL;
}

/** Whether the stepper, not the CPU, carries the instruction out. */
static bool is_lent(const struct insn *in)
{
	return in->special == INSN_XBEGIN || in->special == INSN_XEND || in->special == INSN_XABORT ||
	       in->special == INSN_XTEST || (transaction.depth && in->special == INSN_CPUID) ||
	       (in->special == INSN_SERIALIZE && !stepper_cpu_has(CPU_SERIALIZE));
}

/** SDM vol. 1, 16.3; vol. 2, XBEGIN, XEND, XABORT, XTEST. */
static const char *lend(const uint8_t *code, const struct insn *in, struct user_regs_struct *r, uint8_t *data)
{
	uint64_t next = r->rip + in->length;
	const char *why = NULL;
	int32_t displacement;

	switch (in->special) {
	case INSN_XBEGIN:
		memcpy(&displacement, code + in->length - 4, 4);
		r->rip = next;
		if (transaction.outcome == OUTCOME_ABORT) {
			r->rip = next + (uint64_t)(int64_t)displacement;
			r->rax = 0;
		} else if (!transaction.depth++) {
			why = transaction_begin(r, next + (uint64_t)(int64_t)displacement, data);
		}
		break;
	case INSN_XEND:
		if (!transaction.depth)
			return because("XEND without a transaction");
		transaction.depth--;
		r->rip = next;
		break;
	case INSN_XTEST:
		r->eflags &= ~RFLAGS_STATUS;
		r->eflags |= transaction.depth ? 0 : RFLAGS_ZF;
		r->rip = next;
		break;
	case INSN_XABORT:
	case INSN_CPUID: /* in a transaction */
		r->rip = next;
		if (transaction.depth)
			why = transaction_abort(
				r, in->special == INSN_XABORT ? (uint32_t)code[2] << 24 | 1 : 0, data);
		break;
	default:
		r->rip = next;
	}
	if (!why && ptrace(PTRACE_SETREGS, s.child, NULL, r))
		why = because("ptrace: %s", strerror(errno));
	return why;
}

static const char *set_up(const struct kernel *k, uint64_t n, struct user_regs_struct *r)
{
	size_t size = (size_t)(k->code_end - k->code);
	bool absent = k->flags & KERNEL_SERVICE_ABSENT;
	uint8_t *data = s.data[absent];
	if (size > CODE_SIZE)
		return because("the kernel does not fit");
	memcpy(s.code_rw, k->code, size);
	memset(data, 0, absent ? KERNEL_SPECIAL : KERNEL_DATA_SIZE);
	uint64_t rings = (uint64_t)(s.code_rx + CODE_SIZE);
	/* A circular chain of one element. */
	struct kernel_params params = {
		.chain = (uint64_t)(data + KERNEL_SCRATCH),
		.random = ++s.random,
		.code = k->flags & KERNEL_SERVICE_CODE ? rings + code_ring_segment(false, 0) : 0,
		.full = k->flags & KERNEL_SERVICE_CODE_FULL ? rings + code_ring_segment(true, 0) : 0,
		.segment = k->flags & KERNEL_SERVICE_SEGMENT ? stepper_absent_segment() : 0,
	};
	memcpy(data, &params, sizeof params);
	memcpy(data + KERNEL_SCRATCH, &params.chain, 8);

	*r = s.initial;
	r->rax = r->rbx = r->rcx = r->rdx = r->rbp = r->r9 = r->r10 = r->r11 = 0;
	r->rdi = n;
	r->rsi = (uint64_t)data;
	r->r8 = (uint64_t)(s.code_rw - s.code_rx);
	r->rsp = (uint64_t)(s.stack + STACK_SIZE - 1024);
	r->r12 = 12, r->r13 = 13, r->r14 = 14, r->r15 = 15;
	r->rip = (uint64_t)s.code_rx;
	r->eflags = 0x202;
	r->orig_rax = ~0ull; /* not in a system call that could be restarted */
	struct iovec io = {s.xstate, s.xstate_size};
	if (ptrace(PTRACE_SETREGS, s.child, NULL, r) ||
	    ptrace(PTRACE_SETREGSET, s.child, (void *)NT_X86_XSTATE, &io))
		return because("ptrace: %s", strerror(errno));
	return NULL;
}

/* --- another processor ------------------------------------------------------------------------------ */

static volatile bool rival_stops;

/* As the image's other processor does it, into the page that the child shares. Whether it runs at the same
 * time is the operating system's affair; what the child retires must not depend on it. */
static void *rival(void *arg)
{
	for (volatile uint32_t *line = arg; !rival_stops; sched_yield())
		line[0] += line[1] + 1;
	return NULL;
}

static bool rival_start(const struct kernel *k, pthread_t *thread)
{
	rival_stops = false;
	return k->flags & (KERNEL_SERVICE_RIVAL | KERNEL_SERVICE_SIBLING) &&
	       !pthread_create(thread, NULL, rival, s.data[0] + KERNEL_SPECIAL);
}

void stepper_code_alias(uint64_t *start, uint64_t *end, uint64_t *distance)
{
	*start = (uint64_t)s.code_rw;
	*end = *start + CODE_SIZE;
	*distance = (uint64_t)(s.code_rx - s.code_rw);
}

bool stepper_denormal(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
		      unsigned n_terms)
{
	static uint8_t xstate[XSTATE_MAX];
	struct iovec io = {xstate, sizeof xstate};
	uint8_t memory[DENORMALS_MEMORY] = {0};
	const uint8_t *data = s.data[0] <= (uint8_t *)did->address &&
					      (uint8_t *)did->address < s.data[0] + KERNEL_DATA_SIZE - 16
				      ? (const uint8_t *)did->address
				      : NULL;

	if (!denormals_possible(did, code, terms, n_terms) ||
	    ptrace(PTRACE_GETREGSET, s.child, (void *)NT_X86_XSTATE, &io))
		return false;
	if (data)
		memcpy(memory, data, sizeof memory);
	return denormals_met(did, code, terms, n_terms, xstate, memory);
}

void stepper_watch(void (*seen)(const struct insn_retired *did, const uint8_t *code, uint64_t rip,
				uint64_t next))
{
	s.seen = seen;
}

static const char *run(const struct kernel *k, uint64_t n, struct qvec *out)
{
	struct user_regs_struct r;
	uint64_t begin = (uint64_t)s.code_rx, end = begin + (uint64_t)(k->code_end - k->code);
	const char *why = set_up(k, n, &r);
	uint8_t *data = s.data[!!(k->flags & KERNEL_SERVICE_ABSENT)];
	uint64_t rsp = r.rsp;

	memset(out, 0, sizeof *out);
	transaction.depth = 0;
	for (unsigned steps = 0; !why && r.rip != end; steps++) {
		struct user_regs_struct before = r;
		const uint8_t *code = s.code_rw + (before.rip - begin);
		bool in_ring = k->flags & RINGS && before.rip - begin - CODE_SIZE < KERNEL_CODE_SIZE;
		struct insn in, second;
		struct insn_retired did;

		if ((before.rip < begin || before.rip > end) && !in_ring)
			return because("left the kernel to %#llx", before.rip);
		if (!insn_decode(code, in_ring ? 15 : end - before.rip, &in))
			return because("no instruction at +%#llx", before.rip - (unsigned long long)begin);
		look_at(code, &in, &before, &did);
		if (is_lent(&in)) {
			why = lend(code, &in, &r, data);
			struct qterm terms[ACCOUNT_TERMS];
			account_add(out, terms, account_retired(&did, terms));
			if (s.seen)
				s.seen(&did, code, before.rip, r.rip);
			continue;
		}
		int signal;
		if (in.special == INSN_SYSCALL)
			did.cpl_after = 0;
		why = in.special == INSN_SYSCALL ? step_syscall(&r, &signal) : step_once(&r, &signal);
		if (in.special == INSN_STRING && (in.flags & INSN_F_REP)) {
			/* One trap per iteration, and on some CPUs one more. */
			while (!why && !signal && r.rip == before.rip && ++steps < STEP_LIMIT)
				why = step_once(&r, &signal);
			did.iterations = before.rcx - r.rcx;
		}
		if (why)
			return why;
		if (signal && transaction.depth) {
			why = transaction_abort(&r, 0, data);
			if (!why && ptrace(PTRACE_SETREGS, s.child, NULL, &r))
				why = because("ptrace: %s", strerror(errno));
			continue;
		}
		if (signal) {
			if (in.special == INSN_STRING && !(in.flags & INSN_F_REP))
				did.iterations = 0;
			why = fault(k, signal, code, &did, &r, out);
			continue;
		}
		if (in.special == INSN_MOV_SS && r.rip != before.rip + in.length) {
			/* The trap is held off until after the next instruction. */
			uint64_t next = before.rip + in.length;
			why = account(code, &did, before.rip, next, out);
			before.rip = next;
			code += in.length;
			if (!insn_decode(code, end - next, &second))
				return because("no instruction at +%#lx", next - begin);
			look_at(code, &second, &before, &did);
		}
		if (!why)
			why = account(code, &did, before.rip, r.rip, out);
		if (!why)
			why = account_call(k, &in, out);
		if (steps >= STEP_LIMIT)
			why = because("no end after %u steps", STEP_LIMIT);
	}
	if (why)
		return why;
	if (r.rsp != rsp || (r.eflags & RFLAGS_DF) || r.r12 != 12 || r.r13 != 13 || r.r14 != 14 ||
	    r.r15 != 15)
		return because("leaves RSP, DF or R12 to R15 changed");
	return NULL;
}

const char *stepper_run(const struct kernel *k, uint64_t n, struct qvec *out)
{
	pthread_t thread;
	bool started = rival_start(k, &thread);
	const char *why = run(k, n, out);

	rival_stops = true;
	if (started)
		pthread_join(thread, NULL);
	return why;
}
