/*
 * A witness outside the machine: a QEMU TCG plugin that counts what kernels do while they run at full speed.
 *
 *	qemu-system-x86_64 ... -plugin quantities.so,out=FILE
 *
 * It recognises windows by the marks around them (tests/measure/marks.h) and writes one line for each when it
 *closes:
 *
 *	KERNEL RING N quantity=amount ...
 *
 * It shares nothing with the harness but the marks: instructions are told apart by their first bytes, here.
 *
 * QEMU tells when an instruction is about to run, and of every access it makes, but not whether it came to
 * its end. An instruction has retired when the next one to run is where it leads to; if that is anywhere
 *else, it faulted (or QEMU started it over) and what it did is dropped. HLT has retired too if an interrupt
 *follows it, except in ring 3, where it faults, and so have NOP and PAUSE, which never fault. QEMU runs a REP
 *instruction once per iteration, and may run it once more to find that none is left: it retires when its
 *successor runs; each return to itself is an iteration done. QEMU makes several accesses of one wide operand:
 *accesses of an instruction that adjoin are one, unless the instruction is known to make several of its own;
 *where they are not those of the operand (state images, masked stores, scalar FMA, CVTDQ2PD), it is the
 *operand that counts, as the manual gives it. Whether a branch to the next instruction was taken does not
 *show: such branches are counted as br.cond.either. What the CPU lacks is carried out by a handler, which
 *says so by marks of its own; it is left out, but for the elements of gathers and scatters that it copies.
 */
#include "tests/self/boot/plugin/qemu_api.h"
#include "tests/self/boot/plugin/totals.h"
#include "tests/measure/marks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PLUGIN_EXPORT int qemu_plugin_version = PLUGIN_VERSION;
PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc,
				      char **argv);

enum kind {
	PLAIN,
	CONDITIONAL,
	JMP_DIRECT,
	JMP_INDIRECT,
	CALL_DIRECT,
	CALL_INDIRECT,
	RET,
	FAR,
	REP,  /* string instruction with F2 or F3 */
	MARK, /* NOP that may be a mark */
	HALT,
	IDLE,  /* NOP, PAUSE */
	WORLD, /* VMRUN: it has retired wherever its guest begins */
};

/** An instruction as it lies in memory. */
struct instruction {
	uint64_t address, next; /* next: of the one behind it */
	uint64_t target;        /* CONDITIONAL */
	uint32_t word;          /* MARK */
	uint8_t kind;           /* enum kind */
	bool separate;          /* accesses that adjoin are several all the same */
	bool stack_loads;       /* pops several stack slots; its other loads are of descriptors */
	bool far_pointer; /* loads an offset and a selector, one operand; its other loads are of descriptors
			   */
	bool elements;    /* those that the handler's marks show are its own */
	bool tried;       /* INS: QEMU stores once to see whether it may, and then again */
	bool no_loads;    /* all its loads are of descriptors ... */
	bool no_stores;   /* ... or, like these, of the delivery of an interrupt that follows at once */
	uint16_t operand; /* bytes of the one operand, where QEMU's accesses do not show them; 0: they do */
	bool operand_is_stored;
	uint8_t length;
	uint8_t bytes[15];
	struct instruction *chain; /* of the same address */
};

static const uint8_t total_of_kind[] = {
	[CONDITIONAL] = BR_COND,
	[JMP_DIRECT] = BR_JMP_DIRECT,
	[JMP_INDIRECT] = BR_JMP_INDIRECT,
	[CALL_DIRECT] = BR_CALL_DIRECT,
	[CALL_INDIRECT] = BR_CALL_INDIRECT,
	[RET] = BR_RET,
	[FAR] = BR_FAR,
	[REP] = 0,
	[MARK] = 0,
	[HALT] = 0,
	[IDLE] = 0,
	[WORLD] = 0,
};

#define ACCESSES_MAX 256

struct access {
	uint64_t address;
	unsigned size;
	bool store;
};

