#define _GNU_SOURCE
#include "tests/self/host/support/stepper_internal.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#define RFLAGS_STATUS 0x8d5u /* CF, PF, AF, ZF, SF, OF */
#define RFLAGS_ZF     0x40u

/* --- transactions ----------------------------------------------------------------------------------- */

static struct {
	enum transaction_outcome outcome;
	unsigned depth;
	uint64_t fallback;
	struct user_regs_struct begin;
	uint8_t data[KERNEL_DATA_SIZE], stack[STACK_SIZE], xstate[XSTATE_MAX];
	size_t xstate_size;
} transaction;

void stepper_transactions(enum transaction_outcome outcome)
{
	transaction.outcome = outcome;
}

void stepper_transactions_reset(void)
{
	transaction.depth = 0;
}

bool stepper_in_transaction(void)
{
	return transaction.depth;
}

static const char *put_back(struct user_regs_struct *r, uint32_t status, uint8_t *data)
{
	struct iovec io = {transaction.xstate, transaction.xstate_size};

	transaction.depth = 0;
	*r = transaction.begin;
	r->rip = transaction.fallback;
	r->rax = status;
	memcpy(data, transaction.data, KERNEL_SPECIAL);
	memcpy(stepper.stack, transaction.stack, STACK_SIZE);
	return ptrace(PTRACE_SETREGSET, stepper.child, (void *)NT_X86_XSTATE, &io)
		       ? stepper_because("ptrace: %s", strerror(errno))
		       : NULL;
}

const char *stepper_transaction_abort(struct user_regs_struct *r, uint32_t status, uint8_t *data)
{
	const char *why = put_back(r, status, data);

	return why ? why : stepper_set_registers(r);
}

static const char *transaction_begin(const struct user_regs_struct *r, uint64_t fallback, const uint8_t *data)
{
	struct iovec io = {transaction.xstate, sizeof transaction.xstate};

	transaction.begin = *r;
	transaction.fallback = fallback;
	memcpy(transaction.data, data, KERNEL_SPECIAL);
	memcpy(transaction.stack, stepper.stack, STACK_SIZE);
	if (ptrace(PTRACE_GETREGSET, stepper.child, (void *)NT_X86_XSTATE, &io))
		return stepper_because("ptrace: %s", strerror(errno));
	transaction.xstate_size = io.iov_len;
	return NULL;
}

/* SDM vol. 1, 16.3; vol. 2, XBEGIN, XEND, XABORT, XTEST. */

static const char *begin(const uint8_t *code, const struct insn *in, struct user_regs_struct *r,
			 const uint8_t *data)
{
	int32_t displacement;

	memcpy(&displacement, code + in->length - 4, 4);
	uint64_t fallback = r->rip + (uint64_t)(int64_t)displacement;
	if (transaction.outcome == OUTCOME_ABORT) {
		r->rip = fallback;
		r->rax = 0;
		return NULL;
	}
	return transaction.depth++ ? NULL : transaction_begin(r, fallback, data);
}

static const char *end(void)
{
	if (!transaction.depth)
		return stepper_because("XEND without a transaction");
	transaction.depth--;
	return NULL;
}

/* --- far pointers with offsets of 64 bits ----------------------------------------------------------- */

static bool copy_word(uint64_t address, uint64_t *word)
{
	errno = 0;
	*word = (uint64_t)ptrace(PTRACE_PEEKDATA, stepper.child, (void *)address, NULL);
	return !errno;
}

static bool push(struct user_regs_struct *r, uint64_t word)
{
	r->rsp -= 8;
	return !ptrace(PTRACE_POKEDATA, stepper.child, (void *)r->rsp, (void *)word);
}

#define MODRM_REG_CALL 3
#define MODRM_REG_JMP  5

static unsigned far_operation(const uint8_t *code, const struct insn *in)
{
	return code[in->modrm_at] >> 3 & 7;
}

/** JMP and CALL m16:64, within the segment. SDM vol. 2, JMP and CALL. */
static const char *go_far(const uint8_t *code, const struct insn *in, uint64_t address,
			  struct user_regs_struct *r)
{
	uint64_t offset, selector;

	if (!copy_word(address, &offset) || !copy_word(address + 8, &selector))
		return stepper_because("the far pointer cannot be read: %s", strerror(errno));
	if ((uint16_t)selector != (uint16_t)r->cs)
		return stepper_because("the far pointer is to segment %#x", (uint16_t)selector);
	if (far_operation(code, in) == MODRM_REG_CALL && (!push(r, r->cs) || !push(r, r->rip)))
		return stepper_because("no stack for the far call: %s", strerror(errno));
	r->rip = offset;
	return NULL;
}

