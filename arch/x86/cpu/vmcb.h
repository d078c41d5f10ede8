/*
 * AMD's secure virtual machine: registers, and the fields of a virtual machine control block that are used
 * here. APM vol. 2, 15.5, 15.30 and appendix B.
 */
#ifndef ARCH_X86_CPU_VMCB_H
#define ARCH_X86_CPU_VMCB_H

#define MSR_EFER       0xc0000080
#define EFER_SVME      (1ull << 12)
#define MSR_VM_CR      0xc0010114
#define VM_CR_SVMDIS   (1ull << 4)
#define MSR_VM_HSAVE   0xc0010117
#define VMCB_SIZE      4096
#define VMMCALL_BYTE   0xd9
#define VMEXIT_VMMCALL 0x81

/* Control area: B.1. */
#define VMCB_INTERCEPTS   0x010
#define INTERCEPT_VMRUN   (1u << 0)
#define INTERCEPT_VMMCALL (1u << 1)
#define VMCB_ASID         0x058
#define VMCB_EXIT_CODE    0x070

/* State save area, which begins at 400H: B.2. A segment is selector, attributes, limit, base. */
#define VMCB_ES     0x400
#define VMCB_CS     0x410
#define VMCB_SS     0x420
#define VMCB_DS     0x430
#define VMCB_GDTR   0x460
#define VMCB_IDTR   0x480
#define VMCB_EFER   0x4d0
#define VMCB_CR4    0x548
#define VMCB_CR3    0x550
#define VMCB_CR0    0x558
#define VMCB_DR7    0x560
#define VMCB_DR6    0x568
#define VMCB_RFLAGS 0x570
#define VMCB_RIP    0x578
#define VMCB_RSP    0x5d8
#define VMCB_RAX    0x5f8

#endif