static struct {
	FILE *out;
	/* the window */
	uint32_t header[MARK_HEADER];
	unsigned header_left; /* words of the header still to come */
	volatile bool open;
	volatile unsigned vcpu; /* whose windows they are; others may work beside it */
	volatile bool others;   /* and do */
	enum {
		OWN,
		HANDLED,
		RETURNING,
		RETURNED
	} aside;          /* how far the handler of an instruction that the CPU lacks has come */
	bool faulted;     /* it has raised an exception instead */
	unsigned element; /* in it: counts down over the copy of an element */
	uint64_t total[TOTALS];
	/* the instruction that is running, and what it has accessed */
	const struct instruction *current;
	struct access access[ACCESSES_MAX];
	unsigned n_accesses;
	bool told_device; /* it has stored to a device, which may interrupt at once: then it has retired */
} s;

/* --- what an instruction is ------------------------------------------------------------------------- */

static bool is_prefix(uint8_t b)
{
	return b == 0x26 || b == 0x2e || b == 0x36 || b == 0x3e || (b >= 0x64 && b <= 0x67) || b == 0xf0 ||
	       b == 0xf2 || b == 0xf3;
}

static void classify_two_byte(struct instruction *in, uint8_t opcode)
{
	int32_t displacement;
	if (opcode >= 0x80 && opcode <= 0x8f) {
		in->kind = CONDITIONAL;
		memcpy(&displacement, in->bytes + in->length - 4, 4);
		in->target = in->next + (uint64_t)(int64_t)displacement;
	} else if (opcode == 0x05 || opcode == 0x07 || opcode == 0x34 || opcode == 0x35) {
		in->kind = FAR; /* SYSCALL, SYSRET, SYSENTER, SYSEXIT */
		in->no_loads = in->no_stores = true;
	}
	if (opcode == 0x01 && in->bytes[in->length - 1] == 0xc9)
		in->kind = HALT; /* MWAIT */
	if (opcode == 0x01 && in->bytes[in->length - 1] == 0xd8) {
		in->kind = WORLD;
		in->no_loads = in->no_stores = true; /* they are of state */
	}
}

static void classify_group5(struct instruction *in, uint8_t modrm)
{
	static const uint8_t kinds[8] = {[2] = CALL_INDIRECT, [3] = FAR, [4] = JMP_INDIRECT, [5] = FAR};
	in->kind = kinds[modrm >> 3 & 7];
	in->separate = in->far_pointer = in->kind == FAR;
}

static void operand(struct instruction *in, unsigned bytes, bool stored)
{
	in->operand = (uint16_t)bytes;
	in->operand_is_stored = stored;
}

/** VEX map 2 in its three-byte form; `p` is at C4. */
static void classify_vex(struct instruction *in, const uint8_t *p)
{
	bool wide = p[2] & 4, quadword = p[2] & 0x80, memory = p[4] < 0xc0;

	if ((p[1] & 31) != 2 || !memory)
		return;
	in->separate = (p[3] & 0xfc) == 0x90; /* gathers */
	if (p[3] == 0x2e || p[3] == 0x2f || p[3] == 0x8e)
		operand(in, wide ? 32 : 16, true); /* VMASKMOVPS, VMASKMOVPD, VPMASKMOV */
	if (p[3] >= 0x90 && p[3] < 0xc0 && (p[3] & 9) == 9)
		operand(in, quadword ? 8 : 4, false); /* scalar FMA */
}

/** `p` is at 62. QEMU does not know what follows: the handler that carries it out makes the accesses, of
 * which those of gathers and scatters show how many elements there are. */
static void classify_evex(struct instruction *in, const uint8_t *p)
{
	bool quadword = p[2] & 0x80, broadcast = p[3] & 0x10, memory = p[5] < 0xc0;
	unsigned map = p[1] & 7, prefix = p[2] & 3, opcode = p[4];
	bool scalar = map == 1 && prefix >= 2 && opcode < 0x60;
	bool stored = map == 1 && (opcode == 0x11 || opcode == 0x29 || opcode == 0x7f);

	if (!memory)
		return;
	in->elements = in->separate = map == 2 && ((opcode & 0xfc) == 0x90 || (opcode & 0xfc) == 0xa0);
	if (in->elements) {
		in->no_stores = opcode < 0xa0;
		in->no_loads = !in->no_stores;
	} else {
		operand(in, broadcast || scalar ? (quadword ? 8 : 4) : 16u << (p[3] >> 5 & 3), stored);
	}
}

