// A tile's run that is out, at a worker or at the disk, named by numbers: world and tile may be gone when it is back.
#ifndef ND_RUN_H
#define ND_RUN_H

#include <stdint.h>

typedef struct nd_run {
    uint64_t world, ticket; // ticket: of the scheduler; 0 in a batch, which has no world either
    uint64_t revision, queued_us;
    uint64_t version; // of the profile's settings
    uint32_t profile;
    int32_t x, z;
    uint8_t asked; // encodings that subscribers want
} nd_run;

#endif
