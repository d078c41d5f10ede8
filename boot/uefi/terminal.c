#include "boot/uefi/terminal.h"
#include "boot/menu/keys.h"

#include "arch/serial.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static EFI_SYSTEM_TABLE *system_table;
static struct keys serial_keys;
static bool small; /* firmware shows its console at a serial line, too, whose width nobody knows */
static INT32 mode_before;
static bool own_serial;    /* a VT100 is at our serial line */
static bool serial_passed; /* the run has it by now: it is not set up, nor given back, by us */

#define GUID_OF(g) ((EFI_GUID *)(uintptr_t) & (g))

static const unsigned char attributes[] = {
	[STYLE_PLAIN] = EFI_TEXT_ATTR(EFI_LIGHTGRAY, EFI_BLACK),
	[STYLE_HEAD] = EFI_TEXT_ATTR(EFI_WHITE, EFI_BLUE),
	[STYLE_DIM] = EFI_TEXT_ATTR(EFI_CYAN, EFI_BLACK),
	[STYLE_CHOSEN] = EFI_TEXT_ATTR(EFI_BLACK, EFI_LIGHTGRAY),
	[STYLE_BAD] = EFI_TEXT_ATTR(EFI_WHITE, EFI_RED),
};

/* The same as ECMA-48, 8.3.117, has it. */
static const char *const renditions[] = {
	[STYLE_PLAIN] = "0",    [STYLE_HEAD] = "0;1;37;44", [STYLE_DIM] = "0;36",
	[STYLE_CHOSEN] = "0;7", [STYLE_BAD] = "0;1;37;41",
};

/* --- whether firmware's console is at a serial line, too --------------------------------------------- */

#define UART_DP 14 /* UEFI specification 2.10, 10.3.4.14 */

static bool leads_over_uart(EFI_HANDLE handle)
{
	static const EFI_GUID path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	EFI_DEVICE_PATH *node;

	if (EFI_ERROR(system_table->BootServices->HandleProtocol(handle, GUID_OF(path_guid), (void **)&node)))
		return false;
	for (unsigned steps = 0; steps < 64 && !IsDevicePathEnd(node);
	     node = NextDevicePathNode(node), steps++)
		if (DevicePathType(node) == MESSAGING_DEVICE_PATH && DevicePathSubType(node) == UART_DP)
			return true;
	return false;
}

static bool firmware_has_serial(void)
{
	static const EFI_GUID text_guid = EFI_SIMPLE_TEXT_OUTPUT_PROTOCOL_GUID;
	EFI_BOOT_SERVICES *bs = system_table->BootServices;
	EFI_HANDLE *handles;
	UINTN count;
	bool found = false;

	if (EFI_ERROR(bs->LocateHandleBuffer(ByProtocol, GUID_OF(text_guid), NULL, &count, &handles)))
		return false;
	for (UINTN i = 0; i < count; i++)
		found |= leads_over_uart(handles[i]);
	bs->FreePool(handles);
	return found;
}

/* --- drawing ---------------------------------------------------------------------------------------- */

static void serial_text(const char *text)
{
	if (own_serial)
		serial_write(text, strlen(text));
}

static void clear(void)
{
	if (system_table->ConOut) {
		system_table->ConOut->SetAttribute(system_table->ConOut, attributes[STYLE_PLAIN]);
		system_table->ConOut->ClearScreen(system_table->ConOut);
	}
	serial_text("\x1b[0m\x1b[2J\x1b[H");
}

