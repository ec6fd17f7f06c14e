// Heights of the polygons.
//
//      #---o-------#          1. Edges, each once: the points (o) that keep its profile within the error. (edges.c)
//      | \ | . / . |          2. A polygon without such points whose samples (.) all lie near its plane is done.
//      o---x-----. #          3. Else the corners are triangulated (#), the edges' points inserted, and then the worst
//      | . | \ . / |             sample (x), again and again, until all are within the error. (patch.c)
//      #---o---o---#          4. Where 255 vertices or triangles do not suffice the polygon is cut. (pieces.c)
//
// Source: M. Garland and P. Heckbert, Fast polygonal approximation of terrains and height fields (1995); the samples'
// grid and the bound on the error at the samples are Recast's (M. Mononen).
#include "core/detail/detail.h"

#include "core/base/grow.h"
#include "core/detail/patch.h"
#include "core/detail/pieces.h"
#include "core/detail/sampler.h"

#include <assert.h>

typedef struct build {
    const nav_config *cfg;
    nav_arena *arena;
    nav_polygons *polys;
    nav_detail *out;
    nav_ground ground, behind; // of the polygon at work, and of the one behind an edge
    nav_edges edges;
    nav_pieces pieces;
    nav_patch *patch;
    int32_t vert_capacity, tri_capacity, vert_first_capacity, tri_first_capacity;
} build;

static int32_t corners_of(const nav_polygons *polys, int32_t poly, int32_t x[], int32_t z[], int32_t y[])
{
    int32_t n = polys->first[poly + 1] - polys->first[poly];
    const int32_t *v = polys->vert + polys->first[poly];
    assert(n <= NAV_PATCH_CORNERS);
    for (int32_t i = 0; i < n; i++) {
        x[i] = polys->x[v[i]];
        z[i] = polys->z[v[i]];
        y[i] = polys->y[v[i]];
    }
    return n;
}

// The region whose spans the polygon stands on: none where there are several, or one that lies beside itself.
static int32_t region_of(const nav_regions *regions, const nav_polygons *polys, int32_t poly)
{
    int32_t r = polys->region[poly];
    return regions->folded && regions->folded[r] ? NAV_REGION_NONE : r;
}

static void select_ground(nav_ground *g, const nav_polygons *polys, int32_t poly)
{
    int32_t x[NAV_PATCH_CORNERS], z[NAV_PATCH_CORNERS], y[NAV_PATCH_CORNERS];
    int32_t region = region_of(g->regions, polys, poly);
    int32_t n = region == NAV_REGION_NONE ? corners_of(polys, poly, x, z, y) : 0;
    nav_ground_select(g, region, n, x, z, y);
}

// The corner of polygon q where its edge b -> a begins, or -1.
static int32_t corner_of_edge(const nav_polygons *polys, int32_t q, int32_t b, int32_t a)
{
    int32_t begin = polys->first[q], end = polys->first[q + 1];
    for (int32_t c = begin; c < end; c++)
        if (polys->vert[c] == b && polys->vert[c + 1 < end ? c + 1 : begin] == a) return c;
    return -1;
}

// Makes the edges; corner_edge: per corner of all polygons.
static nav_status make_edges(build *b, int32_t *corner_edge)
{
    const nav_polygons *polys = b->polys;
    nav_status s = NAV_OK;
    for (int32_t p = 0; s == NAV_OK && p < polys->count; p++) {
        int32_t begin = polys->first[p], end = polys->first[p + 1];
        select_ground(&b->ground, polys, p);
        for (int32_t c = begin; s == NAV_OK && c < end; c++) {
            int32_t from = polys->vert[c], to = polys->vert[c + 1 < end ? c + 1 : begin], q = polys->behind[c];
            int32_t twin = q >= 0 && q < p ? corner_of_edge(polys, q, to, from) : -1;
            if (twin >= 0) {
                corner_edge[c] = corner_edge[twin];
                continue;
            }
            int32_t other = q >= 0 ? region_of(b->ground.regions, polys, q) : NAV_REGION_NONE;
            bool has_other = other != NAV_REGION_NONE && other != polys->region[p];
            if (has_other) select_ground(&b->behind, polys, q);
            s = nav_edges_add(&b->edges, polys, from, to, q, &b->ground, has_other ? &b->behind : NULL, b->arena,
                              &corner_edge[c]);
        }
    }
    return s;
}

// Begins the patch with a piece's corners. False: not a polygon that can be refined.
static bool begin_patch(build *b, const nav_piece *piece)
{
    int32_t x[NAV_PATCH_CORNERS], z[NAV_PATCH_CORNERS], y[NAV_PATCH_CORNERS];
    int32_t scale = 1 << b->edges.shift;
    for (int32_t i = 0; i < piece->count; i++) {
        x[i] = b->polys->x[piece->vert[i]] * scale;
        z[i] = b->polys->z[piece->vert[i]] * scale;
        y[i] = b->polys->y[piece->vert[i]];
    }
    return nav_patch_begin_by(b->cfg->plain, b->patch, piece->count, x, z, y);
}

