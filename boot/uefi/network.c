#include "boot/uefi/network.h"

#include <efilib.h>
#include <efipxebc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_CHARS 160
#define FILE_CHARS     24 /* "report.json" and its like */
#define WHY_CHARS      160
#define BLOCK          1428 /* bytes of a packet: with its headers within any link's 1500 */

static const EFI_GUID pxe_guid = EFI_PXE_BASE_CODE_PROTOCOL_GUID;

static EFI_PXE_BASE_CODE_PROTOCOL *pxe;
static EFI_IP_ADDRESS server;
static char run[PATH_MAX_CHARS - FILE_CHARS]; /* the folder that this run was given */

struct kept_file {
	char *data;
	size_t size, room;
};

static struct kept_file report, journal;
static char refusal[WHY_CHARS]; /* of the last transfer, in the server's words */
static bool journal_is_lost;    /* a packet that nobody answers takes its time: it is not tried again */

/* @return why the last transfer failed, in the server's own words if it has any */
static const char *reason(EFI_STATUS status)
{
	const EFI_PXE_BASE_CODE_MODE *m = pxe->Mode;

	if (m->TftpErrorReceived)
		snprintf(refusal, sizeof refusal, "the TFTP server says %u, %.126s", m->TftpError.ErrorCode,
			 (const char *)m->TftpError.ErrorString);
	else if (status == EFI_OUT_OF_RESOURCES)
		return "firmware is short of memory";
	else if (status == EFI_TFTP_ERROR)
		return "the TFTP server refuses it: is the folder there, and may it be written?";
	else
		return "the TFTP server does not answer";
	return refusal;
}

/* As a server names it: "\assay\assay.cfg" is "assay/assay.cfg". What follows the run's folder is a part of
 * the name. */
static void name_there(const char *path, char out[PATH_MAX_CHARS])
{
	size_t n = strlen(run), i = 0;
	bool own = n && !strncmp(path, run, n);

	path += *path == '\\';
	for (; path[i] && i < PATH_MAX_CHARS - 1; i++)
		out[i] = path[i] != '\\' ? path[i] : own && i + 1 >= n ? '-' : '/';
	out[i] = 0;
}

static EFI_STATUS transfer(EFI_PXE_BASE_CODE_TFTP_OPCODE how, const char *path, void *data, UINT64 *size)
{
	char name[PATH_MAX_CHARS];
	UINTN block = BLOCK;
	/* edk2 follows a pointer that it has not set if a server acknowledges the option of a transfer to it
	 * (NetworkPkg, PxeBcMtftp4WriteFile): 512 bytes a block do for a report. */
	UINTN *option = how == EFI_PXE_BASE_CODE_TFTP_WRITE_FILE ? NULL : &block;

	name_there(path, name);
	pxe->Mode->TftpErrorReceived = FALSE;
	memset(&pxe->Mode->TftpError, 0, sizeof pxe->Mode->TftpError);
	return pxe->Mtftp(pxe, how, data, TRUE, size, option, &server, (UINT8 *)name, NULL, FALSE);
}

#define TFTP_NO_FILE 1 /* RFC 1350, error codes */

/* Whether the server said so to a question for a file's size. edk2 gives the upper byte of the code for it,
 * which is 0 of each code: then it is what no text calls a refusal ("Access violation", "Permission denied").
 */
static bool is_missing(EFI_STATUS s)
{
	const EFI_PXE_BASE_CODE_MODE *m = pxe->Mode;
	const char *text = (const char *)m->TftpError.ErrorString;

	return m->TftpErrorReceived && (m->TftpError.ErrorCode == TFTP_NO_FILE ||
					(s == EFI_TFTP_ERROR && m->TftpError.ErrorCode == 0 &&
					 !strstr(text, "violation") && !strstr(text, "denied")));
}

static bool read_file(const char *path, char **data, size_t *size, const char **why)
{
	UINT64 n = 0;
	EFI_STATUS s = transfer(EFI_PXE_BASE_CODE_TFTP_GET_FILE_SIZE, path, NULL, &n);
	bool none = EFI_ERROR(s) && is_missing(s);

	*data = NULL;
	if (!EFI_ERROR(s)) {
		*data = malloc(n + 1);
		s = *data ? transfer(EFI_PXE_BASE_CODE_TFTP_READ_FILE, path, *data, &n)
			  : EFI_OUT_OF_RESOURCES;
	}
	if (EFI_ERROR(s)) {
		free(*data);
		*why = none ? PLATFORM_NOT_FOUND : reason(s);
		return false;
	}
	(*data)[n] = 0;
	*size = n;
	return true;
}

/* Nothing is there yet, and nothing needs to be: a name of its own is all that a run has. */
static bool make_folder(const char *path, const char **why)
{
	(void)why;
	snprintf(run, sizeof run, "%s", path);
	return true;
}

static bool keep(struct kept_file *f, const void *data, size_t size)
{
	if (size > f->room - f->size) {
		size_t room = 2 * f->room + size;
		char *grown = realloc(f->data, room);

		if (!grown)
			return false;
		f->data = grown;
		f->room = room;
	}
	memcpy(f->data + f->size, data, size);
	f->size += size;
	return true;
}

static bool put(const char *path, const struct kept_file *f, const char **why)
{
	UINT64 size = f->size;
	EFI_STATUS s = transfer(EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, path, f->data, &size);

	if (EFI_ERROR(s))
		*why = reason(s);
	return !EFI_ERROR(s);
}

static void *open_file(const char *path, const char **why)
{
	size_t n = strlen(run);

	*why = "only reports are sent to a server, its other files stay as they are";
	if (!n || strncmp(path, run, n))
		return NULL;
	report.size = 0;
	return &report;
}

