/*
 * Reading a device tree (Devicetree Specification 0.4, chapter 5) without memory of one's own.
 *
 * Example: every property of every node.
 *
 *     fdt_each(tree, each, arg);
 */
#ifndef ARCH_AARCH64_FDT_H
#define ARCH_AARCH64_FDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FDT_DEPTH 8 /* nodes that lie deeper are passed over */
#define FDT_WORDS 16

/** A node whose properties have all been read. */
struct fdt_node {
	const char *name; /* with its address: "memory@40000000"; "" of the root */
	const char *parent;
	unsigned depth;                     /* of the root 0 */
	unsigned address_cells, size_cells; /* of its parent: how .reg is to be read */
	/* Properties, as far as they are known here; NULL and 0: it has none of the name. */
	const char *compatible;
	size_t compatible_size;
	const char *device_type, *model, *method, *bootargs, *status;
	const uint8_t *reg, *regions, *interrupts, *initrd_start, *initrd_end;
	size_t reg_size, interrupts_size, initrd_size;
};

/** Call with each node, once. @return false if it is no device tree, or broken */
bool fdt_each(const void *tree, void (*each)(void *arg, const struct fdt_node *node), void *arg);

/** Whether it may be used: one that another world has says that it is not ("disabled"; 2.3.4). */
bool fdt_usable(const struct fdt_node *node);

/** Its size in bytes; 0: it is none. */
size_t fdt_size(const void *tree);

/** Whether one of its .compatible is this one. */
bool fdt_compatible(const struct fdt_node *node, const char *with);

/** A number of so many cells of 32 bits, big endian. */
uint64_t fdt_cells(const uint8_t *at, unsigned cells);

/** The i-th address and size of .reg. @return false if there is none */
bool fdt_reg(const struct fdt_node *node, unsigned i, uint64_t *address, uint64_t *size);

#endif