static bool insert_edges(build *b, const nav_piece *piece)
{
    for (int32_t i = 0; i < piece->count; i++) {
        const nav_edge *e = &b->edges.edge[piece->edge[i]];
        if (e->point_count == 0) continue;
        bool forward = piece->vert[i] == e->low;
        const nav_patch_point *p = &b->edges.point[e->point_first + (forward ? 0 : e->point_count - 1)];
        if (!nav_patch_insert_edge(b->patch, i, i + 1 == piece->count ? 0 : i + 1, p, e->point_count, forward ? 1 : -1))
            return false;
    }
    return true;
}

static void begin_samples(const build *b, const nav_piece *piece, nav_sampler *sampler)
{
    double x[NAV_PATCH_CORNERS], z[NAV_PATCH_CORNERS], columns = 1.0 / b->cfg->unit;
    for (int32_t i = 0; i < piece->count; i++) {
        x[i] = b->polys->x[piece->vert[i]] * columns; // exact: a power of two
        z[i] = b->polys->z[piece->vert[i]] * columns;
    }
    nav_sampler_init(sampler, b->cfg->detail_sample, piece->count, x, z);
}

static int32_t centre_of(const build *b, int32_t column)
{
    return (2 * column + 1) * (1 << (b->edges.column_shift - 1));
}

// Is the triangulation of the piece's corners all that it needs: has it no points on its edges, and either no samples
// inside, or a plane that all of them are near to?
static bool is_flat(build *b, const nav_piece *piece)
{
    for (int32_t i = 0; i < piece->count; i++)
        if (b->edges.edge[piece->edge[i]].point_count > 0) return false;
    double plane[3];
    nav_sampler sampler;
    begin_samples(b, piece, &sampler);
    if (nav_sampler_is_empty(&sampler)) return true;
    if (!nav_patch_is_plane(b->patch, plane)) return false;
    int32_t x, z, height;
    while (nav_sampler_next(&sampler, &x, &z)) {
        b->out->sampled++;
        if (!nav_ground_near_column(&b->ground, x, z, &height)) continue;
        double d = plane[0] + plane[1] * centre_of(b, x) + plane[2] * centre_of(b, z) - height;
        if (d > b->cfg->detail_max_error || d < -b->cfg->detail_max_error) return false;
    }
    return true;
}

static nav_status add_samples(build *b, const nav_piece *piece)
{
    nav_sampler sampler;
    begin_samples(b, piece, &sampler);
    int32_t x, z, height;
    nav_status s = NAV_OK;
    while (s == NAV_OK && nav_sampler_next(&sampler, &x, &z)) {
        b->out->sampled++;
        if (!nav_ground_near_column(&b->ground, x, z, &height)) continue;
        s = nav_patch_add_sample(b->patch, b->arena, centre_of(b, x), centre_of(b, z), height);
    }
    return s;
}

// Triangulates piece k. *fits: its detail is within the limits and complete.
static nav_status fit(build *b, int32_t k, bool *fits)
{
    const nav_piece *piece = &b->pieces.piece[k];
    *fits = true;
    if (!begin_patch(b, piece) || b->cfg->detail_sample == 0 || is_flat(b, piece)) return NAV_OK;
    *fits = insert_edges(b, piece);
    if (!*fits) return NAV_OK;
    nav_status s = add_samples(b, piece);
    if (s == NAV_OK) *fits = nav_patch_refine(b->patch, b->cfg->detail_max_error);
    return s;
}

static nav_status grow_vertices(build *b, int64_t count)
{
    float **arrays[3] = {&b->out->x, &b->out->z, &b->out->y};
    int32_t capacity = b->vert_capacity;
    for (int i = 0; i < 3; i++) {
        capacity = b->vert_capacity;
        nav_status s = nav_grow(b->arena, (void **)arrays[i], &capacity, count, sizeof(float));
        if (s != NAV_OK) return s;
    }
    b->vert_capacity = capacity;
    return NAV_OK;
}

