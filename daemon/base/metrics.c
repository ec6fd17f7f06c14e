#include "daemon/base/metrics.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef enum metric_type { GAUGE, COUNTER } metric_type;

// How many of the stats' unit make one of Prometheus' (seconds, bytes, pieces).
typedef enum metric_unit { ONE = 1, MS = 1000, US = 1000000 } metric_unit;

typedef struct metric_row {
    const char *family, *labels, *help;
    metric_type type;
    metric_unit unit;
} metric_row;

static const metric_row metrics[ND_METRIC_COUNT] = {
#define ROW(ID, name, family, labels, type, unit, help) {family, labels, help, type, unit},
    ND_METRIC_LIST(ROW)
#undef ROW
};

typedef struct histogram_row {
    const char *family, *labels, *help;
} histogram_row;

static const histogram_row histograms[ND_HISTOGRAM_COUNT] = {
#define ROW(ID, name, family, labels, help) {family, labels, help},
    ND_HISTOGRAM_LIST(ROW)
#undef ROW
#define ROW(id, name) {"navd_stage_seconds", "stage=\"" name "\"", "One stage of a job."},
        NAV_STAGE_LIST(ROW)
#undef ROW
};

static const char *const flat_names[ND_FLAT_COUNT] = {
#define NAME(ID, name, ...) name,
    ND_METRIC_LIST(NAME)
#undef NAME
#define NAME(ID, name, ...) name "_count", name "_us", name "_p50_us", name "_p99_us",
        ND_HISTOGRAM_LIST(NAME)
#undef NAME
#define NAME(id, name) "stage_" name "_count", "stage_" name "_us", "stage_" name "_p50_us", "stage_" name "_p99_us",
            NAV_STAGE_LIST(NAME)
#undef NAME
};

// --- histograms ---

const uint64_t nd_bucket_us[ND_BUCKETS] = {100,   250,    500,    1000,   2500,    5000,    10000,   25000,
                                           50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000};

void nd_histogram_add(nd_histogram *h, uint64_t us)
{
    unsigned i = 0;
    while (i < ND_BUCKETS && us > nd_bucket_us[i]) i++;
    h->bucket[i]++;
    h->count++;
    h->sum_us += us;
}

uint64_t nd_histogram_quantile_us(const nd_histogram *h, unsigned per_mille)
{
    uint64_t below = 0, wanted = (h->count * per_mille + 999) / 1000;
    if (!h->count) return 0;
    if (!wanted) wanted = 1;
    for (unsigned i = 0; i < ND_BUCKETS; i++) {
        uint64_t low = i ? nd_bucket_us[i - 1] : 0, n = h->bucket[i];
        // Spread evenly within the bucket, as nobody knows better.
        if (below + n >= wanted) return low + (nd_bucket_us[i] - low) * (wanted - below) / n;
        below += n;
    }
    return nd_bucket_us[ND_BUCKETS - 1];
}

// --- flat ---

const char *nd_flat_name(unsigned at)
{
    return flat_names[at];
}

bool nd_flat_is_of_namespace(unsigned at)
{
    switch (at) { // metrics come first among the flat ones
    case ND_METRIC_UPTIME:
    case ND_METRIC_READY:
    case ND_METRIC_DRAINING:
    case ND_METRIC_THREADS:
    case ND_METRIC_SESSIONS:
    case ND_METRIC_MESH_BYTES:
    case ND_METRIC_WORLDS:
    case ND_METRIC_INSTANCES:
    case ND_METRIC_TILES:
    case ND_METRIC_TILES_QUEUED:
    case ND_METRIC_TILES_INTERACTIVE:
    case ND_METRIC_TILES_BACKGROUND:
    case ND_METRIC_TILES_RESTING:
    case ND_METRIC_TILES_RUNNING:
    case ND_METRIC_TILES_HELD:
    case ND_METRIC_TILES_FAILED:
    case ND_METRIC_REACH_PARTS:
    case ND_METRIC_REACH_OFF:
    case ND_METRIC_REACH_LOST:
    case ND_METRIC_REACH_STEPS:
        return true;
    default:
        return false;
    }
}

uint64_t nd_flat_value(const nd_measures *m, unsigned at)
{
    if (at < ND_METRIC_COUNT) return m->values[at];
    const nd_histogram *h = &m->histograms[(at - ND_METRIC_COUNT) / 4];
    switch ((at - ND_METRIC_COUNT) % 4) {
    case 0:
        return h->count;
    case 1:
        return h->sum_us;
    case 2:
        return nd_histogram_quantile_us(h, 500);
    default:
        return nd_histogram_quantile_us(h, 990);
    }
}

// --- Prometheus ---

static nav_status print(nav_buffer *out, const char *fmt, ...) NAV_PRINTF(2, 3);

static nav_status print(nav_buffer *out, const char *fmt, ...)
{
    char line[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    return nav_buffer_append(out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static nav_status print_head(nav_buffer *out, const char *family, const char *type, const char *help)
{
    return print(out, "# HELP %s %s\n# TYPE %s %s\n", family, help, family, type);
}

static nav_status print_metric(nav_buffer *out, const metric_row *row, uint64_t v)
{
    const char *open = *row->labels ? "{" : "", *close = *row->labels ? "}" : "";
    uint64_t unit = row->unit;
    if (unit == ONE) return print(out, "%s%s%s%s %" PRIu64 "\n", row->family, open, row->labels, close, v);
    return print(out, "%s%s%s%s %" PRIu64 ".%0*" PRIu64 "\n", row->family, open, row->labels, close, v / unit,
                 unit == MS ? 3 : 6, v % unit);
}

static nav_status print_histogram(nav_buffer *out, const histogram_row *row, const nd_histogram *h)
{
    const char *comma = *row->labels ? "," : "", *open = *row->labels ? "{" : "", *close = *row->labels ? "}" : "";
    uint64_t total = 0;
    nav_status s = NAV_OK;
    for (unsigned i = 0; i <= ND_BUCKETS && s == NAV_OK; i++) {
        char bound[32] = "+Inf";
        total += h->bucket[i];
        if (i < ND_BUCKETS) snprintf(bound, sizeof bound, "%g", (double)nd_bucket_us[i] / US);
        s = print(out, "%s_bucket{%s%sle=\"%s\"} %" PRIu64 "\n", row->family, row->labels, comma, bound, total);
    }
    if (s == NAV_OK)
        s = print(out, "%s_sum%s%s%s %" PRIu64 ".%06" PRIu64 "\n", row->family, open, row->labels, close,
                  h->sum_us / US, h->sum_us % US);
    if (s == NAV_OK) s = print(out, "%s_count%s%s%s %" PRIu64 "\n", row->family, open, row->labels, close, total);
    return s;
}

nav_status nd_metrics_print(const nd_measures *m, nav_buffer *out)
{
    nav_status s = NAV_OK;
    const char *family = "";
    for (unsigned i = 0; i < ND_METRIC_COUNT && s == NAV_OK; i++) {
        const metric_row *row = &metrics[i];
        if (strcmp(family, row->family) != 0)
            s = print_head(out, row->family, row->type == GAUGE ? "gauge" : "counter", row->help);
        family = row->family;
        if (s == NAV_OK) s = print_metric(out, row, m->values[i]);
    }
    for (unsigned i = 0; i < ND_HISTOGRAM_COUNT && s == NAV_OK; i++) {
        const histogram_row *row = &histograms[i];
        if (strcmp(family, row->family) != 0) s = print_head(out, row->family, "histogram", row->help);
        family = row->family;
        if (s == NAV_OK) s = print_histogram(out, row, &m->histograms[i]);
    }
    return s;
}
