/*
 * Uses firmware's services between two runs of Assay and says whether they still work. Timers: a periodic
 * event that must be signalled ten times, a notification function that the timer interrupt calls, and Stall
 * against the monotonic time that the events give (UEFI specification 2.10, 7.1 and 7.4). Other processors,
 * where there are any: each is started and must come (Platform Initialization specification 1.7, volume
 * 2, 13.4). With the option "off" it disables processor 1 before it ends, with "ill" it calls it unhealthy.
 */
#include <efi.h>

#define PERIOD   100000 /* 10 ms in units of 100 ns */
#define PERIODS  10
#define STALL_US 50000
#define PATIENCE 500 /* 10 ms each */

static EFI_SYSTEM_TABLE *st;

static EFI_STATUS say(const CHAR16 *text)
{
	return st->ConOut->OutputString(st->ConOut, (CHAR16 *)(UINTN)text);
}

static VOID EFIAPI on_tick(EFI_EVENT event, VOID *context)
{
	(void)event;
	++*(volatile UINTN *)context;
}

/** As far as it is used here. */
struct mp_services {
	EFI_STATUS(EFIAPI *count)(struct mp_services *this, UINTN *all, UINTN *enabled);
	VOID *info;
	EFI_STATUS(EFIAPI *start_all)
	(struct mp_services *this, VOID(EFIAPI *procedure)(VOID *arg), BOOLEAN one_by_one, EFI_EVENT event,
	 UINTN us, VOID *arg, UINTN **failed);
	VOID *start_one, *switch_boot_processor;
	EFI_STATUS(EFIAPI *enable)(struct mp_services *this, UINTN number, BOOLEAN enable, UINT32 *health);
};

static BOOLEAN asked(const EFI_LOADED_IMAGE *loaded, CHAR16 last)
{
	const CHAR16 *text = loaded->LoadOptions;
	UINTN n = loaded->LoadOptionsSize / sizeof *text;

	while (n && (!text[n - 1] || text[n - 1] == ' '))
		n--;
	return n && text[n - 1] == last;
}

static EFI_GUID mp_services_guid = {
	0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

static VOID EFIAPI come(VOID *arg)
{
	__atomic_add_fetch((UINTN *)arg, 1, __ATOMIC_SEQ_CST);
}

static EFI_STATUS try_processors(EFI_BOOT_SERVICES *bs, const EFI_LOADED_IMAGE *loaded)
{
	struct mp_services *mp;
	UINTN all = 0, enabled = 0, came = 0;
	UINT32 unhealthy = 0;

	if (EFI_ERROR(bs->LocateProtocol(&mp_services_guid, NULL, (VOID **)&mp)) ||
	    EFI_ERROR(mp->count(mp, &all, &enabled)) || enabled < 2)
		return EFI_SUCCESS;
	if (EFI_ERROR(mp->start_all(mp, come, FALSE, NULL, 0, &came, NULL)) || came != enabled - 1)
		return say(L"services_app: the other processors do not come\r\n"), EFI_DEVICE_ERROR;
	say(L"services_app: the other processors come\r\n");
	if (asked(loaded, 'f'))
		return mp->enable(mp, 1, FALSE, NULL);
	return asked(loaded, 'l') ? mp->enable(mp, 1, TRUE, &unhealthy) : EFI_SUCCESS;
}

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	EFI_BOOT_SERVICES *bs = table->BootServices;
	EFI_EVENT waited, notified;
	volatile UINTN ticks = 0;
	UINTN index, patience = PATIENCE;
	EFI_GUID loaded_image = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	EFI_LOADED_IMAGE *loaded;

	st = table;
	if (EFI_ERROR(bs->HandleProtocol(handle, &loaded_image, (VOID **)&loaded)))
		return EFI_DEVICE_ERROR;
	if (EFI_ERROR(bs->CreateEvent(EVT_TIMER, 0, NULL, NULL, &waited)) ||
	    EFI_ERROR(bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_tick, (VOID *)&ticks,
				      &notified)) ||
	    EFI_ERROR(bs->SetTimer(waited, TimerPeriodic, PERIOD)) ||
	    EFI_ERROR(bs->SetTimer(notified, TimerPeriodic, PERIOD)))
		return say(L"services_app: no timer events\r\n"), EFI_DEVICE_ERROR;

	for (UINTN i = 0; i < PERIODS; i++)
		if (EFI_ERROR(bs->WaitForEvent(1, &waited, &index)))
			return say(L"services_app: WaitForEvent failed\r\n"), EFI_DEVICE_ERROR;
	bs->Stall(STALL_US);
	while (ticks < PERIODS && patience--)
		bs->Stall(10000);
	bs->CloseEvent(waited);
	bs->CloseEvent(notified);
	if (ticks < PERIODS)
		return say(L"services_app: the timer interrupt is dead\r\n"), EFI_DEVICE_ERROR;
	say(L"services_app: timer services work\r\n");
	return try_processors(bs, loaded);
}