/* --- stores of system registers --------------------------------------------------------------------- */

/** How many bytes SGDT, SIDT, SLDT, STR or SMSW stores to memory; 0: it is none of them. SDM vol. 2. */
static unsigned system_store(const uint8_t *code, const struct insn *in)
{
	const uint8_t *modrm = code + in->modrm_at;
	unsigned reg;

	if (!(in->flags & INSN_F_MODRM) || in->modrm_at < 2 || modrm[-2] != 0x0f || modrm[-1] > 1)
		return 0;
	reg = *modrm >> 3 & 7;
	if (modrm[-1] == 0)
		return reg <= 1 ? 2 : 0;
	return reg == 4 ? 2 : reg <= 1 && in->flags & INSN_F_MEM ? 10 : 0;
}

/** It stores zeros: what the registers hold is the operating system's secret. */
static const char *store_zeros(const uint8_t *code, const struct insn *in, uint64_t address,
			       struct user_regs_struct *r)
{
	static const uint8_t zeros[16];
	unsigned long long *const gpr[16] = {&r->rax, &r->rcx, &r->rdx, &r->rbx, &r->rsp, &r->rbp,
					     &r->rsi, &r->rdi, &r->r8,  &r->r9,  &r->r10, &r->r11,
					     &r->r12, &r->r13, &r->r14, &r->r15};
	struct iovec from = {(void *)zeros, system_store(code, in)}, to = {(void *)address, from.iov_len};

	if (!(in->flags & INSN_F_MEM))
		*gpr[(code[in->modrm_at] & 7) | (in->rex & 1) << 3] = 0;
	else if (process_vm_writev(stepper.child, &from, 1, &to, 1, 0) != (ssize_t)from.iov_len)
		return stepper_because("nothing can be stored: %s", strerror(errno));
	return NULL;
}

/* ---------------------------------------------------------------------------------------------------- */

bool stepper_is_emulated(const uint8_t *code, const struct insn *in)
{
	switch (in->special) {
	case INSN_PLAIN:
		return system_store(code, in) && stepper_cpu_has(CPU_UMIP);
	case INSN_XBEGIN:
	case INSN_XEND:
	case INSN_XABORT:
	case INSN_XTEST:
	case INSN_INT1:
	case INSN_SYSENTER:
		return true;
	case INSN_CPUID:
		return transaction.depth;
	case INSN_SERIALIZE:
		return !stepper_cpu_has(CPU_SERIALIZE);
	case INSN_FAR:
		return in->flags & INSN_F_MEM && in->rex & 8 && !stepper_as_intel();
	default:
		return false;
	}
}

const char *stepper_emulate(const uint8_t *code, const struct insn *in, uint64_t address,
			    struct user_regs_struct *r, uint8_t *data)
{
	const char *why = NULL;

	r->rip += in->length;
	switch (in->special) {
	case INSN_XBEGIN:
		why = begin(code, in, r, data);
		break;
	case INSN_XEND:
		why = end();
		break;
	case INSN_XTEST:
		r->eflags &= ~RFLAGS_STATUS;
		r->eflags |= transaction.depth ? 0 : RFLAGS_ZF;
		break;
	case INSN_XABORT:
		if (transaction.depth)
			why = put_back(r, (uint32_t)code[2] << 24 | 1, data);
		break;
	case INSN_CPUID: /* in a transaction */
		why = put_back(r, 0, data);
		break;
	case INSN_FAR:
		why = go_far(code, in, address, r);
		break;
	case INSN_PLAIN:
		why = store_zeros(code, in, address, r);
		break;
	}
	return why ? why : stepper_set_registers(r);
}

bool stepper_emulate_refused(const struct kernel *k, const struct insn *in, int signal,
			     struct user_regs_struct *r)
{
	bool counter = in->special == INSN_RDPMC && k->flags & KERNEL_SERVICE_RDPMC;
	bool vector =
		in->special == INSN_INT && k->flags & KERNEL_SERVICE_TEST_INT && in->cond == KERNEL_VECTOR;
	siginfo_t info;

	/* Both raise #GP. */
	if ((!counter && !vector) || signal != SIGSEGV ||
	    ptrace(PTRACE_GETSIGINFO, stepper.child, NULL, &info) || info.si_code != SI_KERNEL)
		return false;
	if (counter)
		r->rax = r->rdx = 0; /* one that stands still */
	r->rip += in->length;
	return !stepper_set_registers(r);
}
