#include "tests/self/host/support/extremes_kinds.h"

/* Opcode maps as VEX numbers them: 0F, 0F38, 0F3A; and x87's escapes, whose ModRM.reg tells. */
enum map { MAP_0F = 1, MAP_0F38, MAP_0F3A, MAP_X87 };

struct opcode {
	uint8_t map, byte, reg;
};

#define ANY 0xff

/* SDM vol. 2 and APM vol. 4, opcode maps; APM vol. 5, x87. */
static const struct {
	quantity_number quantity;
	struct opcode opcode;
} kinds[] = {
	{Q_OPS_ADD, {MAP_0F, 0xfc, ANY}},     {Q_OPS_ADD, {MAP_0F, 0x58, ANY}},
	{Q_OPS_ADD, {MAP_X87, 0xd8, 0}},      {Q_OPS_SUB, {MAP_0F, 0xf8, ANY}},
	{Q_OPS_SUB, {MAP_0F, 0x5c, ANY}},     {Q_OPS_SUB, {MAP_X87, 0xd8, 4}},
	{Q_OPS_MUL, {MAP_0F, 0xd5, ANY}},     {Q_OPS_MUL, {MAP_0F, 0x59, ANY}},
	{Q_OPS_MUL, {MAP_X87, 0xd8, 1}},      {Q_OPS_MAC, {MAP_0F, 0xf5, ANY}},
	{Q_OPS_DIV, {MAP_0F, 0x5e, ANY}},     {Q_OPS_DIV, {MAP_X87, 0xd8, 6}},
	{Q_OPS_SQRT, {MAP_0F, 0x51, ANY}},    {Q_OPS_CMP, {MAP_0F, 0x74, ANY}},
	{Q_OPS_CMP, {MAP_0F, 0xc2, ANY}},     {Q_OPS_CVT, {MAP_0F, 0x5a, ANY}},
	{Q_OPS_CVT, {MAP_0F, 0x5b, ANY}},     {Q_OPS_SHUFFLE, {MAP_0F, 0x70, ANY}},
	{Q_OPS_SHUFFLE, {MAP_0F, 0xc6, ANY}}, {Q_OPS_LOGICAL, {MAP_0F, 0xdb, ANY}},
	{Q_OPS_LOGICAL, {MAP_0F, 0x54, ANY}}, {Q_OPS_SHIFT, {MAP_0F, 0x71, 6}},
};

static const uint8_t *skip_prefixes(const uint8_t *p)
{
	while (*p == 0x66 || *p == 0xf2 || *p == 0xf3 || (*p & 0xf0) == 0x40)
		p++;
	return p;
}

/* @return map 0: none of those */
static struct opcode opcode_of(const uint8_t *code)
{
	const uint8_t *p = skip_prefixes(code);
	struct opcode o = {0};

	if ((*p & 0xf8) == 0xd8)
		o.map = MAP_X87;
	else if (*p == 0xc5)
		o.map = MAP_0F, p += 2;
	else if (*p == 0xc4)
		o.map = p[1] & 31, p += 3;
	else if (*p == 0x0f)
		o.map = p[1] == 0x38   ? MAP_0F38
			: p[1] == 0x3a ? MAP_0F3A
				       : MAP_0F,
		p += o.map == MAP_0F ? 1 : 2;
	o.byte = p[0];
	o.reg = p[1] >> 3 & 7;
	return o;
}

static bool is_of_kind(const struct opcode *o, enum quantity q)
{
	for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (kinds[i].quantity == q && kinds[i].opcode.map == o->map &&
		    kinds[i].opcode.byte == o->byte &&
		    (kinds[i].opcode.reg == ANY || kinds[i].opcode.reg == o->reg))
			return true;
	return false;
}

uint64_t count_kind(const struct extreme_run *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->trace->count; i++) {
		struct opcode o = opcode_of(r->trace->step[i].code);

		n += is_of_kind(&o, r->quantity);
	}
	return n;
}
