/*
 * The SHA instructions (arch/x86/emulated/sha.h) against this machine's own, on random operands, and against
 * words of the standard's example where it has none.
 */
#include "arch/x86/emulated/sha.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/self/host/support/skip.h"

#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

#define TRIALS 10000

static uint64_t random_state = 1;

static void random_words(uint32_t words[4])
{
	for (unsigned i = 0; i < 4; i++) {
		random_state = random_state * 6364136223846793005u + 1442695040888963407u;
		words[i] = random_state >> 32;
	}
}

__attribute__((target("sha"))) static __m128i real(enum sha_operation operation, __m128i to, __m128i from,
						   __m128i message, unsigned rounds)
{
	switch (operation) {
	case SHA1NEXTE:
		return _mm_sha1nexte_epu32(to, from);
	case SHA1MSG1:
		return _mm_sha1msg1_epu32(to, from);
	case SHA1MSG2:
		return _mm_sha1msg2_epu32(to, from);
	case SHA256RNDS2:
		return _mm_sha256rnds2_epu32(to, from, message);
	case SHA256MSG1:
		return _mm_sha256msg1_epu32(to, from);
	case SHA256MSG2:
		return _mm_sha256msg2_epu32(to, from);
	case SHA1RNDS4:
		break;
	}
	switch (rounds & 3) {
	case 0:
		return _mm_sha1rnds4_epu32(to, from, 0);
	case 1:
		return _mm_sha1rnds4_epu32(to, from, 1);
	case 2:
		return _mm_sha1rnds4_epu32(to, from, 2);
	default:
		return _mm_sha1rnds4_epu32(to, from, 3);
	}
}

static void test_as_the_processor(void **state)
{
	unsigned eax, ebx = 0, ecx, edx;

	(void)state;
	if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !(ebx & 1u << 29))
		skip_because("this processor has no SHA instructions");
	for (unsigned i = 0; i < TRIALS; i++)
		for (enum sha_operation o = SHA1NEXTE; o <= SHA1RNDS4; o++) {
			uint32_t to[4], from[4], message[4], expected[4];

			random_words(to);
			random_words(from);
			random_words(message);
			_mm_storeu_si128((__m128i *)expected, real(o, _mm_loadu_si128((__m128i *)to),
								   _mm_loadu_si128((__m128i *)from),
								   _mm_loadu_si128((__m128i *)message), i));
			sha_operate(o, to, from, message, (uint8_t)i);
			assert_memory_equal(to, expected, sizeof expected);
		}
}

/* FIPS 180-4: the message schedule's first extended words and the first rounds, of the message "abc". */
static void test_standard(void **state)
{
	/* W0 = "abc" and the bit behind it, W15 = its 24 bits. */
	uint32_t w[4][4] = {{0, 0, 0, 0x61626380}, {0}, {0}, {0x18, 0, 0, 0}};
	uint32_t words[4], initial[4] = {0x10325476, 0x98badcfe, 0xefcdab89, 0x67452301};

	(void)state;
	/* SHA-1: W16 to W19. */
	memcpy(words, w[0], sizeof words);
	sha_operate(SHA1MSG1, words, w[1], NULL, 0);
	for (unsigned i = 0; i < 4; i++)
		words[i] ^= w[2][i];
	sha_operate(SHA1MSG2, words, w[3], NULL, 0);
	assert_int_equal(words[3], 0xc2c4c700);
	assert_int_equal(words[2], 0);
	assert_int_equal(words[1], 0x30);
	assert_int_equal(words[0], 0x85898e01);
	/* A after the first round is 0116fc33 by the published example, and three rounds later it is rotated
	 * to be D. */
	w[0][3] += 0xc3d2e1f0;
	sha_operate(SHA1RNDS4, initial, w[0], NULL, 0);
	assert_int_equal(initial[0], 0x0116fc33u << 30 | 0x0116fc33u >> 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_the_processor),
					   cmocka_unit_test(test_standard)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
