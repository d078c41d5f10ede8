/* The image as scripts/pack made it: two words of 32 bits (boot/carrier/carrier.c), then an .lzma stream. */
	.section .rodata.payload, "a"
	.balign	8
	.globl	payload, payload_end
payload:
	.incbin	PAYLOAD
payload_end:
