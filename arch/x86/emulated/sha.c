#include "arch/x86/emulated/sha.h"

static uint32_t rol(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

static uint32_t ror(uint32_t v, unsigned n)
{
	return v >> n | v << (32 - n);
}

static uint32_t choose(uint32_t b, uint32_t c, uint32_t d)
{
	return (b & c) ^ (~b & d);
}

static uint32_t majority(uint32_t b, uint32_t c, uint32_t d)
{
	return (b & c) ^ (b & d) ^ (c & d);
}

static uint32_t sigma0(uint32_t v)
{
	return ror(v, 7) ^ ror(v, 18) ^ v >> 3;
}

static uint32_t sigma1(uint32_t v)
{
	return ror(v, 17) ^ ror(v, 19) ^ v >> 10;
}

/* The state A to D is in the first operand, E is added to the first of the four words of the second. */
static void sha1_rounds(uint32_t to[4], const uint32_t words[4], unsigned kind)
{
	static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
	uint32_t a = to[3], b = to[2], c = to[1], d = to[0], e = 0;

	for (unsigned i = 0; i < 4; i++) {
		uint32_t f = kind == 0 ? choose(b, c, d) : kind == 2 ? majority(b, c, d) : b ^ c ^ d;
		uint32_t sum = f + rol(a, 5) + words[3 - i] + e + constants[kind];

		e = d;
		d = c;
		c = rol(b, 30);
		b = a;
		a = sum;
	}
	to[3] = a;
	to[2] = b;
	to[1] = c;
	to[0] = d;
}

/* The second operand holds A, B, E, F, the first C, D, G, H. */
static void sha256_rounds(uint32_t to[4], const uint32_t from[4], const uint32_t words[2])
{
	uint32_t a = from[3], b = from[2], c = to[3], d = to[2];
	uint32_t e = from[1], f = from[0], g = to[1], h = to[0];

	for (unsigned i = 0; i < 2; i++) {
		uint32_t sum = choose(e, f, g) + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + words[i] + h;

		h = g;
		g = f;
		f = e;
		e = sum + d;
		sum += majority(a, b, c) + (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22));
		d = c;
		c = b;
		b = a;
		a = sum;
	}
	to[3] = a;
	to[2] = b;
	to[1] = e;
	to[0] = f;
}

void sha_operate(enum sha_operation operation, uint32_t to[4], const uint32_t from[4],
		 const uint32_t message[4], uint8_t rounds)
{
	switch (operation) {
	case SHA1NEXTE:
		to[3] = from[3] + rol(to[3], 30);
		for (unsigned i = 0; i < 3; i++)
			to[i] = from[i];
		break;
	case SHA1MSG1:
		to[3] ^= to[1];
		to[2] ^= to[0];
		to[1] ^= from[3];
		to[0] ^= from[2];
		break;
	case SHA1MSG2:
		to[3] = rol(to[3] ^ from[2], 1);
		to[2] = rol(to[2] ^ from[1], 1);
		to[1] = rol(to[1] ^ from[0], 1);
		to[0] = rol(to[0] ^ to[3], 1);
		break;
	case SHA256RNDS2:
		sha256_rounds(to, from, message);
		break;
	case SHA256MSG1:
		for (unsigned i = 0; i < 3; i++)
			to[i] += sigma0(to[i + 1]);
		to[3] += sigma0(from[0]);
		break;
	case SHA256MSG2:
		to[0] += sigma1(from[2]);
		to[1] += sigma1(from[3]);
		to[2] += sigma1(to[0]);
		to[3] += sigma1(to[1]);
		break;
	case SHA1RNDS4:
		sha1_rounds(to, from, rounds & 3);
		break;
	}
}
