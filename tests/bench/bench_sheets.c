// Walls and ceilings: what six sheets cost beside one on the same triangles, what they hold, and how well they cover
// what an agent can stand on, judged by capsules on the scene's triangles. The scenes of sheets, and the bench's usual
// ones with all six.
#include "tests/bench/border_check.h"
#include "tests/bench/scenes.h"
#include "tests/bench/sheet_cover.h"
#include "tests/bench/sheet_scenes.h"
#include "tests/bench/subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, SAMPLES = 50000, QUICK_SAMPLES = 5000 };
static const double COVER_BAR = 0.98, TWICE_BAR = 0.001, TIME_BAR = 6;

static const char *const usual[] = {"city300m", "terrain500m", "hall", "clutter", "city1km", "terrain2km"};
enum { USUAL = sizeof usual / sizeof *usual, QUICK_USUAL = 2 };

// Rooms that are closed: there all six sheets are full.
static bool is_closed(const char *name)
{
    return !strcmp(name, "room") || !strcmp(name, "pipe") || !strcmp(name, "corridor") || !strcmp(name, "escher");
}

// Scenes whose surface hangs together, whatever way up it is.
static bool is_one(const char *name)
{
    return !strcmp(name, "room") || !strcmp(name, "pipe") || !strcmp(name, "torus") || !strcmp(name, "asteroid");
}

typedef struct outcome {
    double best_s[2]; // of floors, of all six sheets
    generated made;   // all six
    uint64_t borders_differ;
    uint32_t parts, seams; // that nothing joins to each other; where sheets meet
    stand_report cover;
} outcome;

static nav_settings settings_of(uint32_t sheets)
{
    nav_settings s;
    nav_settings_default(&s);
    s.generator = NAV_GENERATOR_SURFACE;
    s.sheets = sheets;
    return s;
}

// Rounds by turns, so that both meet the same noise.
static bool time_both(const scene *s, int rounds, outcome *o)
{
    generator *g = generator_create(1);
    bool ok = g != NULL;
    for (int r = 0; r < rounds && ok; r++)
        for (int six = 0; six < 2 && ok; six++) {
            generated made = {0};
            const generate_options options = {.settings = settings_of(six ? NAV_SHEETS_ALL : NAV_SHEETS_UP),
                                              .encoding = GENERATE_NAVD};
            ok = generator_run(g, s, &options, &made);
            if (ok && (r == 0 || made.generate_s < o->best_s[six])) o->best_s[six] = made.generate_s;
            if (six && ok) {
                generated_deinit(&o->made);
                o->made = made;
            } else {
                generated_deinit(&made);
            }
        }
    generator_destroy(g);
    return ok;
}

static bool check_borders(const scene *s, outcome *o)
{
    nav_settings settings = settings_of(NAV_SHEETS_ALL);
    bool ok = true;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT && ok; sheet++) {
        border_report b;
        settings.sheet = (nav_sheet)sheet;
        ok = border_check(s, &settings, &b);
        if (ok) o->borders_differ += b.different;
    }
    return ok;
}

static bool check_cover(const char *name, const scene *s, bool quick, FILE *missed, outcome *o)
{
    const nav_settings settings = settings_of(NAV_SHEETS_ALL);
    const stand_limits limits = sheet_limits(&settings, quick ? QUICK_SAMPLES : SAMPLES);
    return sheet_cover(s, &o->made, &limits, name, missed, &o->cover) &&
           sheet_join(&o->made, (double)settings.seam_inner_deg, &o->parts, &o->seams);
}

static void add_row(table *t, const char *name, const scene *s, const outcome *o)
{
    uint32_t sheets = 0;
    for (int i = 0; i < NAV_SHEET_COUNT; i++) sheets += o->made.sheets[i].filled > 0;
    table_add(t, "%s", name);
    table_add(t, "%llu", (unsigned long long)s->tri_count);
    for (int i = 0; i < 2; i++) table_add(t, "%.4f", o->best_s[i]);
    table_add(t, "%.2f", o->best_s[1] / o->best_s[0]);
    table_add(t, "%u", sheets);
    table_add(t, "%llu", (unsigned long long)o->made.filled);
    table_add(t, "%llu", (unsigned long long)o->made.cells);
    table_add(t, "%.0f", o->made.area_m2);
    table_add(t, "%.1f", (double)o->made.bytes / 1024);
    table_add(t, "%u", o->seams);
    table_add(t, "%u", o->parts);
    table_add(t, "%llu", (unsigned long long)o->borders_differ);
    table_add(t, "%llu", (unsigned long long)o->cover.asked);
    table_add(t, "%.4f", o->cover.recall);
    table_add(t, "%.4f", o->cover.precision);
    table_add(t, "%.4f", o->cover.twice_share);
}

