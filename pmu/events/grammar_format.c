/*
 * Event requests written as strings: libpfm4's form, and perf's.
 */
#include "pmu/events/grammar_internal.h"
#include "pmu/events/text.h"

#include <inttypes.h>
#include <stddef.h>

static bool is_level(const struct event_modifier *m)
{
	return m->offset == offsetof(struct pmu_config, levels);
}

static size_t add_modifiers(const struct event_grammar *g, const struct event_request *r, char *out,
			    size_t size, size_t n)
{
	for (const struct event_modifier *m = g->modifiers; m->help; m++) {
		uint64_t value = field(&r->config, m);

		if (!m->name || !value || (is_level(m) && r->config.levels == LEVELS_ALL))
			continue;
		n = m->width == 1 ? text_append(out, size, n, ":%s", m->name)
				  : text_append(out, size, n, ":%s=%" PRIu64, m->name, value);
	}
	return n;
}

/* The row to join that has some of these bits of the selector, and the fewest. */
static const struct pmu_event *narrowest(const struct pmu *pmu, const struct event_request *r, uint64_t extra)
{
	const struct pmu_event *best = NULL;

	for (unsigned i = 0; i < pmu->n_events + pmu->n_unexplained; i++) {
		const struct pmu_event *e = pmu->events[i];

		if (joins(pmu->driver->grammar, r->event, e) && e->code & extra &&
		    !(e->code & ~r->config.code) &&
		    (!best || __builtin_popcountll(e->code) < __builtin_popcountll(best->code)))
			best = e;
	}
	return best;
}

size_t event_format(const struct pmu *pmu, const struct event_request *r, char *out, size_t size)
{
	const struct event_grammar *g = pmu->driver->grammar;
	size_t n = text_append(out, size, 0, "%s::", pmu->driver->name);
	uint64_t extra = r->event ? r->config.code & ~r->event->code : 0;

	if (r->event) {
		n = text_append(out, size, n, "%s", r->event->name);
		for (const struct event_mask *m = g->masks ? g->masks(pmu, r->event) : NULL;
		     m && m->name && extra; m++)
			if ((extra & m->code) == m->code) {
				n = text_append(out, size, n, ":%s", m->name);
				extra &= ~m->code;
			}
		for (const struct pmu_event *other; extra && (other = narrowest(pmu, r, extra));
		     extra &= ~other->code)
			n = text_append(out, size, n, ":%s", other->name + base_length(other->name) + 1);
	} else {
		uint64_t raw = g->written ? g->written(&r->config) : 0;

		if (raw) {
			n = text_append(out, size, n, "r%" PRIx64, raw);
			for (const struct event_modifier *m = g->modifiers; m->help; m++)
				if (m->name && m->raw < 0 && m->width > 1 && field(&r->config, m))
					n = text_append(out, size, n, ":%s=%#" PRIx64, m->name,
							field(&r->config, m));
			return r->counter
				       ? text_append(out, size, n, "@%s", pmu->counter[r->counter - 1].name)
				       : n;
		}
		for (const struct event_modifier *m = g->modifiers; m->help; m++)
			if (!m->name && m->raw >= 0)
				raw |= field(&r->config, m) << m->raw;
		n = text_append(out, size, n, "r%" PRIx64, raw);
	}
	n = add_modifiers(g, r, out, size, n);
	return r->counter ? text_append(out, size, n, "@%s", pmu->counter[r->counter - 1].name) : n;
}

/* What a field holds once the driver has joined the event's own conditions with those asked for. */
static uint64_t joined_field(const struct event_grammar *g, const struct event_request *r,
			     const struct event_modifier *m)
{
	uint64_t value = field(&r->config, m);

	if (!value && g->code_is_raw && m->raw >= 0 && !is_level(m) &&
	    m->offset != offsetof(struct pmu_config, code))
		value = r->config.code >> m->raw & low_bits(m->width);
	return value;
}

size_t event_format_perf(const struct pmu *pmu, const struct event_request *r, char *out, size_t size)
{
	const struct event_grammar *g = pmu->driver->grammar;
	size_t n;
	unsigned fields = 0;

	out[0] = 0;
	if (g->perf_unlike || (r->event && !r->event->counters))
		return 0;
	n = text_append(out, size, 0, "%s/", pmu->perf_name ? pmu->perf_name : "cpu");
	for (const struct event_modifier *m = g->modifiers; m->help; m++) {
		uint64_t value = joined_field(g, r, m);
		unsigned low = m->width;

		if (continues(g, m))
			continue;
		for (const struct event_modifier *part = m + 1; continues(g, part); low += part++->width)
			value |= field(&r->config, part) << low;
		if (m->perf && (value || !fields)) {
			n = m->width == 1 ? text_append(out, size, n, "%s%s", fields ? "," : "", m->perf)
					  : text_append(out, size, n, "%s%s=%#" PRIx64, fields ? "," : "",
							m->perf, value);
			fields++;
		}
	}
	for (const struct event_extra_field *x = g->extras; x && x->perf; x++)
		if (r->config.extra_register == x->address)
			n = text_append(out, size, n, ",%s=%#" PRIx64, x->perf, r->config.extra_value);
	n = text_append(out, size, n, "/");
	for (const struct event_modifier *m = g->modifiers; m->help; m++)
		if (is_level(m) && r->config.levels != LEVELS_ALL && field(&r->config, m))
			n = text_append(out, size, n, "%s", m->name);
	return n;
}

bool event_is_filtered(const struct event_request *r)
{
	return r->config.edge || r->config.invert || r->config.cmask;
}
