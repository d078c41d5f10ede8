/*
 * A witness outside the machine for AArch64: a QEMU TCG plugin that counts what kernels do while they run at
 *full speed, of the system's emulator and of the user's (qemu-aarch64).
 *
 *	qemu-system-aarch64 ... -plugin aarch64.so,out=FILE
 *
 * It recognises windows by the marks around them (tests/measure/marks.h has the words; here each is two MOVZ
 *of XZR, the lower half first) and writes one line for each when it closes:
 *
 *	KERNEL LEVEL N quantity=amount ...
 *
 * It shares nothing with the harness but the marks: instructions are told apart by their words, here.
 *
 * QEMU tells when an instruction is about to run, and of every access it makes, but not whether it came to
 *its end. An instruction has retired when the next one to run is where it leads to; if that is anywhere else,
 *it faulted and what it did is dropped. QEMU makes several accesses of one wide operand: an instruction has
 *one, of a pair two. A store exclusive is a comparison and an exchange to QEMU, whose load is none of the
 *instruction's.
 */
#include "tests/self/boot/plugin/qemu_api.h"
#include "tests/self/boot/plugin/totals.h"
#include "tests/measure/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_VERSION;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
				      char **argv);

/** An instruction as it lies in memory. */
struct instruction {
	uint64_t address;
	uint64_t target; /* of a conditional branch */
	uint32_t word;
	enum total branch; /* TOTALS: it is none */
	bool mark, pair, exclusive_store;
	struct instruction *chain; /* of the same address */
};

static struct {
	FILE *out;
	uint32_t header[MARK_HEADER];
	unsigned header_left; /* words of the header still to come */
	uint32_t half;        /* of a mark */
	bool has_half, open;
	uint64_t total[TOTALS];
	const struct instruction *current;
	unsigned accesses[2], bytes[2]; /* of the current one: loads, stores */
} s;

#define IS(mask, value) ((in->word & (mask)) == (value))

static uint64_t displaced(const struct instruction *in, unsigned low, unsigned bits)
{
	return in->address +
	       (uint64_t)((int64_t)((uint64_t)in->word << (64 - low - bits)) >> (64 - bits)) * 4;
}

/* Arm ARM, C4.1. */
static void classify(struct instruction *in)
{
	in->branch = TOTALS;
	in->mark = IS(0xffe0001f, 0xd280001f);
	if (IS(0xff000010, 0x54000000) || IS(0x7e000000, 0x34000000)) {
		in->branch = BR_COND;
		in->target = displaced(in, 5, 19);
	} else if (IS(0x7e000000, 0x36000000)) {
		in->branch = BR_COND;
		in->target = displaced(in, 5, 14);
	} else if (IS(0x7c000000, 0x14000000)) {
		in->branch = in->word >> 31 ? BR_CALL_DIRECT : BR_JMP_DIRECT;
	} else if (IS(0xfffffc1f, 0xd61f0000)) {
		in->branch = BR_JMP_INDIRECT;
	} else if (IS(0xfffffc1f, 0xd63f0000)) {
		in->branch = BR_CALL_INDIRECT;
	} else if (IS(0xfffffc1f, 0xd65f0000)) {
		in->branch = BR_RET;
	} else if (IS(0xffe0001f, 0xd4000001) || IS(0xffffffff, 0xd69f03e0)) {
		in->branch = BR_FAR;
	}
	in->exclusive_store = IS(0x3fc00000, 0x08000000); /* STXR, STLXR; with bit 21 their pairs */
	in->pair = IS(0x3a000000, 0x28000000) || IS(0xbfa00000, 0x88200000) /* LDXP, STXP */ ||
		   IS(0xbfa07c00, 0x08207c00); /* CASP */
}

/** One record per address and word: code may be written anew. */
static struct instruction *intern(uint64_t address, uint32_t word)
{
	static struct instruction *table[1 << 14];
	struct instruction **head = &table[address / 4 % (1 << 14)], *in;

	for (in = *head; in; in = in->chain)
		if (in->address == address && in->word == word)
			return in;
	in = calloc(1, sizeof *in);
	in->address = address;
	in->word = word;
	in->chain = *head;
	classify(in);
	return *head = in;
}

/* --- windows ---------------------------------------------------------------------------------------- */

static void close_window(void)
{
	print_totals(s.out, s.header, s.total);
	fprintf(s.out, "\n");
	fflush(s.out);
	s.open = false;
}

static void read_mark(uint32_t word)
{
	if (s.header_left) {
		s.header[MARK_HEADER - s.header_left--] = word;
		if (!s.header_left) {
			memset(s.total, 0, sizeof s.total);
			s.open = true;
		}
	} else if (word == MARK_BEGIN) {
		s.open = false;
		s.header_left = MARK_HEADER;
	} else if (word == MARK_END && s.open) {
		close_window();
	}
}

/* --- counting --------------------------------------------------------------------------------------- */

static void retire(const struct instruction *in, uint64_t successor)
{
	bool further = successor != in->address + 4;

	if (in->exclusive_store)
		s.accesses[0] = s.bytes[0] = 0;
	s.total[INSTRUCTIONS]++;
	for (unsigned store = 0; store < 2; store++) {
		s.total[store ? STORES : LOADS] += s.accesses[store] ? 1 + in->pair : 0;
		s.total[store ? STORE_BYTES : LOAD_BYTES] += s.bytes[store];
	}
	if (in->branch == TOTALS)
		return;
	s.total[BRANCHES]++;
	s.total[in->branch]++;
	if (in->branch == BR_COND)
		s.total[in->target == in->address + 4 ? BR_EITHER : further ? BR_TAKEN : BR_NTAKEN]++;
}

/** A vector of interrupts (Arm ARM, D1.10.2): they come behind an instruction, which an exception of its own
 * ends. */
static bool is_interrupt(uint64_t successor)
{
	unsigned kind = successor >> 7 & 3;

	return !(successor & 0x7f) && (kind == 1 || kind == 2);
}

/** The instruction that was running is over: the one at `successor` is about to run. */
static void finish(uint64_t successor)
{
	const struct instruction *in = s.current;

	if (in && (in->branch != TOTALS || successor == in->address + 4 || is_interrupt(successor)))
		retire(in, successor);
	s.current = NULL;
	memset(s.accesses, 0, sizeof s.accesses);
	memset(s.bytes, 0, sizeof s.bytes);
}

static void on_instruction(unsigned vcpu, void *user)
{
	const struct instruction *in = user;

	(void)vcpu;
	if (s.open)
		finish(in->address);
	if (!in->mark) {
		s.has_half = false;
		s.current = s.open ? in : NULL;
		return;
	}
	if (s.has_half)
		read_mark(s.half | (in->word >> 5 & 0xffff) << 16);
	else
		s.half = in->word >> 5 & 0xffff;
	s.has_half = !s.has_half;
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	bool store = qemu_plugin_mem_is_store(info);

	(void)vcpu, (void)address, (void)user;
	if (!s.current)
		return;
	s.accesses[store]++;
	s.bytes[store] += 1u << qemu_plugin_mem_size_shift(info);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t word;

		memcpy(&word, qemu_plugin_insn_data(insn), sizeof word);
		void *in = intern(qemu_plugin_insn_vaddr(insn), word);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_PLUGIN_CB_NO_REGS, in);
		qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
						 in);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			s.out = fopen(argv[i] + 4, "w");
	if (!s.out) {
		fprintf(stderr, "aarch64: out=FILE is missing or cannot be written\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