/** Images of the floating-point unit's state, of which QEMU moves the fields one by one, and not the reserved
 * ones. */
static void classify_state(struct instruction *in, const uint8_t *p)
{
	unsigned reg = p[p[0] == 0x0f ? 2 : 1] >> 3 & 7;
	bool memory = p[p[0] == 0x0f ? 2 : 1] < 0xc0;

	if (!memory)
		return;
	if (p[0] == 0x0f && p[1] == 0xae && reg <= 1)
		operand(in, 512, reg == 0); /* FXSAVE, FXRSTOR */
	if (p[0] == 0x0f && p[1] == 0xae && (reg == 4 || reg == 5)) {
		operand(in, 576, reg == 4); /* XSAVE, XRSTOR: the legacy area and the header */
		in->no_loads = reg == 4;    /* but for what the header was */
	}
	if (p[0] == 0xd9 && (reg == 4 || reg == 6))
		operand(in, 28, reg == 6); /* FLDENV, FNSTENV */
	if (p[0] == 0xdd && (reg == 4 || reg == 6))
		operand(in, 108, reg == 6); /* FRSTOR, FNSAVE */
}

static void classify(struct instruction *in)
{
	unsigned i = 0;
	bool rep = false, repe = false;
	uint32_t first;

	memcpy(&first, in->bytes, 4);
	if (in->length == MARK_SIZE && first == MARK_OPCODE) {
		in->kind = MARK;
		memcpy(&in->word, in->bytes + 4, 4);
		return;
	}
	for (; i < in->length && is_prefix(in->bytes[i]); i++) {
		repe |= in->bytes[i] == 0xf3;
		rep |= in->bytes[i] == 0xf2 || in->bytes[i] == 0xf3;
	}
	if ((in->bytes[i] & 0xf0) == 0x40)
		i++;
	uint8_t opcode = in->bytes[i];
	switch (opcode) {
	case 0x0f:
		if (in->bytes[i + 1] == 0x00 &&
		    in->bytes[i + 2] >= 0xd0) /* LLDT, LTR, VERR, VERW: of descriptors */
			in->no_loads = in->no_stores = true;
		if ((in->bytes[i + 1] & 0xfe) == 0x02 && in->bytes[i + 2] >= 0xc0) /* LAR, LSL */
			in->no_loads = true;
		if (in->bytes[i + 1] == 0xa1 || in->bytes[i + 1] == 0xa9) /* POP to FS and GS */
			in->separate = in->stack_loads = true;
		if (in->bytes[i + 1] == 0xb2 || (in->bytes[i + 1] & 0xfe) == 0xb4) /* LSS, LFS, LGS */
			in->separate = in->far_pointer = true;
		if (repe && in->bytes[i + 1] == 0xe6 && in->bytes[i + 2] < 0xc0)
			operand(in, 8, false); /* CVTDQ2PD, of which QEMU loads twice as much */
		classify_two_byte(in, in->bytes[i + 1]);
		classify_state(in, in->bytes + i);
		break;
	case 0xd9:
	case 0xdd:
		classify_state(in, in->bytes + i);
		break;
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		in->kind = CONDITIONAL;
		in->target = in->next + (uint64_t)(int64_t)(int8_t)in->bytes[in->length - 1];
		break;
	case 0xe9:
	case 0xeb:
		in->kind = JMP_DIRECT;
		break;
	case 0xe8:
		in->kind = CALL_DIRECT;
		break;
	case 0xc2:
	case 0xc3:
		in->kind = RET;
		break;
	case 0xca:
	case 0xcb:
	case 0xcf:
		in->kind = FAR;
		in->separate = in->stack_loads = true;
		break;
	case 0xc8: /* ENTER: a store per level */
		in->separate = true;
		break;
	case 0xcc:
	case 0xcd:
	case 0xce: /* INTO: stands in for INT1 */
	case 0xf1:
		in->kind = FAR;
		break;
	case 0xc4:
		classify_vex(in, in->bytes + i);
		break;
	case 0x62:
		classify_evex(in, in->bytes + i);
		break;
	case 0x8e: /* MOV to a segment register; from a register */
		in->no_loads = in->bytes[i + 1] >= 0xc0;
		break;
	case 0x90:
		in->kind = IDLE;
		break;
	case 0xf4:
		in->kind = HALT;
		break;
	case 0xff:
		classify_group5(in, in->bytes[i + 1]);
		break;
	case 0xa6:
	case 0xa7: /* CMPS: two operands */
		in->separate = true;
		/* fall through */
	case 0x6c ... 0x6f:
	case 0xa4:
	case 0xa5:
	case 0xaa ... 0xaf:
		in->kind = rep ? REP : PLAIN;
		in->tried = opcode == 0x6c || opcode == 0x6d;
		break;
	}
}

