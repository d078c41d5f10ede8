#include "arch/x86/exceptions/user.h"
#include "arch/x86/exceptions/user_internal.h"

#include "arch/levels.h"
#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/machine/paging.h"
#include "arch/x86/step/step.h"

#include <stddef.h>

#define USER_STACK 0x4000

/* user.S */
void user_enter(const void *entry, const struct call_registers *regs, void *user_rsp, void *rsp0, unsigned ss,
		unsigned cs);
extern const uint8_t user_left[];

static struct call_registers *current;
static uint8_t *stack;

bool user_init(void)
{
	stack = data_create(USER_STACK);
	return stack;
}

void *user_stack_top(void)
{
	return stack + USER_STACK;
}

struct user_state user_state_save(void)
{
	return (struct user_state){current, tss_stack()};
}

void user_state_restore(const struct user_state *s)
{
	current = s->registers;
	tss_set_stack(s->rsp0);
}

static bool on_exit(struct trap_frame *f, void *arg)
{
	(void)arg;
	if (!current || !(f->cs & 3))
		return false;
	*current = (struct call_registers){
		.rax = f->rax,
		.rbx = f->rbx,
		.rcx = f->rcx,
		.rdx = f->rdx,
		.rsi = f->rsi,
		.rdi = f->rdi,
		.rbp = f->rbp,
		.r8 = f->r8,
		.r9 = f->r9,
		.r10 = f->r10,
		.r11 = f->r11,
		.r12 = f->r12,
		.r13 = f->r13,
		.r14 = f->r14,
		.r15 = f->r15,
	};
	f->rip = (uintptr_t)user_left;
	f->cs = SELECTOR_KERNEL_CS;
	f->rflags = 2;
	f->rsp = tss_stack();
	f->ss = SELECTOR_KERNEL_SS;
	return true;
}

void call_with_registers(const void *entry, struct call_registers *regs)
{
	step_hold();
	call_with_registers_here(entry, regs);
	step_release();
}

void ring_call(unsigned ring, const void *entry, struct call_registers *regs)
{
	static const struct {
		uint8_t ss, cs;
	} selectors[] = {
		[1] = {SELECTOR_RING1_SS | 1, SELECTOR_RING1_CS | 1},
		[2] = {SELECTOR_RING2_SS | 2, SELECTOR_RING2_CS | 2},
		[3] = {SELECTOR_USER_SS | 3, SELECTOR_USER_CS | 3},
	};
	struct user_state outer = user_state_save();

	step_hold();
	trap_set_handler(VECTOR_USER_EXIT, on_exit, NULL);
	current = regs;
	user_enter(entry, regs, stack + USER_STACK, tss_stack_place(), selectors[ring].ss,
		   selectors[ring].cs);
	user_state_restore(&outer);
	step_release();
}

void user_call(const void *entry, struct call_registers *regs)
{
	ring_call(3, entry, regs);
}

bool user_allow_rdpmc(bool allow)
{
	uint64_t cr4 = cr4_read();

	cr4_write(allow ? cr4 | CR4_PCE : cr4 & ~CR4_PCE);
	return cr4 & CR4_PCE;
}

bool level_user_reads_counters(bool allow)
{
	return user_allow_rdpmc(allow);
}
