#include "arch/aarch64/board.h"

#include "arch/aarch64/gic_place.h"
#include "arch/aarch64/identity.h"
#include "arch/aarch64/processors.h"
#include "arch/aarch64/psci.h"
#include "arch/aarch64/serial.h"
#include "arch/aarch64/fdt.h"

#include <stdio.h>
#include <string.h>

#define PPI            16 /* number of the first private peripheral interrupt */
#define GIC_PPI        1  /* first cell of an interrupt: it is one of these */
#define CELLS          3  /* of an interrupt */
#define TIMER_PHYSICAL 1  /* of the generic timer's interrupts: the non-secure physical one ... */
#define TIMER_VIRTUAL  2

static unsigned ppi(const struct fdt_node *node, unsigned i)
{
	const uint8_t *at = node->interrupts + (size_t)4 * CELLS * i;

	if (4 * CELLS * (i + 1) > node->interrupts_size || fdt_cells(at, 1) != GIC_PPI)
		return 0;
	return gic_private_interrupt(PPI + (unsigned)fdt_cells(at + 4, 1));
}

static void read_controller(const struct fdt_node *node)
{
	uint64_t address, size;
	bool v3 = fdt_compatible(node, "arm,gic-v3");

	if (!v3 && !fdt_compatible(node, "arm,cortex-a15-gic") && !fdt_compatible(node, "arm,gic-400"))
		return;
	if (!fdt_reg(node, 0, &gic_place.distributor, &size) || !fdt_reg(node, 1, &gic_place.cpu, &size))
		return;
	gic_place.version = v3 ? 3 : 2;
	for (unsigned i = 0, n = node->regions ? (unsigned)fdt_cells(node->regions, 1) : 1; v3 && i < n;
	     i++) {
		if (!fdt_reg(node, 1 + i, &address, &size))
			break;
		gic_place_region(address, size);
	}
}

static void read_node(void *arg, const struct fdt_node *node)
{
	struct board *b = arg;
	uint64_t address, size;

	if (!fdt_usable(node))
		return;
	if (!node->depth) {
		snprintf(identity_board, sizeof identity_board, "%s",
			 node->model        ? node->model
			 : node->compatible ? node->compatible
					    : "");
		b->guest = fdt_compatible(node, "linux,dummy-virt");
	} else if (!strcmp(node->name, "chosen")) {
		if (node->bootargs)
			b->options = node->bootargs;
		if (node->initrd_start && node->initrd_end) {
			b->initrd = fdt_cells(node->initrd_start, (unsigned)node->initrd_size / 4);
			b->initrd_end = fdt_cells(node->initrd_end, (unsigned)node->initrd_size / 4);
		}
	} else if (node->device_type && !strcmp(node->device_type, "memory")) {
		if (!b->memory_size && fdt_reg(node, 0, &address, &size)) {
			b->memory = address;
			b->memory_size = size;
		}
	} else if (node->device_type && !strcmp(node->device_type, "cpu")) {
		b->processors++;
		if (fdt_reg(node, 0, &address, &size))
			processors_add(address), gic_place_core(address, 0);
	} else if (fdt_compatible(node, "arm,pl011")) {
		if (!serial_base && fdt_reg(node, 0, &address, &size))
			serial_base = address;
	} else if (!strcmp(node->name, "timer")) {
		gic_place.physical_timer = ppi(node, TIMER_PHYSICAL);
		gic_place.virtual_timer = ppi(node, TIMER_VIRTUAL);
	} else if (!strcmp(node->name, "pmu")) {
		gic_place.counters = ppi(node, 0);
	} else if (!strcmp(node->name, "psci") && node->method) {
		b->psci = !strcmp(node->method, "smc") ? PSCI_SMC : PSCI_HVC;
	}
	read_controller(node);
}

bool board_read(const void *tree, struct board *out)
{
	*out = (struct board){.options = ""};
	if (!fdt_each(tree, read_node, out))
		return false;
	machine_cpus = out->processors;
	psci_way = out->psci;
	identity_is_guest = out->guest;
	return true;
}
