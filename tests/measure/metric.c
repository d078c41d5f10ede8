#include "tests/measure/metric.h"

#include "arch/time.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct ratio undefined;

/* --- fractions -------------------------------------------------------------------------------------- */

static int64_t divisor_of(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

static struct ratio lowest_terms(int64_t num, int64_t den)
{
	int64_t by;

	if (!den || num == INT64_MIN || den == INT64_MIN)
		return undefined;
	by = divisor_of(num, den);
	return den < 0 ? (struct ratio){-num / by, -den / by} : (struct ratio){num / by, den / by};
}

struct ratio ratio_of(int64_t number)
{
	return lowest_terms(number, 1);
}

static struct ratio times(struct ratio a, struct ratio b)
{
	struct ratio x, y;
	int64_t num, den;

	if (!a.den || !b.den)
		return undefined;
	x = lowest_terms(a.num, b.den);
	y = lowest_terms(b.num, a.den);
	if (__builtin_mul_overflow(x.num, y.num, &num) || __builtin_mul_overflow(x.den, y.den, &den))
		return undefined;
	return lowest_terms(num, den);
}

static struct ratio inverse(struct ratio a)
{
	return a.den ? lowest_terms(a.den, a.num) : undefined;
}

static struct ratio minus(struct ratio a)
{
	return (struct ratio){-a.num, a.den};
}

static struct ratio plus(struct ratio a, struct ratio b)
{
	int64_t left, right, den;

	if (!a.den || !b.den || __builtin_mul_overflow(a.num, b.den, &left) ||
	    __builtin_mul_overflow(b.num, a.den, &right) || __builtin_add_overflow(left, right, &left) ||
	    __builtin_mul_overflow(a.den, b.den, &den))
		return undefined;
	return lowest_terms(left, den);
}

bool ratio_millionths(struct ratio r, int64_t *out)
{
	int64_t whole = r.num / r.den, rest = r.num % r.den;

	if (rest < 0) {
		rest += r.den;
		whole--;
	}
	for (unsigned unit = METRIC_UNIT; unit > 1; unit /= 10) {
		if (__builtin_mul_overflow(rest, 10, &rest) || __builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, rest / r.den, &whole))
			return false;
		rest %= r.den;
	}
	*out = whole;
	return true;
}

bool metric_is_clock(const char *word, size_t length)
{
	return length == strlen(clock_name) && !strncmp(word, clock_name, length);
}

/* --- ranges ----------------------------------------------------------------------------------------- */

static bool less(struct ratio a, struct ratio b, bool *known)
{
	struct ratio d = plus(a, minus(b));

	*known &= d.den != 0;
	return d.num < 0;
}

static struct ratio_range product(const struct ratio_range *a, const struct ratio_range *b)
{
	const struct ratio all[] = {times(a->low, b->low), times(a->low, b->high), times(a->high, b->low),
				    times(a->high, b->high)};
	struct ratio_range x = {all[0], all[0]};
	bool known = all[0].den;

	for (unsigned i = 1; i < 4; i++) {
		if (less(all[i], x.low, &known))
			x.low = all[i];
		if (less(x.high, all[i], &known))
			x.high = all[i];
	}
	return known ? x : (struct ratio_range){0};
}

static struct ratio_range apply(char sign, const struct ratio_range *a, const struct ratio_range *b)
{
	struct ratio_range x;

	switch (sign) {
	case '+':
		x = (struct ratio_range){plus(a->low, b->low), plus(a->high, b->high)};
		break;
	case '-':
		x = (struct ratio_range){plus(a->low, minus(b->high)), plus(a->high, minus(b->low))};
		break;
	case '/':
		if (b->low.num <= 0 && b->high.num >= 0)
			return (struct ratio_range){0};
		x = (struct ratio_range){inverse(b->high), inverse(b->low)};
		return product(a, &x);
	default:
		return product(a, b);
	}
	return x.low.den && x.high.den ? x : (struct ratio_range){0};
}

struct ratio_range metric_value(const struct metric *m,
				struct ratio_range (*value)(void *ctx, uint8_t operand), void *ctx)
{
	struct ratio_range stack[METRIC_TERMS];
	unsigned n = 0;

	for (const struct metric_term *t = m->term; t < m->term + m->n_terms; t++) {
		if (t->kind == 'e') {
			stack[n++] = value(ctx, t->operand);
		} else if (t->kind == 'n') {
			stack[n++] = (struct ratio_range){t->number, t->number};
		} else {
			n--;
			stack[n - 1] = apply(t->kind, &stack[n - 1], &stack[n]);
		}
		if (!stack[n - 1].low.den || !stack[n - 1].high.den)
			return (struct ratio_range){0};
	}
	return stack[0];
}

