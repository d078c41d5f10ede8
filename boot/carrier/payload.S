/* The image as scripts/pack made it: struct payload of boot/carrier/displacements.h. */
	.section .rodata.payload, "a"
	.balign	8
	.globl	payload, payload_end
payload:
	.incbin	PAYLOAD
payload_end:
