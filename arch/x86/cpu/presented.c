#include "arch/x86/cpu/cpuid_leaves.h"
#include "arch/x86/cpu/presented_cpuid.h"

static struct presented presented;
static struct identity_answers own_answers;

void identity_present(const void *identity, unsigned threads, const struct identity_answers *answers)
{
	presented = (struct presented){.table = cpuid_table_of(identity), .threads = threads};
	own_answers = *answers;
}

void identity_present_thread(unsigned thread)
{
	presented.thread = thread;
}

static struct cpuid_regs regs_of(const struct cpuid_row *row)
{
	return (struct cpuid_regs){.eax = row->eax, .ebx = row->ebx, .ecx = row->ecx, .edx = row->edx};
}

static void ask_cpu(struct cpuid_row *c)
{
	uint32_t top, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "=a"(top), "=b"(ebx), "+c"(ecx), "=d"(edx) : "a"(c->leaf & 0x80000000));
	if (c->leaf <= top)
		__asm__ volatile("cpuid"
				 : "=a"(c->eax), "=b"(c->ebx), "=c"(c->ecx), "=d"(c->edx)
				 : "a"(c->leaf), "c"(c->subleaf));
}

struct cpuid_regs presented_ask(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_row real = {.leaf = leaf, .subleaf = subleaf}, out;

	ask_cpu(&real);
	presented_answer(&presented, &real, &out);
	identity_answers_give(&own_answers, &out);
	return regs_of(&out);
}

struct cpuid_regs presented_own(uint32_t leaf, uint32_t subleaf)
{
	struct cpuid_row out = {.leaf = leaf, .subleaf = subleaf};

	presented_row(presented.table, leaf, subleaf, &out);
	identity_answers_give(&own_answers, &out);
	return regs_of(&out);
}

void identity_presented(identity_each *each, void *to)
{
	cpuid_pairs(presented_ask, each, to);
}
