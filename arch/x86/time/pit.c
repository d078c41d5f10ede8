#include "arch/x86/time/pit.h"

#include "arch/x86/cpu/cpu.h"
#include "arch/x86/time/tsc.h"

#define CHANNEL_0 0x40
#define CHANNEL_2 0x42
#define CONTROL   0x43
#define GATE_PORT 0x61 /* bit 0: gate of channel 2; bit 1: speaker */

#define BOTH_BYTES  0x30
#define MODE_0      0x00 /* output rises at the end of the count */
#define SELECT_2    0x80
#define LATCH(n)    ((n) << 6)
#define READ_BACK_0 0xe2 /* status of channel 0 */
#define STATUS_OUT  0x80

static uint8_t gate, firmware_mode;
static uint16_t firmware_reload;

static void load(uint16_t channel, uint8_t control, uint16_t count)
{
	port_write8(CONTROL, control);
	port_write8(channel, (uint8_t)count);
	port_write8(channel, (uint8_t)(count >> 8));
}

static uint16_t latched(unsigned n)
{
	uint8_t low;

	port_write8(CONTROL, (uint8_t)LATCH(n));
	low = port_read8(CHANNEL_0 + n);
	return (uint16_t)(low | port_read8(CHANNEL_0 + n) << 8);
}

void pit_clock_start(void)
{
	gate = port_read8(GATE_PORT);
	port_write8(GATE_PORT, (gate & 0xfc) | 1);
	load(CHANNEL_2, SELECT_2 | BOTH_BYTES | MODE_0, 0xffff);
}

void pit_clock_stop(void)
{
	port_write8(GATE_PORT, gate & 0x0f);
}

uint64_t pit_clock(void)
{
	return 0xffffu - latched(2);
}

static uint8_t status_0(void)
{
	port_write8(CONTROL, READ_BACK_0);
	return port_read8(CHANNEL_0);
}

/* The reload value cannot be read, but the count comes within a few ticks of it where it grew between two
 * looks close to each other. A period takes 55 ms at most. Who holds the machine up between looks may hide
 * the place: then the next periods are looked at, and after a second the largest count has to do. */
void pit_alarm_begin(void)
{
	uint64_t start = tsc_read(), close = tsc_hz() / 20000, wait = tsc_hz() / 1000 * 60, last = start,
		 look;
	uint16_t largest = 0, count = UINT16_MAX, before;
	bool grew = false;

	firmware_mode = status_0() & 0x3f;
	do {
		before = count;
		look = tsc_read();
		count = latched(0);
		grew = count > before;
		if (count > largest)
			largest = count;
		if (tsc_read() - last > close) {
			grew = false;
			wait = tsc_hz();
		}
		last = look;
	} while (!grew && look - start < wait);
	if (grew)
		largest = count;
	firmware_reload = largest > 65500 ? 0 : largest;
}

void pit_alarm_end(void)
{
	load(CHANNEL_0, firmware_mode, firmware_reload);
}

void pit_alarm_set(uint16_t ticks)
{
	load(CHANNEL_0, BOTH_BYTES | MODE_0, ticks);
}

bool pit_alarm_due(void)
{
	return status_0() & STATUS_OUT;
}