/** One record per address and bytes: code may be written anew. */
static struct instruction *intern_new(struct instruction *chain, uint64_t address, const uint8_t *bytes,
				      size_t length)
{
	struct instruction *in = calloc(1, sizeof *in);

	in->address = address;
	in->next = address + length;
	in->length = (uint8_t)length;
	memcpy(in->bytes, bytes, length);
	in->chain = chain;
	classify(in);
	return in;
}

/** Processors translate at the same time. */
static struct instruction *intern(uint64_t address, const uint8_t *bytes, size_t length)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static struct instruction *table[1 << 14];
	struct instruction **head = &table[address % (1 << 14)], *in;

	pthread_mutex_lock(&mutex);
	for (in = *head; in; in = in->chain)
		if (in->address == address && in->length == length && !memcmp(in->bytes, bytes, length))
			break;
	if (!in)
		in = *head = intern_new(*head, address, bytes, length);
	pthread_mutex_unlock(&mutex);
	return in;
}

/* --- windows ---------------------------------------------------------------------------------------- */

static void open_window(void)
{
	s.others = false;
	memset(s.total, 0, sizeof s.total);
	s.current = NULL;
	s.n_accesses = 0;
	s.aside = OWN;
	s.open = true;
}

static void close_window(void)
{
	print_totals(s.out, s.header, s.total);
	fprintf(s.out, " others=%d\n", s.others);
	fflush(s.out);
	s.open = false;
}

/** @return whether the NOP is part of a mark */
static bool read_mark(uint32_t word)
{
	if (s.header_left) {
		s.header[MARK_HEADER - s.header_left--] = word;
		if (!s.header_left)
			open_window();
		return true;
	}
	if (word == MARK_BEGIN) {
		s.open = false;
		s.header_left = MARK_HEADER;
		return true;
	}
	if (word == MARK_END && s.open) {
		close_window();
		return true;
	}
	return false;
}

/* --- counting --------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct access *x = a, *y = b;
	if (x->store != y->store)
		return x->store - y->store;
	return x->address < y->address ? -1 : x->address > y->address;
}

/** The current instruction has one operand of a known size and makes one access of it; accesses of the other
 * kind do not belong to it. */
static void commit_operand(void)
{
	const struct instruction *in = s.current;
	bool stored = in->operand_is_stored;

	for (unsigned i = 0; i < s.n_accesses; i++)
		if (s.access[i].store != stored && !(in->no_loads && stored))
			s.total[s.access[i].store ? STORES : LOADS]++;
	s.total[stored ? STORES : LOADS]++;
	s.total[stored ? STORE_BYTES : LOAD_BYTES] += in->operand;
	s.n_accesses = 0;
}

/** Add the accesses of the current instruction (or of one iteration of it) to the totals. */
static void commit_accesses(void)
{
	const struct instruction *in = s.current;
	uint64_t end = 0;
	bool store = false, any = false;

	if (in->operand) {
		commit_operand();
		return;
	}
	if (!in->separate)
		qsort(s.access, s.n_accesses, sizeof *s.access, by_place);
	for (unsigned i = 0; i < s.n_accesses; i++) {
		const struct access *a = &s.access[i];
		if (in->stack_loads && any && (a->store || a->address != end))
			continue;
		if (a->store ? in->no_stores : in->no_loads)
			continue;
		if (in->far_pointer && !a->store && any && a->address != end)
			continue;
		if (in->tried && any && a->address + a->size == end)
			continue;
		bool adjoins = any && a->store == store &&
			       (in->separate ? in->far_pointer && !a->store : a->address <= end);
		s.total[a->store ? STORE_BYTES : LOAD_BYTES] += a->size;
		s.total[a->store ? STORES : LOADS] += !adjoins;
		end = a->address + a->size;
		store = a->store;
		any = true;
	}
	s.n_accesses = 0;
}

