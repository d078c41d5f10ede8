#include "boot/direct/bios_disk.h"

#include "boot/direct/bios_call.h"

#include <string.h>

#define DISK             0x13 /* the interrupt */
#define CHECK_EXTENSIONS 0x4100
#define READ             0x4200
#define WRITE            0x4300 /* without a reading afterwards */
#define PARAMETERS       0x4800
#define ASK              0x55aa
#define ANSWER           0xaa55
#define PACKETS          (1 << 0) /* of CX: functions 42H to 44H, 47H and 48H are there */
#define SECTOR_SIZE      0x18     /* in the drive's parameters */

struct __attribute__((packed)) packet {
	uint8_t size, reserved;
	uint16_t count, offset, segment;
	uint64_t first;
};

static uint8_t drive;

static bool call(struct bios_registers *r)
{
	r->dx = drive;
	return bios_call(DISK, r);
}

const char *bios_disk_open(uint8_t number)
{
	struct bios_registers r = {.ax = CHECK_EXTENSIONS, .bx = ASK};
	uint16_t bytes = 30;

	drive = number;
	if (!call(&r) || r.bx != ANSWER || !(r.cx & PACKETS))
		return "the BIOS has no INT 13H extensions for the disk";
	r = (struct bios_registers){.ax = PARAMETERS, .si = BIOS_PACKET & 15, .ds = BIOS_PACKET >> 4};
	memset(bios_memory_at(BIOS_PACKET), 0, 64);
	memcpy(bios_memory_at(BIOS_PACKET), &bytes, sizeof bytes);
	if (!call(&r))
		return "the BIOS does not tell the disk's parameters";
	memcpy(&bytes, bios_memory_at(BIOS_PACKET + SECTOR_SIZE), sizeof bytes);
	return bytes == SECTOR_BYTES ? NULL : "the medium's sectors have not 512 bytes, as a CD's";
}

static bool transfer(uint16_t function, uint64_t first, unsigned count)
{
	struct packet packet = {
		.size = sizeof packet, .count = (uint16_t)count, .segment = BIOS_BUFFER >> 4, .first = first};
	struct bios_registers r = {.ax = function, .ds = BIOS_PACKET >> 4};

	memcpy(bios_memory_at(BIOS_PACKET), &packet, sizeof packet);
	return call(&r);
}

static bool read_sectors(uint64_t first, unsigned count, void *to)
{
	if (!transfer(READ, first, count))
		return false;
	memcpy(to, bios_memory_at(BIOS_BUFFER), count * SECTOR_BYTES);
	return true;
}

static bool write_sectors(uint64_t first, unsigned count, const void *from)
{
	memcpy(bios_memory_at(BIOS_BUFFER), from, count * SECTOR_BYTES);
	return transfer(WRITE, first, count);
}

const struct sectors bios_disk = {read_sectors, write_sectors};
