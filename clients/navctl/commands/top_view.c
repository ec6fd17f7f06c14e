#include "clients/navctl/commands/top_view.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "core/base/status.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// --- samples ---

navd_status top_sample_take(navd_client *c, top_sample *out)
{
    *out = (top_sample){.at_s = now_s(), .may_list_sessions = true};
    navd_status s = navd_stats(c, &out->counters, &out->counter_count);
    if (s == NAVD_OK) s = navd_world_list(c, &out->worlds, &out->world_count);
    if (s == NAVD_OK) s = navd_sessions(c, &out->sessions, &out->session_count, &out->session_total);
    if (s == NAVD_ERR_FORBIDDEN) {
        out->may_list_sessions = false;
        s = NAVD_OK;
    }
    return s;
}

void top_sample_free(top_sample *s)
{
    free(s->counters);
    free(s->worlds);
    free(s->sessions);
    *s = (top_sample){.at_s = 0};
}

static bool find_counter(const top_sample *s, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < s->counter_count; i++) {
        if (strcmp(s->counters[i].name, name) != 0) continue;
        *value = s->counters[i].value;
        return true;
    }
    return false;
}

uint64_t top_counter(const top_sample *s, const char *name)
{
    uint64_t value = 0;
    (void)find_counter(s, name, &value);
    return value;
}

// --- lines ---

typedef struct screen {
    FILE *out;
    const top_frame *frame;
    const top_sample *now, *before;
    double span_s; // between the two samples, or since the start
    int used;      // lines
    char line[1024];
    size_t length;
} screen;

NAV_PRINTF(2, 3) static void add(screen *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(s->line + s->length, sizeof s->line - s->length, format, arguments);
    va_end(arguments);
    if (n > 0) s->length += (size_t)n;
    if (s->length >= sizeof s->line) s->length = sizeof s->line - 1;
}

