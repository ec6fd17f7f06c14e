// What navctl build leaves: the file, or those of sheets, and the picture beside it.
#include "clients/navctl/commands/build_work.h"
#include "clients/navctl/drawing/plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t peak_rss(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

bool build_writes_sheets(const build *b)
{
    return b->args->out && mesh_file_has_sheets(b->kind, &b->options.settings);
}

// In the world: Detour's tiles of walls are in frames, so their cells are drawn.
static bool draw_tiles(const build *b, const stored_tile *tiles, uint32_t count, const nav_parallel *parallel,
                       draw_mesh *mesh)
{
    if (!build_writes_sheets(b)) return store_draw(b->args->scene, b->options.encoding, tiles, count, parallel, mesh);
    uint32_t cell_count;
    stored_tile *cells = sheet_cells_list(&b->cells, &cell_count);
    if (!cells) fprintf(stderr, "navctl: no memory left\n");
    bool ok = cells && store_draw(b->args->scene, GENERATE_NAVD, cells, cell_count, parallel, mesh);
    free(cells);
    return ok;
}

static bool draw(const build *b, const stored_tile *tiles, uint32_t count)
{
    const build_args *a = b->args;
    const char *slash = strrchr(a->scene, '/'), *title = a->title ? a->title : slash ? slash + 1 : a->scene;
    char why[256] = "", note[64];
    const nav_parallel parallel = generator_parallel(b->generator);
    draw_mesh mesh, cells;
    draw_mesh_init(&mesh);
    draw_mesh_init(&cells);
    bool ok;
    if (b->parts) {
        nav_status s = plan_tiles_join(&b->tiles, &mesh, why, sizeof why);
        if (s == NAV_OK && b->parts & PLAN_SIDES) s = plan_tiles_join_cells(&b->tiles, &cells, why, sizeof why);
        if (s != NAV_OK) fprintf(stderr, "navctl: cannot draw %s: %s\n", a->picture, why[0] ? why : nav_status_text(s));
        const nav_settings *set = &b->options.settings;
        bool surface = set->generator == NAV_GENERATOR_SURFACE;
        int n = snprintf(note, sizeof note, surface ? "surface" : "%s partition%s", nav_partition_name(set->partition),
                         set->outlines == NAV_OUTLINES_TRUE ? ", true outlines" : "");
        if (set->relaxation_m > 0)
            snprintf(note + n, sizeof note - (size_t)n, ", relaxed by %g m", (double)set->relaxation_m);
        ok = s == NAV_OK && plan_write(a->picture, &(plan_look){.tiles = &b->tiles,
                                                                .mesh = &mesh,
                                                                .sides = &cells,
                                                                .title = title,
                                                                .note = note,
                                                                .parts = b->parts,
                                                                .size = a->picture_size,
                                                                .parallel = &parallel});
    } else if (b->perspective) {
        ok = draw_tiles(b, tiles, count, &parallel, &mesh) &&
             picture_sheets_write(
                 a->picture, &mesh,
                 &(picture_sheets_look){.title = title,
                                        .size = a->picture_size,
                                        .look_from = {a->look.look_from[0], a->look.look_from[1], a->look.look_from[2]},
                                        .around = &b->world.scene,
                                        .parallel = &parallel});
    } else {
        ok = store_draw(a->scene, b->options.encoding, tiles, count, &parallel, &mesh) &&
             picture_write(a->picture, &mesh,
                           &(picture_look){.title = title,
                                           .size = a->picture_size,
                                           .values = &b->view,
                                           .areas = &b->world.areas,
                                           .around = &b->world.scene,
                                           .parallel = &parallel});
    }
    draw_mesh_deinit(&mesh);
    draw_mesh_deinit(&cells);
    return ok;
}

// The file, in a thread of its own: beside the picture, as the disk is waited for.
typedef struct writing {
    const build *build;
    const stored_tile *tiles;
    uint32_t count;
    const nav_parallel *parallel; // NULL: the others have work of their own
    bool ok;
    double seconds;
    uint32_t seams; // of Detour's files of walls and ceilings
} writing;

static bool write_file(writing *w)
{
    const build *b = w->build;
    const mesh_file file = {.path = b->args->out,
                            .kind = b->kind,
                            .from = b->args->scene,
                            .settings = &b->options.settings,
                            .areas = &b->world.areas,
                            .tiles = w->tiles,
                            .tile_count = w->count,
                            .cells = &b->cells,
                            .parallel = w->parallel};
    return mesh_file_write(&file, &w->seams);
}

static void *write_mesh(void *user)
{
    writing *w = user;
    const build *b = w->build;
    double started_s = now_s();
    w->ok = !b->args->out || write_file(w);
    w->seconds = now_s() - started_s;
    return NULL;
}

static bool write_and_draw(build *b, const stored_tile *tiles, uint32_t count)
{
    writing w = {.build = b, .tiles = tiles, .count = count};
    pthread_t writer;
    bool beside = b->args->out && pthread_create(&writer, NULL, write_mesh, &w) == 0;
    double started_s = now_s();
    bool drawn = draw(b, tiles, count);
    b->report.draw_s = now_s() - started_s;
    if (beside)
        pthread_join(writer, NULL);
    else
        write_mesh(&w);
    b->report.write_s = w.seconds;
    b->report.seams = w.seams;
    return drawn && w.ok;
}

// peak_rss is taken before the picture: it belongs to the report's reader, not to generation.
bool build_write(build *b)
{
    uint32_t count;
    stored_tile *tiles = store_list(&b->made, &count);
    bool ok = tiles != NULL;
    if (!ok) {
        fprintf(stderr, "navctl: no memory left\n");
    } else if (b->args->picture) {
        b->report.peak_rss = peak_rss();
        ok = write_and_draw(b, tiles, count);
    } else {
        const nav_parallel parallel = generator_parallel(b->generator);
        writing w = {.build = b, .tiles = tiles, .count = count, .parallel = &parallel};
        write_mesh(&w);
        b->report.write_s = w.seconds;
        b->report.seams = w.seams;
        b->report.peak_rss = peak_rss();
        ok = w.ok;
    }
    free(tiles);
    return ok;
}
