// Private to area_job.c and area_read.c: the places of the head (area_job.h) and what both take of it.
#ifndef ND_AREA_FORMAT_H
#define ND_AREA_FORMAT_H

#include "daemon/farm/area_job.h"
#include "protocol/schema.h"

enum {
    ND_AREA_FORMAT = 1,
    ND_AREA_WANTED_AT = 3,
    ND_AREA_GENERATOR_AT = 4,
    ND_AREA_JOB_AT = 8,
    ND_AREA_REVISION_AT = 16,
    ND_AREA_DAEMON_AT = 24,
    ND_AREA_KEY_AT = 40,
    ND_AREA_SUM_AT = 56,
    ND_AREA_LEVEL_AT = 72,
    ND_AREA_SHEET_AT = 73,
    ND_AREA_BLOCK_AT = 74,
    ND_AREA_HEAD_BYTES = 82,
    ND_AREA_BOUNDED = 1, // flag of a tile
    ND_AREA_TILE_BYTES = 20,
};

// The checksum of a job that has its head.
nav_key nd_area_sum(const uint8_t *bytes, size_t count);
// A bit for each number of the transform that differs from the identity's, also as -0 differs from 0.
uint32_t nd_area_transform_bits(const float transform[12]);
extern const float nd_area_identity[12];

#endif
