#include "boot/user_code.h"
#include "tests/kernels/user_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY "\\assay\\code\\"

/* The syntax has been looked at: pairs of digits. */
static size_t from_hex(const struct option_list *list, uint8_t *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < list->count; i++)
		for (const char *c = list->item[i].text; *c; c += 2) {
			const char pair[] = {c[0], c[1], 0};

			out[n++] = (uint8_t)strtoul(pair, NULL, 16);
		}
	return n;
}

static void read_bytes(struct experiment *x)
{
	uint8_t bytes[OPTION_ITEMS * OPTION_ITEM_TEXT / 2];

	x->own = user_code_load("bytes", bytes, from_hex(&x->bytes, bytes), &x->own_why);
}

static void read_file(const struct platform *platform, struct experiment *x)
{
	char path[sizeof DIRECTORY + sizeof x->code];
	char *data;
	size_t size;

	snprintf(path, sizeof path, DIRECTORY "%s", x->code);
	if (!platform->read_file(path, &data, &size, &x->own_why)) {
		if (!x->own_why || !strcmp(x->own_why, PLATFORM_NOT_FOUND))
			x->own_why = "there is no such file in \\assay\\code";
		return;
	}
	x->own = user_code_load(x->code, (const uint8_t *)data, size, &x->own_why);
	free(data);
}

void user_code_read(const struct platform *platform, struct experiments *all)
{
	for (unsigned i = 0; i < all->count; i++) {
		struct experiment *x = &all->experiment[i];

		if (x->bytes.count)
			read_bytes(x);
		else if (*x->code)
			read_file(platform, x);
	}
}