static void retire(uint64_t successor)
{
	const struct instruction *in = s.current;

	s.total[INSTRUCTIONS]++;
	commit_accesses();
	if (in->kind == CONDITIONAL)
		s.total[in->target == in->next ? BR_EITHER : successor == in->next ? BR_NTAKEN : BR_TAKEN]++;
	if (total_of_kind[in->kind]) {
		s.total[BRANCHES]++;
		s.total[total_of_kind[in->kind]]++;
	}
}

/** In which ring the kernel of the window began. */
static uint32_t ring(void)
{
	return s.header[1];
}

/** The instruction that was running is over, one way or the other: the one at `successor` is about to run. */
static void finish(uint64_t successor)
{
	const struct instruction *in = s.current;

	if (!in)
		return;
	if (in->kind == REP && successor == in->address)
		commit_accesses(); /* an iteration */
	else if (total_of_kind[in->kind] || successor == in->next || in->kind == IDLE || in->kind == WORLD ||
		 (in->kind == HALT && ring() == 0) || (s.told_device && in->kind == PLAIN))
		retire(successor);
	s.told_device = false;
	s.n_accesses = 0;
	s.current = NULL;
}

/** Whether the instruction belongs to a handler that carries out what the CPU lacks. When it has returned,
 * the instruction that was lacking has retired, if it has not faulted. */
static bool is_aside(const struct instruction *in)
{
	switch (s.aside) {
	case OWN:
		if (!s.current || in->kind != MARK || in->word != MARK_ASIDE)
			return false;
		s.aside = HANDLED;
		s.n_accesses = 0; /* those of the delivery */
		s.element = 0;
		return true;
	case HANDLED:
		if (in->kind == MARK && (in->word == MARK_BACK || in->word == MARK_FAULT))
			s.aside = RETURNING;
		s.faulted = in->kind == MARK && in->word == MARK_FAULT;
		s.element = in->kind == MARK && in->word == MARK_ELEMENT ? 3 : s.element ? s.element - 1 : 0;
		return true;
	case RETURNING: /* the IRETQ, or the JMP to where an event arrives */
		s.aside = RETURNED;
		return true;
	default:
		s.aside = OWN;
		if (!s.faulted)
			retire(in->address);
		s.current = NULL;
		return false;
	}
}

static void on_instruction(unsigned vcpu, void *user)
{
	const struct instruction *in = user;

	bool begins = in->kind == MARK && in->word == MARK_BEGIN;

	/* A second CPU runs at the same time: nothing but that it works may come from it, whether it sees the
	 * window open or not. */
	if (vcpu != s.vcpu && !begins) {
		if (s.open)
			s.others = true;
		return;
	}
	if (begins)
		s.vcpu = vcpu;
	if (s.open && is_aside(in))
		return;
	if (s.open)
		finish(in->address);
	if (in->kind == MARK && read_mark(in->word))
		return;
	if (s.open)
		s.current = in;
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
	(void)user;
	if (!s.open || vcpu != s.vcpu || !s.current || s.n_accesses == ACCESSES_MAX)
		return;
	if (s.aside && !(s.aside == HANDLED && s.element && s.current->elements))
		return;
	if (qemu_plugin_mem_is_store(info)) {
		const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);

		s.told_device = s.told_device || (where && qemu_plugin_hwaddr_is_io(where));
	}
	s.access[s.n_accesses++] = (struct access){.address = address,
						   .size = 1u << qemu_plugin_mem_size_shift(info),
						   .store = qemu_plugin_mem_is_store(info)};
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	(void)id;

	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_plugin_insn_size(insn);
		const uint8_t *bytes = qemu_plugin_insn_data(insn), *there = qemu_plugin_insn_haddr(insn);

		/* Not knowing EVEX, QEMU reads no more than the first byte of it. */
		if (size == 1 && bytes[0] == 0x62 && there) {
			bytes = there;
			size = 15;
		}
		void *in = intern(qemu_plugin_insn_vaddr(insn), bytes, size > 15 ? 15 : size);
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
		fprintf(stderr, "quantities: out=FILE is missing or cannot be written\n");
		return -1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	return 0;
}
