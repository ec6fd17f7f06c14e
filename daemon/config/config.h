// What can be configured: one typed table of options (options.c) with bounds, defaults and descriptions. The
// configuration file overrides the defaults, and the command line overrides the file. The help text, navd.conf, the
// manual page, the checks and the reload all read the table. Loop thread only once the daemon runs.
#ifndef ND_CONFIG_H
#define ND_CONFIG_H

#include "core/levels.h"
#include "daemon/access/principal.h"
#include "daemon/base/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define ND_NO_VIEW "none"
enum { ND_PATH_BYTES = 108 }; // of a Unix socket, as the system has it
enum { ND_FILE_NAME_BYTES = 1024, ND_GROUP_BYTES = 64, ND_MAX_OPTIONS = 160 };

typedef enum nd_config_source { ND_FROM_DEFAULT, ND_FROM_FILE, ND_FROM_COMMAND_LINE } nd_config_source;

// What becomes of this daemon's worlds on the farm.
typedef enum nd_farm_worlds {
    ND_FARM_LOCAL,   // they stay here
    ND_FARM_PUBLISH, // their edits go into the farm's log, and nobody waits for that
    ND_FARM_FOLLOW,  // they are those of the log, read-only
    ND_FARM_STANDBY, // one of several daemons leads, the others follow
} nd_farm_worlds;

// A member has its option's name. Numbers, sizes and modes are uint64_t, choices are enums or int.
typedef struct nd_config {
    char socket[ND_PATH_BYTES];     // "": no Unix socket
    char listen[256];               // HOST:PORT, [HOST]:PORT or PORT; "": no TCP
    char http_listen[256];          // the same form; "": no HTTP
    char view[256];                 // the same form; "": when somebody asks (view.open); ND_NO_VIEW: never
    char view_host[256];            // names with commas
    char state[ND_FILE_NAME_BYTES]; // folder; "": nothing outlives the daemon
    uint64_t commit_ms, worlds_bytes;
    uint64_t cache_disk_bytes; // 0: no tiles there
    uint64_t threads;          // 0: one per core
    np_role socket_role, listen_role;
    uint64_t socket_mode;
    char socket_group[ND_GROUP_BYTES];
    char tokens[ND_FILE_NAME_BYTES], namespaces[ND_FILE_NAME_BYTES]; // files
    char tls_certificate[ND_FILE_NAME_BYTES], tls_key[ND_FILE_NAME_BYTES], tls_client_ca[ND_FILE_NAME_BYTES];
    uint64_t auth_delay_ms, max_unauthenticated;
    uint64_t zstd_level;
    int level;                 // 0: the best that the processor has; else nav_level + 1
    uint64_t max_memory_bytes; // 0: from what there is
    uint64_t cache_bytes, mesh_store_bytes;
    uint64_t tile_memory_bytes, tile_ms, stuck_ms;
    uint64_t interactive_tiles, stale_ms, rest_ms;
    uint64_t max_sessions, max_worlds, max_profiles, max_objects, max_sources, max_tiles;
    uint64_t max_message_bytes, max_mesh_bytes;
    uint64_t path_bytes, max_path_nodes, max_path_ms, max_probes;
    uint64_t max_edit_ops, max_edit_tiles, max_request_tiles;
    uint64_t max_peer_sessions, max_new_sessions;
    uint64_t max_call_rate, max_subscriptions, max_calls, max_builds; // of one session
    uint64_t hello_s, message_s, idle_s, stall_s, keepalive_s;        // 0: never (idle, stall, keepalive)
    uint64_t output_bytes, max_output_bytes; // of one session: tiles are held back above, reading stops above
    uint64_t drain_s;
    char farm[ND_FILE_NAME_BYTES]; // URLs of NATS servers; "": none
    char farm_name[64];
    char farm_credentials[ND_FILE_NAME_BYTES], farm_nkey[ND_FILE_NAME_BYTES]; // files, as the next three
    char farm_ca[ND_FILE_NAME_BYTES], farm_certificate[ND_FILE_NAME_BYTES], farm_key[ND_FILE_NAME_BYTES];
    uint64_t farm_tiles;
    int farm_cache; // 0: off
    uint64_t farm_cache_bytes, farm_cache_days, farm_mesh_bytes, farm_job_s;
    nd_farm_worlds farm_worlds;
    nd_log_level log_level;
    nd_log_format log_format;
    // Command line only.
    char config[ND_FILE_NAME_BYTES];
    bool check_config, print_config, worker, help, version;
    int socket_fd, listen_fd;       // sockets that the service manager opened instead of `socket` and `listen`; 0: none
    uint8_t source[ND_MAX_OPTIONS]; // nd_config_source of each row of the table
} nd_config;

// One sentence: where, which value, what is allowed. A fault in a file begins with "FILE:LINE: ".
typedef void (*nd_config_say)(void *user, const char *why);

// The table's defaults, and those that the environment gives.
void nd_config_default(nd_config *c);

// Applies arguments (without the program's name). NAV_ERR_ARGUMENT and one sentence; it stops at the first fault.
NAV_MUST_USE nav_status nd_config_parse(nd_config *c, int argc, char *const *argv, char *why, size_t why_bytes);

// Applies a file's text: lines `name = value`, # begins a comment, a value may stand in double quotes. Every fault is
// said, and the other lines are applied. NAV_ERR_ARGUMENT: there was one.
NAV_MUST_USE nav_status nd_config_read(nd_config *c, const char *file_name, const char *text, size_t size,
                                       nd_config_say say, void *user);

// All of it: defaults, the file that the arguments name, the arguments. Every fault is said. NAV_ERR_ARGUMENT: there
// was one; c must not be used then, but for its flags.
NAV_MUST_USE nav_status nd_config_load(nd_config *c, int argc, char *const *argv, nd_config_say say, void *user);

// Takes from `next` what may change while the daemon runs. changed is called for every option that differs; applied is
// false where it needs a restart.
void nd_config_reload(nd_config *c, const nd_config *next,
                      void (*changed)(void *user, const char *name, const char *value, bool applied), void *user);

// The text of --help.
void nd_config_print_help(FILE *out);
// A configuration file that says what c says: every option with its words; those at their default as comments.
void nd_config_print_file(const nd_config *c, FILE *out);

// The pipeline of the configured level. NULL and a sentence where this machine does not have it.
nav_build *nd_config_pipeline(const nd_config *c, char *why, size_t why_bytes);

#endif
