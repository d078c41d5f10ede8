/*
 * The debug store (DS) area in memory: administration, branch trace (BTS) records and PEBS records. SDM
 * vol. 3, 17.4.9 and 18.15.7, figures 17-5 to 17-10.
 *
 * It has two forms of the same words: of 4 bytes each, and of 8 bytes each, where CPUID.1:ECX[2] (DTES64) is
 * set or IA-32e mode is active (17.4.9.1). The form with 8 has R8 to R15 in its PEBS records.
 */
#ifndef PMU_NETBURST_RECORDS_DS_H
#define PMU_NETBURST_RECORDS_DS_H

/** Words of the administration, in order from IA32_DS_AREA on. The last takes 8 bytes in either form. */
enum netburst_ds_word {
	DS_BTS_BASE,
	DS_BTS_INDEX,     /* where the next record goes */
	DS_BTS_MAXIMUM,   /* the first byte that is the buffer's no more; records end at or before it */
	DS_BTS_THRESHOLD, /* a record that moves the index to this or past it interrupts */
	DS_PEBS_BASE,
	DS_PEBS_INDEX,
	DS_PEBS_MAXIMUM,
	DS_PEBS_THRESHOLD,
	DS_PEBS_RESET, /* what the counter is loaded with when a record has been written, 40 bits */
	DS_WORDS
};

/** Words of a branch trace record. */
enum netburst_bts_word { BTS_FROM, BTS_TO, BTS_FLAGS, BTS_WORDS };

#define BTS_PREDICTED (1u << 4) /* of BTS_FLAGS */

/** Words of a PEBS record: RFLAGS, RIP, then registers in the order of enum x86_general. */
enum netburst_pebs_word {
	PEBS_FLAGS,
	PEBS_IP,
	PEBS_GPRS,
	PEBS_WORDS_32 = PEBS_GPRS + 8,
	PEBS_WORDS_64 = PEBS_GPRS + 16
};

static inline unsigned netburst_pebs_words(unsigned width)
{
	return width == 8 ? PEBS_WORDS_64 : PEBS_WORDS_32;
}

#endif
