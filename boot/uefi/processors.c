#include "boot/uefi/processors.h"

#include "arch/processors.h"

#define IS_ENABLED (1u << 1)
#define IS_HEALTHY (1u << 2)

/* Of EFI_PROCESSOR_INFORMATION, with room for what later versions add. */
struct information {
	UINT64 id;
	UINT32 flags, location[3], more[24];
};

/* As far as it is used here. */
struct mp_services {
	EFI_STATUS(EFIAPI *count)(struct mp_services *this, UINTN *all, UINTN *enabled);
	EFI_STATUS(EFIAPI *info)(struct mp_services *this, UINTN number, struct information *out);
	VOID *start_all, *start_one, *switch_boot_processor;
	EFI_STATUS(EFIAPI *enable)(struct mp_services *this, UINTN number, BOOLEAN enable, UINT32 *health);
};

static EFI_GUID mp_services_guid = {
	0x3fdda605, 0xa76e, 0x4f46, {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}};

static struct mp_services *mp;
static struct firmware_processor known[PROCESSORS_MAX];

/* What is enabled goes through the whole of firmware's own set-up, however firmware wakes it. */
static bool renew(unsigned i)
{
	return !EFI_ERROR(mp->enable(mp, i, FALSE, NULL)) && !EFI_ERROR(mp->enable(mp, i, TRUE, NULL));
}

void uefi_processors_find(EFI_BOOT_SERVICES *bs, struct boot_info *out)
{
	struct information info;
	UINTN all, enabled;

	if (EFI_ERROR(bs->LocateProtocol(&mp_services_guid, NULL, (VOID **)&mp)) ||
	    EFI_ERROR(mp->count(mp, &all, &enabled)) || all > PROCESSORS_MAX)
		return;
	for (UINTN i = 0; i < all; i++) {
		if (EFI_ERROR(mp->info(mp, i, &info)))
			return;
		known[i] = (struct firmware_processor){info.id, info.flags & IS_ENABLED,
						       info.flags & IS_HEALTHY};
	}
	out->processors = known;
	out->n_processors = (unsigned)all;
	out->renew_processor = renew;
}
