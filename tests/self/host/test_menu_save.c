/* What the menu saves of options, on a volume that fails where it is told to. */
#include "boot/config.h"
#include "boot/experiments.h"
#include "boot/menu/save.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct options o;
static struct experiments experiments;

static void what_is_saved_is_read_again(void **state)
{
	static struct options again;
	struct option_error error;
	static const char old[] = "# mine\nsuite=truth n=3\n[experiment x]\nkernel=nop_loop events=A";

	(void)state;
	options_default(&o);
	o.n = 7;
	strcpy(o.inject, "a b");
	for (unsigned times = 0; times < 3; times++) {
		char *text = save_text(times ? "" : old, &o), *twice = save_text(text, &o);

		assert_string_equal(text, twice); /* what was saved before is replaced */
		free(twice);
		options_default(&again);
		if (!experiments_parse(&again, &experiments, text, strlen(text), "assay.cfg", &error))
			fail_msg("%s", error.text);
		assert_memory_equal(&again, &o, sizeof o);
		assert_true(times || !strncmp(text, old, sizeof old - 1));
		free(text);
		o.verbose ^= 1;
	}
	memset(&experiments, 0, sizeof experiments);
}

/* A volume that fails where it is told to. */
static const char *old_text; /* of the configuration; NULL: reading it fails for this reason */
static const char *reading, *failing;
static char saved[16384];
static unsigned opened, renamed, removed;

static bool read_fake(const char *path, char **data, size_t *size, const char **why)
{
	assert_string_equal(path, CONFIG_FILE);
	*why = reading;
	if (!old_text)
		return false;
	*data = strdup(old_text);
	*size = strlen(old_text);
	return true;
}

static bool fails(const char *what, const char **why)
{
	bool it = failing && !strcmp(failing, what);

	if (it)
		*why = failing;
	return it;
}

static void *open_fake_file(const char *path, const char **why)
{
	assert_string_equal(path, CONFIG_FILE ".new");
	opened++;
	*saved = 0;
	return fails("opening", why) ? NULL : saved;
}

static bool write_fake(void *file, const void *data, size_t size, const char **why)
{
	assert_ptr_equal(file, saved);
	assert_true(size < sizeof saved);
	memcpy(saved, data, size);
	saved[size] = 0;
	return !fails("writing", why);
}

static bool close_fake_file(void *file, const char **why)
{
	assert_ptr_equal(file, saved);
	return !fails("closing", why);
}

static bool rename_fake(const char *path, const char *name, const char **why)
{
	assert_string_equal(path, CONFIG_FILE ".new");
	assert_string_equal(name, "assay.cfg");
	renamed++;
	return !fails("renaming", why);
}

static void remove_fake(const char *path)
{
	assert_string_equal(path, CONFIG_FILE ".new");
	removed++;
}

static const char *save_to_fake(void)
{
	static const struct platform volume = {.read_file = read_fake,
					       .open_file = open_fake_file,
					       .write_file = write_fake,
					       .close_file = close_fake_file,
					       .rename_file = rename_fake,
					       .remove_file = remove_fake};

	opened = renamed = removed = 0;
	*saved = 0;
	return save_options(&volume, &o);
}

/* What was there is kept, or nothing is touched. */
static void saving_loses_nothing(void **state)
{
	static const char *const steps[] = {"opening", "writing", "closing", "renaming"};

	(void)state;
	options_default(&o);
	old_text = "[experiment x]\nkernel=nop_loop events=A\n";
	assert_null(save_to_fake());
	assert_memory_equal(saved, old_text, strlen(old_text));
	assert_true(opened == 1 && renamed == 1 && removed == 0);
	/* Without a file there is a new one, and an unreadable one is left alone. */
	old_text = NULL;
	reading = PLATFORM_NOT_FOUND;
	assert_null(save_to_fake());
	assert_true(opened == 1 && renamed == 1 && removed == 0 && *saved == '[');
	reading = "device error";
	assert_string_equal(save_to_fake(), "device error");
	assert_true(opened == 0 && renamed == 0 && removed == 0);
	reading = PLATFORM_NOT_FOUND;
	for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		failing = steps[i];
		assert_string_equal(save_to_fake(), steps[i]);
		assert_int_equal(renamed, i == 3);
		assert_int_equal(removed, i > 0);
	}
	failing = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_read_again),
		cmocka_unit_test(saving_loses_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
