/*
 * Witness for the kernels of 32 bits: each that a process may run is single-stepped by ptrace on the machine's real
 * processor, as a process of 32 bits, and must produce what its signature says. Then each number of each
 * signature is changed by one: the change must be noticed.
 *
 * Speaks TAP. The witness knows nothing of the signatures while it steps.
 */
#define _GNU_SOURCE
#include "arch/x86/step/account.h"
#include "tests/judge/truth.h"
#include "tests/kernels/x86/code_ring.h"
#include "tests/kernels/x86/kernel.h"

#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE_SIZE  0x10000 /* the rings of code are behind it */
#define STACK_SIZE 0x10000
#define STEP_LIMIT 5000000
#define FLAGS      0x202
#define DF         (1u << 10)

/* What is set up here of the services. */
#define RINGS    (KERNEL_SERVICE_CODE | KERNEL_SERVICE_CODE_FULL)
#define SERVICES (RINGS | KERNEL_SERVICE_CHAINS | KERNEL_SERVICE_CHAIN_FITS | KERNEL_SERVICE_CHAIN_HELD)

static const uint64_t sizes[] = {1, 2, 5};
#define SIZES (sizeof sizes / sizeof *sizes)

static uint8_t *code_rw, *code_rx, *data, *stack;
static pid_t child;
static unsigned test_number;

static void point(bool ok, const char *name, const char *skipped)
{
	printf("%sok %u - %s%s%s\n", ok ? "" : "not ", ++test_number, name, skipped ? " # SKIP " : "",
	       skipped ? skipped : "");
}

/* --- the child -------------------------------------------------------------------------------------- */

static void *shared(size_t size, int protection, int fd)
{
	return mmap(NULL, size, protection, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
}

static const char *start(void)
{
	size_t size = CODE_SIZE + KERNEL_CODE_SIZE;
	int fd = memfd_create("kernel code", 0), status;

	if (fd < 0 || ftruncate(fd, (off_t)size))
		return "no memory for the code";
	code_rw = shared(size, PROT_READ | PROT_WRITE, fd);
	code_rx = shared(size, PROT_READ | PROT_EXEC, fd);
	data = shared(KERNEL_DATA_SIZE, PROT_READ | PROT_WRITE, -1);
	stack = shared(STACK_SIZE, PROT_READ | PROT_WRITE, -1);
	if (code_rw == MAP_FAILED || code_rx == MAP_FAILED || data == MAP_FAILED || stack == MAP_FAILED)
		return "no memory for the kernels";
	code_ring_fill(code_rw + CODE_SIZE);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		_exit(2);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return "ptrace is not allowed here";
	return ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL) ? "ptrace takes no options here" : NULL;
}

/** One step. @return NULL, or what came instead */
static const char *step(struct user_regs_struct *r)
{
	static char why[64];
	int status;

	if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) || waitpid(child, &status, 0) != child ||
	    !WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, child, NULL, r))
		return "the process is gone";
	if (WSTOPSIG(status) == SIGTRAP)
		return NULL;
	snprintf(why, sizeof why, "signal %d", WSTOPSIG(status));
	return why;
}

static const char *set_up(const struct kernel *k, uint64_t n, struct user_regs_struct *r)
{
	static uint64_t random;
	struct user_fpxregs_struct fp = {.cwd = 0x37f, .mxcsr = 0x1f80};
	struct kernel_params params = {
		.chain = (uintptr_t)(data + KERNEL_SCRATCH),
		.random = ++random,
		.code = (uintptr_t)code_rx + CODE_SIZE + code_ring_segment(false, 0),
		.full = (uintptr_t)code_rx + CODE_SIZE + code_ring_segment(true, 0),
	};

	if (k->code_end - k->code > CODE_SIZE)
		return "the kernel does not fit";
	memcpy(code_rw, k->code, (size_t)(k->code_end - k->code));
	memset(data, 0, KERNEL_DATA_SIZE);
	memcpy(data, &params, sizeof params);
	memcpy(data + KERNEL_SCRATCH, &params.chain, sizeof params.chain); /* a chain of one element */
	if (ptrace(PTRACE_GETREGS, child, NULL, r))
		return "ptrace gives no registers";
	r->eax = r->ecx = r->edx = 0;
	r->ebx = (long)(uintptr_t)code_rx;
	r->ebp = (long)(uintptr_t)(code_rw - code_rx);
	r->edi = (long)n;
	r->esi = (long)(uintptr_t)data;
	r->esp = (long)(uintptr_t)(stack + STACK_SIZE - 1024);
	r->eip = (long)(uintptr_t)code_rx;
	r->eflags = FLAGS;
	r->orig_eax = -1; /* not in a system call that could be restarted */
	return ptrace(PTRACE_SETREGS, child, NULL, r) || ptrace(PTRACE_SETFPXREGS, child, NULL, &fp)
		       ? "ptrace takes no registers"
		       : NULL;
}

