/*
 * The kernels of AArch64 in a program for Linux, each between marks (tests/measure/marks.h), for the plugin
 * in qemu-aarch64: the witness that has no machine, no privileged level and nothing of Assay but the kernels.
 * Those that need a service of the harness, or EL1, are left out.
 */
#define _GNU_SOURCE
#include "tests/kernels/aarch64/kernel.h"
#include "tests/measure/marks.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define CODE_SIZE 0x10000
#define MULTIPLES 3
#define LEVEL     1 /* as EL0 is numbered */

static uint8_t data[KERNEL_DATA_SIZE] __attribute__((aligned(4096)));
static uint8_t stack[4 * KERNEL_STACK] __attribute__((aligned(4096)));

/* MOVZ XZR with half of the word, twice. */
static uint8_t *put_mark(uint8_t *p, uint32_t word)
{
	const uint32_t moves[] = {0xd280001f | (word & 0xffff) << 5, 0xd280001f | (word >> 16) << 5};

	memcpy(p, moves, sizeof moves);
	return p + sizeof moves;
}

static void compose(uint8_t *p, const struct kernel *k, uint32_t n)
{
	static const uint32_t back = 0xd61f0260; /* br x19, which kernels keep */
	char name[MARK_NAME_WORDS * sizeof(uint32_t)] = {0};

	strncpy(name, k->name, sizeof name - 1);
	p = put_mark(p, MARK_BEGIN);
	p = put_mark(p, n);
	p = put_mark(p, LEVEL);
	for (unsigned i = 0; i < MARK_NAME_WORDS; i++) {
		uint32_t word;

		memcpy(&word, name + i * sizeof word, sizeof word);
		p = put_mark(p, word);
	}
	memcpy(p, k->code, (size_t)(k->code_end - k->code));
	p = put_mark(p + (k->code_end - k->code), MARK_END);
	memcpy(p, &back, sizeof back);
}

/* Registers as kernels find them; SP is kept in X20. */
static void run(const void *code, uint64_t n)
{
	register uint64_t x0 __asm__("x0") = n;
	register void *x1 __asm__("x1") = data;
	register uint64_t x2 __asm__("x2") = 0; /* the code is its own writable alias */
	register const void *x3 __asm__("x3") = code;
	register void *x4 __asm__("x4") = stack + sizeof stack - 256;

	__asm__ volatile(
		"mov x20, sp; mov x21, x29; mov sp, x4; adr x19, 1f; br x3; 1: mov sp, x20; mov x29, x21"
		: "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4)
		:
		: "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
		  "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1",
		  "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",
		  "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
		  "v29", "v30", "v31", "cc", "memory");
}

int main(int argc, char **argv)
{
	uint8_t *code =
		mmap(NULL, CODE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED || argc < 1 + MULTIPLES)
		return 2;
	kernels_unpack();
	for (const struct kernel *k = kernels_begin; k < kernels_end; k++)
		for (unsigned i = 1; i <= MULTIPLES; i++) {
			unsigned n;

			if (k->flags & (KERNEL_PRIVILEGED | KERNEL_SERVICE_RESUME | KERNEL_SERVICE_PMU) ||
			    sscanf(argv[i], "%u", &n) != 1)
				continue;
			compose(code, k, n);
			__builtin___clear_cache((char *)code, (char *)code + CODE_SIZE);
			memset(data, 0, sizeof data);
			run(code, n);
		}
	return 0;
}
