#define _GNU_SOURCE
#include "tests/self/host/support/other_cpu.h"
#include "tests/self/host/support/stepper_internal.h"
#include "arch/x86/step/account.h"
#include "arch/x86/step/denormals.h"
#include "tests/kernels/x86/code_ring.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define RINGS      (KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL)
#define CODE_SIZE  0x10000 /* the rings of code are behind it */
#define STEP_LIMIT 5000000
#define RFLAGS_DF  (1u << 10)

struct stepper stepper;

const char *stepper_because(const char *format, ...)
{
	static char why[160];
	va_list args;
	va_start(args, format);
	vsnprintf(why, sizeof why, format, args);
	va_end(args);
	return why;
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
	if (ptrace((enum __ptrace_request)request, stepper.child, NULL, NULL) ||
	    waitpid(stepper.child, &status, 0) != stepper.child)
		return 0;
	return WIFSTOPPED(status) ? WSTOPSIG(status) : 0;
}

static bool save_xstate(void)
{
	struct iovec io = {stepper.xstate, sizeof stepper.xstate};
	if (ptrace(PTRACE_GETREGSET, stepper.child, (void *)NT_X86_XSTATE, &io))
		return false;
	stepper.xstate_size = io.iov_len;
	/* Nothing but x87 and SSE in use, both as after reset; the bytes 464 to 511 belong to the kernel. SDM
	 * vol. 1, 13.4. */
	uint8_t software[48];
	memcpy(software, stepper.xstate + 464, sizeof software);
	memset(stepper.xstate, 0, sizeof stepper.xstate);
	memcpy(stepper.xstate + 464, software, sizeof software);
	memcpy(stepper.xstate, &(uint16_t){0x37f}, 2);
	memcpy(stepper.xstate + 24, &(uint32_t){0x1f80}, 4);
	stepper.xstate[512] = 3;
	return true;
}

