#include "daemon/config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_type { OPTION_NUMBER, OPTION_BYTES, OPTION_TEXT, OPTION_LEVEL, OPTION_FLAG } option_type;

typedef struct option {
    const char *name, *value_name;
    option_type type;
    size_t offset, size;      // size: of a text
    uint64_t value, min, max; // default, bounds
    const char *help;
} option;

#define AT(member) offsetof(nd_config, member)
#define K UINT64_C(1024)
#define M (1024 * K)
#define G (1024 * M)

static const option options[] = {
    {"--socket", "PATH", OPTION_TEXT, AT(socket), ND_PATH_BYTES, 0, 0, 0,
     "Unix socket to listen on; \"\" for none (default: $XDG_RUNTIME_DIR/navd.sock, or /run/navd/navd.sock)"},
    {"--listen", "HOST:PORT", OPTION_TEXT, AT(listen), 256, 0, 0, 0,
     "TCP address to listen on as well; a port alone means the loopback address; there is no encryption or login"},
    {"--threads", "N", OPTION_NUMBER, AT(threads), 0, 0, 0, 1024, "worker threads; 0: one for each core"},
    {"--zstd-level", "N", OPTION_NUMBER, AT(zstd_level), 0, 1, 1, 19, "compression of tiles"},
    {"--cache-bytes", "SIZE", OPTION_BYTES, AT(cache_bytes), 0, 512 * M, 1 * M, 1024 * G, "memory for finished tiles"},
    {"--mesh-store-bytes", "SIZE", OPTION_BYTES, AT(mesh_store_bytes), 0, 4 * G, 1 * M, 1024 * G,
     "memory for the meshes of all worlds"},
    {"--tile-memory-bytes", "SIZE", OPTION_BYTES, AT(tile_memory_bytes), 0, 512 * M, 1 * M, 64 * G,
     "memory for the generation of one tile"},
    {"--tile-ms", "N", OPTION_NUMBER, AT(tile_ms), 0, 60000, 1, 86400000,
     "time for the generation of one tile, milliseconds"},
    {"--max-sessions", "N", OPTION_NUMBER, AT(max_sessions), 0, 256, 1, 100000, "clients at a time"},
    {"--max-worlds", "N", OPTION_NUMBER, AT(max_worlds), 0, 256, 1, 100000, "worlds"},
    {"--max-profiles", "N", OPTION_NUMBER, AT(max_profiles), 0, 16, 1, 1000, "agent profiles of a world"},
    {"--max-objects", "N", OPTION_NUMBER, AT(max_objects), 0, 4000000, 1, 500000000,
     "instances, volumes and links of a world, each"},
    {"--max-tiles", "N", OPTION_NUMBER, AT(max_tiles), 0, 4000000, 1, 500000000,
     "tiles of a world, all profiles; and of one client's subscriptions"},
    {"--max-message-bytes", "SIZE", OPTION_BYTES, AT(max_message_bytes), 0, 64 * M, 64 * K, 1 * G, "one message"},
    {"--max-mesh-bytes", "SIZE", OPTION_BYTES, AT(max_mesh_bytes), 0, 1 * G, 64 * K, 4 * G - 1,
     "vertices and indices of one mesh"},
    {"--max-edit-ops", "N", OPTION_NUMBER, AT(max_edit_ops), 0, 100000, 1, 10000000, "operations of one edit"},
    {"--max-edit-tiles", "N", OPTION_NUMBER, AT(max_edit_tiles), 0, 1000000, 1, 100000000,
     "tiles that one edit may touch, counted for each object and place"},
    {"--max-request-tiles", "N", OPTION_NUMBER, AT(max_request_tiles), 0, 65536, 1, 1000000,
     "tiles of one tiles.get or tiles.build"},
    {"--max-subscriptions", "N", OPTION_NUMBER, AT(max_subscriptions), 0, 64, 1, 10000, "subscriptions of a client"},
    {"--max-calls", "N", OPTION_NUMBER, AT(max_calls), 0, 64, 1, 10000, "calls of jobs.wait of a client at a time"},
    {"--max-builds", "N", OPTION_NUMBER, AT(max_builds), 0, 4, 1, 1000, "calls of tiles.build of a client at a time"},
    {"--output-bytes", "SIZE", OPTION_BYTES, AT(output_bytes), 0, 1 * M, 4 * K, 1 * G,
     "unsent output of a client above which its tiles wait, newest state only"},
    {"--max-output-bytes", "SIZE", OPTION_BYTES, AT(max_output_bytes), 0, 64 * M, 64 * K, 4 * G,
     "unsent output of a client above which no more of its calls are read"},
    {"--log-level", "LEVEL", OPTION_LEVEL, AT(log_level), 0, ND_LOG_INFO, 0, 0, "error, warn, info or debug"},
    {"--help", NULL, OPTION_FLAG, AT(help), 0, 0, 0, 0, "show this text"},
    {"--version", NULL, OPTION_FLAG, AT(version), 0, 0, 0, 0, "show the version"},
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static void set_number(nd_config *c, const option *o, uint64_t v)
{
    memcpy((char *)c + o->offset, &v, sizeof v);
}

void nd_config_default(nd_config *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < OPTION_COUNT; i++)
        if (options[i].type == OPTION_NUMBER || options[i].type == OPTION_BYTES)
            set_number(c, &options[i], options[i].value);
    c->log_level = ND_LOG_INFO;
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    int n = snprintf(c->socket, sizeof c->socket, "%s/navd.sock", runtime && *runtime ? runtime : "/run/navd");
    if (n >= (int)sizeof c->socket) c->socket[0] = 0; // too long for a socket: --socket must say where
}

