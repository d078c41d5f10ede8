#include "boot/menu/keys.h"

enum { PLAIN, ESCAPE, SEQUENCE, ONE_MORE };

#define ESC         27
#define LONE_ESCAPE 20 /* ticks: a sequence of 4 bytes takes 35 ms at 1200 baud */

static int final(const struct keys *k, unsigned char byte)
{
	switch (byte) {
	case 'A':
		return KEY_UP;
	case 'B':
		return KEY_DOWN;
	case 'C':
		return KEY_RIGHT;
	case 'D':
		return KEY_LEFT;
	case 'H':
		return KEY_HOME;
	case 'F':
		return KEY_END;
	case '~':
		switch (k->parameter) {
		case 1:
		case 7:
			return KEY_HOME;
		case 4:
		case 8:
			return KEY_END;
		case 5:
			return KEY_PAGE_UP;
		case 6:
			return KEY_PAGE_DOWN;
		default:
			return KEY_NONE;
		}
	default:
		return KEY_NONE;
	}
}

static int plain(unsigned char byte)
{
	if (byte == '\r' || byte == '\n')
		return KEY_ENTER;
	if (byte == '\b' || byte == 0x7f)
		return KEY_BACKSPACE;
	return byte >= ' ' && byte <= '~' ? byte : KEY_NONE;
}

int keys_take(struct keys *k, unsigned char byte)
{
	int key;

	k->idle = 0;
	if (byte == ESC) {
		key = k->state == ESCAPE ? KEY_ESCAPE : KEY_NONE;
		k->state = ESCAPE;
		return key;
	}
	switch (k->state) {
	case ESCAPE:
		/* SS3 is one character, CSI parameters and a final one; anything else was pressed with ALT.
		 */
		k->state = byte == 'O' ? ONE_MORE : byte == '[' ? SEQUENCE : PLAIN;
		k->parameter = 0;
		return KEY_NONE;
	case ONE_MORE:
		k->state = PLAIN;
		return final(k, byte);
	case SEQUENCE:
		if (byte >= '0' && byte <= '9')
			k->parameter = (unsigned char)(k->parameter * 10 + (byte - '0'));
		if (byte < 0x40)
			return KEY_NONE;
		k->state = PLAIN;
		return final(k, byte);
	default:
		return plain(byte);
	}
}

int keys_idle(struct keys *k)
{
	if (k->state == PLAIN || ++k->idle < LONE_ESCAPE)
		return KEY_NONE;
	int key = k->state == ESCAPE ? KEY_ESCAPE : KEY_NONE;
	k->state = PLAIN;
	k->idle = 0;
	return key;
}