/* --- steps ------------------------------------------------------------------------------------------ */

static void look_at(const uint8_t *code, const struct insn *in, const struct user_regs_struct *r,
		    struct insn_retired *did)
{
	const struct insn_registers registers = {
		.gpr = {(uint32_t)r->eax, (uint32_t)r->ecx, (uint32_t)r->edx, (uint32_t)r->ebx,
			(uint32_t)r->esp, (uint32_t)r->ebp, (uint32_t)r->esi, (uint32_t)r->edi},
		.rip = (uint32_t)r->eip,
	};

	*did = (struct insn_retired){
		.insn = in,
		.cpl = 3,
		.cpl_after = 3,
		.backwards = r->eflags & DF,
		.stack = (uint32_t)r->esp,
		.source = (uint32_t)r->esi,
		.dest = (uint32_t)r->edi,
		.frame = (uint32_t)r->ebp,
		.iterations = 1,
	};
	if (in->flags & INSN_F_MEM)
		did->address = insn_effective_address(code, in, &registers);
}

/** Account for the instruction at eip, behind which the processor went to `after`. Whether a branch was taken it tells
 * itself; where one leads to the next instruction, the flags do. @return NULL, or where it went astray */
static const char *account(const uint8_t *code, struct insn_retired *did, const struct user_regs_struct *before,
			   uint32_t after, struct qvec *out)
{
	struct qterm terms[ACCOUNT_TERMS];
	struct qvec one = {{0}};
	uint32_t next = (uint32_t)before->eip + did->insn->length;
	bool to_next = !code[did->insn->length - 1];
	unsigned n;

	did->taken = after != next ||
		     (to_next && insn_branch_taken(did->insn, (uint32_t)before->eflags, (uint32_t)before->ecx));
	n = account_retired(did, terms);
	qvec_add(&one, terms, n);
	qvec_add(out, terms, n);
	return after != next && !one.v[Q_BRANCHES] ? "the processor went where no branch leads" : NULL;
}

/** Bytes that may be looked at from an address on; 0: it is no code. */
static size_t room(const struct kernel *k, uint32_t at)
{
	size_t offset = at - (uint32_t)(uintptr_t)code_rx, size = (size_t)(k->code_end - k->code);

	if (offset < size)
		return size - offset;
	return k->flags & RINGS && offset - CODE_SIZE < KERNEL_CODE_SIZE ? 15 : 0;
}

static const char *run(const struct kernel *k, uint64_t n, struct qvec *out)
{
	struct user_regs_struct r;
	const char *why = set_up(k, n, &r);
	uint32_t end = (uint32_t)(uintptr_t)code_rx + (uint32_t)(k->code_end - k->code), esp = (uint32_t)r.esp;

	memset(out, 0, sizeof *out);
	for (unsigned steps = 0; !why && (uint32_t)r.eip != end; steps++) {
		struct user_regs_struct before = r;
		const uint8_t *code = code_rw + ((uint32_t)before.eip - (uint32_t)(uintptr_t)code_rx);
		size_t size = room(k, (uint32_t)before.eip);
		struct insn_retired did;
		struct insn in, second;

		if (!size)
			return "left the kernel";
		if (!insn_decode(code, size, &in))
			return "no instruction";
		if (steps >= STEP_LIMIT)
			return "no end";
		look_at(code, &in, &before, &did);
		why = step(&r);
		if (in.special == INSN_STRING && in.flags & INSN_F_REP) {
			while (!why && r.eip == before.eip && ++steps < STEP_LIMIT)
				why = step(&r);
			did.iterations = insn_rep_iterations(&in, (uint32_t)before.ecx, (uint32_t)r.ecx);
		}
		if (!why && in.special == INSN_MOV_SS && r.eip != before.eip + in.length) {
			/* The trap is held off until after the next instruction. */
			why = account(code, &did, &before, (uint32_t)before.eip + in.length, out);
			before.eip += in.length;
			code += in.length;
			if (!insn_decode(code, size - in.length, &second))
				return "no instruction behind one that loads SS";
			look_at(code, &second, &before, &did);
		}
		if (!why)
			why = account(code, &did, &before, (uint32_t)r.eip, out);
	}
	if (!why && ((uint32_t)r.esp != esp || r.eflags & DF))
		why = "leaves ESP or DF changed";
	return why;
}

