/*
 * Notes for the user that come up while the machine is looked over (machine_note()).
 */
#ifndef ARCH_X86_MACHINE_NOTES_H
#define ARCH_X86_MACHINE_NOTES_H

void note_add(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
