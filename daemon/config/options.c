#include "daemon/config/options.h"
#include "protocol/messages.h"

#define K UINT64_C(1024)
#define M (1024 * K)
#define G (1024 * M)

// A row of a wrong type does not compile.
#define MEMBER(m) ((nd_config *)0)->m
#define AT(m) .offset = offsetof(nd_config, m), .size = sizeof MEMBER(m)
#define AT_U64(m) .offset = offsetof(nd_config, m) + 0 * sizeof _Generic(MEMBER(m), uint64_t : 1), .size = 8
#define AT_BOOL(m) .offset = offsetof(nd_config, m) + 0 * sizeof _Generic(MEMBER(m), bool : 1), .size = sizeof(bool)
#define AT_INT(m)                                                                                                      \
    .offset = offsetof(nd_config, m) + 0 * sizeof(char[sizeof MEMBER(m) == sizeof(int) ? 1 : -1]), .size = 4

#define SECTION(text)                                                                                                  \
    {                                                                                                                  \
        .name = text, .type = ND_OPTION_SECTION                                                                        \
    }
#define NUMBER(m, unit, def, low, high, when, text)                                                                    \
    {                                                                                                                  \
        .name = #m, .value_name = unit, .type = ND_OPTION_NUMBER, .reload = when, AT_U64(m), .value = def, .min = low, \
        .max = high, .help = text                                                                                      \
    }
#define BYTES(m, def, low, high, when, text)                                                                           \
    {                                                                                                                  \
        .name = #m, .value_name = "SIZE", .type = ND_OPTION_BYTES, .reload = when, AT_U64(m), .value = def,            \
        .min = low, .max = high, .help = text                                                                          \
    }
#define TEXT(m, unit, when, text)                                                                                      \
    {                                                                                                                  \
        .name = #m, .value_name = unit, .type = ND_OPTION_TEXT, .reload = when, AT(m), .help = text                    \
    }
#define TEXT_FROM(m, unit, when, from, text)                                                                           \
    {                                                                                                                  \
        .name = #m, .value_name = unit, .type = ND_OPTION_TEXT, .reload = when, AT(m), .default_text = from,           \
        .help = text                                                                                                   \
    }
#define CHOICE(m, unit, list, def, when, text)                                                                         \
    {                                                                                                                  \
        .name = #m, .value_name = unit, .type = ND_OPTION_CHOICE, .reload = when, AT_INT(m), .value = def,             \
        .words = list, .help = text                                                                                    \
    }
#define ROLE(m, def, when, text)                                                                                       \
    {                                                                                                                  \
        .name = #m, .value_name = "ROLE", .type = ND_OPTION_CHOICE, .reload = when, AT_INT(m), .value = def,           \
        .min = NP_ROLE_READER, .words = roles, .help = text                                                            \
    }
#define MODE(m, def, when, text)                                                                                       \
    {                                                                                                                  \
        .name = #m, .value_name = "MODE", .type = ND_OPTION_MODE, .reload = when, AT_U64(m), .value = def,             \
        .max = 0777, .help = text                                                                                      \
    }
#define FLAG(m, text)                                                                                                  \
    {                                                                                                                  \
        .name = #m, .type = ND_OPTION_FLAG, .command_line_only = true, AT_BOOL(m), .help = text                        \
    }

enum { RESTART = false, RELOAD = true };

static const char *const levels[] = {"error", "warn", "info", "debug", NULL};
static const char *const formats[] = {"auto", "keyvalue", "json", "journald", NULL}; // in the order of nd_log_format
static const char *const roles[] = {"nobody", "reader", "editor", "admin", NULL};    // in the order of np_role

