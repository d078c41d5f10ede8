/*
 * Uses the firmware's timer services between two runs of Assay and says whether they still work: a periodic
 * event that must be signalled ten times, a notification function that the timer interrupt calls, and Stall
 * against the monotonic time that the events give. UEFI specification 2.10, 7.1 and 7.4.
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

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table);

EFI_STATUS EFIAPI efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *table)
{
	EFI_BOOT_SERVICES *bs = table->BootServices;
	EFI_EVENT waited, notified;
	volatile UINTN ticks = 0;
	UINTN index, patience = PATIENCE;

	(void)handle;
	st = table;
	if (EFI_ERROR(bs->CreateEvent(EVT_TIMER, 0, NULL, NULL, &waited)) ||
	    EFI_ERROR(bs->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_CALLBACK, on_tick, (VOID *)&ticks,
				      &notified)) ||
	    EFI_ERROR(bs->SetTimer(waited, TimerPeriodic, PERIOD)) ||
	    EFI_ERROR(bs->SetTimer(notified, TimerPeriodic, PERIOD)))
		return say(L"timer_app: no timer events\r\n"), EFI_DEVICE_ERROR;

	for (UINTN i = 0; i < PERIODS; i++)
		if (EFI_ERROR(bs->WaitForEvent(1, &waited, &index)))
			return say(L"timer_app: WaitForEvent failed\r\n"), EFI_DEVICE_ERROR;
	bs->Stall(STALL_US);
	while (ticks < PERIODS && patience--)
		bs->Stall(10000);
	bs->CloseEvent(waited);
	bs->CloseEvent(notified);
	if (ticks < PERIODS)
		return say(L"timer_app: the timer interrupt is dead\r\n"), EFI_DEVICE_ERROR;
	return say(L"timer_app: timer services work\r\n");
}
