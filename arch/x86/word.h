/*
 * For assembly that serves 64 and 32 bits: registers and instructions by the names that they have in 64-bit
 * mode. WORD is the size of a register in bytes, AT(symbol) the memory at a symbol of the image's.
 */
#ifndef ARCH_X86_WORD_H
#define ARCH_X86_WORD_H

/* clang-format off */

#ifdef __i386__
#define WORD 4
#define AT(symbol) symbol

#define rax eax
#define rbx ebx
#define rcx ecx
#define rdx edx
#define rsi esi
#define rdi edi
#define rbp ebp
#define rsp esp
/* Operations on words in memory. */
#define addq   addl
#define incq   incl
#define andq   andl
#define orq    orl
#define pushq  pushl
#define popq   popl
#define pushfq pushfl
#define popfq  popfl
#define iretq  iretl
#define lretq  lretl
#define mulq   mull
#else
#define WORD 8
#define AT(symbol) symbol(%rip)
#endif

#endif