/* --- expressions ------------------------------------------------------------------------------------ */

struct parser {
	struct metric *m;
	metric_resolve *resolve;
	void *ctx;
	char waiting[METRIC_TERMS]; /* operators and opening parentheses */
	unsigned n_waiting;
	bool wants_operand;
	char *why;
	size_t size;
};

static bool say(const struct parser *p, const char *what)
{
	snprintf(p->why, p->size, "%s", what);
	return false;
}

/* Digits, with or without a fraction. */
static bool number(const char *word, size_t n, struct ratio *out)
{
	int64_t num = 0, den = 1;
	bool fraction = false;

	for (size_t i = 0; i < n; i++) {
		if (word[i] == '.' && !fraction && i && i + 1 < n) {
			fraction = true;
			continue;
		}
		if (!isdigit((unsigned char)word[i]) || __builtin_mul_overflow(num, 10, &num) ||
		    __builtin_add_overflow(num, word[i] - '0', &num) ||
		    (fraction && __builtin_mul_overflow(den, 10, &den)))
			return false;
	}
	*out = lowest_terms(num, den);
	return true;
}

static bool put(struct parser *p, struct metric_term term)
{
	if (p->m->n_terms == METRIC_TERMS)
		return say(p, "it is too long: make two of it");
	p->m->term[p->m->n_terms++] = term;
	return true;
}

static bool take_operand(struct parser *p, const char *word, size_t n)
{
	struct metric_term t = {.kind = 'n'};

	if (!p->wants_operand)
		return say(p, "an operator is missing: + - * or /, between blanks");
	p->wants_operand = false;
	if (number(word, n, &t.number))
		return put(p, t);
	t.kind = 'e';
	if (p->resolve(p->ctx, word, n, &t.operand))
		return put(p, t);
	snprintf(p->why, p->size, "%.*s is no event of events=, no number and not %s", (int)n, word,
		 clock_name);
	return false;
}

static unsigned rank(char sign)
{
	return sign == '(' ? 0 : sign == '+' || sign == '-' ? 1 : 2;
}

/* Those that bind at least as much come first. */
static bool settle(struct parser *p, unsigned least)
{
	while (p->n_waiting && rank(p->waiting[p->n_waiting - 1]) >= least)
		if (!put(p, (struct metric_term){.kind = p->waiting[--p->n_waiting]}))
			return false;
	return true;
}

static bool take_operator(struct parser *p, char sign)
{
	if (sign == '(' ? !p->wants_operand : p->wants_operand)
		return say(p, sign == '(' ? "an operator is missing: + - * or /, between blanks"
					  : "a number or an event is missing");
	if (sign == ')') {
		if (!settle(p, 1))
			return false;
		return p->n_waiting-- || say(p, "nothing opens this parenthesis");
	}
	if (sign != '(') {
		p->wants_operand = true;
		if (!settle(p, rank(sign)))
			return false;
	}
	if (p->n_waiting == METRIC_TERMS)
		return say(p, "it is too long: make two of it");
	p->waiting[p->n_waiting++] = sign;
	return true;
}

static bool is_operator(const char *word, size_t n)
{
	return n == 1 && strchr("+-*/()", *word);
}

const char *metric_parse(const char *text, metric_resolve *resolve, void *ctx, struct metric *out, char *why,
			 size_t size)
{
	struct parser p = {out, resolve, ctx, {0}, 0, true, why, size};
	const char *at = text + strspn(text, " \t");
	size_t n = strcspn(at, " \t=");

	*out = (struct metric){0};
	if (!n || n >= METRIC_NAME || at[n + strspn(at + n, " \t")] != '=') {
		snprintf(why, size,
			 "it wants NAME = EXPRESSION, such as cpi = #1 / #2; names have at most %d bytes",
			 METRIC_NAME - 1);
		return at;
	}
	memcpy(out->name, at, n);
	at += n + strspn(at + n, " \t") + 1;
	at += strspn(at, " \t");
	out->expression = at;
	for (; *at; at += n + strspn(at + n, " \t")) {
		n = strchr("()", *at) ? 1 : strcspn(at, " \t()");
		if (!(is_operator(at, n) ? take_operator(&p, *at) : take_operand(&p, at, n)))
			return at;
	}
	if (p.wants_operand) {
		say(&p, "a number or an event is missing");
		return at;
	}
	if (!settle(&p, 1))
		return at;
	if (p.n_waiting) {
		say(&p, "a parenthesis is not closed");
		return at;
	}
	return NULL;
}