const char *stepper_start(void)
{
	int fd = memfd_create("kernel code", 0);
	if (!other_cpu_from_environment()) {
		fprintf(stderr, "%s=%s: there is no CPU to answer as but low, high and plain\n", OTHER_CPU,
			getenv(OTHER_CPU));
		exit(2);
	}
	if (fd < 0 || ftruncate(fd, CODE_SIZE + KERNEL_CODE_SIZE))
		return stepper_because("no memory for the code: %s", strerror(errno));
	stepper_absent_segment(); /* the child inherits it */
	stepper.code_rw = shared(CODE_SIZE + KERNEL_CODE_SIZE, PROT_READ | PROT_WRITE, fd);
	stepper.code_rx = shared(CODE_SIZE + KERNEL_CODE_SIZE, PROT_READ | PROT_EXEC, fd);
	for (unsigned i = 0; i < 2; i++)
		stepper.data[i] = shared(KERNEL_DATA_SIZE, PROT_READ | PROT_WRITE, -1);
	stepper.stack = shared(STACK_SIZE, PROT_READ | PROT_WRITE, -1);
	close(fd);
	if (stepper.code_rw == MAP_FAILED || stepper.code_rx == MAP_FAILED || stepper.data[0] == MAP_FAILED ||
	    stepper.data[1] == MAP_FAILED || stepper.stack == MAP_FAILED ||
	    mprotect(stepper.data[1] + KERNEL_SPECIAL, KERNEL_DATA_SIZE - KERNEL_SPECIAL, PROT_NONE))
		return stepper_because("no memory for the kernels: %s", strerror(errno));
	code_ring_fill(stepper.code_rw + CODE_SIZE);

	int status;
	stepper.child = fork();
	if (stepper.child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	if (stepper.child < 0 || waitpid(stepper.child, &status, 0) != stepper.child)
		return stepper_because("no child process: %s", strerror(errno));
	if (!WIFSTOPPED(status))
		return stepper_because("ptrace is not allowed here");
	if (ptrace(PTRACE_SETOPTIONS, stepper.child, NULL, (void *)PTRACE_O_EXITKILL) ||
	    ptrace(PTRACE_GETREGS, stepper.child, NULL, &stepper.initial) || !save_xstate())
		return stepper_because("ptrace cannot read registers here: %s", strerror(errno));
	return NULL;
}

void stepper_stop(void)
{
	kill(stepper.child, SIGKILL);
	waitpid(stepper.child, NULL, 0);
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
	if (ptrace(PTRACE_GETREGSET, stepper.child, (void *)NT_X86_XSTATE, &io))
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
		.cpl_after = in->special == INSN_SYSCALL || in->special == INSN_SYSENTER ? 0 : 3,
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

	qvec_add(&one, terms, n);
	qvec_add(out, terms, n);
	if (stepper.seen)
		stepper.seen(did, code, rip, after);
	if (one.v[Q_BR_COND])
		expected = did->taken ? branch_target(code, did->insn, next) : next;
	else if (one.v[Q_BRANCHES])
		return NULL;
	if (after != expected)
		return stepper_because("the CPU went from +%#lx to +%#lx where the decoder says +%#lx",
				       rip - (uint64_t)stepper.code_rx, after - (uint64_t)stepper.code_rx,
				       expected - (uint64_t)stepper.code_rx);
	return NULL;
}

const char *stepper_set_registers(const struct user_regs_struct *r)
{
	return ptrace(PTRACE_SETREGS, stepper.child, NULL, r) ? stepper_because("ptrace: %s", strerror(errno))
							      : NULL;
}

/** Let the registers be as another CPU might have left them. */
static const char *answer_otherwise(const uint8_t *code, const struct insn *in,
				    const struct user_regs_struct *before, struct user_regs_struct *r)
{
	struct user_regs_struct real = *r;

	if (!stepper.otherwise)
		return NULL;
	stepper.otherwise(code, in, before, r);
	return memcmp(&real, r, sizeof real) ? stepper_set_registers(r) : NULL;
}

/** Make one step. *signal is 0 if it retired (or iterated), else what it raised instead. */
static const char *step_once(struct user_regs_struct *r, int *signal)
{
	*signal = resume(PTRACE_SINGLESTEP);
	if (*signal == 0)
		return stepper_because("the process is gone");
	if (*signal == SIGTRAP)
		*signal = 0;
	if (ptrace(PTRACE_GETREGS, stepper.child, NULL, r))
		return stepper_because("ptrace: %s", strerror(errno));
	return NULL;
}

/** Make the step of SYSCALL: the operating system finds a number that it does not have. */
static const char *step_syscall(struct user_regs_struct *r, int *signal)
{
	uint64_t rax = r->rax;
	const char *why;

	r->rax = ~0ull;
	why = stepper_set_registers(r);
	if (!why)
		why = step_once(r, signal);
	r->rax = rax;
	r->orig_rax = ~0ull;
	return why ? why : stepper_set_registers(r);
}

static const char *set_up(const struct kernel *k, uint64_t n, struct user_regs_struct *r)
{
	size_t size = (size_t)(k->code_end - k->code);
	bool absent = k->flags & KERNEL_SERVICE_ABSENT;
	uint8_t *data = stepper.data[absent];
	if (size > CODE_SIZE)
		return stepper_because("the kernel does not fit");
	memcpy(stepper.code_rw, k->code, size);
	memset(data, 0, absent ? KERNEL_SPECIAL : KERNEL_DATA_SIZE);
	uint64_t rings = (uint64_t)(stepper.code_rx + CODE_SIZE);
	/* A circular chain of one element. */
	struct kernel_params params = {
		.chain = (uint64_t)(data + KERNEL_SCRATCH),
		.random = ++stepper.random,
		.code = k->flags & KERNEL_SERVICE_CODE ? rings + code_ring_segment(false, 0) : 0,
		.full = k->flags & KERNEL_SERVICE_CODE_FULL ? rings + code_ring_segment(true, 0) : 0,
		.segment = k->flags & KERNEL_SERVICE_SEGMENT ? stepper_absent_segment() : 0,
	};
	memcpy(data, &params, sizeof params);
	memcpy(data + KERNEL_SCRATCH, &params.chain, 8);

	*r = stepper.initial;
	r->rax = r->rbx = r->rcx = r->rdx = r->rbp = r->r9 = r->r10 = r->r11 = 0;
	r->rdi = n;
	r->rsi = (uint64_t)data;
	r->r8 = (uint64_t)(stepper.code_rw - stepper.code_rx);
	r->rsp = (uint64_t)(stepper.stack + STACK_SIZE - 1024);
	r->r12 = 12, r->r13 = 13, r->r14 = 14, r->r15 = 15;
	r->rip = (uint64_t)stepper.code_rx;
	r->eflags = 0x202;
	r->orig_rax = ~0ull; /* not in a system call that could be restarted */
	struct iovec io = {stepper.xstate, stepper.xstate_size};
	if (ptrace(PTRACE_SETREGS, stepper.child, NULL, r) ||
	    ptrace(PTRACE_SETREGSET, stepper.child, (void *)NT_X86_XSTATE, &io))
		return stepper_because("ptrace: %s", strerror(errno));
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
	       !pthread_create(thread, NULL, rival, stepper.data[0] + KERNEL_SPECIAL);
}

void stepper_code_alias(uint64_t *start, uint64_t *end, uint64_t *distance)
{
	*start = (uint64_t)stepper.code_rw;
	*end = *start + CODE_SIZE;
	*distance = (uint64_t)(stepper.code_rx - stepper.code_rw);
}

bool stepper_denormal(const struct insn_retired *did, const uint8_t *code, const struct qterm *terms,
		      unsigned n_terms)
{
	static uint8_t xstate[XSTATE_MAX];
	struct iovec io = {xstate, sizeof xstate};
	uint8_t memory[DENORMALS_MEMORY] = {0};
	const uint8_t *data =
		stepper.data[0] <= (uint8_t *)did->address &&
				(uint8_t *)did->address < stepper.data[0] + KERNEL_DATA_SIZE - 16
			? (const uint8_t *)did->address
			: NULL;

	if (!denormals_possible(did, code, terms, n_terms) ||
	    ptrace(PTRACE_GETREGSET, stepper.child, (void *)NT_X86_XSTATE, &io))
		return false;
	if (data)
		memcpy(memory, data, sizeof memory);
	return denormals_met(did, code, terms, n_terms, xstate, memory);
}

void stepper_watch(void (*seen)(const struct insn_retired *did, const uint8_t *code, uint64_t rip,
				uint64_t next))
{
	stepper.seen = seen;
}

void stepper_answer_otherwise(stepper_answer *otherwise)
{
	stepper.otherwise = otherwise;
}

static const char *run(const struct kernel *k, uint64_t n, struct qvec *out)
{
	struct user_regs_struct r;
	uint64_t begin = (uint64_t)stepper.code_rx, end = begin + (uint64_t)(k->code_end - k->code);
	const char *why = set_up(k, n, &r);
	uint8_t *data = stepper.data[!!(k->flags & KERNEL_SERVICE_ABSENT)];
	uint64_t rsp = r.rsp;

	memset(out, 0, sizeof *out);
	stepper_transactions_reset();
	for (unsigned steps = 0; !why && r.rip != end; steps++) {
		struct user_regs_struct before = r;
		const uint8_t *code = stepper.code_rw + (before.rip - begin);
		bool in_ring = k->flags & RINGS && before.rip - begin - CODE_SIZE < KERNEL_CODE_SIZE;
		struct insn in, second;
		struct insn_retired did;

		if ((before.rip < begin || before.rip > end) && !in_ring)
			return stepper_because("left the kernel to %#llx", before.rip);
		if (!insn_decode(code, in_ring ? 15 : end - before.rip, &in))
			return stepper_because("no instruction at +%#llx",
					       before.rip - (unsigned long long)begin);
		look_at(code, &in, &before, &did);
		if (stepper_is_emulated(code, &in)) {
			why = stepper_emulate(code, &in, did.address, &r, data);
			struct qterm terms[ACCOUNT_TERMS];
			qvec_add(out, terms, account_retired(&did, terms));
			if (stepper.seen)
				stepper.seen(&did, code, before.rip, r.rip);
			if (!why)
				why = stepper_call(k, &in, &r, out);
			continue;
		}
		int signal;
		why = in.special == INSN_SYSCALL ? step_syscall(&r, &signal) : step_once(&r, &signal);
		if (in.special == INSN_STRING && (in.flags & INSN_F_REP)) {
			/* One trap per iteration, and on some CPUs one more. */
			unsigned traps = 1;
			while (!why && !signal && r.rip == before.rip && ++steps < STEP_LIMIT) {
				why = step_once(&r, &signal);
				traps++;
			}
			if (!why && !signal)
				why = answer_otherwise(code, &in, &before, &r);
			did.iterations = insn_rep_iterations(&in, before.rcx, r.rcx);
			if (!why && did.iterations > traps)
				why = stepper_because("RCX tells of %#lx iterations, of which %u trapped",
						      did.iterations, traps);
		} else if (!why && !signal) {
			why = answer_otherwise(code, &in, &before, &r);
		}
		if (why)
			return why;
		if (signal && stepper_in_transaction()) {
			why = stepper_transaction_abort(&r, 0, data);
			continue;
		}
		if (stepper_is_interrupt(signal) && r.rip == before.rip) {
			why = stepper_interrupt(k, out);
			continue;
		}
		if (stepper_emulate_refused(k, &in, signal, &r))
			signal = 0;
		if (signal) {
			if (in.special == INSN_STRING && !(in.flags & INSN_F_REP))
				did.iterations = 0;
			why = stepper_fault(k, signal, code, &did, &r, out);
			continue;
		}
		if (in.special == INSN_MOV_SS && r.rip != before.rip + in.length) {
			/* The trap is held off until after the next instruction. */
			uint64_t next = before.rip + in.length;
			why = account(code, &did, before.rip, next, out);
			before.rip = next;
			code += in.length;
			if (!insn_decode(code, end - next, &second))
				return stepper_because("no instruction at +%#lx", next - begin);
			look_at(code, &second, &before, &did);
			if (!why)
				why = answer_otherwise(code, &second, &before, &r);
		}
		if (!why)
			why = account(code, &did, before.rip, r.rip, out);
		if (!why)
			why = stepper_call(k, &in, &r, out);
		if (steps >= STEP_LIMIT)
			why = stepper_because("no end after %u steps", STEP_LIMIT);
	}
	if (why)
		return why;
	if (r.rsp != rsp || (r.eflags & RFLAGS_DF) || r.r12 != 12 || r.r13 != 13 || r.r14 != 14 ||
	    r.r15 != 15)
		return stepper_because("leaves RSP, DF or R12 to R15 changed");
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
