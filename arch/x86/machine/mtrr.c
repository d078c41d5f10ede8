#include "arch/x86/machine/mtrr.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/cpu/msr.h"

#include <string.h>

#define MTRR_CAP          0xfe
#define MTRR_CAP_FIXED    (1u << 8)
#define MTRR_DEF_TYPE     0x2ff
#define MTRR_DEF_ENABLE   (1u << 11)
#define MTRR_VARIABLE     0x200
#define MTRR_VARIABLE_MAX 32

static const uint16_t fixed[] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a, 0x26b, 0x26c, 0x26d, 0x26e, 0x26f};
#define FIXED (sizeof fixed / sizeof fixed[0])

struct mtrrs {
	bool there;
	uint64_t cap, type;
	uint64_t fixed[FIXED], variable[2 * MTRR_VARIABLE_MAX];
};

static struct mtrrs kept, own;

static unsigned variables(const struct mtrrs *m)
{
	unsigned n = m->cap & 0xff;

	return 2 * (n < MTRR_VARIABLE_MAX ? n : MTRR_VARIABLE_MAX);
}

static void look(struct mtrrs *m)
{
	memset(m, 0, sizeof *m);
	m->there = msr_read(MTRR_CAP, &m->cap) && msr_read(MTRR_DEF_TYPE, &m->type);
	for (unsigned i = 0; m->there && m->cap & MTRR_CAP_FIXED && i < FIXED; i++)
		msr_read(fixed[i], &m->fixed[i]);
	for (unsigned i = 0; m->there && i < variables(m); i++)
		msr_read(MTRR_VARIABLE + i, &m->variable[i]);
}

void mtrrs_keep(void)
{
	look(&kept);
}

bool mtrrs_differ(void)
{
	look(&own);
	return memcmp(&own, &kept, sizeof own);
}

/* SDM vol. 3, 11.11.8, for one processor: caches off and empty while types change. Global pages are off while
 * the machine is taken. */
void mtrrs_adopt(void)
{
	uint64_t cr0 = cr0_read();

	if (!kept.there || !mtrrs_differ() || !own.there)
		return;
	cr0_write((cr0 | CR0_CD) & ~CR0_NW);
	__asm__ volatile("wbinvd" ::: "memory");
	cr3_write(cr3_read());
	msr_write(MTRR_DEF_TYPE, own.type & ~(uint64_t)MTRR_DEF_ENABLE);
	for (unsigned i = 0; own.cap & MTRR_CAP_FIXED && i < FIXED; i++)
		msr_write(fixed[i], kept.fixed[i]);
	for (unsigned i = 0; i < variables(&own); i++)
		msr_write(MTRR_VARIABLE + i, kept.variable[i]);
	msr_write(MTRR_DEF_TYPE, kept.type);
	__asm__ volatile("wbinvd" ::: "memory");
	cr3_write(cr3_read());
	cr0_write(cr0);
}