static bool write_file(void *file, const void *data, size_t size, const char **why)
{
	*why = "not enough memory to send it as a whole";
	return keep(file, data, size);
}

static bool close_file(void *file, const char **why)
{
	(void)file;
	(void)why;
	return true;
}

static bool rename_file(const char *path, const char *name, const char **why)
{
	char named[PATH_MAX_CHARS];

	(void)path; /* the one that was closed last */
	snprintf(named, sizeof named, "%s\\%.*s", run, FILE_CHARS - 2, name);
	return put(named, &report, why);
}

static void append_file(const char *path, const void *data, size_t size)
{
	const char *why;

	if (!journal_is_lost && (!keep(&journal, data, size) || !put(path, &journal, &why)))
		journal_is_lost = true;
}

static void remove_file(const char *path)
{
	(void)path;
}

/* --- whether and where ------------------------------------------------------------------------------ */

#define OPTION_PAD    0 /* RFC 2132 */
#define OPTION_SERVER 54
#define OPTION_END    255

/* The server of the file: in the header of what told of the file (RFC 2131, siaddr), or else the one that
 * told it. */
static void find_server(const EFI_PXE_BASE_CODE_MODE *m)
{
	const EFI_PXE_BASE_CODE_PACKET *told = m->PxeReplyReceived     ? &m->PxeReply
					       : m->ProxyOfferReceived ? &m->ProxyOffer
								       : &m->DhcpAck;
	const UINT8 *option = told->Dhcpv4.DhcpOptions, *end = told->Raw + sizeof told->Raw;

	memcpy(&server, told->Dhcpv4.BootpSiAddr, 4);
	while (!server.Addr[0] && end - option >= 6 && *option != OPTION_END) {
		if (*option == OPTION_SERVER)
			memcpy(&server, option + 2, 4);
		option += *option == OPTION_PAD ? 1 : 2 + option[1];
	}
}

/* What no other run on this server has: this machine's address, and when. */
static const char *run_name(const EFI_SYSTEM_TABLE *table)
{
	static char name[40];
	const UINT8 *mac = pxe->Mode->DhcpAck.Dhcpv4.BootpHwAddr;
	EFI_TIME t = {0};

	table->RuntimeServices->GetTime(&t, NULL);
	snprintf(name, sizeof name, "%02x%02x%02x%02x%02x%02x-%04u%02u%02u%02u%02u%02u", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5], t.Year, t.Month, t.Day, t.Hour, t.Minute, t.Second);
	return name;
}

/* The address of the network card that a handle stands for, as its device path has it (UEFI
 * specification 2.10, 10.3.4); NULL: it is none. */
static const UINT8 *card_of(EFI_BOOT_SERVICES *bs, EFI_HANDLE handle)
{
	EFI_GUID guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	const EFI_DEVICE_PATH *node;

	if (EFI_ERROR(bs->HandleProtocol(handle, &guid, (void **)&node)))
		return NULL;
	for (; node->Type != END_DEVICE_PATH_TYPE; node = NextDevicePathNode(node))
		if (node->Type == MESSAGING_DEVICE_PATH && node->SubType == MSG_MAC_ADDR_DP)
			return ((const MAC_ADDR_DEVICE_PATH *)node)->MacAddress.Addr;
	return NULL;
}

static bool has_address(EFI_BOOT_SERVICES *bs, EFI_HANDLE handle)
{
	EFI_GUID guid = pxe_guid;

	return !EFI_ERROR(bs->HandleProtocol(handle, &guid, (void **)&pxe)) && pxe->Mode->Started &&
	       !pxe->Mode->UsingIpv6 && pxe->Mode->DhcpAckReceived;
}

/* What came by HTTP came through another protocol on the same card: PXE's has to ask for an address first. */
static bool get_address(EFI_BOOT_SERVICES *bs, const UINT8 *card)
{
	EFI_GUID guid = pxe_guid;
	EFI_HANDLE *handles;
	bool found = false;
	UINTN count;

	if (!card || EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, &guid, NULL, &count, &handles)))
		return false;
	for (UINTN i = 0; i < count && !found; i++) {
		const UINT8 *other = card_of(bs, handles[i]);

		if (!other || memcmp(card, other, 6) ||
		    EFI_ERROR(bs->HandleProtocol(handles[i], &guid, (void **)&pxe)))
			continue;
		pxe->Start(pxe, FALSE); /* it may be started */
		found = pxe->Mode->Started && !pxe->Mode->UsingIpv6 && !EFI_ERROR(pxe->Dhcp(pxe, FALSE));
	}
	bs->FreePool(handles);
	return found;
}

bool network_choose(struct platform *platform, const EFI_SYSTEM_TABLE *table, EFI_HANDLE own)
{
	EFI_GUID volume_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
	EFI_BOOT_SERVICES *bs = table->BootServices;
	void *volume;

	if (!own || (!has_address(bs, own) && (!EFI_ERROR(bs->HandleProtocol(own, &volume_guid, &volume)) ||
					       !get_address(bs, card_of(bs, own)))))
		return false;
	find_server(pxe->Mode);
	platform->run_name = run_name(table);
	platform->read_file = read_file;
	platform->list_files = NULL;
	platform->each_name = NULL;
	platform->make_folder = make_folder;
	platform->open_file = open_file;
	platform->write_file = write_file;
	platform->close_file = close_file;
	platform->rename_file = rename_file;
	platform->append_file = append_file;
	platform->remove_file = remove_file;
	return true;
}