// "64M": digits and one of K, M, G (powers of 1024).
static bool parse_number(const char *text, bool bytes, uint64_t *out)
{
    char *end;
    if (!isdigit((unsigned char)text[0])) return false;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    uint64_t unit = 1;
    if (bytes && *end) {
        unit = *end == 'K' || *end == 'k' ? K : *end == 'M' || *end == 'm' ? M : *end == 'G' || *end == 'g' ? G : 0;
        end++;
        if (!unit || v > UINT64_MAX / unit) return false;
    }
    *out = v * unit;
    return errno == 0 && *end == 0;
}

static void size_text(uint64_t v, char out[32])
{
    if (v && v % G == 0)
        snprintf(out, 32, "%" PRIu64 "G", v / G);
    else if (v && v % M == 0)
        snprintf(out, 32, "%" PRIu64 "M", v / M);
    else if (v && v % K == 0)
        snprintf(out, 32, "%" PRIu64 "K", v / K);
    else
        snprintf(out, 32, "%" PRIu64, v);
}

static nav_status apply(nd_config *c, const option *o, const char *value, char *why, size_t why_bytes)
{
    uint64_t number;
    switch (o->type) {
    case OPTION_TEXT:
        if (strlen(value) >= o->size) {
            snprintf(why, why_bytes, "%s is longer than %zu bytes: %s", o->name, o->size - 1, value);
            return NAV_ERR_ARGUMENT;
        }
        strcpy((char *)c + o->offset, value);
        return NAV_OK;
    case OPTION_LEVEL:
        if (nd_log_level_parse(value, &c->log_level) == NAV_OK) return NAV_OK;
        snprintf(why, why_bytes, "%s %s: it may be error, warn, info or debug", o->name, value);
        return NAV_ERR_ARGUMENT;
    case OPTION_NUMBER:
    case OPTION_BYTES:
        if (parse_number(value, o->type == OPTION_BYTES, &number) && number >= o->min && number <= o->max) {
            set_number(c, o, number);
            return NAV_OK;
        }
        char min[32], max[32];
        size_text(o->min, min);
        size_text(o->max, max);
        if (o->type == OPTION_NUMBER)
            snprintf(why, why_bytes, "%s %s: it may be a number from %" PRIu64 " to %" PRIu64, o->name, value, o->min,
                     o->max);
        else
            snprintf(why, why_bytes, "%s %s: it may be a size from %s to %s, as in 64M", o->name, value, min, max);
        return NAV_ERR_ARGUMENT;
    case OPTION_FLAG:
        break;
    }
    *(bool *)((char *)c + o->offset) = true;
    return NAV_OK;
}

static const option *find_option(const char *name, size_t length)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strlen(options[i].name) == length && !memcmp(options[i].name, name, length)) return &options[i];
    return NULL;
}

nav_status nd_config_parse(nd_config *c, int argc, char *const *argv, char *why, size_t why_bytes)
{
    for (int i = 0; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        const option *o = find_option(argv[i], equals ? (size_t)(equals - argv[i]) : strlen(argv[i]));
        if (!o) {
            snprintf(why, why_bytes, "unknown option %s; navd --help lists them", argv[i]);
            return NAV_ERR_ARGUMENT;
        }
        const char *value = NULL;
        if (o->type != OPTION_FLAG) {
            value = equals ? equals + 1 : i + 1 < argc ? argv[++i] : NULL;
            if (!value) {
                snprintf(why, why_bytes, "%s needs a value: %s %s", o->name, o->name, o->value_name);
                return NAV_ERR_ARGUMENT;
            }
        } else if (equals) {
            snprintf(why, why_bytes, "%s takes no value", o->name);
            return NAV_ERR_ARGUMENT;
        }
        nav_status s = apply(c, o, value, why, why_bytes);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

void nd_config_print_help(FILE *out)
{
    fprintf(out,
            "usage: navd [OPTION]...\n"
            "Keeps worlds' geometry and their navigation meshes in step, for editors that connect over a socket.\n\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const option *o = &options[i];
        char head[64], text[32];
        snprintf(head, sizeof head, "%s%s%s", o->name, o->value_name ? " " : "", o->value_name ? o->value_name : "");
        fprintf(out, "  %-26s %s", head, o->help);
        if (o->type == OPTION_NUMBER) fprintf(out, " (default: %" PRIu64 ")", o->value);
        if (o->type == OPTION_BYTES) {
            size_text(o->value, text);
            fprintf(out, " (default: %s)", text);
        }
        if (o->type == OPTION_LEVEL) fprintf(out, " (default: info)");
        fputc('\n', out);
    }
    fprintf(out, "\nA SIZE takes K, M or G. SIGTERM and SIGINT end navd.\n");
}
