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
static const char *const processor_levels[] = {"best", "base", "v3", "v4", NULL};    // best, then as nav_level
static const char *const formats[] = {"auto", "keyvalue", "json", "journald", NULL}; // in the order of nd_log_format
static const char *const roles[] = {"nobody", "reader", "editor", "admin", NULL};    // in the order of np_role

static const char *const on_or_off[] = {"off", "on", NULL};
static const char *const farm_modes[] = {"local", "publish", "follow", "standby", NULL}; // as nd_farm_worlds

const nd_option nd_options[] = {
    SECTION("Listening"),
    TEXT_FROM(socket, "PATH", RESTART,
              "$XDG_RUNTIME_DIR/navd.sock; without it /run/navd/navd.sock for root and the service, else "
              "~/.local/state/navd/navd.sock",
              "Unix socket to listen on; \"\" for none"),
    TEXT(listen, "HOST:PORT", RESTART,
         "TCP address to listen on as well; a port alone means the loopback address; an address that other machines "
         "reach requires tls_certificate, tls_key and tokens"),
    ROLE(socket_role, NP_ROLE_EDITOR, RELOAD,
         "role of users on the Unix socket, except root and navd's own user, who are admin"),
    ROLE(listen_role, NP_ROLE_EDITOR, RELOAD,
         "role of clients that connect to the loopback TCP address without a token"),
    TEXT(http_listen, "HOST:PORT", RESTART,
         "TCP address for the pages /healthz, /readyz and /metrics; a port alone means the loopback address"),
    TEXT(view, "HOST:PORT", RESTART,
         "TCP address for the 3D view in a browser; a port alone means the loopback address; clients need a token even "
         "there (navctl view makes one); \"\": a free port of the loopback address when somebody on this machine asks "
         "for the view; none: never"),
    TEXT(view_host, "NAME,...", RELOAD,
         "names, besides the address of --view and localhost, by which browsers may reach the view: those of a proxy"),

    MODE(socket_mode, 0600, RESTART, "who may connect to the Unix socket: 0660 lets socket_group in, 0666 every user"),
    TEXT(socket_group, "GROUP", RESTART, "group of the Unix socket; \"\": navd's own"),

    SECTION("Access"),
    TEXT(tokens, "FILE", RESTART,
         "file of tokens and client certificates, one per line (navd token new creates a token); TCP clients then "
         "require one; read again when it changes"),
    TEXT(namespaces, "FILE", RESTART, "quotas of namespaces, one per line; read again at SIGHUP"),
    TEXT(tls_certificate, "FILE", RESTART, "certificate with its chain, PEM: TCP uses TLS 1.3; read again at SIGHUP"),
    TEXT(tls_key, "FILE", RESTART, "private key of the certificate, PEM, without a password"),
    TEXT(tls_client_ca, "FILE", RESTART, "clients must have a certificate from one of these authorities, PEM"),
    NUMBER(auth_delay_ms, "MS", 250, 0, 10000, RELOAD,
           "delay before a wrong token is answered; doubled for each further one with the same ID from the same "
           "address, up to ten seconds"),
    NUMBER(max_unauthenticated, "N", 64, 1, 100000, RELOAD,
           "connections from one address that have not logged in, above which the oldest makes room for a new one; "
           "also how many answers to wrong tokens of one ID may wait there"),

    SECTION("State"),
    TEXT_FROM(state, "DIR", RESTART, "$STATE_DIRECTORY, $XDG_STATE_HOME/navd, or ~/.local/state/navd",
              "folder for persistent data; \"\": keep everything in memory"),
    NUMBER(commit_ms, "MS", 5, 0, 10000, RELOAD,
           "how long edits are gathered to be written together; an edit is answered when it is on disk"),
    BYTES(worlds_bytes, 64 * G, 16 * M, 16384 * G, RESTART, "largest size of the file of worlds, including meshes"),
    BYTES(cache_disk_bytes, 8 * G, 0, 16384 * G, RESTART, "finished tiles kept in the state folder; 0: none"),

    SECTION("Work"),
    NUMBER(threads, "N", 0, 0, 1024, RESTART,
           "worker threads for edits, and as many for background work; 0: one per core"),
    NUMBER(zstd_level, "N", 1, 1, 19, RESTART, "compression level of tiles"),
    CHOICE(level, "NAME", processor_levels, 0, RESTART,
           "processor level whose code makes the tiles; all give the same, a lower one helps to find a fault"),
    BYTES(tile_memory_bytes, 512 * M, 1 * M, 64 * G, RESTART, "memory for generating one tile"),
    NUMBER(tile_ms, "MS", 60000, 1, 86400000, RELOAD, "time for generating one tile, milliseconds"),
    NUMBER(stuck_ms, "MS", 5000, 1, 86400000, RELOAD,
           "milliseconds beyond tile_ms after which a helper process that has not returned is killed and replaced"),
    NUMBER(interactive_tiles, "N", 256, 0, 100000000, RELOAD,
           "an edit or a tiles.build of more tiles runs in the background"),
    NUMBER(
        stale_ms, "MS", 50, 0, 86400000, RELOAD,
        "a tile that is edited faster than it is built is shown in between once it has been out of date for this long"),
    NUMBER(rest_ms, "MS", 33, 0, 86400000, RELOAD,
           "shortest time between two runs of a tile that is edited continually"),

    SECTION("Memory"),
    BYTES(max_memory_bytes, 0, 0, 1024 * G, RELOAD,
          "memory that the process may hold; near this limit the cache in memory shrinks, then whatever adds to worlds "
          "is refused; 0: four fifths of what the system or the control group has"),
    BYTES(cache_bytes, 512 * M, 1 * M, 1024 * G, RELOAD, "memory for finished tiles"),
    BYTES(mesh_store_bytes, 4 * G, 1 * M, 1024 * G, RELOAD, "memory for the meshes of all worlds"),

    SECTION("Worlds"),
    NUMBER(max_worlds, "N", 256, 1, NP_MAX_WORLDS, RELOAD, "number of worlds"),
    NUMBER(max_profiles, "N", 16, 1, NP_MAX_PROFILES, RELOAD, "agent profiles per world"),
    NUMBER(max_objects, "N", 4000000, 1, 500000000, RELOAD, "instances, volumes and links per world, each"),
    NUMBER(max_sources, "N", 1024, 1, 1000000, RELOAD, "sources that the objects of one world may have"),
    NUMBER(max_tiles, "N", 4000000, 1, 500000000, RELOAD,
           "tiles per world, in all profiles; also of the subscriptions of one client"),
    NUMBER(max_edit_ops, "N", NP_MAX_EDIT_OPS, 1, NP_MAX_EDIT_OPS, RELOAD, "operations per edit"),
    NUMBER(max_edit_tiles, "N", 1000000, 1, 100000000, RELOAD,
           "tiles that one edit may touch, counted for each object and position"),
    BYTES(
        path_bytes, 512 * M, 1 * M, 1024 * G, RELOAD,
        "memory for paths: tiles that are searched, calls, searches; tiles of profiles that nobody asks for go first"),
    NUMBER(max_path_nodes, "N", 1000000, 1000, 1000000000, RELOAD,
           "steps of the search for one path, about 100 bytes each; then it is given up"),
    NUMBER(max_path_ms, "MS", 2000, 1, 3600000, RELOAD,
           "milliseconds for the queries of one call of path.find; those that are left then are given up"),
    NUMBER(max_probes, "N", 10000, 1, 10000000, RELOAD, "paths that one client watches (path.watch)"),
    BYTES(max_mesh_bytes, 1 * G, 64 * K, 4 * G - 1, RELOAD, "vertices and indices of one mesh"),

    SECTION("Sessions"),
    NUMBER(max_sessions, "N", 1024, 1, 1000000, RELOAD, "clients at a time"),
    NUMBER(max_peer_sessions, "N", 512, 1, 1000000, RELOAD,
           "clients at a time from one peer: a user on the Unix socket, an address on TCP"),
    NUMBER(max_new_sessions, "N", 128, 1, 100000, RELOAD,
           "connections that have not said hello, on the Unix socket and on TCP each; above this the oldest is closed"),
    NUMBER(hello_s, "S", 10, 1, 3600, RELOAD, "seconds within which a connection must say hello"),
    NUMBER(message_s, "S", 60, 1, 86400, RELOAD, "seconds within which a message must be complete once it has started"),
    NUMBER(idle_s, "S", 3600, 0, 31536000, RELOAD,
           "seconds after which a session without calls and subscriptions is closed; 0: never"),
    NUMBER(stall_s, "S", 60, 0, 86400, RELOAD,
           "seconds after which a client that takes none of its output is closed; it may resume; 0: never"),
    NUMBER(keepalive_s, "S", 15, 0, 86400, RELOAD,
           "seconds after which a client that asked for it is sent something, and TCP looks for peers that are gone; "
           "0: never"),
    NUMBER(max_call_rate, "N", 20000, 1, 10000000, RELOAD, "calls per second and client; further ones wait"),
    BYTES(max_message_bytes, 64 * M, 64 * K, 1 * G, RESTART, "size of one message"),
    NUMBER(max_request_tiles, "N", 65536, 1, NP_MAX_TILES, RELOAD, "tiles per tiles.get or tiles.build"),
    NUMBER(max_subscriptions, "N", 64, 1, 10000, RELOAD, "subscriptions per client"),
    NUMBER(max_calls, "N", 64, 1, 10000, RELOAD, "waiting calls of jobs.wait, and of path.find, per client"),
    NUMBER(max_builds, "N", 4, 1, 1000, RELOAD, "running calls of tiles.build per client"),
    BYTES(output_bytes, 256 * K, 16 * K, 1 * G, RELOAD,
          "unsent output of a client above which its tiles wait, newest state only"),
    BYTES(max_output_bytes, 1 * M, 64 * K, 4 * G, RELOAD,
          "unsent output of a client above which no more of its calls are read"),

    SECTION("Farm"),
    TEXT(farm, "URL,...", RESTART,
         "NATS servers with JetStream that connect several navd into a farm: nats://HOST:PORT or tls://HOST:PORT; "
         "\"\": none"),
    TEXT_FROM(
        farm_name, "NAME", RESTART, "navd",
        "name of the farm: letters, digits, - and _; farms with different names on one server have nothing in common"),
    TEXT(farm_credentials, "FILE", RESTART, "credentials for the NATS server (a .creds file: JWT and seed)"),
    TEXT(farm_nkey, "FILE", RESTART, "seed of the nkey by which the NATS server knows this navd"),
    TEXT(farm_ca, "FILE", RESTART, "authorities that may have signed the NATS server's certificate, PEM"),
    TEXT(farm_certificate, "FILE", RESTART, "certificate by which the NATS server knows this navd, PEM"),
    TEXT(farm_key, "FILE", RESTART, "private key of that certificate, PEM"),
    NUMBER(farm_tiles, "N", 512, 1, 100000000, RELOAD,
           "workers of the farm get background tiles while more than this many wait here"),
    CHOICE(farm_cache, "MODE", on_or_off, true, RELOAD,
           "on: look in the farm's cache before a background tile is built, and put finished tiles there"),
    BYTES(farm_cache_bytes, 16 * G, 1 * M, 16384 * G, RESTART,
          "size of the farm's cache; the first navd of the farm creates the cache, and its value counts"),
    NUMBER(farm_cache_days, "DAYS", 30, 1, 3650, RESTART,
           "days that the farm's cache keeps a tile; the value of the first navd counts"),
    BYTES(farm_mesh_bytes, 64 * G, 1 * M, 16384 * G, RESTART,
          "size of the farm's store of meshes; the value of the first navd counts"),
    NUMBER(farm_job_s, "S", 30, 1, 3600, RESTART,
           "seconds without a sign of life from a worker after which its jobs go to another one"),
    CHOICE(
        farm_worlds, "MODE", farm_modes, ND_FARM_LOCAL, RESTART,
        "local: worlds stay in this navd; publish: their edits go to the farm, for others to follow; follow: serve the "
        "published worlds, read-only; standby: one of several navd leads, and another takes over when it is gone"),

    SECTION("Stopping"),
    NUMBER(drain_s, "S", 10, 0, 3600, RELOAD,
           "seconds to finish what was started after SIGTERM, before clients that do not read are cut off"),

    SECTION("Logs"),
    CHOICE(log_format, "FORM", formats, ND_LOG_AUTO, RELOAD,
           "format of log lines; auto: journald if standard error is the journal, else keyvalue"),
    CHOICE(log_level, "LEVEL", levels, ND_LOG_INFO, RELOAD, "least important level that is logged"),

    SECTION("On the command line only"),
    {.name = "config",
     .value_name = "FILE",
     .type = ND_OPTION_TEXT,
     .command_line_only = true,
     AT(config),
     .help = "configuration file: lines NAME = VALUE, with the names of these options and _ for -"},
    FLAG(check_config, "check the configuration, list its faults, and exit: 0 good, 1 not"),
    FLAG(print_config, "print the configuration as a file, each option with its description, and exit"),
    FLAG(worker, "build tiles for the other navd of the farm (--farm), and serve no clients"),
    FLAG(help, "show this text"),
    FLAG(version, "show the version"),
};
const int nd_option_count = sizeof nd_options / sizeof *nd_options;
_Static_assert(sizeof nd_options / sizeof *nd_options <= ND_MAX_OPTIONS, "raise ND_MAX_OPTIONS");