static void open(struct terminal *t)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = system_table->ConOut;
	UINTN columns, rows;
	uint8_t byte;

	t->columns = TERMINAL_COLUMNS;
	t->rows = TERMINAL_ROWS;
	/* Mode 0 is 80 by 25 wherever there is a console. */
	mode_before = out ? out->Mode->Mode : 0;
	if (out && small && mode_before)
		out->SetMode(out, 0);
	if (out && !EFI_ERROR(out->QueryMode(out, (UINTN)out->Mode->Mode, &columns, &rows)) && !own_serial) {
		t->columns = (unsigned)columns;
		t->rows = (unsigned)rows;
	}
	if (own_serial && !serial_passed)
		own_serial = serial_init((uint16_t)t->line);
	if (out)
		out->EnableCursor(out, FALSE);
	if (system_table->ConIn)
		system_table->ConIn->Reset(system_table->ConIn, FALSE);
	for (unsigned i = 0; own_serial && i < 1000 && serial_read(&byte); i++)
		;
	serial_keys = (struct keys){0};
	serial_text("\x1b[?25l");
	clear();
}

static void put(struct terminal *t, unsigned row, unsigned column, enum style style, const char *text,
		size_t size)
{
	SIMPLE_TEXT_OUTPUT_INTERFACE *out = system_table->ConOut;
	CHAR16 wide[160];
	char place[40];
	size_t n = 0;

	(void)t;
	for (; n < size && n < sizeof wide / sizeof wide[0] - 1; n++)
		wide[n] = (CHAR16)text[n];
	wide[n] = 0;
	if (out) {
		out->SetCursorPosition(out, column, row);
		out->SetAttribute(out, attributes[style]);
		out->OutputString(out, wide);
	}
	if (own_serial) {
		snprintf(place, sizeof place, "\x1b[%u;%uH\x1b[%sm", row + 1, column + 1, renditions[style]);
		serial_text(place);
		serial_write(text, size);
	}
}

static void close(struct terminal *t)
{
	(void)t;
	clear();
	if (system_table->ConOut) {
		system_table->ConOut->EnableCursor(system_table->ConOut, TRUE);
		if (small && mode_before > 0)
			system_table->ConOut->SetMode(system_table->ConOut, (UINTN)mode_before);
	}
	serial_text("\x1b[?25h");
	if (own_serial && !serial_passed)
		serial_give_back();
	serial_passed = true;
}

/* --- keys ------------------------------------------------------------------------------------------- */

/* UEFI specification 2.10, table 12.2 */
static int firmware_key(const EFI_INPUT_KEY *key)
{
	static const short codes[] = {
		[SCAN_UP] = KEY_UP,           [SCAN_DOWN] = KEY_DOWN,           [SCAN_RIGHT] = KEY_RIGHT,
		[SCAN_LEFT] = KEY_LEFT,       [SCAN_HOME] = KEY_HOME,           [SCAN_END] = KEY_END,
		[SCAN_PAGE_UP] = KEY_PAGE_UP, [SCAN_PAGE_DOWN] = KEY_PAGE_DOWN, [SCAN_ESC] = KEY_ESCAPE,
	};

	if (key->ScanCode)
		return key->ScanCode < sizeof codes / sizeof codes[0] ? codes[key->ScanCode] : KEY_NONE;
	if (key->UnicodeChar == '\n')
		return KEY_ENTER;
	return key->UnicodeChar <= '~' ? key->UnicodeChar : KEY_NONE;
}

static int key(struct terminal *t)
{
	SIMPLE_INPUT_INTERFACE *in = system_table->ConIn;
	EFI_INPUT_KEY pressed;
	uint8_t byte;
	int found = KEY_NONE;

	(void)t;
	if (in && !EFI_ERROR(in->ReadKeyStroke(in, &pressed)) && (found = firmware_key(&pressed)))
		return found;
	if (own_serial) {
		if (serial_read(&byte))
			return keys_take(&serial_keys, byte);
		found = keys_idle(&serial_keys);
	}
	system_table->BootServices->Stall(TERMINAL_TICK_MS * 1000);
	return found;
}

struct terminal *uefi_terminal(EFI_SYSTEM_TABLE *table)
{
	static struct terminal terminal = {.open = open, .put = put, .key = key, .close = close};

	system_table = table;
	small = firmware_has_serial();
	own_serial = !small;
	return table->ConOut || own_serial ? &terminal : NULL;
}
