// Where connections and tokens come from: a network address (for IPv6 the first 64 bits, which belong to one host)
// or a user of the Unix socket. For each source: how many of its connections have not logged in yet. For each source
// with the ID of a token: how often a login failed, which delays the answer to the next wrong token, and how many of
// these answers are waiting. So whoever shares an address with somebody who guesses pays nothing for it. The table
// is bounded: the source whose last failure is oldest makes room. Loop thread only.
#ifndef ND_SOURCES_H
#define ND_SOURCES_H

#include "core/base/status.h"
#include "daemon/base/table.h"

#include <sys/socket.h>

enum { ND_SOURCE_BYTES = 48, ND_MAX_SOURCES = 4096, ND_SOURCE_FORGET_MS = 600000, ND_MAX_AUTH_DELAY_MS = 10000 };
enum { ND_GUESSED_BYTES = ND_SOURCE_BYTES + 24 }; // a source, a blank, the ID of a token

typedef struct nd_source {
    nd_node node;
    struct nd_source *newer, *older;
    char name[ND_GUESSED_BYTES];
    uint32_t waiting;  // connections that have not logged in
    uint32_t refusals; // wrong tokens whose answer waits
    uint32_t failures; // in a row, each within ND_SOURCE_FORGET_MS of the one before
    uint64_t failed_ms;
} nd_source;

typedef struct nd_sources {
    nd_table table;
    nd_source *newest, *oldest;
} nd_sources;

// As text: "10.1.2.3", "2001:db8:1:2::/64".
void nd_source_name(const struct sockaddr *from, char out[ND_SOURCE_BYTES]);

// NULL: there is none of this name.
nd_source *nd_sources_find(const nd_sources *s, const char *name);
// Finds it or makes it. It stays while something of it waits. NAV_ERR_LIMIT: all have. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_sources_need(nd_sources *s, const char *name, nd_source **out);
// Notes a failed login; how long its answer shall wait: first_ms, doubled with each failure, to ND_MAX_AUTH_DELAY_MS.
uint64_t nd_source_fail(nd_sources *s, nd_source *source, uint64_t first_ms, uint64_t now_ms);
void nd_sources_deinit(nd_sources *s); // accepts a zeroed one

#endif