// Columns that the first `bytes` of a text take: one for each character.
static int columns_of(const char *text, size_t bytes)
{
    int n = 0;
    for (size_t i = 0; i < bytes; i++) n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

// Ends the line: cut to the screen's width, in bold or red where asked for.
static void end_line(screen *s, const char *style)
{
    if (s->frame->rows && s->used >= s->frame->rows) {
        s->length = 0;
        return;
    }
    size_t end = s->length;
    while (columns_of(s->line, end) > s->frame->columns) end--;
    while (end && ((unsigned char)s->line[end] & 0xc0) == 0x80 && end < s->length) end--;
    bool styled = style && s->frame->color;
    while (!styled && end && s->line[end - 1] == ' ') end--;
    if (s->used) fputc('\n', s->out);
    fprintf(s->out, "%s%.*s%s", styled ? style : "", (int)end, s->line, styled ? "\033[0m" : "");
    s->used++;
    s->length = 0;
}

// The same for a line of items with two blanks or more between them: what does not fit goes onto further lines.
static void end_items(screen *s, const char *style)
{
    enum { INDENT = 12 };
    while (columns_of(s->line, s->length) > s->frame->columns) {
        size_t cut = s->length, rest;
        while (cut > INDENT && (columns_of(s->line, cut) > s->frame->columns || strncmp(s->line + cut, "  ", 2) != 0))
            cut--;
        for (rest = cut; s->line[rest] == ' ';) rest++;
        if (cut <= INDENT || rest <= INDENT) break; // one item alone is too wide: it is cut
        char later[sizeof s->line];
        snprintf(later, sizeof later, "%*s%.*s", INDENT, "", (int)(sizeof later - INDENT - 1), s->line + rest);
        s->length = cut;
        end_line(s, style);
        add(s, "%s", later);
    }
    end_line(s, style);
}

static const char bold[] = "\033[1m", red[] = "\033[1;31m", reversed[] = "\033[7m";

// Fills up with blanks to a column.
static void pad(screen *s, int column)
{
    while (columns_of(s->line, s->length) < column && s->length < sizeof s->line - 1) s->line[s->length++] = ' ';
    s->line[s->length] = 0;
}

static uint64_t of(const screen *s, const char *name)
{
    return top_counter(s->now, name);
}

// What a counter grew by between the samples.
static uint64_t grown(const screen *s, const char *name)
{
    uint64_t now = of(s, name), before = s->before ? top_counter(s->before, name) : 0;
    return now > before ? now - before : 0; // below: the daemon was restarted
}

static double rate(const screen *s, const char *name)
{
    return s->span_s > 0 ? (double)grown(s, name) / s->span_s : 0;
}

static void add_head(screen *s)
{
    char age[32];
    text_duration(of(s, "uptime_ms") / 1000, age, sizeof age);
    add(s, "%s at %s, up %s, %s", s->frame->server, s->frame->address, age,
        of(s, "ready") ? "ready" : "not ready (see /readyz)");
    end_line(s, bold);
    char rss[32];
    text_bytes((double)of(s, "rss_bytes"), rss, sizeof rss);
    add(s, "sessions %llu   worlds %llu   instances %llu   tiles %llu   cpu %.0f %%   memory %s%s",
        (unsigned long long)of(s, "sessions"), (unsigned long long)of(s, "worlds"),
        (unsigned long long)of(s, "instances"), (unsigned long long)of(s, "tiles"), rate(s, "cpu_us") / 1e4, rss,
        s->before ? "" : "   (rates: means since the start)");
    end_items(s, NULL);
}

static void add_alarms(screen *s)
{
    static const struct {
        const char *counter, *text;
    } alarms[] = {{"backlog_growing", "the queue of tiles has grown for a minute"},
                  {"helpers_ailing", "helper processes die one after the other"},
                  {"store_failing", "the store refuses edits: see the log"},
                  {"draining", "it is about to end"}};
    for (size_t i = 0; i < sizeof alarms / sizeof *alarms; i++) {
        if (!of(s, alarms[i].counter)) continue;
        add(s, "ALARM  %s", alarms[i].text);
        end_line(s, red);
    }
}

static void add_work(screen *s)
{
    char in[32], out[32];
    text_bytes(rate(s, "bytes_in"), in, sizeof in);
    text_bytes(rate(s, "bytes_out"), out, sizeof out);
    add(s, "per second  requests %.1f  edits %.1f  tiles made %.1f, sent %.1f  in %s  out %s", rate(s, "requests"),
        rate(s, "edits"), rate(s, "jobs_built"), rate(s, "tile_notes"), in, out);
    end_items(s, NULL);
    uint64_t interactive, background;
    add(s, "queue       ");
    if (find_counter(s->now, "tiles_queued_interactive", &interactive) &&
        find_counter(s->now, "tiles_queued_background", &background))
        add(s, "interactive %llu   background %llu", (unsigned long long)interactive, (unsigned long long)background);
    else
        add(s, "tiles %llu", (unsigned long long)of(s, "tiles_queued"));
    add(s, "   running %llu   workers %llu   held %llu", (unsigned long long)of(s, "jobs_running"),
        (unsigned long long)of(s, "threads"), (unsigned long long)of(s, "tiles_held"));
    end_items(s, NULL);
}

static void add_times(screen *s)
{
    static const struct {
        const char *prefix, *title;
    } rows[] = {{"edit_to_tile", "edit to tile"},
                {"queue_wait", "queue"},
                {"tile", "making"},
                {"commit", "commit"},
                {"loop_turn", "loop"}};
    add(s, "p50/p99 ms  ");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        uint64_t p50, p99;
        snprintf(name, sizeof name, "%s_p50_us", rows[i].prefix);
        if (!find_counter(s->now, name, &p50)) continue;
        snprintf(name, sizeof name, "%s_p99_us", rows[i].prefix);
        p99 = of(s, name);
        add(s, "%s%s %.1f/%.1f", i ? "  " : "", rows[i].title, (double)p50 / 1e3, (double)p99 / 1e3);
    }
    end_items(s, NULL);
}

static void add_cache(screen *s, const char *title, const char *prefix)
{
    char name[64], bytes[32];
    uint64_t entries, hits, misses;
    snprintf(name, sizeof name, "%s_entries", prefix);
    if (!find_counter(s->now, name, &entries)) return;
    snprintf(name, sizeof name, "%s_bytes", prefix);
    text_bytes((double)of(s, name), bytes, sizeof bytes);
    snprintf(name, sizeof name, "%s_hits", prefix);
    hits = grown(s, name);
    snprintf(name, sizeof name, "%s_misses", prefix);
    misses = grown(s, name);
    add(s, "%s %llu tiles, %s, ", title, (unsigned long long)entries, bytes);
    if (hits + misses)
        add(s, "%.0f %% hits   ", 100.0 * (double)hits / (double)(hits + misses));
    else
        add(s, "not asked   ");
}