/* --- kernels ---------------------------------------------------------------------------------------- */

static bool cpu_feature(enum cpu_feature which)
{
	static const struct {
		uint32_t leaf, subleaf;
		char reg[4];
		uint8_t bit;
	} features[] = {
#define CPU_FEATURE(id, leaf, subleaf, reg, bit) {leaf, subleaf, #reg, bit},
#include "arch/x86/cpu/cpu_features.def"
#undef CPU_FEATURE
	};
	unsigned r[4] = {0};

	__get_cpuid_count(features[which].leaf, features[which].subleaf, &r[0], &r[1], &r[2], &r[3]);
	return r[features[which].reg[1] - 'a'] >> features[which].bit & 1;
}

static const char *unfit(const struct kernel *k)
{
	/* Instructions that operating systems keep from programs, or that trap no more behind themselves. */
	static const char *const refused[] = {"system_stores", "rdpmc"};
	const struct kernel_need *missing = kernel_missing(k->needs, cpu_feature, 0);

	if (k->flags & KERNEL_PRIVILEGED)
		return "needs ring 0";
	if (k->flags & KERNEL_SERVICES & ~(uint64_t)SERVICES)
		return "needs a handler of the harness's, or its pages";
	for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
		if (!strcmp(k->name, refused[i]))
			return "operating systems keep its instructions from programs";
	return missing ? missing->lacking : NULL;
}

static enum quantity wrong(const struct kernel *k, const struct qvec seen[SIZES], unsigned *i, struct amount *declared)
{
	for (*i = 0; *i < SIZES; ++*i) {
		enum quantity q = truth_disagrees(k, sizes[*i], OUTCOME_ABORT, &seen[*i], declared);

		if (q != Q_COUNT)
			return q;
	}
	return Q_COUNT;
}

static unsigned changes, missed;

static void change(const struct kernel *k, const struct qvec seen[SIZES])
{
	static const int64_t deltas[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};

	for (enum quantity q = 0; q < Q_COUNT; q++)
		for (unsigned d = 0; d < 4 && quantity_info[q].class == QUANTITY_ARCH; d++) {
			struct amount declared;
			unsigned i;

			kernel_falsify_end(k, q, AMOUNT_BOTH, deltas[d][0], deltas[d][1]);
			missed += wrong(k, seen, &i, &declared) != q;
			kernel_restore();
			changes++;
		}
}

static bool witness(const struct kernel *k)
{
	const char *cannot = unfit(k), *why = NULL;
	struct qvec seen[SIZES];
	struct amount declared;
	enum quantity q = Q_COUNT;
	unsigned i;

	if (cannot) {
		point(true, k->name, cannot);
		return false;
	}
	for (i = 0; i < SIZES && !why; i++)
		why = run(k, sizes[i], &seen[i]);
	if (why)
		printf("# %s: %s\n", k->name, why);
	else
		q = wrong(k, seen, &i, &declared);
	if (q != Q_COUNT)
		printf("# %s, N = %" PRIu64 ": %s: the signature says %" PRId64 ", the processor did %" PRIu64 "\n",
		       k->name, sizes[i], quantity_info[q].name, declared.low, seen[i].v[q]);
	point(!why && q == Q_COUNT, k->name, NULL);
	if (!why && q == Q_COUNT)
		change(k, seen);
	return !why && q == Q_COUNT;
}

int main(void)
{
	unsigned count = (unsigned)(kernels_end - kernels_begin), confirmed = 0;
	const char *why;
	char text[96];

	kernels_unpack();
	why = start();
	if (why) {
		printf("1..0 # SKIP %s\n", why);
		return 0;
	}
	printf("1..%u\n", count + 1);
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		confirmed += witness(k);
	kill(child, SIGKILL);
	snprintf(text, sizeof text, "%u of %u changes of a number in a signature are noticed", changes - missed, changes);
	point(changes && !missed, text, NULL);
	printf("# table\n# %-30s confirms %u of %u kernels\n", "a process of 32 bits", confirmed, count);
	return 0;
}