// Appends the patch to the output as polygon k's.
static nav_status emit(build *b, int32_t k)
{
    nav_detail *out = b->out;
    const nav_patch *p = b->patch;
    int32_t corners = b->pieces.piece[k].count, extra = p->vert_count - corners;
    float unit = 1.0f / (float)(1 << b->edges.shift);
    nav_status s = grow_vertices(b, (int64_t)out->vert_count + extra);
    if (s == NAV_OK)
        s = nav_grow(b->arena, (void **)&out->tri, &b->tri_capacity, (int64_t)out->tri_count + p->tri_count,
                     sizeof *out->tri);
    if (s == NAV_OK)
        s = nav_grow(b->arena, (void **)&out->vert_first, &b->vert_first_capacity, (int64_t)k + 2, sizeof(int32_t));
    if (s == NAV_OK)
        s = nav_grow(b->arena, (void **)&out->tri_first, &b->tri_first_capacity, (int64_t)k + 2, sizeof(int32_t));
    if (s != NAV_OK) return s;
    for (int32_t i = corners; i < p->vert_count; i++, out->vert_count++) {
        out->x[out->vert_count] = (float)p->x[i] * unit; // exact: 24 bits and a power of two
        out->z[out->vert_count] = (float)p->z[i] * unit;
        out->y[out->vert_count] = (float)p->y[i];
    }
    for (int32_t t = 0; t < p->tri_count; t++, out->tri_count++) {
        uint8_t flags = 0;
        for (int i = 0; i < 3; i++) {
            out->tri[out->tri_count][i] = (uint8_t)p->vert[t][i];
            flags |= (uint8_t)((p->near[t][i] == NAV_PATCH_OUTSIDE) << (2 * i));
        }
        out->tri[out->tri_count][3] = flags;
    }
    out->vert_first[k + 1] = out->vert_count;
    out->tri_first[k + 1] = out->tri_count;
    out->inserted += extra;
    return NAV_OK;
}

// Triangulates the newest polygon, in as many pieces as it takes.
static nav_status add_polygon(build *b, int32_t poly, const int32_t *edge)
{
    int32_t k = b->pieces.count;
    nav_status s = nav_pieces_add(&b->pieces, b->polys, poly, edge, b->arena);
    while (s == NAV_OK && k < b->pieces.count) {
        bool fits, cut = false;
        s = fit(b, k, &fits);
        if (s == NAV_OK && !fits) s = nav_pieces_cut(&b->pieces, k, &b->edges, &b->ground, b->polys, b->arena, &cut);
        if (s != NAV_OK || cut) continue;
        if (!fits) b->out->coarsened++;
        s = emit(b, k++);
    }
    if (s == NAV_OK && b->pieces.count > b->pieces.poly_first[poly] + 1) b->out->split_polygons++;
    return s;
}

nav_status nav_detail_build(const nav_compact_heightfield *f, const nav_regions *regions, const nav_config *cfg,
                            nav_arena *arena, nav_polygons *polys, nav_detail *out)
{
    *out = (nav_detail){0};
    build b = {.cfg = cfg, .arena = arena, .polys = polys, .out = out};
    bool floods = false;
    for (int32_t p = 0; p < polys->count; p++) floods |= region_of(regions, polys, p) == NAV_REGION_NONE;
    int32_t corner_count = polys->count > 0 ? polys->first[polys->count] : 0;
    int32_t *corner_edge = NAV_TAKE(arena, int32_t, corner_count);
    b.patch = NAV_TAKE(arena, nav_patch, 1);
    if (!corner_edge || !b.patch) return nav_arena_failure(arena);
    b.patch->sample_capacity = 0;

    nav_status s =
        nav_grow(arena, (void **)&out->vert_first, &b.vert_first_capacity, (int64_t)polys->count + 1, sizeof(int32_t));
    if (s == NAV_OK)
        s = nav_grow(arena, (void **)&out->tri_first, &b.tri_first_capacity, (int64_t)polys->count + 1,
                     sizeof(int32_t));
    if (s == NAV_OK)
        s = nav_grow(arena, (void **)&out->tri, &b.tri_capacity, 4 * (int64_t)polys->count, sizeof *out->tri);
    if (s == NAV_OK) s = grow_vertices(&b, 1);
    if (s == NAV_OK) s = nav_edges_init(&b.edges, cfg, corner_count, arena);
    if (s == NAV_OK) s = nav_pieces_init(&b.pieces, polys, arena);
    if (s == NAV_OK) s = nav_ground_init(&b.ground, f, regions, cfg, floods, arena);
    if (s != NAV_OK) return s;
    out->vert_first[0] = out->tri_first[0] = 0;
    b.behind = b.ground; // never used for floods

    s = make_edges(&b, corner_edge);
    int32_t polygons = polys->count;
    for (int32_t p = 0; s == NAV_OK && p < polygons; p++) {
        select_ground(&b.ground, polys, p);
        s = add_polygon(&b, p, corner_edge + polys->first[p]);
    }
    if (s == NAV_OK && b.pieces.count > polygons) s = nav_pieces_apply(&b.pieces, &b.edges, polys, arena);
    out->sampled += b.edges.sampled;
    out->coarsened += b.edges.coarsened;
    return s;
}
