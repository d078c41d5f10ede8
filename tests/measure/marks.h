/*
 * Marks around a window, for a witness outside the machine that sees instructions but no registers: NOPs that
 * say in their displacements what runs between them. The QEMU plugin in tests/self/boot/plugin reads them.
 *
 *	MARK_BEGIN, N, ring, MARK_NAME_WORDS words of the kernel's name (zero padded), then the kernel,
 *	then MARK_END
 *
 * Each is the eight-byte NOP 0F 1F 84 00 disp32.
 *
 * Where the CPU lacks an instruction (XBEGIN, SERIALIZE), the handler of its #UD carries it out: from
 * MARK_ASIDE to the IRETQ or JMP behind MARK_BACK nothing belongs to the kernel, and the instruction has
 * retired. MARK_FAULT is in place of MARK_BACK where it has raised an exception instead, and not retired.
 * Behind MARK_ELEMENT two MOVs copy an element, one of whose accesses is the instruction's own if it is a
 * gather or scatter.
 */
#ifndef TESTS_MEASURE_MARKS_H
#define TESTS_MEASURE_MARKS_H

#define MARK_OPCODE     0x00841f0f /* the first four bytes, little endian */
#define MARK_SIZE       8
#define MARK_BEGIN      0x41535359
#define MARK_END        0x59535341
#define MARK_ASIDE      0x41534944
#define MARK_BACK       0x4241434b
#define MARK_FAULT      0x4641554c
#define MARK_ELEMENT    0x454c454d
#define MARK_NAME_WORDS 10
#define MARK_HEADER     (2 + MARK_NAME_WORDS) /* words behind MARK_BEGIN */

#endif
