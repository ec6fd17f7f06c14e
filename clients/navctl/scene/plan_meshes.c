#include "clients/navctl/scene/plan_meshes.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/weld.h"

#include <math.h>
#include <stdlib.h>

static const double SHEET_M = 1; // between the sheets of a prism, at most

typedef struct builder {
    weld places;
    uint32_t *tris;
    uint32_t tri_count, tri_capacity;
} builder;

static uint32_t add_vertex(builder *b, plan_place at, double unit_m, double height_m)
{
    const float position[3] = {(float)(at.x * unit_m), (float)height_m, (float)(-at.y * unit_m)};
    return weld_add(&b->places, position);
}

// Triangles that single precision makes lines of are left out.
static bool add_triangle(builder *b, uint32_t v0, uint32_t v1, uint32_t v2)
{
    if (v0 == UINT32_MAX || v1 == UINT32_MAX || v2 == UINT32_MAX) return false;
    if (v0 == v1 || v1 == v2 || v2 == v0) return true;
    if (b->tri_count >= UINT32_MAX / 4 ||
        !heap_array_grow(&b->tris, &b->tri_capacity, b->tri_count + 1, 3 * sizeof *b->tris))
        return false;
    uint32_t *to = b->tris + 3 * (size_t)b->tri_count++;
    to[0] = v0;
    to[1] = v1;
    to[2] = v2;
    return true;
}

static bool add_sheet(builder *b, const plan_part *part, double height_m)
{
    bool ok = true;
    for (uint32_t i = 0; i < part->count && ok; i++) {
        const plan_place *at = part->all->corners + 3 * (size_t)part->which[i];
        uint32_t v[3];
        for (int k = 0; k < 3; k++) v[k] = add_vertex(b, at[k], part->unit_m, height_m);
        ok = add_triangle(b, v[0], v[1], v[2]);
    }
    return ok;
}

// Hands over what was built, or frees it.
static bool finish(builder *b, bool ok, scene_mesh *out)
{
    if (ok && b->tri_count > 0) {
        out->vert_count = b->places.count;
        out->verts = weld_finish(&b->places);
        out->tri_count = b->tri_count;
        out->tris = b->tris;
        b->tris = NULL;
    }
    weld_deinit(&b->places);
    free(b->tris);
    return ok;
}

bool plan_mesh_flat(const plan_part *part, double height_m, scene_mesh *out)
{
    builder b = {0};
    return finish(&b, add_sheet(&b, part, height_m), out);
}

typedef struct side {
    uint64_t key; // of its ends, in either direction
    uint32_t from, to;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

// Walls on the edges that only one triangle of the bottom has. The bottom is all that is there.
static bool add_walls(builder *b, double top_m)
{
    const uint32_t tri_count = b->tri_count;
    side *sides = malloc((3 * (size_t)tri_count + 1) * sizeof *sides);
    if (!sides) return false;
    uint32_t count = 0;
    for (uint32_t t = 0; t < tri_count; t++)
        for (int k = 0; k < 3; k++) {
            const uint32_t from = b->tris[3 * (size_t)t + (size_t)k],
                           to = b->tris[3 * (size_t)t + (size_t)((k + 1) % 3)];
            const uint64_t low = from < to ? from : to, high = from < to ? to : from;
            sides[count++] = (side){low << 32 | high, from, to};
        }
    qsort(sides, count, sizeof *sides, compare_sides);
    bool ok = true;
    for (uint32_t i = 0, end; i < count && ok; i = end) {
        for (end = i + 1; end < count && sides[end].key == sides[i].key;) end++;
        if (end - i != 1) continue;
        uint32_t top[2];
        for (int k = 0; k < 2; k++) {
            const float *low = b->places.verts + 3 * (size_t)(k ? sides[i].to : sides[i].from);
            const float position[3] = {low[0], (float)top_m, low[2]};
            top[k] = weld_add(&b->places, position);
        }
        ok = add_triangle(b, sides[i].from, sides[i].to, top[1]) && add_triangle(b, sides[i].from, top[1], top[0]);
    }
    free(sides);
    return ok;
}

bool plan_mesh_prism(const plan_part *part, double bottom_m, double top_m, scene_mesh *out)
{
    builder b = {0};
    const double storeys = ceil((top_m - bottom_m) / SHEET_M - 1e-6);
    const int sheets = storeys < 1 ? 1 : storeys > 64 ? 64 : (int)storeys;
    bool ok = add_sheet(&b, part, bottom_m) && add_walls(&b, top_m);
    for (int i = 1; i <= sheets && ok; i++)
        ok = add_sheet(&b, part, i == sheets ? top_m : bottom_m + (top_m - bottom_m) * i / sheets);
    return finish(&b, ok, out);
}

// --- stairs ---

static plan_place direction(plan_place a, plan_place b)
{
    const double x = b.x - a.x, y = b.y - a.y, length = hypot(x, y);
    return (plan_place){x / length, y / length};
}

// Where the left edge of the stairs is beside place k, as seen from it: at half the width from both lines there. False:
// they turn by more than a right angle.
static bool mitre(const plan_place *at, uint32_t count, uint32_t k, double half, plan_place *out)
{
    const plan_place in = direction(at[k > 0 ? k - 1 : 0], at[k > 0 ? k : 1]);
    const plan_place on = direction(at[k + 1 < count ? k : k - 1], at[k + 1 < count ? k + 1 : k]);
    const double turn = in.x * on.x + in.y * on.y, scale = half / (1 + turn);
    *out = (plan_place){-(in.y + on.y) * scale, (in.x + on.x) * scale};
    return turn > -1e-9;
}

static bool runs_on(plan_place from, plan_place to, plan_place along)
{
    return (to.x - from.x) * along.x + (to.y - from.y) * along.y > 0;
}

bool plan_mesh_stairs(plan_features *p, const plan_feature *f, double unit_m, scene_mesh *out)
{
    const plan_ring *line = &p->rings[f->first_ring];
    const plan_place *at = p->places + line->first;
    double length = 0, done = 0;
    for (uint32_t k = 1; k < line->count; k++) length += hypot(at[k].x - at[k - 1].x, at[k].y - at[k - 1].y);
    builder b = {0};
    bool ok = true, fits = true;
    plan_place left = {0, 0}, right = {0, 0};
    uint32_t before[2] = {0};
    for (uint32_t k = 0; k < line->count && ok && fits; k++) {
        plan_place half;
        if (k > 0) done += hypot(at[k].x - at[k - 1].x, at[k].y - at[k - 1].y);
        const double share = k + 1 == line->count ? 1 : done / length;
        const double height_m = (f->height + (f->to_height - f->height) * share) * unit_m;
        fits = mitre(at, line->count, k, f->width / 2, &half);
        const plan_place l = {at[k].x + half.x, at[k].y + half.y}, r = {at[k].x - half.x, at[k].y - half.y};
        if (fits && k > 0) {
            const plan_place along = direction(at[k - 1], at[k]);
            fits = runs_on(left, l, along) && runs_on(right, r, along);
        }
        if (!fits) {
            finish(&b, false, out);
            return plan_fail_at(p, f, "line 1: it bends too sharply at place %u for a width of %g", k + 1, f->width);
        }
        const uint32_t now[2] = {add_vertex(&b, l, unit_m, height_m), add_vertex(&b, r, unit_m, height_m)};
        if (k > 0) ok = add_triangle(&b, before[1], now[1], now[0]) && add_triangle(&b, before[1], now[0], before[0]);
        before[0] = now[0];
        before[1] = now[1];
        left = l;
        right = r;
    }
    return finish(&b, ok, out) || plan_fail(p, "no memory left");
}
