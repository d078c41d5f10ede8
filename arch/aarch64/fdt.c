#include "arch/aarch64/fdt.h"

#include <string.h>

#define MAGIC      0xd00dfeed
#define BEGIN_NODE 1
#define END_NODE   2
#define PROPERTY   3
#define NOTHING    4
#define END        9

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

uint64_t fdt_cells(const uint8_t *at, unsigned cells)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < cells; i++)
		value = value << 32 | be32(at + 4 * i);
	return value;
}

size_t fdt_size(const void *tree)
{
	return tree && be32(tree) == MAGIC ? be32((const uint8_t *)tree + 4) : 0;
}

struct walk {
	struct fdt_node node[FDT_DEPTH];
	unsigned address_cells[FDT_DEPTH], size_cells[FDT_DEPTH]; /* of the children */
	bool told[FDT_DEPTH];
	unsigned depth; /* nodes that are open */
};

static void keep(struct walk *w, const char *name, const uint8_t *data, size_t size)
{
	unsigned d = w->depth - 1;
	struct fdt_node *n;

	if (!w->depth || d >= FDT_DEPTH)
		return;
	n = &w->node[d];
	if (!strcmp(name, "#address-cells") && size == 4)
		w->address_cells[d] = be32(data);
	else if (!strcmp(name, "#size-cells") && size == 4)
		w->size_cells[d] = be32(data);
	else if (!strcmp(name, "compatible"))
		n->compatible = (const char *)data, n->compatible_size = size;
	else if (!strcmp(name, "device_type"))
		n->device_type = (const char *)data;
	else if (!strcmp(name, "model"))
		n->model = (const char *)data;
	else if (!strcmp(name, "method"))
		n->method = (const char *)data;
	else if (!strcmp(name, "bootargs"))
		n->bootargs = (const char *)data;
	else if (!strcmp(name, "status"))
		n->status = (const char *)data;
	else if (!strcmp(name, "reg"))
		n->reg = data, n->reg_size = size;
	else if (!strcmp(name, "#redistributor-regions") && size == 4)
		n->regions = data;
	else if (!strcmp(name, "interrupts"))
		n->interrupts = data, n->interrupts_size = size;
	else if (!strcmp(name, "linux,initrd-start"))
		n->initrd_start = data, n->initrd_size = size;
	else if (!strcmp(name, "linux,initrd-end"))
		n->initrd_end = data;
}

static void open_node(struct walk *w, const char *name)
{
	unsigned d = w->depth++;

	if (d >= FDT_DEPTH)
		return;
	w->node[d] = (struct fdt_node){
		.name = name,
		.parent = d ? w->node[d - 1].name : "",
		.depth = d,
		.address_cells = d ? w->address_cells[d - 1] : 2,
		.size_cells = d ? w->size_cells[d - 1] : 1,
	};
	w->address_cells[d] = 2;
	w->size_cells[d] = 1;
	w->told[d] = false;
}

/* Properties come before children: a node is whole when its first child begins, or it ends. */
static void tell(struct walk *w, void (*each)(void *arg, const struct fdt_node *node), void *arg)
{
	unsigned d = w->depth - 1;

	if (!w->depth || d >= FDT_DEPTH || w->told[d])
		return;
	w->told[d] = true;
	each(arg, &w->node[d]);
}

bool fdt_each(const void *tree, void (*each)(void *arg, const struct fdt_node *node), void *arg)
{
	const uint8_t *base = tree;
	size_t size = fdt_size(tree);
	struct walk w = {.depth = 0};

	if (size < 40)
		return false;
	const uint8_t *at = base + be32(base + 8), *end = base + size;
	const char *strings = (const char *)base + be32(base + 12);
	while (at + 4 <= end) {
		uint32_t token = be32(at);

		at += 4;
		switch (token) {
		case BEGIN_NODE:
			tell(&w, each, arg);
			open_node(&w, (const char *)at);
			at += (strnlen((const char *)at, (size_t)(end - at)) + 4) & ~(size_t)3;
			break;
		case END_NODE:
			tell(&w, each, arg);
			if (!w.depth)
				return false;
			w.depth--;
			break;
		case PROPERTY: {
			uint32_t length;

			if (at + 8 > end)
				return false;
			length = be32(at);
			if (length > (size_t)(end - at - 8))
				return false;
			keep(&w, strings + be32(at + 4), at + 8, length);
			at += 8 + ((length + 3) & ~3u);
			break;
		}
		case NOTHING:
			break;
		case END:
			return true;
		default:
			return false;
		}
	}
	return false;
}

bool fdt_compatible(const struct fdt_node *node, const char *with)
{
	const char *at = node->compatible, *end = at ? at + node->compatible_size : at;

	for (; at && at < end; at += strlen(at) + 1)
		if (!strcmp(at, with))
			return true;
	return false;
}

bool fdt_usable(const struct fdt_node *node)
{
	return !node->status || !strcmp(node->status, "okay") || !strcmp(node->status, "ok");
}

bool fdt_reg(const struct fdt_node *node, unsigned i, uint64_t *address, uint64_t *size)
{
	unsigned cells = node->address_cells + node->size_cells;

	if (!node->reg || 4 * cells * (i + 1) > node->reg_size)
		return false;
	*address = fdt_cells(node->reg + 4 * cells * i, node->address_cells);
	*size = fdt_cells(node->reg + 4 * (cells * i + node->address_cells), node->size_cells);
	return true;
}
