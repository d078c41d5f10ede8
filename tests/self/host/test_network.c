/*
 * Files of a server, through a firmware whose PXE does what a test says: which machine has such files, under
 * which names a run's files are sent, and what is said of a server that refuses or is silent.
 */
#include "boot/run_folder.h"
#include "boot/uefi/network.h"

#include <efilib.h>
#include <efipxebc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const UINT8 server[4] = {10, 9, 1, 1}, relay[4] = {10, 9, 1, 9};

static EFI_PXE_BASE_CODE_MODE mode;
static bool has_pxe, has_volume, has_card, gets_address;
static unsigned asked; /* for an address */

/* The one file that the server has, and the one that was sent last. */
static const char *file_there = "assay/assay.cfg", content[] = "n=7";
static char sent_name[160], sent[400000];
static size_t sent_size;
static unsigned transfers;
static EFI_STATUS refuses;
static UINT8 code_of_missing; /* 1 by RFC 1350; edk2 makes 0 of it */
static int error_code;        /* that the server tells with it; negative: it is silent */
static UINT8 told[4];

static EFI_STATUS EFIAPI mtftp(EFI_PXE_BASE_CODE_PROTOCOL *self, EFI_PXE_BASE_CODE_TFTP_OPCODE how,
			       void *data, BOOLEAN overwrite, UINT64 *size, UINTN *block, EFI_IP_ADDRESS *to,
			       UINT8 *name, EFI_PXE_BASE_CODE_MTFTP_INFO *info, BOOLEAN no_buffer)
{
	(void)info;
	transfers++;
	assert_ptr_equal(self->Mode, &mode);
	assert_true(overwrite && !no_buffer);
	/* edk2's firmware follows a pointer that it has not set if a server acknowledges an option of a
	 * writing. */
	assert_true(how == EFI_PXE_BASE_CODE_TFTP_WRITE_FILE ? !block : *block >= 512 && *block <= 1468);
	memcpy(told, to, 4);
	if (refuses) {
		mode.TftpErrorReceived = error_code >= 0;
		mode.TftpError.ErrorCode = (UINT8)error_code;
		strcpy((char *)mode.TftpError.ErrorString, "Access violation");
		return refuses;
	}
	if (how == EFI_PXE_BASE_CODE_TFTP_WRITE_FILE) {
		assert_in_range(*size, 1, sizeof sent);
		strcpy(sent_name, (const char *)name);
		memcpy(sent, data, *size);
		sent_size = *size;
		return EFI_SUCCESS;
	}
	if (strcmp((const char *)name, file_there)) {
		mode.TftpErrorReceived = TRUE;
		mode.TftpError.ErrorCode = code_of_missing;
		return EFI_TFTP_ERROR;
	}
	if (how == EFI_PXE_BASE_CODE_TFTP_READ_FILE)
		memcpy(data, content, *size);
	*size = strlen(content);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI start(EFI_PXE_BASE_CODE_PROTOCOL *self, BOOLEAN ipv6)
{
	(void)self;
	assert_false(ipv6);
	mode.Started = TRUE;
	return EFI_ALREADY_STARTED;
}

static EFI_STATUS EFIAPI dhcp(EFI_PXE_BASE_CODE_PROTOCOL *self, BOOLEAN sort)
{
	(void)self, (void)sort;
	asked++;
	mode.DhcpAckReceived = gets_address;
	return gets_address ? EFI_SUCCESS : EFI_TIMEOUT;
}

static EFI_PXE_BASE_CODE_PROTOCOL pxe = {.Start = start, .Dhcp = dhcp, .Mtftp = mtftp, .Mode = &mode};

/* Cards, as handles: the image's own, another one, and the own one's part for PXE. */
static struct path {
	EFI_DEVICE_PATH first;
	MAC_ADDR_DEVICE_PATH card;
	EFI_DEVICE_PATH end;
} __attribute__((packed)) own, other, own_pxe;

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *guid, void **out)
{
	static const EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID,
			      path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	static const EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;

	*out = handle;
	if (!memcmp(guid, &pxe_guid, sizeof pxe_guid)) {
		*out = &pxe;
		return has_pxe || handle != &own ? EFI_SUCCESS : EFI_UNSUPPORTED;
	}
	if (!memcmp(guid, &volume_guid, sizeof volume_guid))
		return has_volume ? EFI_SUCCESS : EFI_UNSUPPORTED;
	assert_memory_equal(guid, &path_guid, sizeof path_guid);
	return has_card ? EFI_SUCCESS : EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI locate(EFI_LOCATE_SEARCH_TYPE how, EFI_GUID *guid, void *key, UINTN *count,
				EFI_HANDLE **out)
{
	(void)how, (void)guid, (void)key;
	*out = malloc(2 * sizeof **out);
	(*out)[0] = &other;
	(*out)[1] = &own_pxe;
	*count = 2;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(void *memory)
{
	free(memory);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *t, EFI_TIME_CAPABILITIES *capabilities)
{
	(void)capabilities;
	*t = (EFI_TIME){.Year = 2026, .Month = 3, .Day = 4, .Hour = 5, .Minute = 6, .Second = 7};
	return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = {
	.HandleProtocol = handle_protocol, .LocateHandleBuffer = locate, .FreePool = free_pool};
static EFI_RUNTIME_SERVICES runtime = {.GetTime = get_time};
static const EFI_SYSTEM_TABLE table = {.BootServices = &services, .RuntimeServices = &runtime};

static void make_path(struct path *p, UINT8 last)
{
	*p = (struct path){.first = {HARDWARE_DEVICE_PATH, HW_PCI_DP, {sizeof p->first, 0}},
			   .card = {.Header = {MESSAGING_DEVICE_PATH, MSG_MAC_ADDR_DP, {sizeof p->card, 0}}},
			   .end = {END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, {sizeof p->end, 0}}};
	memcpy(p->card.MacAddress.Addr, (const UINT8[]){0x52, 0x54, 0, 0xab, 0, last}, 6);
}

/* A machine that was started by PXE. */
static struct platform begin(void)
{
	memset(&mode, 0, sizeof mode);
	mode.Started = mode.DhcpAckReceived = TRUE;
	memcpy(mode.DhcpAck.Dhcpv4.BootpSiAddr, server, 4);
	memcpy(mode.DhcpAck.Dhcpv4.BootpHwAddr, (const UINT8[]){0x52, 0x54, 0, 0xab, 0, 1}, 6);
	make_path(&own, 1);
	make_path(&own_pxe, 1);
	make_path(&other, 2);
	has_pxe = has_card = gets_address = true;
	has_volume = false;
	asked = transfers = 0;
	refuses = EFI_SUCCESS;
	sent_name[0] = 0;
	return (struct platform){.name = "UEFI"};
}

static bool chosen(void)
{
	struct platform p = {.name = "UEFI"};

	return network_choose(&p, &table, &own) && p.read_file && p.run_name && !p.each_name;
}

static void who_came_over_the_network(void **state)
{
	(void)state;
	begin();
	assert_true(chosen() && !asked);
	mode.UsingIpv6 = TRUE;
	assert_false(chosen());
	/* By HTTP: PXE of the same card asks for an address, not that of another one. */
	begin();
	has_pxe = false;
	mode.Started = mode.DhcpAckReceived = FALSE;
	assert_true(chosen() && asked == 1);
	gets_address = false;
	assert_false(chosen());
	make_path(&own, 3);
	gets_address = true;
	asked = 0;
	assert_false(chosen() || asked);
	/* From a disk, be it one that a network card has. */
	begin();
	has_pxe = false;
	has_volume = true;
	assert_false(chosen() || asked);
	has_volume = has_card = false;
	assert_false(chosen() || asked);
	struct platform p = begin();
	assert_false(network_choose(&p, &table, NULL));
}

static void the_server_is_that_of_the_file(void **state)
{
	struct platform p = begin();
	const char *why;
	size_t size;
	char *text;

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		begin();
		mode.ProxyOfferReceived = i == 1 || i == 2;
		mode.PxeReplyReceived = i == 2;
		memcpy(i == 2 ? mode.PxeReply.Dhcpv4.BootpSiAddr : mode.ProxyOffer.Dhcpv4.BootpSiAddr, relay,
		       4);
		if (i >= 3) { /* in an option alone, or nowhere */
			static const UINT8 options[] = {0, 53, 1, 5, 54, 4, 10, 9, 1, 9, 255};
			static const UINT8 none[] = {53, 1, 5, 255, 54, 4, 10, 9, 1, 9};

			memset(mode.DhcpAck.Dhcpv4.BootpSiAddr, 0, 4);
			memcpy(mode.DhcpAck.Dhcpv4.DhcpOptions, i == 3 ? options : none, sizeof none);
		}
		assert_true(network_choose(&p, &table, &own));
		assert_true(p.read_file("\\assay\\assay.cfg", &text, &size, &why));
		assert_memory_equal(told, i == 0 ? server : i == 4 ? (const UINT8[4]){0} : relay, 4);
		assert_string_equal(text, content);
		assert_int_equal(size, strlen(content));
		free(text);
	}
}

static void what_cannot_be_read_has_a_reason(void **state)
{
	struct platform p = begin();
	const char *why;
	size_t size;
	char *text;

	(void)state;
	assert_true(network_choose(&p, &table, &own));
	for (code_of_missing = 0; code_of_missing < 2; code_of_missing++) {
		assert_false(p.read_file("\\assay\\none", &text, &size, &why));
		assert_string_equal(why, PLATFORM_NOT_FOUND);
	}
	refuses = EFI_TFTP_ERROR;
	error_code =
		0; /* what edk2 makes of each code: a file that may not be read is none that is missing */
	assert_false(p.read_file("\\assay\\assay.cfg", &text, &size, &why));
	assert_string_equal(why, "the TFTP server says 0, Access violation");
	error_code = 2;
	assert_false(p.read_file("\\assay\\assay.cfg", &text, &size, &why));
	assert_string_equal(why, "the TFTP server says 2, Access violation");
	error_code = -1; /* edk2 does not say what a refusal was */
	assert_false(p.read_file("\\assay\\assay.cfg", &text, &size, &why));
	assert_string_equal(why, "the TFTP server refuses it: is the folder there, and may it be written?");
	refuses = EFI_TIMEOUT;
	assert_false(p.read_file("\\assay\\assay.cfg", &text, &size, &why));
	assert_string_equal(why, "the TFTP server does not answer");
	refuses = EFI_OUT_OF_RESOURCES;
	assert_false(p.read_file("\\assay\\assay.cfg", &text, &size, &why));
	assert_string_equal(why, "firmware is short of memory");
}

#define NAME "525400ab0001-20260304050607-CPU-6-5E-3"

static void reports_are_sent(void **state)
{
	static char large[300000];
	struct platform p = begin();
	const char *why;
	void *file;

	(void)state;
	assert_true(network_choose(&p, &table, &own));
	assert_null(
		p.open_file("\\assay\\assay.cfg.new", &why)); /* before there is a run's folder, and after */
	assert_true(run_folder_make(&p, "\\assay\\runs", "CPU-6-5E-3", &why));
	assert_string_equal(run_folder(), "\\assay\\runs\\" NAME);
	assert_int_equal(run_number(), 0); /* which no folder of a volume has */
	assert_null(p.open_file("\\assay\\assay.cfg.new", &why));
	assert_non_null(strstr(why, "only reports are sent"));
	assert_int_equal(transfers, 0);

	/* It goes when it has its name: a shorter one after a longer one is as it is. */
	memset(large, 'x', sizeof large);
	for (unsigned i = 0; i < 2; i++) {
		size_t size = i ? 5 : sizeof large;

		assert_non_null(file = p.open_file("\\assay\\runs\\" NAME "\\report.json.new", &why));
		assert_true(p.write_file(file, large, size, &why) && p.write_file(file, "end", 3, &why));
		assert_true(p.close_file(file, &why));
		p.remove_file("\\assay\\runs\\" NAME "\\report.json");
		assert_int_equal(transfers, i);
		assert_true(p.rename_file("\\assay\\runs\\" NAME "\\report.json.new", "report.json", &why));
		assert_int_equal(transfers, i + 1);
		assert_string_equal(sent_name, "assay/runs/" NAME "-report.json");
		assert_int_equal(sent_size, size + 3);
		assert_memory_equal(sent + size, "end", 3);
		assert_memory_equal(sent, large, size);
	}
	refuses = EFI_TFTP_ERROR;
	error_code = 2;
	assert_false(p.rename_file("\\assay\\runs\\" NAME "\\report.json.new", "report.json", &why));
	assert_string_equal(why, "the TFTP server says 2, Access violation");
	refuses = EFI_SUCCESS;

	/* The journal is sent whole, line by line, until it is refused. */
	transfers = 0;
	p.append_file("\\assay\\runs\\" NAME "\\journal.txt", "one\n", 4);
	p.append_file("\\assay\\runs\\" NAME "\\journal.txt", "two\n", 4);
	assert_string_equal(sent_name, "assay/runs/" NAME "-journal.txt");
	assert_int_equal(sent_size, 8);
	assert_memory_equal(sent, "one\ntwo\n", 8);
	refuses = EFI_TIMEOUT;
	p.append_file("\\assay\\runs\\" NAME "\\journal.txt", "three\n", 6);
	p.append_file("\\assay\\runs\\" NAME "\\journal.txt", "four\n", 5);
	assert_int_equal(transfers, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_came_over_the_network),
		cmocka_unit_test(the_server_is_that_of_the_file),
		cmocka_unit_test(what_cannot_be_read_has_a_reason),
		cmocka_unit_test(reports_are_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