static void add_memory(screen *s)
{
    char meshes[32], uploads[32], queued[32];
    add(s, "cache       ");
    add_cache(s, "memory:", "cache");
    add_cache(s, "disk:", "disk_cache");
    end_items(s, NULL);
    text_bytes((double)of(s, "mesh_bytes"), meshes, sizeof meshes);
    text_bytes((double)of(s, "upload_bytes"), uploads, sizeof uploads);
    text_bytes((double)of(s, "bytes_queued"), queued, sizeof queued);
    add(s, "holds       meshes %s  uploads %s  unread %s  descriptors %llu of %llu", meshes, uploads, queued,
        (unsigned long long)of(s, "open_fds"), (unsigned long long)of(s, "max_fds"));
    end_items(s, NULL);
}

static void add_failures(screen *s)
{
    uint64_t tiles = of(s, "jobs_failed"), calls = of(s, "errors"), logins = of(s, "auth_failures");
    add(s, "failures    tiles %llu (limit %llu, memory %llu, time %llu, other %llu)  calls %llu  logins %llu",
        (unsigned long long)tiles, (unsigned long long)of(s, "failed_limit"),
        (unsigned long long)of(s, "failed_memory"), (unsigned long long)of(s, "failed_timeout"),
        (unsigned long long)of(s, "failed_other"), (unsigned long long)calls, (unsigned long long)logins);
    end_items(s, grown(s, "jobs_failed") || grown(s, "auth_failures") ? red : NULL);
}

// Each stage's share of the time of all; where there are few rows, only those that count.
static void add_stages(screen *s)
{
    double least = s->frame->rows && s->frame->rows < 32 ? 0.05 : 0;
    uint64_t total = 0;
    for (size_t i = 0; i < s->now->counter_count; i++) {
        const char *name = s->now->counters[i].name;
        size_t length = strlen(name);
        bool is_sum = !strncmp(name, "stage_", 6) && length > 9 && !strcmp(name + length - 3, "_us") &&
                      strcmp(name + length - 7, "_p50_us") != 0 && strcmp(name + length - 7, "_p99_us") != 0;
        if (is_sum) total += grown(s, name);
    }
    add(s, "stages");
    if (!total) add(s, "      nothing was made");
    int column = 12;
    for (size_t i = 0; total && i < s->now->counter_count; i++) {
        const char *name = s->now->counters[i].name;
        size_t length = strlen(name);
        if (strncmp(name, "stage_", 6) != 0 || length <= 6 + 6 || strcmp(name + length - 6, "_count") != 0) continue;
        char stage[32], sum[64];
        snprintf(stage, sizeof stage, "%.*s", (int)(length - 12), name + 6);
        snprintf(sum, sizeof sum, "stage_%s_us", stage);
        double share = (double)grown(s, sum) / (double)total;
        if (share < least) continue;
        if (column + 21 > s->frame->columns) {
            end_line(s, NULL);
            column = 12;
        }
        pad(s, column);
        add(s, "%-11.11s%4.0f %%", stage, 100 * share);
        column += 20;
    }
    end_line(s, NULL);
}

// --- lists ---

static int compare_worlds(const void *a, const void *b)
{
    const navd_world_entry *x = a, *y = b;
    return (x->instances < y->instances) - (x->instances > y->instances);
}

static const navd_world_entry *world_before(const screen *s, const char *name)
{
    for (size_t i = 0; s->before && i < s->before->world_count; i++) {
        if (!strcmp(s->before->worlds[i].name, name)) return &s->before->worlds[i];
    }
    return NULL;
}

static void add_worlds(screen *s, int rows)
{
    int name_columns = s->frame->columns - 40;
    if (name_columns < 12) name_columns = 12;
    qsort(s->now->worlds, s->now->world_count, sizeof *s->now->worlds, compare_worlds);
    add(s, "WORLD");
    pad(s, name_columns);
    add(s, "%12s%12s%12s", "REVISION", "PER SECOND", "INSTANCES");
    pad(s, s->frame->columns);
    end_line(s, reversed);
    for (size_t i = 0; i < s->now->world_count && (rows < 0 || (int)i < rows); i++) {
        const navd_world_entry *w = &s->now->worlds[i], *b = world_before(s, w->name);
        char name[NAVD_NAME_BYTES];
        text_printable(w->name, name, sizeof name, name_columns - 1);
        add(s, "%s", name);
        pad(s, name_columns);
        double edits =
            b && s->span_s > 0 && w->revision > b->revision ? (double)(w->revision - b->revision) / s->span_s : 0;
        add(s, "%12llu%12.1f%12llu", (unsigned long long)w->revision, edits, (unsigned long long)w->instances);
        end_line(s, NULL);
    }
}

