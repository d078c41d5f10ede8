/*
 * Event files as the vendors publish them: Intel's ({"Header": ..., "Events": [...]}) and those of Linux's
 * perf
 * ([...], of Intel and AMD). One event after the other is read, in bounded memory, from text that nobody
 * vouches for: whatever is in it, each answer is an event, a reason, or the end. docs/event-import.md.
 */
#ifndef PMU_EVENTS_VENDOR_JSON_H
#define PMU_EVENTS_VENDOR_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VENDOR_FILE_MAX (8u << 20) /* bytes; the largest published file has a third of that */
#define VENDOR_NAME     112        /* bytes of an event's name with its NUL; published ones have up to 95 */
#define VENDOR_TEXT     128        /* of other texts, which are cut */
#define VENDOR_TOKENS   160        /* of one object: names, values, and the object itself */

/** An event as its file gives it. What the file does not say is 0. */
struct vendor_event {
	char name[VENDOR_NAME];
	uint16_t select; /* event code, 12 bits with AMD */
	uint8_t umask;   /* unit mask */
	uint8_t umask2;  /* UMaskExt: bits 15:8 of the unit mask */
	uint8_t cmask;   /* counter mask */
	uint8_t precise; /* 0 no record, 1 has, 2 only with one */
	bool invert, edge, any_thread, equal;
	bool deprecated;         /* the vendor has another name for it */
	bool has_period;         /* gives a sampling period, as all of Intel's do and none of AMD's */
	uint32_t counters;       /* bit n: general counter n; all ones if the file does not say */
	int8_t fixed;            /* fixed counter, -1: none */
	uint32_t extra_register; /* that must hold extra_value, 0: none; of several, the first, and select and
				    umask are for that */
	uint64_t extra_value;
	char errata[VENDOR_TEXT];
	char unit[32]; /* "cpu_core", "CBO"; empty: the core */
	size_t at;     /* byte of the file where it begins */
};

enum vendor_answer {
	VENDOR_EVENT = 1,
	VENDOR_OTHER, /* an object that is no event (a metric), or an event that is not of a core (.unit) */
	VENDOR_BAD,   /* an object that is not understood: .why; the next one may be */
	VENDOR_LOST,  /* the rest of the file is not understood: .why; there is nothing more */
	VENDOR_END,
};

struct vendor_reader {
	const char *text;
	size_t size, at;
	uint16_t usual;         /* tokens of the object before */
	uint8_t over;           /* nothing more comes but this, an enum vendor_answer; 0: there may be more */
	char info[VENDOR_TEXT]; /* Header: Info; empty without */
	bool says_intel;        /* Header: Info or Copyright name Intel */
	char why[VENDOR_TEXT];  /* of the last VENDOR_BAD or VENDOR_LOST, with the byte where it is */
};

/**
 * Begin to read a file.
 * @param text must stay as it is while it is read; need not end with NUL
 * @return false if it holds no list of events: .why
 */
bool vendor_open(struct vendor_reader *r, const char *text, size_t size);

/** The next object of the list. VENDOR_LOST and VENDOR_END come again if asked again. */
enum vendor_answer vendor_next(struct vendor_reader *r, struct vendor_event *out);

#endif
