/*
 * Direct start: the run without firmware, for emulators and boot loaders that know the arm64 boot protocol
 * (QEMU -kernel). Text goes to the serial line, the report to the debugger's console with report=e9. The exit
 * status is told by semihosting, and the machine switched off by PSCI (DEN 0022, 5.10).
 */
#include "arch/aarch64/board.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/fdt.h"
#include "arch/breadcrumbs.h"
#include "boot/heap.h"
#include "boot/platform.h"

#include "arch/aarch64/serial.h"

#include <string.h>

#define TEXT_OFFSET 0x200000 /* entry.S has it */

extern const char __load_start[], __image_end[];

static struct board board;
static uint64_t free_start, free_end;

static void *take_pages(size_t pages)
{
	if (pages > (free_end - free_start) / 4096)
		return NULL;
	void *at = (void *)(uintptr_t)free_start;
	free_start += pages * 4096;
	return at;
}

static void *alloc_pages(size_t pages)
{
	void *at = take_pages(pages);

	return at ? memset(at, 0, pages * 4096) : NULL;
}

static void leave(enum exit_mode mode, int status)
{
	serial_give_back();
	if (mode != EXIT_HALT) {
		semihosting_exit(status);
		psci_call(PSCI_SYSTEM_OFF, 0, 0, 0);
	}
	machine_stop();
}

static bool read_file(const char *path, char **data, size_t *size, const char **why)
{
	(void)path, (void)data, (void)size;
	*why = PLATFORM_NOT_FOUND;
	return false;
}

static bool make_folder(const char *path, const char **why)
{
	(void)path;
	*why = "a direct start has no files; use report=e9";
	return false;
}

static struct platform direct = {
	.name = "direct",
	.boot = {.alloc_pages = alloc_pages, .firmware = "arm64 boot protocol"},
	.read_file = read_file,
	.make_folder = make_folder,
	.leave = leave,
};

/* Behind all that the loader has put into memory. */
static void find_memory(const void *tree)
{
	uint64_t used[] = {(uint64_t)__image_end, (uint64_t)tree + fdt_size(tree), board.initrd_end};

	free_start = board.memory;
	free_end = board.memory + board.memory_size;
	for (unsigned i = 0; i < sizeof used / sizeof used[0]; i++)
		if (used[i] > free_start && used[i] <= free_end)
			free_start = used[i];
	free_start = (free_start + 4095) & ~UINT64_C(4095);
	direct.boot.memory_top = free_end;
	if (free_end - free_start >= BREADCRUMBS_BYTES) {
		free_end -= BREADCRUMBS_BYTES;
		direct.boot.breadcrumbs = (void *)(uintptr_t)free_end;
	}
}

static _Noreturn void could_not_run(const char *why)
{
	serial_write(why, strlen(why));
	leave(EXIT_SHUTDOWN, 2);
	machine_stop();
}

/* The first word says whether QEMU was started with -semihosting, which it does not tell itself: without it
 * HLT is an undefined instruction. */
static const char *options_of(const char *text)
{
	static const char word[] = "semihosting";

	if (!board.guest || strncmp(text, word, sizeof word - 1))
		return text;
	semihosting = true;
	return text + sizeof word - 1;
}

/* The protocol has its address in X0. QEMU starts a file that it does not know as an image of the protocol at
 * EL3 without, and puts the tree at the beginning of memory. */
static const void *tree_at(const void *told)
{
	return fdt_size(told) ? told : __load_start - TEXT_OFFSET;
}

/** @param tree  its address, as the protocol has it @param secure  it began at EL3 */
void direct_main(const void *tree, bool secure);

void direct_main(const void *tree, bool secure)
{
	static char command_line[4096];

	tree = tree_at(tree);
	if (!board_read(tree, &board))
		could_not_run("# assay: could not run: there is no device tree\n");
	strncpy(command_line, options_of(board.options), sizeof command_line - 1);
	if (secure)
		could_not_run(
			"# assay: could not run: it was started at EL3, where nobody has set up what is not "
			"secure; start it at EL2 or EL1\n");
	direct.command_line = command_line;
	find_memory(tree);
	if (!heap_init(&direct, take_pages))
		could_not_run("# assay: could not run: not 1 MiB of memory is free; give the machine more\n");
	leave(EXIT_SHUTDOWN, assay_main(&direct));
}
