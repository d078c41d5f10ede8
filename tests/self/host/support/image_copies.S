/* The image's memcpy() and memset() under names of their own, beside those of the host's library. */
#define memcpy image_memcpy
#define memset image_memset
#include "arch/x86/machine/copies.S"

	.section .note.GNU-stack, "", @progbits