const nd_option nd_options[] = {
    SECTION("Listening"),
    TEXT_FROM(socket, "PATH", RESTART, "$XDG_RUNTIME_DIR/navd.sock, or /run/navd/navd.sock",
              "Unix socket to listen on; \"\" for none"),
    TEXT(listen, "HOST:PORT", RESTART,
         "TCP address to listen on as well; a port alone means the loopback address; one that "
         "other machines reach needs tls_certificate, tls_key and tokens"),
    ROLE(socket_role, NP_ROLE_EDITOR, RELOAD,
         "what other users may do who reach the Unix socket; root and navd's own user are admin"),
    ROLE(listen_role, NP_ROLE_EDITOR, RELOAD, "what clients of the loopback TCP address may do without a token"),
    TEXT(http_listen, "HOST:PORT", RESTART,
         "TCP address of the pages /healthz, /readyz and /metrics; a port alone means the loopback address"),

    MODE(socket_mode, 0600, RESTART, "who may connect to the Unix socket: 0660 lets socket_group in, 0666 every user"),
    TEXT(socket_group, "GROUP", RESTART, "group of the Unix socket; \"\": navd's own"),

    SECTION("Who gets in"),
    TEXT(tokens, "FILE", RESTART,
         "tokens and client certificates that are known, one a line (navd token new makes one); TCP clients need one "
         "then; read again when it changes"),
    TEXT(namespaces, "FILE", RESTART, "quotas of namespaces, one a line; read again at SIGHUP"),
    TEXT(tls_certificate, "FILE", RESTART, "certificate with its chain, PEM: TCP is TLS 1.3; read again at SIGHUP"),
    TEXT(tls_key, "FILE", RESTART, "key of the certificate, PEM, without a password"),
    TEXT(tls_client_ca, "FILE", RESTART, "clients must have a certificate of these authorities, PEM"),
    NUMBER(auth_delay_ms, "MS", 250, 0, 10000, RELOAD,
           "wait before a wrong token is answered; twice as long with each of one ID from the same address, up to ten "
           "seconds"),
    NUMBER(
        max_unauthenticated, "N", 64, 1, 100000, RELOAD,
        "connections from one address at a time that have not logged in: the oldest gives way to a new one; and wrong "
        "tokens of one ID from there whose answer waits"),

    SECTION("State"),
    TEXT_FROM(state, "DIR", RESTART, "$STATE_DIRECTORY, $XDG_STATE_HOME/navd, or ~/.local/state/navd",
              "folder for what outlives navd; \"\" for none: all is in memory"),
    NUMBER(commit_ms, "MS", 5, 0, 10000, RELOAD,
           "how long edits gather before they are written together; an edit is answered when it is on disk"),
    BYTES(worlds_bytes, 64 * G, 16 * M, 16384 * G, RESTART,
          "most that the file of the worlds may have, meshes included"),
    BYTES(cache_disk_bytes, 8 * G, 0, 16384 * G, RESTART, "finished tiles in the state folder; 0 for none"),

    SECTION("Work"),
    NUMBER(threads, "N", 0, 0, 1024, RESTART,
           "worker threads for edits, and as many for the rest; 0: one for each core"),
    NUMBER(zstd_level, "N", 1, 1, 19, RESTART, "compression of tiles"),
    BYTES(tile_memory_bytes, 512 * M, 1 * M, 64 * G, RESTART, "memory for the generation of one tile"),
    NUMBER(tile_ms, "MS", 60000, 1, 86400000, RELOAD, "time for the generation of one tile, milliseconds"),
    NUMBER(stuck_ms, "MS", 5000, 1, 86400000, RELOAD,
           "milliseconds beyond tile_ms after which a worker that has not come back is given up and replaced"),
    NUMBER(interactive_tiles, "N", 256, 0, 100000000, RELOAD,
           "an edit or a tiles.build of more tiles is made in the background"),
    NUMBER(stale_ms, "MS", 50, 0, 86400000, RELOAD,
           "a tile that is edited faster than it is made is shown as it was in between once it is out of date for so "
           "long"),
    NUMBER(rest_ms, "MS", 33, 0, 86400000, RELOAD,
           "least time between two runs of a tile that is edited without pause"),

    SECTION("Memory"),
    BYTES(
        max_memory_bytes, 0, 0, 1024 * G, RELOAD,
        "memory that the process may hold; near it the cache in memory gives way, then what adds to worlds is refused; "
        "0: four fifths of what the system or the control group has"),
    BYTES(cache_bytes, 512 * M, 1 * M, 1024 * G, RELOAD, "memory for finished tiles"),
    BYTES(mesh_store_bytes, 4 * G, 1 * M, 1024 * G, RELOAD, "memory for the meshes of all worlds"),

    SECTION("Worlds"),
    NUMBER(max_worlds, "N", 256, 1, NP_MAX_WORLDS, RELOAD, "worlds"),
    NUMBER(max_profiles, "N", 16, 1, NP_MAX_PROFILES, RELOAD, "agent profiles of a world"),
    NUMBER(max_objects, "N", 4000000, 1, 500000000, RELOAD, "instances, volumes and links of a world, each"),
    NUMBER(max_tiles, "N", 4000000, 1, 500000000, RELOAD,
           "tiles of a world, all profiles; and of one client's subscriptions"),
    NUMBER(max_edit_ops, "N", NP_MAX_EDIT_OPS, 1, NP_MAX_EDIT_OPS, RELOAD, "operations of one edit"),
    NUMBER(max_edit_tiles, "N", 1000000, 1, 100000000, RELOAD,
           "tiles that one edit may touch, counted for each object and place"),
    BYTES(max_mesh_bytes, 1 * G, 64 * K, 4 * G - 1, RELOAD, "vertices and indices of one mesh"),

    SECTION("Sessions"),
    NUMBER(max_sessions, "N", 1024, 1, 1000000, RELOAD, "clients at a time"),
    NUMBER(max_peer_sessions, "N", 512, 1, 1000000, RELOAD,
           "clients at a time from one peer: a user on the Unix socket, an address on TCP"),
    NUMBER(
        max_new_sessions, "N", 128, 1, 100000, RELOAD,
        "connections that have not said hello, on the Unix socket and on TCP, each; when there are more, the oldest is "
        "closed"),
    NUMBER(hello_s, "S", 10, 1, 3600, RELOAD, "a connection must say hello within so many seconds"),
    NUMBER(message_s, "S", 60, 1, 86400, RELOAD, "a message that was begun must be complete within so many seconds"),
    NUMBER(idle_s, "S", 3600, 0, 31536000, RELOAD,
           "a session with no call and no subscription for so many seconds is closed; 0: never"),
    NUMBER(stall_s, "S", 60, 0, 86400, RELOAD,
           "a client that takes nothing of its output for so many seconds is closed, and may resume; 0: never"),
    NUMBER(keepalive_s, "S", 15, 0, 86400, RELOAD,
           "a client that asked for it hears something that often, in seconds, and TCP looks for peers that are gone; "
           "0: never"),
    NUMBER(max_call_rate, "N", 20000, 1, 10000000, RELOAD, "calls a second of a client; further ones wait"),
    BYTES(max_message_bytes, 64 * M, 64 * K, 1 * G, RESTART, "one message"),
    NUMBER(max_request_tiles, "N", 65536, 1, NP_MAX_TILES, RELOAD, "tiles of one tiles.get or tiles.build"),
    NUMBER(max_subscriptions, "N", 64, 1, 10000, RELOAD, "subscriptions of a client"),
    NUMBER(max_calls, "N", 64, 1, 10000, RELOAD, "calls of jobs.wait of a client at a time"),
    NUMBER(max_builds, "N", 4, 1, 1000, RELOAD, "calls of tiles.build of a client at a time"),
    BYTES(output_bytes, 256 * K, 16 * K, 1 * G, RELOAD,
          "unsent output of a client above which its tiles wait, newest state only"),
    BYTES(max_output_bytes, 1 * M, 64 * K, 4 * G, RELOAD,
          "unsent output of a client above which no more of its calls are read"),

    SECTION("Ending"),
    NUMBER(drain_s, "S", 10, 0, 3600, RELOAD,
           "seconds to finish what was begun after SIGTERM, before clients that do not read are cut off"),

    SECTION("Logs"),
    CHOICE(log_format, "FORM", formats, ND_LOG_AUTO, RELOAD,
           "form of a line; auto: journald where standard error is the journal's, else keyvalue"),
    CHOICE(log_level, "LEVEL", levels, ND_LOG_INFO, RELOAD, "lines above it are left out"),

    SECTION("On the command line only"),
    {.name = "config",
     .value_name = "FILE",
     .type = ND_OPTION_TEXT,
     .command_line_only = true,
     AT(config),
     .help = "configuration file: lines NAME = VALUE, with the names of these options and _ for -"},
    FLAG(check_config, "check the configuration, say what is wrong with it, and end: 0 good, 1 not"),
    FLAG(print_config, "print the configuration as a file, every option with its words, and end"),
    FLAG(help, "show this text"),
    FLAG(version, "show the version"),
};
const int nd_option_count = sizeof nd_options / sizeof *nd_options;
_Static_assert(sizeof nd_options / sizeof *nd_options <= ND_MAX_OPTIONS, "raise ND_MAX_OPTIONS");
