/*
 * Breadcrumbs in a page of memory (arch/breadcrumbs.h), for machines whose memory outlasts a reset.
 */
#include "arch/breadcrumbs.h"
#include "arch/breadcrumbs_page.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define MAGIC      "Assay was here 1"
#define SPOILT_MAX 8

/* Written whole, and then valid: of two slots the one that is not, so that one always is. */
struct slot {
	uint32_t checksum; /* of what follows, up to live */
	uint32_t sequence;
	uint32_t run, again, processor, call, suite;
	char place[BREADCRUMBS_PLACE];
	struct breadcrumbs_live live;
};

struct page {
	char magic[16];
	struct slot slot[2];
	uint32_t list_checksum;
	char list[BREADCRUMBS_LIST];
};
_Static_assert(sizeof(struct page) <= BREADCRUMBS_BYTES, "the page is too small");

static struct page nowhere, *page = &nowhere;
static struct page found;
static struct breadcrumbs_live idle;
struct breadcrumbs_live *breadcrumbs_live = &idle;
static uint32_t sequence;
static struct {
	enum breadcrumbs_fault fault;
	const char *place;
	uint32_t step;
} spoilt[SPOILT_MAX];
static unsigned n_spoilt;
static uint32_t spoilt_here; /* of these, a bit each: those of the place where the run is */

/* FNV-1a; it is to tell memory that was kept from memory that was not. */
static uint32_t checksum(const void *data, size_t size)
{
	const uint8_t *p = data;
	uint32_t sum = 2166136261u;

	while (size--)
		sum = (sum ^ *p++) * 16777619u;
	return sum;
}

static uint32_t slot_checksum(const struct slot *s)
{
	return checksum(&s->sequence, offsetof(struct slot, live) - offsetof(struct slot, sequence));
}

void breadcrumbs_open(void *memory)
{
	page = memory ? memory : &nowhere;
	memcpy(&found, page, sizeof found);
	breadcrumbs_clear();
}

static const struct slot *latest(const struct page *p)
{
	const struct slot *best = NULL;

	for (unsigned i = 0; i < 2; i++)
		if (p->slot[i].sequence && p->slot[i].checksum == slot_checksum(&p->slot[i]) &&
		    (!best || p->slot[i].sequence > best->sequence))
			best = &p->slot[i];
	return best;
}

bool breadcrumbs_left(struct breadcrumb *out, char list[BREADCRUMBS_LIST])
{
	const struct slot *s = memcmp(found.magic, MAGIC, sizeof found.magic) ? NULL : latest(&found);

	list[0] = 0;
	if (!s)
		return false;
	*out = (struct breadcrumb){
		.run = s->run,
		.again = s->again,
		.processor = s->processor,
		.call = s->call,
		.suite = s->suite,
		.step = s->live.step,
		.written = s->live.number,
		.written_value = s->live.value,
	};
	memcpy(out->place, s->place, sizeof out->place);
	out->place[sizeof out->place - 1] = 0;
	if (found.list_checksum == checksum(found.list, sizeof found.list))
		memcpy(list, found.list, sizeof found.list);
	list[BREADCRUMBS_LIST - 1] = 0;
	return true;
}

/* What ends a check waits until the check is guarded, which is when the first step is told. */
static void fail_at(uint32_t step, bool guarded)
{
	for (unsigned i = 0; spoilt_here >> i; i++)
		if (spoilt_here >> i & 1 && spoilt[i].step == step &&
		    (guarded || spoilt[i].fault < BREADCRUMBS_EXCEPTION))
			breadcrumbs_fail(spoilt[i].fault);
}

void breadcrumbs_set(const struct breadcrumb *b)
{
	struct slot *s = &page->slot[++sequence & 1];

	*s = (struct slot){
		.sequence = sequence,
		.run = b->run,
		.again = b->again,
		.processor = b->processor,
		.call = b->call,
		.suite = b->suite,
	};
	snprintf(s->place, sizeof s->place, "%s", b->place);
	s->checksum = slot_checksum(s);
	memcpy(page->magic, MAGIC, sizeof page->magic);
	breadcrumbs_to_memory(s, sizeof *s);
	breadcrumbs_to_memory(page->magic, sizeof page->magic);
	breadcrumbs_live = &s->live;
	spoilt_here = 0;
	for (unsigned i = 0; i < n_spoilt; i++)
		if (!strcmp(spoilt[i].place, s->place))
			spoilt_here |= 1u << i;
	fail_at(0, false);
}

void breadcrumbs_step(uint32_t step)
{
	breadcrumbs_live->step = step;
	breadcrumbs_to_memory(breadcrumbs_live, sizeof *breadcrumbs_live);
	fail_at(step, true);
}

void breadcrumbs_keep(const char *list)
{
	memset(page->list, 0, sizeof page->list);
	snprintf(page->list, sizeof page->list, "%s", list);
	page->list_checksum = checksum(page->list, sizeof page->list);
	breadcrumbs_to_memory(&page->list_checksum, sizeof page->list_checksum + sizeof page->list);
}

void breadcrumbs_clear(void)
{
	memset(page, 0, sizeof *page);
	breadcrumbs_to_memory(page, sizeof *page);
	breadcrumbs_live = &idle;
	spoilt_here = 0;
	sequence = 0;
}

void breadcrumbs_put_back(void)
{
	memcpy(page, &found, sizeof *page);
	breadcrumbs_to_memory(page, sizeof *page);
	breadcrumbs_live = &idle;
	spoilt_here = 0;
}

bool breadcrumbs_spoil(enum breadcrumbs_fault fault, const char *place, uint32_t step)
{
	if (n_spoilt == SPOILT_MAX)
		return false;
	spoilt[n_spoilt].fault = fault;
	spoilt[n_spoilt].place = place;
	spoilt[n_spoilt++].step = step;
	return true;
}
