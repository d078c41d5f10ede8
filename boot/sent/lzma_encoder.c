/* The LZMA SDK's encoder, with one thread (Debian's lzma-dev has it as source). */
#define _7ZIP_ST
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#include <LzmaEnc.c>

#include <LzFind.c>
