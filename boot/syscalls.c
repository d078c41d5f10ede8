/*
 * System calls of newlib: a heap out of one pool, text to the screen, everything else fails cleanly.
 */
#include "boot/heap.h"

#include "arch/console.h"
#include "arch/machine.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAP_MOST  (256u << 20)
#define HEAP_LEAST (1u << 20)

static struct platform *platform;
static char *heap, *heap_top, *heap_end;

bool heap_init(struct platform *p, void *(*pages)(size_t pages))
{
	platform = p;
	for (size_t size = HEAP_MOST; size >= HEAP_LEAST; size /= 2) {
		heap = pages(size / 4096);
		if (heap) {
			heap_top = heap;
			heap_end = heap + size;
			return true;
		}
	}
	return false;
}

void *sbrk(ptrdiff_t increment)
{
	if (increment > heap_end - heap_top || increment < heap - heap_top) {
		errno = ENOMEM;
		return (void *)-1;
	}
	char *old = heap_top;
	heap_top += increment;
	return old;
}

int write(int file, const void *data, size_t size)
{
	(void)file;
	if (platform->screen)
		platform->screen(data, size);
	return (int)size;
}

int read(int file, void *data, size_t size)
{
	(void)file, (void)data, (void)size;
	return 0; /* end of file */
}

int close(int file)
{
	(void)file;
	errno = EBADF;
	return -1;
}

int fstat(int file, struct stat *out)
{
	(void)file;
	memset(out, 0, sizeof *out);
	out->st_mode = S_IFCHR;
	return 0;
}

int isatty(int file)
{
	(void)file;
	return 1;
}

off_t lseek(int file, off_t offset, int whence)
{
	(void)file, (void)offset, (void)whence;
	return 0;
}

int getpid(void)
{
	return 1;
}

int kill(int process, int signal)
{
	(void)process, (void)signal;
	errno = EINVAL;
	return -1;
}

_Noreturn void _exit(int status)
{
	platform->leave(EXIT_SHUTDOWN, status ? 2 : 0);
	machine_stop();
}

/* The C library's own, which would bring its buffered streams into the image. */
_Noreturn void __assert_func(const char *file, int line, const char *function, const char *expression)
{
	console_text("assay: could not run: %s:%d, %s: assertion %s failed; please report this\n", file, line,
		     function ? function : "?", expression);
	_exit(2);
}
