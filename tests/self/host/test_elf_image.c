/*
 * ELF files as users' code: one that is good, each way in which it is not, and every byte of it damaged.
 */
#include "tests/kernels/elf_image.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define SIZE 0x2200

static struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment[4];
	Elf64_Dyn dynamic[5];
	Elf64_Rela relocation[2];
	uint8_t rest[SIZE - sizeof(Elf64_Ehdr) - 4 * sizeof(Elf64_Phdr) - 5 * sizeof(Elf64_Dyn) -
		     2 * sizeof(Elf64_Rela)];
} file;
_Static_assert(sizeof file == SIZE, "no padding");

static struct elf_image x;
static uint8_t image[ELF_SPAN_MAX];

/* Read-only, code, data with more memory than bytes; two relocations, of words in the data. */
static void make(void)
{
	memset(&file, 0, sizeof file);
	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = ELFCLASS64;
	file.header.e_ident[EI_DATA] = ELFDATA2LSB;
	file.header.e_type = ET_DYN;
	file.header.e_machine = EM_X86_64;
	file.header.e_entry = 0x41010;
	file.header.e_phoff = sizeof file.header;
	file.header.e_phentsize = sizeof file.segment[0];
	file.header.e_phnum = 4;
	file.segment[0] = (Elf64_Phdr){PT_LOAD, PF_R, 0, 0x40000, 0, 0x400, 0x400, 0x1000};
	file.segment[1] = (Elf64_Phdr){PT_LOAD, PF_R | PF_X, 0x1000, 0x41000, 0, 0x20, 0x20, 0x1000};
	file.segment[2] = (Elf64_Phdr){PT_LOAD, PF_R | PF_W, 0x2100, 0x43100, 0, 0x100, 0x1100, 0x1000};
	file.segment[3] = (Elf64_Phdr){PT_DYNAMIC,
				       PF_R | PF_W,
				       offsetof(struct file, dynamic),
				       0x40000,
				       0,
				       sizeof file.dynamic,
				       sizeof file.dynamic,
				       8};
	file.dynamic[0] = (Elf64_Dyn){DT_RELA, {0x40000 + offsetof(struct file, relocation)}};
	file.dynamic[1] = (Elf64_Dyn){DT_RELASZ, {sizeof file.relocation}};
	file.dynamic[2] = (Elf64_Dyn){DT_RELAENT, {sizeof file.relocation[0]}};
	file.relocation[0] = (Elf64_Rela){0x43108, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x41004};
	file.relocation[1] = (Elf64_Rela){0x43110, ELF64_R_INFO(0, R_X86_64_RELATIVE), 0x43100};
}

static const char *parse(size_t size)
{
	return elf_parse((const uint8_t *)&file, size, EM_X86_64, &x);
}

static const char *relocate(void)
{
	memset(image, 0, sizeof image);
	for (unsigned i = 0; i < x.n_segments; i++)
		memcpy(image + x.segment[i].at, (uint8_t *)&file + x.segment[i].file_at,
		       x.segment[i].file_size);
	return elf_relocate(&x, image, R_X86_64_RELATIVE);
}

static void a_good_one_is_loaded(void **state)
{
	uint64_t words[2];

	(void)state;
	make();
	assert_true(elf_is((const uint8_t *)&file, SIZE));
	assert_null(parse(SIZE));
	assert_int_equal(x.low, 0x40000);
	assert_int_equal(x.span, 0x5000);
	assert_int_equal(x.entry, 0x1010);
	assert_int_equal(x.n_segments, 3);
	assert_false(x.segment[0].writable || x.segment[0].executable || x.segment[1].writable);
	assert_true(x.segment[1].executable && x.segment[2].writable && !x.segment[2].executable);
	assert_int_equal(x.segment[2].at, 0x3100);
	assert_int_equal(x.segment[2].size, 0x1100);
	assert_null(relocate());
	memcpy(words, image + 0x3108, sizeof words);
	assert_int_equal(words[0], (uint64_t)image + 0x1004);
	assert_int_equal(words[1], (uint64_t)image + 0x3100);
}

#define CASE(change, text)                                                                                   \
	do {                                                                                                 \
		const char *why;                                                                             \
		make();                                                                                      \
		change;                                                                                      \
		why = parse(SIZE);                                                                           \
		assert_string_equal(why ? why : "taken", text);                                              \
	} while (0)

