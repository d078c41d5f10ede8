#include "arch/x86/machine/acpi.h"

#include "arch/x86/machine/notes.h"

#include <stddef.h>
#include <string.h>

struct acpi_info acpi;

struct rsdp {
	char signature[8];
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt;
	uint32_t length; /* from here on only with revision 2 */
	uint64_t xsdt;
	uint8_t extended_checksum;
	uint8_t reserved[3];
} __attribute__((packed));

struct table {
	char signature[4];
	uint32_t length;
	uint8_t revision, checksum;
	char oem[6], oem_table[8];
	uint32_t oem_revision, creator, creator_revision;
} __attribute__((packed));

struct address {
	uint8_t space, width, offset, access;
	uint64_t address;
} __attribute__((packed));

enum { SPACE_MEMORY = 0, SPACE_IO = 1 };

#define TABLE_MAX (1u << 20)

static uint64_t readable_top;

static bool sums_to_zero(const void *data, size_t size)
{
	const uint8_t *p = data;
	uint8_t sum = 0;

	while (size--)
		sum += *p++;
	return !sum;
}

static bool rsdp_valid(const struct rsdp *r)
{
	return !memcmp(r->signature, "RSD PTR ", 8) && sums_to_zero(r, 20);
}

static const struct rsdp *rsdp_search(uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at += 16)
		if (rsdp_valid((const struct rsdp *)(uintptr_t)at))
			return (const struct rsdp *)(uintptr_t)at;
	return NULL;
}

/* ACPI 5.2.5.1: the first KiB of the extended BIOS data area, then the BIOS read-only space. */
static const struct rsdp *rsdp_find(void)
{
	const volatile uint16_t *ebda_segment = (const volatile uint16_t *)0x40e;
	uint64_t ebda;
	const struct rsdp *r = NULL;

	__asm__("" : "+r"(ebda_segment)); /* or the compiler takes it for an access to NULL */
	ebda = (uint64_t)*ebda_segment << 4;
	if (ebda >= 0x80000 && ebda < 0xa0000)
		r = rsdp_search(ebda, ebda + 1024);
	return r ? r : rsdp_search(0xe0000, 0x100000);
}

/** The table at an address if it is sound, else NULL with a note that calls it `name`. */
static const struct table *table_at(uint64_t address, const char *name)
{
	const struct table *t = (const struct table *)(uintptr_t)address;

	if (!address || address > readable_top - sizeof *t) {
		note_add("ACPI: %s lies outside memory (0x%lx): ignored", name, (unsigned long)address);
		return NULL;
	}
	if (t->length < sizeof *t || t->length > TABLE_MAX || t->length > readable_top - address) {
		note_add("ACPI: %.4s (%s) has an impossible length (%u bytes): ignored", t->signature, name,
			 t->length);
		return NULL;
	}
	if (!sums_to_zero(t, t->length)) {
		note_add("ACPI: %.4s (%s) has a bad checksum: ignored", t->signature, name);
		return NULL;
	}
	return t;
}

/* A CPU may be listed as both kinds. */
static void add_processor(uint32_t apic_id, uint32_t flags)
{
	enum { ENABLED = 1, ONLINE_CAPABLE = 2 };

	if (!(flags & (ENABLED | ONLINE_CAPABLE)))
		return;
	for (unsigned i = 0; i < acpi.n_processors; i++)
		if (acpi.processor[i].apic_id == apic_id) {
			acpi.cpus += flags & ENABLED && !acpi.processor[i].enabled;
			acpi.processor[i].enabled |= flags & ENABLED;
			return;
		}
	acpi.cpus += flags & ENABLED;
	if (acpi.n_processors < ACPI_PROCESSORS) {
		acpi.processor[acpi.n_processors].apic_id = apic_id;
		acpi.processor[acpi.n_processors++].enabled = flags & ENABLED;
	}
}

static void read_madt(const struct table *t)
{
	enum { LOCAL_APIC = 0, IO_APIC = 1, OVERRIDE = 2, LOCAL_X2APIC = 9 };
	const uint8_t *p = (const uint8_t *)t + sizeof *t, *end = (const uint8_t *)t + t->length;
	uint32_t flags;

	if (end - p < 8)
		return;
	memcpy(&flags, p + 4, 4);
	acpi.legacy_pics = flags & 1;
	for (p += 8; end - p >= 2 && p[1] >= 2 && p[1] <= end - p; p += p[1]) {
		uint32_t word[3] = {0, 0, 0};

		memcpy(word, p + 4, p[1] >= 16 ? 12 : p[1] >= 12 ? 8 : p[1] >= 8 ? 4 : 0);
		if (p[0] == LOCAL_APIC && p[1] >= 8) {
			add_processor(p[3], word[0]);
		} else if (p[0] == LOCAL_X2APIC && p[1] >= 16) {
			add_processor(word[0], word[1]);
		} else if (p[0] == IO_APIC && p[1] >= 12 && acpi.n_io_apics < ACPI_IO_APICS) {
			acpi.io_apic[acpi.n_io_apics].address = word[0];
			acpi.io_apic[acpi.n_io_apics++].gsi_base = word[1];
		} else if (p[0] == OVERRIDE && p[1] >= 10 && p[2] == 0 && p[3] == 0) {
			acpi.pit_gsi = word[0];
		}
	}
}

