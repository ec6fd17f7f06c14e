#include "tests/bench/subject.h"
#include "tests/bench/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint32_t subject_tiles(const subject *s)
{
    return (uint32_t)s->count[0] * (uint32_t)s->count[1];
}

static void make_peer(subject *s)
{
    peer_input in = {.settings = &s->settings,
                     .min_y = s->scene.min[1],
                     .max_y = s->scene.max[1],
                     .verts = s->verts,
                     .vert_count = s->vert_count,
                     .tris = s->tris,
                     .tri_count = s->tri_count};
    memcpy(in.first_tile, s->first, sizeof in.first_tile);
    memcpy(in.tile_count, s->count, sizeof in.tile_count);
    s->peer = peer_create(&in);
}

bool subject_set_cell(subject *s, double cell_size_m)
{
    peer_destroy(s->peer);
    s->peer = NULL;
    s->settings.cell_size_m = (float)cell_size_m;
    if (!sheet_grid_of(&s->scene, &s->settings, s->first, s->count)) {
        fprintf(stderr, "bench: %s spans too many tiles\n", s->name);
        return false;
    }
    if (peer_present()) make_peer(s);
    return true;
}

bool subject_outlines_are_true(const bench_options *o)
{
    nav_settings s;
    nav_settings_default(&s);
    return o->outlines ? !strcmp(o->outlines, nav_outlines_name(NAV_OUTLINES_TRUE)) : s.outlines == NAV_OUTLINES_TRUE;
}

bool subject_open(subject *s, const bench_options *o)
{
    nav_settings_default(&s->settings);
    if (o->partition && nav_partition_parse(o->partition, &s->settings.partition) != NAV_OK) {
        fprintf(stderr, "bench: there is no partition %s\n", o->partition);
        return false;
    }
    if (o->outlines && nav_outlines_parse(o->outlines, &s->settings.outlines) != NAV_OK) {
        fprintf(stderr, "bench: there are no outlines %s\n", o->outlines);
        return false;
    }
    if (o->edge_error > 0) s->settings.edge_max_error_cells = o->edge_error;
    for (int k = 0; k < 3; k++) s->settings.origin_m[k] = (double)s->scene.min[k];
    bench_scene_flatten(&s->scene, &s->verts, &s->vert_count, &s->tris, &s->tri_count);
    return subject_set_cell(s, (double)s->settings.cell_size_m);
}

void subject_close(subject *s)
{
    peer_destroy(s->peer);
    free(s->verts);
    free(s->tris);
    scene_deinit(&s->scene);
}

static bool measure_one(subject *s, const bench_options *o, bool (*measure)(subject *s, void *user), void *user)
{
    fprintf(stderr, "bench: %s\n", s->name);
    return subject_open(s, o) && measure(s, user);
}

bool subject_each(const bench_options *o, bool (*measure)(subject *s, void *user), void *user)
{
    static const char *const whole[] = {"city1km", "terrain500m", "hall", "clutter", NULL};
    static const char *const small[] = {"city300m", "hall", NULL};
    bool ok = true;
    for (const char *const *name = o->quick ? small : whole; o->own && *name; name++) {
        subject s = {.name = *name};
        ok = bench_scene_named(*name, &s.scene) && measure_one(&s, o, measure, user) && ok;
        subject_close(&s);
    }
    for (int i = 0; i < o->scene_count; i++) {
        char why[256];
        const char *slash = strrchr(o->scenes[i], '/');
        subject s = {.name = slash ? slash + 1 : o->scenes[i], .stored = true};
        if (scene_read(o->scenes[i], &s.scene, why, sizeof why)) {
            ok = measure_one(&s, o, measure, user) && ok;
        } else {
            fprintf(stderr, "bench: %s: %s\n", o->scenes[i], why);
            ok = false;
        }
        subject_close(&s);
    }
    return ok;
}

void subject_add_peer(table *t, const subject *s, int digits, double figure)
{
    if (s->peer)
        table_add(t, "%.*f", digits, figure);
    else
        table_add(t, "-");
}

peer_tile *subject_borrow_tiles(const subject *s, const generated *g)
{
    peer_tile *tiles = calloc(subject_tiles(s), sizeof *tiles);
    for (uint32_t i = 0; tiles && i < subject_tiles(s); i++) {
        tiles[i] = (peer_tile){g->tiles[i].bytes, g->tiles[i].size};
    }
    return tiles;
}

bool subject_is(const subject *s, const char *name)
{
    size_t n = strlen(name);
    return strncmp(s->name, name, n) == 0 && (s->name[n] == 0 || s->name[n] == '.');
}

double bench_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}
