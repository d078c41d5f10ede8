/*
 * Measures decoders on the code of an x86-64 ELF file, in one run:
 *
 *	decodebench FILE
 *
 * The table walker of the image, Zydis (length and mnemonic only, as a linked-in decoder would be used),
 * Zydis with operands, which the quantities would need. Prints nanoseconds per instruction; docs/decoding.md
 * quotes it.
 */
#include "arch/x86/step/insn.h"

#include <Zydis/Zydis.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TIME_LIMIT 0.5 /* seconds per decoder */

static const uint8_t *code, *code_end;
static ZydisDecoder decoder;
static ZydisDecodedInstruction instruction;
static ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

static unsigned with_walker(const uint8_t *p, size_t left)
{
	struct insn in;
	return insn_decode(p, left, &in) ? in.length : 0;
}

static unsigned with_zydis(const uint8_t *p, size_t left)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, p, left, &instruction))
		       ? instruction.length
		       : 0;
}

static unsigned with_zydis_operands(const uint8_t *p, size_t left)
{
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, p, left, &instruction, operands))
		       ? instruction.length
		       : 0;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void measure(const char *name, unsigned (*decode)(const uint8_t *, size_t))
{
	unsigned long count = 0;
	double start = now(), elapsed;
	do {
		for (const uint8_t *p = code; p < code_end; count++) {
			unsigned length = decode(p, (size_t)(code_end - p));
			p += length ? length : 1;
		}
		elapsed = now() - start;
	} while (elapsed < TIME_LIMIT);
	printf("%-32s %7.1f ns per instruction\n", name, elapsed / (double)count * 1e9);
}

static bool find_code(const uint8_t *file)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 ||
	    e->e_machine != EM_X86_64)
		return false;
	const Elf64_Phdr *p = (const Elf64_Phdr *)(file + e->e_phoff);
	for (unsigned i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == PT_LOAD && (p[i].p_flags & PF_X)) {
			code = file + p[i].p_offset;
			code_end = code + p[i].p_filesz;
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0 || fstat(fd, &st) || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
		fprintf(stderr, "usage: decodebench ELF-FILE\n");
		return 2;
	}
	const uint8_t *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED || !find_code(file)) {
		fprintf(stderr, "%s: no x86-64 ELF file with code\n", argv[1]);
		return 2;
	}
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	measure("table walker", with_walker);
	measure("Zydis, no operands", with_zydis);
	measure("Zydis, with operands", with_zydis_operands);
	return 0;
}