/* Domains are counted as far as there is room to remember them: one more than one is many. */
static void read_srat(const struct table *t)
{
	enum { RESERVED = 12, MEMORY = 1, MEMORY_SIZE = 40, DOMAIN = 2, FLAGS = 28, ENABLED = 1 };
	const uint8_t *p = (const uint8_t *)t + sizeof *t, *end = (const uint8_t *)t + t->length;
	static uint32_t known[16];

	if (end - p < RESERVED)
		return;
	for (p += RESERVED; end - p >= 2 && p[1] >= 2 && p[1] <= end - p; p += p[1]) {
		uint32_t domain, flags;
		unsigned i = 0;

		if (p[0] != MEMORY || p[1] < MEMORY_SIZE)
			continue;
		memcpy(&domain, p + DOMAIN, sizeof domain);
		memcpy(&flags, p + FLAGS, sizeof flags);
		while (i < acpi.memory_domains && known[i] != domain)
			i++;
		if (flags & ENABLED && i == acpi.memory_domains && i < sizeof known / sizeof known[0])
			known[acpi.memory_domains++] = domain;
	}
}

static void read_hpet(const struct table *t)
{
	struct address a;

	if (t->length < sizeof *t + 4 + sizeof a)
		return;
	memcpy(&a, (const uint8_t *)t + sizeof *t + 4, sizeof a);
	if (a.space == SPACE_MEMORY && a.address < readable_top)
		acpi.hpet = a.address;
}

static void read_fadt(const struct table *t)
{
	enum { PM_TMR_BLK = 76, PM_TMR_LEN = 91, X_PM_TMR_BLK = 208 };
	const uint8_t *p = (const uint8_t *)t;
	struct address x = {0, 0, 0, 0, 0};
	uint32_t port = 0;

	if (t->length >= X_PM_TMR_BLK + sizeof x)
		memcpy(&x, p + X_PM_TMR_BLK, sizeof x);
	if (t->length > PM_TMR_LEN && p[PM_TMR_LEN] >= 4)
		memcpy(&port, p + PM_TMR_BLK, 4);
	if (x.space == SPACE_IO && x.address)
		port = (uint32_t)x.address;
	acpi.pm_timer = port < 0x10000 ? (uint16_t)port : 0;
}

static const struct {
	char signature[5];
	void (*read)(const struct table *t);
} readers[] = {
	{"APIC", read_madt},
	{"SRAT", read_srat},
	{"HPET", read_hpet},
	{"FACP", read_fadt},
};

static void add_table(const struct table *t)
{
	unsigned n = acpi.n_tables;

	if (n == ACPI_TABLES)
		return;
	memcpy(acpi.table[n].signature, t->signature, sizeof t->signature);
	memcpy(acpi.table[n].oem, t->oem, sizeof t->oem);
	memcpy(acpi.table[n].oem_table, t->oem_table, sizeof t->oem_table);
	acpi.table[n].length = t->length;
	acpi.table[n].oem_revision = t->oem_revision;
	acpi.table[n].revision = t->revision;
	acpi.n_tables++;
}

static void read_listed(const struct table *root, size_t entry_size)
{
	const uint8_t *p = (const uint8_t *)root + sizeof *root, *end = (const uint8_t *)root + root->length;

	for (; (size_t)(end - p) >= entry_size; p += entry_size) {
		uint64_t address = 0;

		memcpy(&address, p, entry_size);
		if (!address || address > readable_top - sizeof(struct table))
			continue;
		add_table((const struct table *)(uintptr_t)address);
		for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
			if (memcmp((const char *)(uintptr_t)address, readers[i].signature, 4))
				continue;
			const struct table *t = table_at(address, readers[i].signature);
			if (t)
				readers[i].read(t);
		}
	}
}

void acpi_read(uint64_t address, uint64_t top)
{
	const struct rsdp *r = (const struct rsdp *)(uintptr_t)address;
	const struct table *root = NULL;

	memset(&acpi, 0, sizeof acpi);
	acpi.legacy_pics = true;
	acpi.pit_gsi =
		2; /* as practically every board has it; without an override in the MADT it would be 0 */
	readable_top = top;
	if (!r)
		r = rsdp_find();
	else if (!rsdp_valid(r)) {
		note_add("ACPI: RSDP has a bad signature or checksum: no table is used");
		r = NULL;
	}
	if (!r) {
		note_add("no ACPI tables: one CPU, no HPET, no ACPI PM timer assumed");
		return;
	}
	if (r->revision >= 2 && r->xsdt) {
		if (sums_to_zero(r, r->length >= sizeof *r && r->length < 4096 ? r->length : sizeof *r))
			root = table_at(r->xsdt, "XSDT");
		else
			note_add("ACPI: RSDP has a bad extended checksum: the RSDT is used");
	}
	if (root) {
		read_listed(root, 8);
		return;
	}
	root = table_at(r->rsdt, "RSDT");
	if (root)
		read_listed(root, 4);
}