static const navd_session_entry *session_before(const screen *s, uint64_t id)
{
    for (size_t i = 0; s->before && i < s->before->session_count; i++) {
        if (s->before->sessions[i].id == id) return &s->before->sessions[i];
    }
    return NULL;
}

static uint64_t session_bytes(const screen *s, const navd_session_entry *e)
{
    const navd_session_entry *b = session_before(s, e->id);
    return e->bytes_out + e->bytes_in - (b ? b->bytes_out + b->bytes_in : 0);
}

typedef struct ranked {
    const navd_session_entry *entry;
    uint64_t bytes;
} ranked;

static int compare_sessions(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->entry->id > y->entry->id) - (x->entry->id < y->entry->id);
}

// What stands in front of the numbers: as much of who it is as there is room for.
typedef struct session_columns {
    int client;
    bool space, age;
} session_columns;

static session_columns fit_sessions(int columns)
{
    session_columns c = {.client = columns - 66, .space = columns >= 92, .age = columns >= 86};
    if (c.space) c.client -= 12;
    if (c.age) c.client -= 9;
    if (c.client < 10) c.client = 10;
    if (c.client > 32) c.client = 32;
    return c;
}

static void add_session(screen *s, const navd_session_entry *e, const session_columns *c)
{
    const navd_session_entry *b = session_before(s, e->id);
    char client[NAVD_NAME_BYTES], who[64], space[64], in[32], out[32], queued[32], age[32];
    double span_s = b ? s->span_s : (double)e->age_ms / 1e3;
    text_printable(e->client[0] ? e->client : "(no hello yet)", client, sizeof client, c->client - 1);
    text_printable(e->name, who, sizeof who, 13);
    text_printable(e->space, space, sizeof space, 11);
    text_bytes(span_s > 0 ? (double)(e->bytes_in - (b ? b->bytes_in : 0)) / span_s : 0, in, sizeof in);
    text_bytes(span_s > 0 ? (double)(e->bytes_out - (b ? b->bytes_out : 0)) / span_s : 0, out, sizeof out);
    text_bytes((double)e->bytes_queued, queued, sizeof queued);
    text_duration(e->age_ms / 1000, age, sizeof age);
    add(s, "%7llu %s", (unsigned long long)e->id, client);
    pad(s, 8 + c->client);
    add(s, "%s", who);
    pad(s, 8 + c->client + 14);
    add(s, "%-7s%s", e->role, c->space ? space : "");
    pad(s, 8 + c->client + 21 + (c->space ? 12 : 0));
    add(s, "%4u %10s %10s %10s", e->subscriptions, in, out, queued);
    if (c->age) add(s, "%9s", age);
    end_line(s, NULL);
}

static void add_sessions(screen *s)
{
    session_columns c = fit_sessions(s->frame->columns);
    if (!s->now->may_list_sessions) return;
    ranked *list = malloc((s->now->session_count + 1) * sizeof *list);
    if (!list) return;
    for (size_t i = 0; i < s->now->session_count; i++)
        list[i] = (ranked){&s->now->sessions[i], session_bytes(s, &s->now->sessions[i])};
    qsort(list, s->now->session_count, sizeof *list, compare_sessions);
    add(s, "%7s %s", "SESSION", "CLIENT");
    pad(s, 8 + c.client);
    add(s, "%-14s%-7s%s%4s %10s %10s %10s", "NAME", "ROLE", c.space ? "NAMESPACE   " : "", "SUBS", "IN/S", "OUT/S",
        "UNREAD");
    if (c.age) add(s, "%9s", "AGE");
    pad(s, s->frame->columns);
    end_line(s, reversed);
    for (size_t i = 0; i < s->now->session_count; i++) add_session(s, list[i].entry, &c);
    free(list);
}

void top_print(FILE *out, const top_frame *frame, const top_sample *now, const top_sample *before)
{
    screen s = {.out = out, .frame = frame, .now = now, .before = before};
    if (before && top_counter(now, "uptime_ms") < top_counter(before, "uptime_ms")) s.before = NULL; // another daemon
    s.span_s = s.before ? now->at_s - before->at_s : (double)top_counter(now, "uptime_ms") / 1e3;
    add_head(&s);
    add_alarms(&s);
    end_line(&s, NULL);
    add_work(&s);
    add_times(&s);
    add_memory(&s);
    add_failures(&s);
    add_stages(&s);
    end_line(&s, NULL);
    int left = frame->rows ? frame->rows - s.used : 0;
    add_worlds(&s, frame->rows ? (left - 3) / 2 : -1);
    end_line(&s, NULL);
    add_sessions(&s);
    fputc('\n', out);
}
