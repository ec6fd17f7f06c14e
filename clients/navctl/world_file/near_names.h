// Names of instances that are one or two slips of the keyboard away from a name that a world does not know. Ids are
// hashes of names, and some instances have no other: so the names that somebody may have meant are made, hashed and
// looked up.
#ifndef NAVCTL_NEAR_NAMES_H
#define NAVCTL_NEAR_NAMES_H

#include <stddef.h>
#include <stdint.h>

enum { NEAR_NAMES = 3, NEAR_NAME_BYTES = 64 };

// ids: ascending; of instances with a stored name, that name's hash. Writes at most NEAR_NAMES names, those with one
// slip first (a letter too many, missing, wrong or swapped with its neighbour, or of the other case throughout), and
// returns how many. Longer names than fit have none; two slips are tried in names of up to 16 bytes.
size_t near_names_find(const char *typed, const uint64_t *ids, size_t count, char out[NEAR_NAMES][NEAR_NAME_BYTES]);

#endif
