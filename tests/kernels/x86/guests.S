/*
 * Guests of AMD's secure virtual machine: APM vol. 2, 15.5 and 15.6. The guest has all of its host's state but RIP, RSP, RAX and RFLAGS, so
 * its code lies in the kernel and general registers pass through. VMRUN retires in the host; the VMMCALL that is intercepted does not
 * retire (15.9: the guest's RIP is that of the instruction). What VMRUN and #VMEXIT move is state, no data access. With #VMEXIT the
 * global interrupt flag is clear, which STGI sets.
 */
#include "tests/kernels/x86/kernel.h"
#include "arch/x86/cpu/vmcb.h"

/* From entry to the guest's first instruction, and behind it. */
.macro GUEST_BEGIN
	mov KERNEL_PARAM_VMCB(%rsi), %rax
	lea NEAR(2f), %rcx
	mov %rsp, VMCB_RSP(%rax)
	jmp 1f
2:
.endm

.macro GUEST_END
	vmmcall
1:	mov %rcx, VMCB_RIP(%rax)
	vmrun
	stgi
	dec %rdi
	jnz 1b
.endm

/* \guest: instructions; \loads and \stores: of eight bytes, in the guest. */
.macro SIG_GUEST guest, loads, stores
	SIG INSTRUCTIONS, \guest + 1 + 1 + 1 + 2, 4
	SIG INSN_LOAD, \loads, 1
	SIG LOADS, \loads, 1
	SIG LOAD_BYTES, \loads*8, 8
	SIG INSN_STORE, 1 + \stores, 1
	SIG STORES, 1 + \stores, 1
	SIG STORE_BYTES, 8 + \stores*8, 8
	SIG BRANCHES, 1, 1
	SIG BR_JMP_DIRECT, 0, 1
	SIG BR_COND, 1, 0
	SIG BR_COND_TAKEN, 1, -1
	SIG BR_COND_NTAKEN, 0, 1
	SIG_INTEGER_ONLY
.endm

KERNEL guest_empty, "N times VMRUN of a guest that does nothing but VMMCALL", needs=KERNEL_NEEDS_SVM, flags=KERNEL_PRIVILEGED | KERNEL_NO_PATH
	GUEST_BEGIN
	GUEST_END
KERNEL_END
SIG_GUEST 0, 0, 0
SIGNATURE_END

KERNEL guest_works, "N times VMRUN of a guest that loads, multiplies and stores before its VMMCALL", needs=KERNEL_NEEDS_SVM, flags=KERNEL_PRIVILEGED | KERNEL_NO_PATH
	GUEST_BEGIN
	mov KERNEL_SCRATCH(%rsi), %rdx
	imul $3, %rdx, %rdx
	nop
	mov %rdx, KERNEL_SCRATCH(%rsi)
	GUEST_END
KERNEL_END
SIG_GUEST 4, 1, 1
SIG INSN_MUL, 1, 0
SIG INSN_NOP, 1, 0
SIGNATURE_END
