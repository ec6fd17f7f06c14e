// Nothing in a world says how large a terrain is: its blocks do. Those are the instances from the first id on, without
// a gap, whose meshes are height grids.
#include "clients/navctl/remote/edit_terrain.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/scene_heights.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct placed {
    uint64_t id;
    navd_key mesh;
} placed;

typedef struct search {
    uint64_t first_id;
    placed *all; // instances from the first id on
    uint32_t count, capacity;
} search;

static int begin(void *user)
{
    ((search *)user)->count = 0;
    return NAVCTL_OK;
}

static int take_page(void *user, const navd_objects *page)
{
    search *s = user;
    if (!heap_array_grow(&s->all, &s->capacity, s->count + (uint32_t)page->count, sizeof *s->all)) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    for (size_t i = 0; i < page->count; i++) {
        const navd_operation *o = &page->objects[i];
        if (o->kind == NAVD_PUT_INSTANCE && o->id >= s->first_id)
            s->all[s->count++] = (placed){o->id, o->u.instance.mesh};
    }
    return NAVCTL_OK;
}

static int compare(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// How many ids follow each other.
static uint32_t run_length(const search *s)
{
    uint32_t n = 0;
    while (n < s->count && s->all[n].id == s->first_id + n) n++;
    return n;
}

static int read_block(navd_client *c, const char *world_name, const search *s, uint32_t block, navd_heights *out)
{
    navd_mesh_data m;
    int code = world_objects_mesh(c, world_name, s->all[block].mesh, &m);
    if (code != NAVCTL_OK) return code;
    *out = m.mesh.heights ? *m.mesh.heights : (navd_heights){0};
    navd_mesh_data_free(&m);
    return NAVCTL_OK;
}

// The terrain that the block may be the last of, by where it ends.
static navd_heights terrain_to(const navd_heights *last)
{
    navd_heights t = *last;
    t.columns = (uint32_t)last->first_column + last->columns;
    t.rows = (uint32_t)last->first_row + last->rows;
    return t;
}

// Blocks of what else stands behind it may follow, so it is asked which one ends a terrain of that many.
static int measure(navd_client *c, const char *world_name, const search *s, uint32_t blocks, navd_heights *out)
{
    for (uint32_t n = blocks; n > 0; n--) {
        navd_heights last;
        int code = read_block(c, world_name, s, n - 1, &last);
        if (code != NAVCTL_OK) return code;
        if (!last.columns || last.first_column < 0 || last.first_row < 0) continue;
        *out = terrain_to(&last);
        if (navd_terrain_blocks(out) == n) return NAVCTL_OK;
    }
    *out = (navd_heights){0};
    return NAVCTL_OK;
}

static int find_terrain(navd_client *c, uint64_t world, const char *world_name, uint64_t first_id, const char *what,
                        navd_heights *out)
{
    search s = {.first_id = first_id};
    const world_taker taker = {.user = &s, .begin = begin, .page = take_page};
    uint64_t revision;
    navd_heights first = {0};
    *out = first;
    int code = world_objects_read(c, world_name, world, &taker, &revision);
    if (code == NAVCTL_OK && s.count) qsort(s.all, s.count, sizeof *s.all, compare);
    const uint32_t blocks = run_length(&s);
    if (code == NAVCTL_OK && blocks) code = read_block(c, world_name, &s, 0, &first);
    if (code == NAVCTL_OK && !first.columns) {
        fprintf(stderr, "%s: %s %" PRIu64 " in world %s\n", what,
                blocks ? "no height grid is instance" : "there is no instance", first_id, world_name);
        code = NAVCTL_FAILED;
    }
    if (code == NAVCTL_OK) code = measure(c, world_name, &s, blocks, out);
    free(s.all);
    return code;
}

// Whole numbers as the terrain has its samples.
static void *as_samples(uint16_t *whole, size_t count, unsigned bits)
{
    if (bits == 16) return whole;
    float *floats = malloc(count * sizeof *floats);
    for (size_t i = 0; floats && i < count; i++) floats[i] = whole[i];
    free(whole);
    return floats;
}

int edit_terrain_stroke(navd_client *c, uint64_t world, const char *world_name, uint64_t first_id, const char *file,
                        const char *size, uint32_t column, uint32_t row, const char *what, navd_operation **ops,
                        size_t *count)
{
    navd_heights t;
    uint16_t *whole;
    uint32_t columns, rows;
    char why[256];
    *ops = NULL;
    *count = 0;
    int code = find_terrain(c, world, world_name, first_id, what, &t);
    if (code != NAVCTL_OK) return code;
    if (!scene_heights_samples(file, size, &whole, &columns, &rows, why, sizeof why)) {
        fprintf(stderr, "navctl: %s: %s\n", file, why);
        return NAVCTL_INPUT;
    }
    void *samples = as_samples(whole, (size_t)columns * rows, t.bits);
    if (samples) *count = navd_terrain_stroke(&t, first_id, column, row, columns, rows, samples, NULL, ops);
    free(samples);
    if (*ops) return NAVCTL_OK;
    fprintf(stderr, "%s: %u by %u samples from column %u, row %u are not within the terrain's %u by %u\n", what,
            columns, rows, column, row, t.columns, t.rows);
    return NAVCTL_FAILED;
}
