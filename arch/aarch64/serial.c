#include "arch/aarch64/serial.h"

#include "arch/console.h"

/* PL011 (DDI 0183, 3.2). */
#define UART_DR  0x00
#define UART_FR  0x18
#define FR_BUSY  (1 << 3)
#define FR_EMPTY (1 << 4) /* nothing was received */
#define FR_FULL  (1 << 5)
#define PATIENCE 1000000

/* Semihosting for AArch32 and AArch64, 2.0: operations. */
#define SYS_OPEN          0x01
#define SYS_WRITE         0x05
#define SYS_EXIT_EXTENDED 0x20
#define OPEN_WRITE        4 /* ":tt" for writing is the console's output */
#define STOPPED_BY_EXIT   0x20026

uint64_t serial_base;
bool semihosting;

static volatile uint32_t *uart(unsigned offset)
{
	return (volatile uint32_t *)(uintptr_t)(serial_base + offset);
}

/* @return whether it is over */
static bool wait_while(uint32_t flag)
{
	unsigned patience = PATIENCE;

	while (patience && *uart(UART_FR) & flag)
		patience--;
	return patience;
}

bool serial_init(uint16_t line)
{
	(void)line; /* firmware has set it up, and its tables say where it is */
	return serial_base;
}

bool serial_read(uint8_t *byte)
{
	if (!serial_base || *uart(UART_FR) & FR_EMPTY)
		return false;
	*byte = (uint8_t)*uart(UART_DR);
	return true;
}

bool serial_write(const char *text, size_t size)
{
	bool taken = serial_base;

	for (; serial_base && size; size--) {
		taken = wait_while(FR_FULL) && taken;
		*uart(UART_DR) = (uint8_t)*text++;
	}
	return taken;
}

void serial_give_back(void)
{
	if (serial_base)
		wait_while(FR_BUSY);
}

static uint64_t call(uint64_t operation, const void *arguments)
{
	register uint64_t x0 __asm__("x0") = operation;
	register const void *x1 __asm__("x1") = arguments;

	__asm__ volatile("hlt #0xf000" : "+r"(x0) : "r"(x1) : "memory");
	return x0;
}

void console_debug(const char *text, size_t size)
{
	static const char name[] = ":tt";
	static uint64_t handle;

	if (!semihosting)
		return;
	if (!handle) {
		const uint64_t open[] = {(uint64_t)name, OPEN_WRITE, sizeof name - 1};

		handle = call(SYS_OPEN, open) + 1;
	}
	/* What could not be written is told: whoever reads may be slow. */
	for (unsigned patience = PATIENCE; handle && size && patience; patience--) {
		const uint64_t write[] = {handle - 1, (uint64_t)text, size};
		uint64_t left = call(SYS_WRITE, write);

		if (left <= size) {
			text += size - left;
			size = left;
		}
	}
}

void semihosting_exit(int status)
{
	const uint64_t exit[] = {STOPPED_BY_EXIT, (uint64_t)status};

	if (semihosting)
		call(SYS_EXIT_EXTENDED, exit);
}
