/*
 * Every register of a model that keeps bits: found by trying, given random contents, and compared.
 */
#ifndef TESTS_HOST_REGISTER_FILE_H
#define TESTS_HOST_REGISTER_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define REGISTER_FILE_MAX 512

struct register_file {
	unsigned n;
	struct {
		uint32_t address;
		uint64_t kept; /* bits that a write can change */
		bool derived;  /* it shows what others hold: another number of the same register, or a summary
				*/
		unsigned same; /* derived: the number of the one that it shows */
	} reg[REGISTER_FILE_MAX];
};

/** Find the registers of the fake CPU, as it has just been started. Nothing is left behind. Ends the test if
 * there is none. */
void register_file_find(struct register_file *f);

/** Number of the register that holds what this address shows. Ends the test if there is none. */
unsigned register_file_at(const struct register_file *f, uint32_t address);

/** Give every register random contents; what is refused stays as it is. The same seed gives the same.
 *  @param keep addresses that stay as they are, 0 ends */
void register_file_scramble(const struct register_file *f, uint32_t seed, const uint32_t *keep);

/** Read them all. @param value room for f->n */
void register_file_read(const struct register_file *f, uint64_t *value);

#endif
