/*
 * The interrupt controllers outside the CPU: 8259 pair and I/O APICs. Intel 82093AA data sheet, 3.2.
 */
#ifndef ARCH_X86_INTERRUPTS_IRQ_CHIPS_H
#define ARCH_X86_INTERRUPTS_IRQ_CHIPS_H

#include <stdbool.h>
#include <stdint.h>

/** After acpi_read(): without a MADT, look for an I/O APIC where it usually is. */
void irq_chips_find(void);

/** Save every mask and mask everything; put it back. */
void irq_chips_take(void);
void irq_chips_give_back(void);

/** Whether irq_route_nmi() would succeed. */
bool irq_can_route_nmi(uint32_t gsi, uint32_t apic_id);

/**
 * Turn an input pin (global system interrupt number) into an edge-triggered NMI for the CPU with this local
 * APIC ID.
 * @return false if no I/O APIC has the pin, the CPU has no local APIC, or its ID does not fit into a
 * redirection entry
 */
bool irq_route_nmi(uint32_t gsi, uint32_t apic_id);
void irq_route_off(uint32_t gsi);

#endif
