/* The cache of finished tiles on the daemon's disk. For the role admin. Part of navd.h. */
#ifndef NAVD_CACHE_H
#define NAVD_CACHE_H

#include "navd/worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct navd_cache_counts {
    uint64_t entries, bytes;    /* good ones that it has */
    uint64_t dropped;           /* navd_cache_gc() */
    uint64_t damaged, outdated; /* navd_cache_verify(): these were removed */
} navd_cache_counts;
/* Drops the tiles used longest ago until the rest takes at most `bytes`. */
navd_status navd_cache_gc(navd_client *c, uint64_t bytes, navd_cache_counts *out);
/* Reads and checks all of it. */
navd_status navd_cache_verify(navd_client *c, navd_cache_counts *out);

enum { NAVD_CACHE_KEY_BYTES = 17, NAVD_CACHE_PAGE_ENTRIES = 4096 };

/* A tile as a cache has it. sum is checked by the daemon that takes it. */
typedef struct navd_cache_entry {
    uint8_t key[NAVD_CACHE_KEY_BYTES];
    uint64_t sum;
    const uint8_t *record;
    uint32_t size;
} navd_cache_entry;
/* visit is called for some of the entries behind a key (NULL: from the first), in the order of their keys; the entry is
 * valid during the call. *end: there are no more. */
navd_status navd_cache_export(navd_client *c, const uint8_t *after,
                              void (*visit)(void *user, const navd_cache_entry *entry), void *user, bool *end);
typedef struct navd_cache_import_result {
    uint32_t taken, refused;
    char reason[160]; /* of the first one refused */
} navd_cache_import_result;
/* At most NAVD_CACHE_PAGE_ENTRIES, and no more bytes than a message may have. */
navd_status navd_cache_import(navd_client *c, const navd_cache_entry *entries, size_t count,
                              navd_cache_import_result *out);

typedef struct navd_counter {
    char name[NAVD_NAME_BYTES];
    uint64_t value;
} navd_counter;
/* *out is the caller's to free(). */
navd_status navd_stats(navd_client *c, navd_counter **out, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
