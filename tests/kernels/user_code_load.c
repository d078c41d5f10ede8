#include "tests/kernels/user_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *no_memory = "there is no memory for it";

static size_t pages_of(uint64_t size)
{
	return (size_t)((size + CODE_IMAGE_PAGE - 1) / CODE_IMAGE_PAGE * CODE_IMAGE_PAGE);
}

static const char *flat(size_t size, struct elf_image *x)
{
	*x = (struct elf_image){.span = pages_of(size), .n_segments = 1};
	x->segment[0] = (struct elf_segment){0, size, 0, size, false, true};
	return !size ? "it is empty" : size > ELF_SPAN_MAX ? "it takes more than 256 KiB of memory" : NULL;
}

static const char *keep(struct user_code *u, const struct elf_segment *s, uint8_t *image)
{
	uint8_t *first = malloc(s->size);

	if (!first)
		return no_memory;
	memcpy(first, image + s->at, s->size);
	u->kept[u->n_kept].at = image + s->at;
	u->kept[u->n_kept].first = first;
	u->kept[u->n_kept++].size = s->size;
	return NULL;
}

/* From the first byte of each segment's first page. */
static const char *put(struct user_code *u, const struct elf_image *x, const uint8_t *data, uint8_t *image)
{
	const char *why;

	for (const struct elf_segment *s = x->segment; s < x->segment + x->n_segments; s++)
		memcpy(image + s->at, data + s->file_at, s->file_size);
	if ((why = elf_relocate(x, image, code_image_format.relative)))
		return why;
	if (!code_image_protect(image, x->span, false, false))
		return no_memory;
	for (const struct elf_segment *s = x->segment; s < x->segment + x->n_segments && !why; s++) {
		uint64_t from = s->at & ~(uint64_t)(CODE_IMAGE_PAGE - 1);

		if (s->writable)
			why = keep(u, s, image);
		if (!code_image_protect(image + from, pages_of(s->at + s->size - from), s->writable,
					s->executable))
			why = no_memory;
	}
	return why;
}

const struct kernel *user_code_load(const char *name, const uint8_t *data, size_t size, const char **why)
{
	struct user_code *u = calloc(1, sizeof *u);
	struct elf_image x;
	uint8_t *image;

	*why = !code_image_format.machine ? "this machine loads no code"
	       : elf_is(data, size)       ? elf_parse(data, size, code_image_format.machine, &x)
					  : flat(size, &x);
	if (*why)
		return NULL;
	image = code_image_create(x.span);
	*why = !u || !image ? no_memory : put(u, &x, data, image);
	if (*why)
		return NULL;
	snprintf(u->name, sizeof u->name, "%s", name);
	u->call_size = code_image_call(image + x.entry, u->call);
	u->kernel = (struct kernel){
		.name = u->name, .code = image, .code_end = image + x.span, .flags = KERNEL_OWN};
	return &u->kernel;
}
