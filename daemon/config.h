// What the daemon can be told on its command line: one table of options with their bounds, defaults and words. The help
// text, the parser and the checks all read it. Written once before the loop starts, read by any thread after.
#ifndef ND_CONFIG_H
#define ND_CONFIG_H

#include "core/base/status.h"
#include "daemon/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ND_PATH_BYTES = 108 }; // of a Unix socket, as the system has it

typedef struct nd_config {
    char socket[ND_PATH_BYTES]; // "": no Unix socket
    char listen[256];           // HOST:PORT, [HOST]:PORT or PORT; "": no TCP
    uint64_t threads;           // 0: one per core
    uint64_t zstd_level;
    uint64_t cache_bytes, mesh_store_bytes;
    uint64_t tile_memory_bytes, tile_ms;
    uint64_t max_sessions, max_worlds, max_profiles, max_objects, max_tiles;
    uint64_t max_message_bytes, max_mesh_bytes;
    uint64_t max_edit_ops, max_edit_tiles, max_request_tiles;
    uint64_t max_subscriptions, max_calls, max_builds; // of one session
    uint64_t output_bytes, max_output_bytes;           // of one session: tiles are held back above, reading stops above
    nd_log_level log_level;
    bool help, version;
} nd_config;

// Defaults; the socket's path is $XDG_RUNTIME_DIR/navd.sock, or /run/navd/navd.sock.
void nd_config_default(nd_config *c);

// Applies arguments (without the program's name). NAV_ERR_ARGUMENT and one sentence: which, what is wrong, what is
// allowed.
NAV_MUST_USE nav_status nd_config_parse(nd_config *c, int argc, char *const *argv, char *why, size_t why_bytes);

void nd_config_print_help(FILE *out);

#endif
