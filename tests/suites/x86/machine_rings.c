/*
 * Prepared code in ring 0 and ring 3: what it gets, what it may do, how it comes back.
 */
#include "tests/suites/x86/machine.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/machine/sections.h"
#include "arch/x86/exceptions/user.h"

#include <string.h>

#define CODE(name, text)                                                                                     \
	__asm__(".pushsection .text\n"                                                                       \
		"machine_" #name ":\n" text "\nmachine_" #name "_end:\n.popsection\n");                      \
	extern const uint8_t machine_##name[], machine_##name##_end[]

#define PLACED(name) machine_place(machine_##name, machine_##name##_end)

/* Adds its number to each register. */
#ifdef __i386__
#define EACH_REGISTER                                                                                        \
	"add $1, %eax; add $2, %ebx; add $3, %ecx; add $4, %edx; add $5, %esi; add $6, %edi; add $7, %ebp;"
#define REGISTERS "7"
#define HIGH_PART 20 /* a bit that all have */

CODE(state_ring3, "mov %cs, %eax; pushf; pop %ebx; mov %esp, %ecx; push %eax; pop %edx; int $0xf2");
CODE(read_ring3, "mov (%edi), %al; int $0xf2");
#else
#define EACH_REGISTER                                                                                        \
	"add $1, %rax; add $2, %rbx; add $3, %rcx; add $4, %rdx; add $5, %rsi; add $6, %rdi; add $7, %rbp; " \
	"add $8, %r8;"                                                                                       \
	"add $9, %r9; add $10, %r10; add $11, %r11; add $12, %r12; add $13, %r13; add $14, %r14; add $15, "  \
	"%r15;"
#define REGISTERS "15"
#define HIGH_PART 40

CODE(state_ring3, "mov %cs, %eax; pushfq; pop %rbx; mov %rsp, %rcx; push %rax; pop %rdx; int $0xf2");
CODE(read_ring3, "mov (%rdi), %al; int $0xf2");
#endif
#define REGISTERS_N (sizeof REGISTERS == 2 ? 7 : 15)

CODE(each_ring0, EACH_REGISTER "std; ret");
CODE(each_ring3, EACH_REGISTER "int $0xf2");
CODE(halt_ring3, "hlt; int $0xf2");
CODE(gate_ring3, "int $0xe3; int $0xf2");
CODE(closed_ring3, "int $0xe0; int $0xf2");
CODE(rdpmc_ring3, "xor %ecx, %ecx; rdpmc; int $0xf2");
CODE(port_ring3, "in $0x80, %al; int $0xf2");
CODE(divide_ring3, "xor %ecx, %ecx; xor %edx, %edx; div %ecx; int $0xf2");

static int64_t registers_passed(void (*call)(const void *, struct call_registers *), const void *entry)
{
	struct call_registers r;
	uint64_t *word = (uint64_t *)&r;
	int64_t right = 0;

	for (unsigned i = 0; i < REGISTERS_N; i++)
		word[i] = (uint64_t)(i + 1) << HIGH_PART;
	call(entry, &r);
	for (unsigned i = 0; i < REGISTERS_N; i++)
		/* The order of EACH_REGISTER is that of the structure. */
		right += word[i] == ((uint64_t)(i + 1) << HIGH_PART) + i + 1;
	return right;
}

static int64_t registers_ring0(void)
{
	return registers_passed(call_with_registers, PLACED(each_ring0));
}

static int64_t flags_ring0(void)
{
	uintptr_t flags;

	registers_passed(call_with_registers, PLACED(each_ring0));
	__asm__ volatile("pushf; pop %0" : "=r"(flags));
	return flags >> 10 & 1;
}

static int64_t registers_ring3(void)
{
	return registers_passed(user_call, PLACED(each_ring3));
}

static struct call_registers seen;

static void call_ring3(void *entry)
{
	memset(&seen, 0, sizeof seen);
	seen.rdi = (uintptr_t)__text_start;
	user_call(entry, &seen);
}

static int64_t selector_ring3(void)
{
	call_ring3((void *)(uintptr_t)PLACED(state_ring3));
	return seen.rdx & 3;
}

/* What CS says in ring 1 and in ring 2. */
static int64_t selectors_between(void)
{
	int64_t cpl = 0;

	for (unsigned ring = 1; ring <= 2; ring++) {
		memset(&seen, 0, sizeof seen);
		ring_call(ring, PLACED(state_ring3), &seen);
		cpl = cpl << 4 | (int64_t)(seen.rdx & 3);
	}
	return cpl;
}

static int64_t flags_ring3(void)
{
	call_ring3((void *)(uintptr_t)PLACED(state_ring3));
	return seen.rbx & (RFLAGS_IF | 0x3000);
}

static int64_t fault_ring3(const void *entry)
{
	struct trap_frame frame;
	int64_t fault = fault_of(call_ring3, (void *)(uintptr_t)entry, &frame);

	return fault == NO_FAULT || (frame.cs & 3) == 3 ? fault : -2;
}

static int64_t halt_ring3(void)
{
	return fault_ring3(PLACED(halt_ring3));
}

static int64_t port_ring3(void)
{
	return fault_ring3(PLACED(port_ring3));
}

static int64_t read_kernel_ring3(void)
{
	return fault_ring3(PLACED(read_ring3));
}

/* The error code without its index, which QEMU's TCG doubles. */
static int64_t closed_gate_ring3(void)
{
	return fault_ring3(PLACED(closed_ring3)) & ~0xfff8ll;
}

static int64_t divide_ring3(void)
{
	return fault_ring3(PLACED(divide_ring3));
}

static int64_t rdpmc_refused_ring3(void)
{
	bool before = user_allow_rdpmc(false);
	int64_t fault = fault_ring3(PLACED(rdpmc_ring3));

	user_allow_rdpmc(before);
	return fault;
}

static int64_t allow_rdpmc_tells(void)
{
	bool before = user_allow_rdpmc(true);
	bool on = cr4_read() & CR4_PCE;
	bool was = user_allow_rdpmc(false);
	bool off = !(cr4_read() & CR4_PCE);

	user_allow_rdpmc(before);
	return on && was && off;
}

static bool on_gate(struct trap_frame *f, void *arg)
{
	*(int64_t *)arg += (f->cs & 3) == 3;
	return true;
}

static int64_t open_gate_ring3(void)
{
	int64_t count = 0;

	trap_set_handler(VECTOR_TEST, on_gate, &count);
	call_ring3((void *)(uintptr_t)PLACED(gate_ring3));
	trap_set_handler(VECTOR_TEST, NULL, NULL);
	return count;
}

/* After a fault in ring 3 the next call works: the stack of interrupts is where it was. */
static int64_t again_after_fault(void)
{
	int64_t right = 0;

	for (unsigned i = 0; i < 50; i++) {
		halt_ring3();
		right += registers_ring3() == REGISTERS_N;
	}
	return right;
}

#define ONLY(value) (value), (value)

const struct machine_check machine_rings[] = {
	{"ring 0/" REGISTERS " registers go in and come back", NULL, registers_ring0, ONLY(REGISTERS_N),
	 NULL},
	{"ring 0/DF is put back", NULL, flags_ring0, ONLY(0), NULL},
	{"ring 3/" REGISTERS " registers go in and come back", "SDM vol. 3, 6.14", registers_ring3,
	 ONLY(REGISTERS_N), NULL},
	{"ring 1, ring 2/CPL is 1, is 2", "SDM vol. 3, 5.5", selectors_between, ONLY(0x12), NULL},
	{"ring 3/CPL is 3", "SDM vol. 3, 5.5", selector_ring3, ONLY(3), NULL},
	{"ring 3/IF and IOPL are 0", NULL, flags_ring3, ONLY(0), NULL},
	{"ring 3/HLT faults", "SDM vol. 2, HLT", halt_ring3, ONLY(FAULT(VECTOR_GP, 0)), NULL},
	{"ring 3/a port is out of reach", "SDM vol. 1, 18.5.2", port_ring3, ONLY(FAULT(VECTOR_GP, 0)), NULL},
	{"ring 3/#DE", "SDM vol. 3, 6.15", divide_ring3, ONLY(FAULT(VECTOR_DE, 0)), NULL},
	{"ring 3/the image cannot be read", "SDM vol. 3, 4.6", read_kernel_ring3, ONLY(FAULT(VECTOR_PF, 5)),
	 NULL},
	{"ring 3/an open gate is reached", "SDM vol. 3, 6.12.1.1", open_gate_ring3, ONLY(1), NULL},
	{"ring 3/a closed gate faults", "SDM vol. 3, 6.12.1.1", closed_gate_ring3, ONLY(FAULT(VECTOR_GP, 2)),
	 NULL},
	{"ring 3/RDPMC faults without CR4.PCE", "SDM vol. 2, RDPMC", rdpmc_refused_ring3,
	 ONLY(FAULT(VECTOR_GP, 0)), NULL},
	{"ring 3/user_allow_rdpmc() switches CR4.PCE", NULL, allow_rdpmc_tells, ONLY(1), NULL},
	{"ring 3/works after faults", NULL, again_after_fault, ONLY(50), NULL},
	{NULL, NULL, NULL, 0, 0, NULL},
};
