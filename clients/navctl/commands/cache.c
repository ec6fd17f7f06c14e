// navctl cache stats, gc, verify, export, import: the finished tiles on a daemon's disk.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/tile_files/cache_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct cache_args {
    const char *file, *out;
    double keep_gib;
    bool json;
    remote_values remote;
} cache_args;

#define JSON_OPTION                                                                                                    \
    {                                                                                                                  \
        "json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(cache_args, json), 0, 0, NULL       \
    }

// Parses and connects. Returns an exit code; *c is NULL where there is nothing left to do.
static int begin(const arg_command *self, int argc, char **argv, cache_args *a, navd_client **c)
{
    *c = NULL;
    arg_result parsed = args_parse(self, argc, argv, a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    return remote_open(&a->remote, c);
}

typedef struct figure {
    const char *name;
    uint64_t value;
} figure;

static void print_figures(const figure *f, int count, bool json)
{
    json_writer w = {.out = stdout};
    if (json) json_open(&w, NULL, '{');
    for (int i = 0; i < count; i++) {
        if (json)
            json_int(&w, f[i].name, (int64_t)f[i].value);
        else
            printf("  %-10s %llu\n", f[i].name, (unsigned long long)f[i].value);
    }
    if (!json) return;
    json_close(&w, '}');
    json_end_line(&w);
}

// --- stats ---

static const arg_option plain_options[] = {JSON_OPTION};
static const arg_group plain_groups[] = {{"Options", plain_options, ARG_COUNT(plain_options), 0},
                                         REMOTE_GROUP(cache_args, remote)};

static int run_stats(const arg_command *self, int argc, char **argv)
{
    static const char prefix[] = "disk_cache_";
    enum { MOST = 16 };
    cache_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_counter *counters = NULL;
    size_t count = 0;
    figure f[MOST];
    int n = 0, code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    navd_status s = navd_stats(c, &counters, &count);
    if (s != NAVD_OK) code = remote_failed(c, s, "cache stats");
    for (size_t i = 0; i < count && n < MOST; i++) {
        if (strncmp(counters[i].name, prefix, sizeof prefix - 1)) continue;
        f[n++] = (figure){counters[i].name + sizeof prefix - 1, counters[i].value};
    }
    if (code == NAVCTL_OK) print_figures(f, n, a.json);
    free(counters);
    navd_close(c);
    return code;
}

const arg_command cache_stats_command = {
    .name = "cache stats",
    .summary = "Show statistics of the tiles that a daemon keeps on disk",
    .groups = plain_groups,
    .group_count = ARG_COUNT(plain_groups),
    .run = run_stats,
};

// --- gc ---

static const arg_option gc_options[] = {
    {"keep-gib", 0, ARG_DOUBLE, "N", "how much to keep, GiB; 0: nothing", offsetof(cache_args, keep_gib), 0, 1 << 20,
     NULL},
    JSON_OPTION,
};
static const arg_group gc_groups[] = {{"Options", gc_options, ARG_COUNT(gc_options), 0},
                                      REMOTE_GROUP(cache_args, remote)};

static int run_gc(const arg_command *self, int argc, char **argv)
{
    cache_args a = {.keep_gib = NAN, .remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_cache_counts n;
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    if (isnan(a.keep_gib)) {
        fprintf(stderr, "navctl cache gc: --keep-gib N is missing: how much to keep (see navctl cache gc --help)\n");
        navd_close(c);
        return NAVCTL_USAGE;
    }
    navd_status s = navd_cache_gc(c, (uint64_t)(a.keep_gib * 1073741824.0), &n);
    if (s != NAVD_OK) {
        code = remote_failed(c, s, "cache gc");
    } else {
        const figure f[] = {{"dropped", n.dropped}, {"entries", n.entries}, {"bytes", n.bytes}};
        print_figures(f, ARG_COUNT(f), a.json);
    }
    navd_close(c);
    return code;
}

const arg_command cache_gc_command = {
    .name = "cache gc",
    .summary = "Remove the least recently used tiles from a daemon's disk",
    .details = "The file does not shrink; its space is reused for other tiles.\n",
    .groups = gc_groups,
    .group_count = ARG_COUNT(gc_groups),
    .run = run_gc,
};

// --- verify ---

static int run_verify(const arg_command *self, int argc, char **argv)
{
    cache_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    navd_cache_counts n;
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    navd_status s = navd_cache_verify(c, &n);
    if (s != NAVD_OK) {
        code = remote_failed(c, s, "cache verify");
    } else {
        const figure f[] = {
            {"entries", n.entries}, {"bytes", n.bytes}, {"damaged", n.damaged}, {"outdated", n.outdated}};
        print_figures(f, ARG_COUNT(f), a.json);
        if (n.damaged) code = NAVCTL_FAILED;
    }
    navd_close(c);
    return code;
}

const arg_command cache_verify_command = {
    .name = "cache verify",
    .summary = "Read and check all tiles on a daemon's disk",
    .details = "Tiles that are damaged or of another version of navd are removed, and built again when needed.\n"
               "Exit code 1 if something was damaged.\n",
    .groups = plain_groups,
    .group_count = ARG_COUNT(plain_groups),
    .run = run_verify,
};

// --- export ---

typedef struct exporting {
    cache_file file;
    bool failed, has_last;
    uint8_t last[NAVD_CACHE_KEY_BYTES];
} exporting;

static void take_entry(void *user, const navd_cache_entry *e)
{
    exporting *x = user;
    memcpy(x->last, e->key, sizeof x->last);
    x->has_last = true;
    if (!x->failed) x->failed = !cache_file_add(&x->file, e);
}

static int export_all(navd_client *c, exporting *x)
{
    for (bool end = false; !end && !x->failed;) {
        navd_status s = navd_cache_export(c, x->has_last ? x->last : NULL, take_entry, x, &end);
        if (s != NAVD_OK) return remote_failed(c, s, "cache export");
    }
    return NAVCTL_OK;
}

static const arg_option export_options[] = {
    {"output", 'o', ARG_FILE, "FILE", "file to write", offsetof(cache_args, out), 0, 0, NULL},
    JSON_OPTION,
};
static const arg_group export_groups[] = {{"Options", export_options, ARG_COUNT(export_options), 0},
                                          REMOTE_GROUP(cache_args, remote)};

static int run_export(const arg_command *self, int argc, char **argv)
{
    cache_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    exporting x = {.failed = false};
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    if (!a.out) {
        fprintf(stderr, "navctl cache export: -o FILE is missing (see navctl cache export --help)\n");
        navd_close(c);
        return NAVCTL_USAGE;
    }
    x.failed = !cache_file_create(&x.file, a.out);
    if (!x.failed) code = export_all(c, &x);
    if (code == NAVCTL_OK && !x.failed)
        x.failed = !cache_file_finish(&x.file);
    else
        cache_file_abandon(&x.file);
    if (x.failed) {
        if (x.file.why[0]) fprintf(stderr, "navctl: %s\n", x.file.why);
        code = NAVCTL_FAILED;
    }
    if (code == NAVCTL_OK) {
        const figure f[] = {{"entries", x.file.entries}, {"bytes", x.file.bytes}};
        print_figures(f, ARG_COUNT(f), a.json);
    }
    navd_close(c);
    return code;
}

const arg_command cache_export_command = {
    .name = "cache export",
    .summary = "Write the tiles on a daemon's disk to one file",
    .details = "For another machine that has the same worlds: cache import. The file appears whole or not at all.\n",
    .groups = export_groups,
    .group_count = ARG_COUNT(export_groups),
    .run = run_export,
};

// --- import ---

enum { PAGE_BYTES = 4 << 20 };

typedef struct page {
    navd_cache_entry entries[NAVD_CACHE_PAGE_ENTRIES];
    size_t count, bytes, capacity;
    uint8_t *records;
} page;

typedef struct importing {
    cache_file file;
    uint64_t taken, refused;
    char reason[160];
} importing;

// The entries of a page point into its bytes, which move while they grow: they are set here.
static int send_page(navd_client *c, importing *m, page *p)
{
    navd_cache_import_result r;
    const uint8_t *at = p->records;
    for (size_t i = 0; i < p->count; i++) {
        p->entries[i].record = at;
        at += p->entries[i].size;
    }
    navd_status s = navd_cache_import(c, p->entries, p->count, &r);
    if (s != NAVD_OK) return remote_failed(c, s, "cache import");
    if (r.refused && !m->refused) memcpy(m->reason, r.reason, sizeof m->reason);
    m->taken += r.taken;
    m->refused += r.refused;
    p->count = p->bytes = 0;
    return NAVCTL_OK;
}

static bool add_to_page(page *p, const navd_cache_entry *e)
{
    if (p->bytes + e->size > p->capacity) {
        size_t capacity = 2 * (p->bytes + e->size);
        uint8_t *grown = realloc(p->records, capacity);
        if (!grown) return false;
        p->records = grown;
        p->capacity = capacity;
    }
    memcpy(p->records + p->bytes, e->record, e->size);
    p->bytes += e->size;
    p->entries[p->count++] = *e;
    return true;
}

static int import_all(navd_client *c, importing *m)
{
    page *p = calloc(1, sizeof *p);
    uint8_t *room = NULL;
    size_t capacity = 0;
    bool end = false;
    int code = p ? NAVCTL_OK : NAVCTL_FAILED;
    while (code == NAVCTL_OK && !end) {
        navd_cache_entry e;
        if (!cache_file_next(&m->file, &e, &room, &capacity, &end)) {
            fprintf(stderr, "navctl: %s\n", m->file.why);
            code = NAVCTL_INPUT;
            break;
        }
        bool full = p->count == NAVD_CACHE_PAGE_ENTRIES || (p->count && p->bytes + e.size > PAGE_BYTES);
        if (p->count && (end || full)) code = send_page(c, m, p);
        if (code == NAVCTL_OK && !end && !add_to_page(p, &e)) {
            fprintf(stderr, "navctl: no memory left\n");
            code = NAVCTL_FAILED;
        }
    }
    free(room);
    if (p) free(p->records);
    free(p);
    return code;
}

static const arg_positional import_positionals[] = {
    {"FILE", "file that navctl cache export wrote", true, true, offsetof(cache_args, file)},
};

static int run_import(const arg_command *self, int argc, char **argv)
{
    cache_args a = {.remote = REMOTE_DEFAULTS};
    navd_client *c;
    importing m = {.taken = 0};
    int code = begin(self, argc, argv, &a, &c);
    if (!c) return code;
    if (cache_file_open(&m.file, a.file)) {
        code = import_all(c, &m);
    } else {
        fprintf(stderr, "navctl: %s\n", m.file.why);
        code = NAVCTL_INPUT;
    }
    cache_file_close(&m.file);
    const figure f[] = {{"taken", m.taken}, {"refused", m.refused}};
    if (code == NAVCTL_OK) print_figures(f, ARG_COUNT(f), a.json);
    if (m.refused)
        fprintf(stderr, "navctl: %llu tiles were refused; the first: %s\n", (unsigned long long)m.refused, m.reason);
    if (code == NAVCTL_OK && m.refused) code = NAVCTL_FAILED;
    navd_close(c);
    return code;
}

const arg_command cache_import_command = {
    .name = "cache import",
    .summary = "Send a daemon the tiles of a file that cache export wrote",
    .details =
        "The daemon checks that each is a tile, its checksum and its version. It cannot check that a tile belongs to\n"
        "the input it is filed under: import only files that you trust. Exit code 1 if some were refused.\n",
    .positionals = import_positionals,
    .positional_count = ARG_COUNT(import_positionals),
    .groups = plain_groups,
    .group_count = ARG_COUNT(plain_groups),
    .run = run_import,
};
