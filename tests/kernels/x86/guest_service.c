#include "tests/kernels/x86/guest_service.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/cpuid.h"
#include "arch/x86/machine/descriptors.h"
#include "arch/x86/cpu/msr.h"
#include "arch/x86/cpu/vmcb.h"
#include "tests/kernels/x86/kernel.h"

#include <string.h>

/* Linear addresses of the image are physical ones. */
static uint8_t vmcb[VMCB_SIZE] __attribute__((aligned(4096)));
static uint8_t host_save[VMCB_SIZE] __attribute__((aligned(4096)));
static uint64_t old_efer, old_host_save;

const char *guest_missing(void)
{
	uint64_t vm_cr = 0;

	if (cpu_has(CPU_SVM) && msr_read(MSR_VM_CR, &vm_cr) && vm_cr & VM_CR_SVMDIS)
		return "firmware has disabled SVM (VM_CR.SVMDIS)";
	return NULL;
}

static void put(unsigned offset, uint64_t value, size_t size)
{
	memcpy(vmcb + offset, &value, size);
}

static void put_segment(unsigned offset, uint64_t selector, uint64_t attributes, uint64_t limit,
			uint64_t base)
{
	put(offset, selector, 2);
	put(offset + 2, attributes, 2);
	put(offset + 4, limit, 4);
	put(offset + 8, base, 8);
}

/* Attributes: bits 55:52 and 47:40 of a descriptor. */
#define CODE64 0xa9b
#define DATA   0xc93

void guest_on(struct kernel_params *params)
{
	struct descriptor_pointer gdtr, idtr;

	__asm__ volatile("sgdt %0" : "=m"(gdtr));
	__asm__ volatile("sidt %0" : "=m"(idtr));
	msr_read(MSR_EFER, &old_efer);
	msr_write(MSR_EFER, old_efer | EFER_SVME);
	msr_read(MSR_VM_HSAVE, &old_host_save);
	msr_write(MSR_VM_HSAVE, (uintptr_t)host_save);

	memset(vmcb, 0, sizeof vmcb);
	put(VMCB_INTERCEPTS, INTERCEPT_VMRUN | INTERCEPT_VMMCALL, 4);
	put(VMCB_ASID, 1, 4);
	put_segment(VMCB_ES, SELECTOR_KERNEL_SS, DATA, 0xffffffff, 0);
	put_segment(VMCB_CS, SELECTOR_KERNEL_CS, CODE64, 0xffffffff, 0);
	put_segment(VMCB_SS, SELECTOR_KERNEL_SS, DATA, 0xffffffff, 0);
	put_segment(VMCB_DS, SELECTOR_KERNEL_SS, DATA, 0xffffffff, 0);
	put_segment(VMCB_GDTR, 0, 0, gdtr.limit, gdtr.base);
	put_segment(VMCB_IDTR, 0, 0, idtr.limit, idtr.base);
	put(VMCB_EFER, old_efer | EFER_SVME, 8);
	put(VMCB_CR4, cr4_read(), 8);
	put(VMCB_CR3, cr3_read(), 8);
	put(VMCB_CR0, cr0_read(), 8);
	put(VMCB_DR7, 0x400, 8);
	put(VMCB_DR6, 0xffff0ff0, 8);
	put(VMCB_RFLAGS, 2, 8);
	params->vmcb = (uintptr_t)vmcb;
}

void guest_off(void)
{
	msr_write(MSR_VM_HSAVE, old_host_save);
	msr_write(MSR_EFER, old_efer);
}