static void add_bars(table *bars, const char *name, const outcome *o)
{
    table_add_bar(bars, "sheets: recall", name, o->cover.recall, true, COVER_BAR);
    table_add_bar(bars, "sheets: precision", name, o->cover.precision, true, COVER_BAR);
    table_add_bar(bars, "sheets: covered twice", name, o->cover.twice_share, false, TWICE_BAR);
    table_add_bar(bars, "sheets: border points that differ", name, (double)o->borders_differ, false, 0);
    if (is_one(name)) table_add_bar(bars, "sheets: parts that nothing joins", name, o->parts, false, 1);
    if (is_closed(name))
        table_add_bar(bars, "sheets: time / one sheet's, closed rooms", name, o->best_s[1] / o->best_s[0], false,
                      TIME_BAR);
}

static bool measure(const bench_options *options, const char *name, scene *s, FILE *missed, table *t, table *bars)
{
    outcome o = {0};
    fprintf(stderr, "bench: sheets of %s\n", name);
    bool ok = time_both(s, options->quick ? 1 : ROUNDS, &o) && check_borders(s, &o) &&
              check_cover(name, s, options->quick, missed, &o);
    if (ok) {
        add_row(t, name, s, &o);
        add_bars(bars, name, &o);
    }
    generated_deinit(&o.made);
    return ok;
}

// A scene of sheets goes to the folder of the figures as well, for other programs.
static bool measure_own(const bench_options *o, const char *name, bool is_usual, FILE *missed, table *t, table *bars)
{
    char path[512];
    scene s;
    bool ok = is_usual ? bench_scene_named(name, &s) : sheet_scene_named(name, &s);
    snprintf(path, sizeof path, "%s/%s.obj", o->out, name);
    ok = ok && (is_usual || bench_scene_write(&s, path)) && measure(o, name, &s, missed, t, bars);
    scene_deinit(&s);
    return ok;
}

static bool measure_file(const bench_options *o, const char *path, FILE *missed, table *t, table *bars)
{
    char why[256] = "";
    scene s;
    const char *slash = strrchr(path, '/');
    if (!scene_read(path, &s, why, sizeof why)) {
        fprintf(stderr, "bench: %s: %s\n", path, why);
        return false;
    }
    bool ok = measure(o, slash ? slash + 1 : path, &s, missed, t, bars);
    scene_deinit(&s);
    return ok;
}

bool bench_sheets(const bench_options *o, table *bars)
{
    table t;
    char path[512];
    table_init(
        &t, "sheets",
        "Walls and ceilings: seconds on one thread for floors alone and for six sheets, and how well these cover "
        "what an agent can stand on",
        "scene,triangles,s_one,s_six,ratio,sheets,tiles,cells,m2,kib,seams,parts,border_points_differ,places,recall,"
        "precision,twice");
    snprintf(path, sizeof path, "%s/sheets_missed.csv", o->out);
    FILE *missed = fopen(path, "w");
    if (missed) fprintf(missed, "scene,what,x,y,z\n");
    bool ok = missed != NULL;
    if (!ok) fprintf(stderr, "bench: cannot write %s\n", path);
    for (int i = 0; i < SHEET_SCENES && o->own && ok; i++)
        ok = measure_own(o, sheet_scene_names[i], false, missed, &t, bars);
    for (int i = 0; i < (o->quick ? QUICK_USUAL : USUAL) && o->own && ok; i++)
        ok = measure_own(o, usual[i], true, missed, &t, bars);
    for (int i = 0; i < o->scene_count && ok; i++) ok = measure_file(o, o->scenes[i], missed, &t, bars);
    if (missed && fclose(missed) != 0) ok = false;
    table_print(&t);
    ok = table_write(&t, o->out) && ok;
    table_deinit(&t);
    return ok;
}