static void bad_ones_are_refused(void **state)
{
	static const char cut[] = "it is no whole ELF file: it was cut off",
			  alone[] = "it is not static, position independent and free of threads: link it "
				    "with -static-pie -nostdlib";

	(void)state;
	CASE(file.header.e_ident[0] = 0, cut);
	assert_string_equal(parse(sizeof file.header - 1), cut);
	CASE(file.header.e_ident[EI_CLASS] = ELFCLASS32, "it is for another machine");
	CASE(file.header.e_ident[EI_DATA] = ELFDATA2MSB, "it is for another machine");
	CASE(file.header.e_machine = EM_PPC64, "it is for another machine");
	CASE(file.header.e_type = ET_EXEC, alone);
	CASE(file.header.e_type = ET_REL, alone);
	CASE(file.header.e_phoff = SIZE - 100, cut);
	CASE(file.header.e_phoff = UINT64_MAX, cut);
	CASE(file.header.e_phentsize = 32, cut);
	CASE(file.segment[3].p_type = PT_INTERP, alone);
	CASE(file.segment[3].p_type = PT_TLS, alone);
	CASE(file.segment[2].p_filesz = 0x101, cut);
	CASE(file.segment[2].p_offset = UINT64_MAX, cut);
	CASE(file.segment[1].p_filesz = 0x21, cut);
	CASE(file.segment[1].p_flags |= PF_W,
	     "a segment is writable and executable: link it with -z separate-code, without -N");
	CASE(file.segment[1].p_vaddr = 0x40f00,
	     "two segments share a page or are out of order: link it with -z separate-code");
	CASE(file.segment[2].p_vaddr = 0x41100,
	     "two segments share a page or are out of order: link it with -z separate-code");
	CASE(file.segment[2].p_memsz = ELF_SPAN_MAX - 0x3100 + 1, "it takes more than 256 KiB of memory");
	CASE(file.segment[2].p_memsz = ELF_SPAN_MAX - 0x3100, "taken");
	CASE(file.segment[2].p_memsz = UINT64_MAX, "it takes more than 256 KiB of memory");
	CASE(file.header.e_entry = 0x40ff0,
	     "its entry does not lie in its code: name the function with -e NAME");
	CASE(file.header.e_entry = 0x41020,
	     "its entry does not lie in its code: name the function with -e NAME");
	CASE(file.header.e_entry = 0x4101f, "taken");
	CASE(file.header.e_phnum = 0, "it has nothing to load");
	CASE(file.dynamic[2].d_tag = DT_NEEDED, alone);
	CASE(file.dynamic[2].d_tag = DT_RELR, alone);
	CASE(file.dynamic[2].d_tag = DT_PLTRELSZ, alone);
	CASE((file.dynamic[2].d_tag = DT_PLTRELSZ, file.dynamic[2].d_un.d_val = 0), "taken");
	CASE(file.segment[3].p_offset = SIZE, cut);
	make();
	file.relocation[1].r_info = ELF64_R_INFO(1, R_X86_64_64);
	assert_null(parse(SIZE));
	assert_string_equal(relocate(), alone);
	make();
	file.relocation[1].r_offset = 0x40000 + 0x5000 - 7;
	assert_null(parse(SIZE));
	assert_string_equal(relocate(), "its relocations lie outside of it: it was damaged");
	make();
	file.dynamic[0].d_un.d_val = 0x40000 + 0x5000;
	assert_null(parse(SIZE));
	assert_string_equal(relocate(), "its relocations lie outside of it: it was damaged");
}

/* Whatever a byte of the headers becomes: nothing outside of the file and of its memory is touched, and a
 * refusal is one line. The sanitizers look on. */
static void damage_is_survived(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		const char *why;

		make();
		for (unsigned k = 0; k < 1 + i % 3; k++) {
			seed = seed * 1664525 + 1013904223;
			((uint8_t *)&file)[(seed >> 8) % offsetof(struct file, rest)] = (uint8_t)(seed >> 24);
		}
		why = parse(i % 7 ? SIZE : seed % SIZE);
		if (!why)
			why = relocate();
		if (why)
			assert_null(strchr(why, '\n'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_one_is_loaded),
		cmocka_unit_test(bad_ones_are_refused),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
