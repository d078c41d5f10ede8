/*
 * Files through a firmware that fails: each call of a file's protocol in turn, and writes that are cut short.
 * Nothing of it counts as success.
 */
#include "boot/uefi/volume.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static unsigned calls,
	fails_at; /* calls of firmware since begin(); the one that fails, from 1; 0: none does */
static EFI_STATUS failure;
static UINTN takes;  /* bytes that a write takes at most */
static int open_now; /* files, and pieces of memory */
static UINT64 position, file_size;

/* Whether this call is to fail. */
static bool fails(void)
{
	return ++calls == fails_at;
}

static EFI_FILE_PROTOCOL file;

static EFI_STATUS EFIAPI f_open(EFI_FILE_PROTOCOL *self, EFI_FILE_PROTOCOL **out, CHAR16 *name, UINT64 mode,
				UINT64 attributes)
{
	(void)self, (void)name, (void)mode, (void)attributes;
	if (fails())
		return failure;
	open_now++;
	*out = &file;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_close(EFI_FILE_PROTOCOL *self)
{
	(void)self;
	open_now--;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_read(EFI_FILE_PROTOCOL *self, UINTN *size, void *to)
{
	(void)self;
	if (fails())
		return failure;
	memset(to, 'x', *size);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_write(EFI_FILE_PROTOCOL *self, UINTN *size, void *from)
{
	(void)self, (void)from;
	if (fails())
		return failure;
	if (*size > takes)
		*size = takes;
	position += *size;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_get_position(EFI_FILE_PROTOCOL *self, UINT64 *at)
{
	(void)self;
	*at = position;
	return fails() ? failure : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_get_info(EFI_FILE_PROTOCOL *self, EFI_GUID *type, UINTN *size, void *out)
{
	EFI_FILE_INFO *info = out;

	(void)self, (void)type;
	if (fails())
		return failure;
	memset(info, 0, SIZE_OF_EFI_FILE_INFO);
	*size = info->Size = SIZE_OF_EFI_FILE_INFO;
	info->FileSize = file_size;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_set_info(EFI_FILE_PROTOCOL *self, EFI_GUID *type, UINTN size, void *from)
{
	const EFI_FILE_INFO *info = from;

	(void)self, (void)type, (void)size;
	if (fails())
		return failure;
	file_size = info->FileSize;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_flush(EFI_FILE_PROTOCOL *self)
{
	(void)self;
	return fails() ? failure : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI f_delete(EFI_FILE_PROTOCOL *self)
{
	(void)self;
	open_now--;
	return EFI_SUCCESS;
}

static EFI_FILE_PROTOCOL file = {.Open = f_open,
				 .Close = f_close,
				 .Delete = f_delete,
				 .Read = f_read,
				 .Write = f_write,
				 .GetPosition = f_get_position,
				 .GetInfo = f_get_info,
				 .SetInfo = f_set_info,
				 .Flush = f_flush};

static EFI_STATUS EFIAPI allocate(EFI_MEMORY_TYPE type, UINTN size, void **out)
{
	(void)type;
	if (fails())
		return failure;
	open_now++;
	*out = malloc(size);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI release(void *memory)
{
	free(memory);
	open_now--;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI open_volume(EFI_FILE_IO_INTERFACE *self, EFI_FILE_PROTOCOL **root)
{
	(void)self;
	*root = &file;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI protocol(EFI_HANDLE handle, EFI_GUID *which, void **out)
{
	static EFI_FILE_IO_INTERFACE system = {.OpenVolume = open_volume};

	(void)handle, (void)which;
	*out = &system;
	return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = {
	.HandleProtocol = protocol, .AllocatePool = allocate, .FreePool = release};

/* --- what is done with files, each to its end whatever fails
 * ---------------------------------------------------- */

#define TEXT "twelve bytes"

static bool write_all(const char **why)
{
	const char *after;
	void *f = volume_open_file("new", why);

	if (!f)
		return false;
	bool good = volume_write_file(f, TEXT, 12, why);
	return volume_close_file(f, good ? why : &after) && good;
}

static bool read_all(const char **why)
{
	size_t size;
	char *data;

	if (!volume_read_file("old", &data, &size, why))
		return false;
	assert_int_equal(size, file_size);
	free(data);
	return true;
}

static bool rename_it(const char **why)
{
	return volume_rename_file("old", "other", why);
}

static const struct {
	bool (*act)(const char **why);
	bool first_may_fail; /* what stands in the way is removed, if it is there */
} acts[] = {{write_all, false}, {read_all, false}, {rename_it, true}};

static bool run(unsigned act, unsigned at, EFI_STATUS status, UINTN most, const char **why)
{
	calls = 0;
	position = 0;
	file_size = 40; /* of a longer file before */
	failure = status;
	takes = most;
	fails_at = at;
	open_now = 0;
	*why = NULL;
	bool good = acts[act].act(why);
	assert_int_equal(open_now, 0); /* files are closed, memory is given back */
	return good;
}

static void every_failure_is_told(void **state)
{
	static const struct {
		EFI_STATUS status;
		const char *why;
	} failures[] = {{EFI_VOLUME_FULL, "volume is full"},
			{EFI_DEVICE_ERROR, "device error"},
			{EFI_WRITE_PROTECTED, "volume is write-protected"},
			{EFI_UNSUPPORTED, "firmware error"}};

	(void)state;
	for (unsigned a = 0; a < sizeof acts / sizeof acts[0]; a++) {
		const char *why;

		assert_true(run(a, 0, EFI_SUCCESS, 100, &why));
		unsigned all = calls;
		assert_in_range(all, 3, 20);
		for (unsigned i = 0; i < sizeof failures / sizeof failures[0]; i++)
			for (unsigned at = 1; at <= all; at++) {
				bool good = run(a, at, failures[i].status, 100, &why);

				assert_int_equal(good, acts[a].first_may_fail && at == 1);
				if (!good)
					assert_string_equal(why, failures[i].why);
			}
	}
}

static void a_write_that_is_cut_short_is_none(void **state)
{
	const char *why;

	(void)state;
	for (UINTN most = 0; most < 12; most++) {
		assert_false(run(0, 0, EFI_SUCCESS, most, &why));
		assert_string_equal(why, "volume is full");
	}
	assert_true(run(0, 0, EFI_SUCCESS, 12, &why));
	assert_int_equal(file_size, 12); /* cut behind what was written */
}

static int choose(void **state)
{
	(void)state;
	volume_choose(&services, &services);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_failure_is_told),
		cmocka_unit_test(a_write_that_is_cut_short_is_none),
	};

	return cmocka_run_group_tests_name("files of firmware", tests, choose, NULL);
}
