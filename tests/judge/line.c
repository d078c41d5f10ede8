#include "tests/judge/verdict.h"

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

bool line_fit(const uint64_t *n, const int64_t *value, unsigned count, struct line *out)
{
	int64_t rise, scaled, across;
	uint64_t run, divisor;

	if (count < 2 || n[1] <= n[0] || n[1] > INT64_MAX ||
	    __builtin_sub_overflow(value[1], value[0], &rise) || rise == INT64_MIN)
		return false;
	run = n[1] - n[0];
	divisor = gcd(rise < 0 ? -rise : rise, run);
	*out = (struct line){
		.slope_num = rise / (int64_t)divisor, .den = (int64_t)(run / divisor), .straight = true};

	if (__builtin_mul_overflow(value[0], out->den, &scaled) ||
	    __builtin_mul_overflow(out->slope_num, (int64_t)n[0], &across) ||
	    __builtin_sub_overflow(scaled, across, &out->offset_num))
		return false;

	for (unsigned i = 2; i < count; i++) {
		int64_t there;

		if (n[i] <= n[i - 1] || n[i] > INT64_MAX)
			return false;
		if (__builtin_mul_overflow(out->slope_num, (int64_t)n[i], &there) ||
		    __builtin_add_overflow(there, out->offset_num, &there) ||
		    __builtin_mul_overflow(value[i], out->den, &scaled))
			return false;
		if (there != scaled)
			out->straight = false;
	}
	return true;
}
