#include "arch/x86/cpu/topology.h"

static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while (1u << bits < n)
		bits++;
	return bits;
}

#define CACHES_MAX 16

/* SDM vol. 2, CPUID leaf 4: EAX[4:0] type, 0 ends, 2 is of instructions alone; EAX[7:5] level; EAX[25:14] +
 * 1, as a power of 2, are the IDs that are set aside for those that share it. */
uint8_t core_cluster_bits(topology_cpuid *read, const void *context)
{
	if (read(context, 0, 0).eax >= 4)
		for (unsigned i = 0; i < CACHES_MAX; i++) {
			uint32_t eax = read(context, 4, i).eax;

			if (!(eax & 0x1f))
				break;
			if ((eax >> 5 & 7) == 2 && (eax & 0x1f) != 2)
				return (uint8_t)bits_for((eax >> 14 & 0xfff) + 1);
		}
	return core_thread_bits(read, context);
}

/* SDM vol. 3, 8.9.3; AMD APM vol. 3, CPUID Fn8000001E. */
uint8_t core_thread_bits(topology_cpuid *read, const void *context)
{
	uint32_t max_leaf = read(context, 0, 0).eax;

	if (max_leaf >= 0xb && read(context, 0xb, 0).ebx)
		return read(context, 0xb, 0).eax & 31;
	if (read(context, 0x80000000, 0).eax >= 0x8000001e && read(context, 0x80000001, 0).ecx >> 22 & 1)
		return (uint8_t)bits_for((read(context, 0x8000001e, 0).ebx >> 8 & 0xff) + 1);
	if (!(read(context, 1, 0).edx >> 28 & 1))
		return 0;
	/* Of AMD's CPUs without leaf 4 (CmpLegacy, APM vol. 3) all are cores, of Intel's all are threads. */
	if (max_leaf < 4 && read(context, 0x80000000, 0).eax >= 0x80000001 &&
	    read(context, 0x80000001, 0).ecx >> 1 & 1)
		return 0;
	unsigned logical = bits_for(read(context, 1, 0).ebx >> 16 & 0xff),
		 cores = max_leaf < 4 ? 0 : bits_for((read(context, 4, 0).eax >> 26) + 1);
	return (uint8_t)(logical > cores ? logical - cores : 0);
}
