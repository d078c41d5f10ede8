#include "tests/kernels/elf_image.h"

#include <string.h>

#define PAGE 4096ull

/* System V ABI, generic part, chapters 4 and 5. */
struct header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version;
	uint64_t entry, segments, sections;
	uint32_t flags;
	uint16_t size, segment_size, n_segments, section_size, n_sections, names;
};

struct program_header {
	uint32_t type, flags;
	uint64_t offset, address, physical, file_size, size, alignment;
};

struct dynamic {
	int64_t tag;
	uint64_t value;
};

struct relocation {
	uint64_t offset, info, addend;
};

#define TYPE_MOVES  3
#define PT_LOAD     1
#define PT_DYNAMIC  2
#define PT_INTERP   3
#define PT_TLS      7
#define PF_X        1
#define PF_W        2
#define DT_NEEDED   1
#define DT_PLTRELSZ 2
#define DT_RELA     7
#define DT_RELASZ   8
#define DT_REL      17
#define DT_RELR     36

static const char not_alone[] = "it is not static, position independent and free of threads: link it with "
				"-static-pie -nostdlib",
		  cut_off[] = "it is no whole ELF file: it was cut off",
		  damaged[] = "its relocations lie outside of it: it was damaged";

bool elf_is(const uint8_t *data, size_t size)
{
	return size >= 4 && !memcmp(data, "\177ELF", 4);
}

static bool within(uint64_t at, uint64_t length, uint64_t size)
{
	return at <= size && length <= size - at;
}

static const char *take_segment(const struct program_header *h, size_t size, struct elf_image *x)
{
	struct elf_segment *s = &x->segment[x->n_segments];

	if (!h->size)
		return NULL;
	if (x->n_segments == ELF_SEGMENTS)
		return "it has too many segments: at most 8 are loaded";
	if (!within(h->offset, h->file_size, size) || h->file_size > h->size)
		return cut_off;
	if (h->flags & PF_W && h->flags & PF_X)
		return "a segment is writable and executable: link it with -z separate-code, without -N";
	if (!x->n_segments)
		x->low = h->address & ~(PAGE - 1);
	/* From the first one on, so that nothing wraps. */
	uint64_t at = h->address - x->low;
	bool behind = h->address >= x->low && at >= x->span;

	if (!behind || !within(at, h->size, ELF_SPAN_MAX))
		return x->n_segments && !behind
			       ? "two segments share a page or are out of order: link it with -z "
				 "separate-code"
			       : "it takes more than 256 KiB of memory";
	*s = (struct elf_segment){h->address - x->low, h->size,         h->offset,
				  h->file_size,        h->flags & PF_W, h->flags & PF_X};
	x->span = (s->at + s->size + PAGE - 1) & ~(PAGE - 1);
	x->n_segments++;
	return NULL;
}

static const char *take_dynamic(const uint8_t *data, const struct program_header *h, size_t size,
				struct elf_image *x)
{
	struct dynamic d;

	if (!within(h->offset, h->file_size, size))
		return cut_off;
	for (uint64_t at = 0; at + sizeof d <= h->file_size; at += sizeof d) {
		memcpy(&d, data + h->offset + at, sizeof d);
		if (!d.tag)
			break;
		if (d.tag == DT_NEEDED || d.tag == DT_REL || d.tag == DT_RELR ||
		    (d.tag == DT_PLTRELSZ && d.value))
			return not_alone;
		if (d.tag == DT_RELA)
			x->relocations = d.value - x->low;
		if (d.tag == DT_RELASZ)
			x->n_relocations = d.value / sizeof(struct relocation);
	}
	return NULL;
}

static const char *check_entry(struct elf_image *x, uint64_t entry)
{
	if (!x->n_segments)
		return "it has nothing to load";
	x->entry = entry - x->low;
	for (unsigned i = 0; i < x->n_segments; i++)
		if (x->segment[i].executable && x->entry >= x->segment[i].at &&
		    x->entry - x->segment[i].at < x->segment[i].file_size)
			return NULL;
	return "its entry does not lie in its code: name the function with -e NAME";
}

const char *elf_parse(const uint8_t *data, size_t size, uint16_t machine, struct elf_image *out)
{
	struct header h;
	struct program_header p;
	const char *why = NULL;

	*out = (struct elf_image){0};
	if (size < sizeof h || !elf_is(data, size))
		return cut_off;
	memcpy(&h, data, sizeof h);
	if (h.ident[4] != 2 || h.ident[5] != 1 || h.machine != machine)
		return "it is for another machine";
	if (h.type != TYPE_MOVES)
		return not_alone;
	if (h.segment_size != sizeof p || !within(h.segments, (uint64_t)h.n_segments * sizeof p, size))
		return cut_off;
	for (unsigned pass = 0; pass < 2 && !why; pass++)
		for (unsigned i = 0; i < h.n_segments && !why; i++) {
			memcpy(&p, data + h.segments + i * sizeof p, sizeof p);
			if (p.type == PT_INTERP || p.type == PT_TLS)
				return not_alone;
			if (p.type == PT_LOAD && !pass)
				why = take_segment(&p, size, out);
			if (p.type == PT_DYNAMIC && pass)
				why = take_dynamic(data, &p, size, out);
		}
	return why ? why : check_entry(out, h.entry);
}

const char *elf_relocate(const struct elf_image *x, uint8_t *image, uint32_t relative)
{
	struct relocation r;

	if (x->n_relocations > x->span / sizeof r ||
	    !within(x->relocations, x->n_relocations * sizeof r, x->span))
		return damaged;
	for (uint64_t i = 0; i < x->n_relocations; i++) {
		uint64_t value;

		memcpy(&r, image + x->relocations + i * sizeof r, sizeof r);
		if ((uint32_t)r.info != relative)
			return not_alone;
		if (!within(r.offset - x->low, sizeof value, x->span))
			return damaged;
		value = (uintptr_t)image + r.addend - x->low;
		memcpy(image + (r.offset - x->low), &value, sizeof value);
	}
	return NULL;
}
