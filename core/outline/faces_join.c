// Two convex polygons of one plane that share an edge are convex together if both ends of the edge are. A corner that
// lies straight between those beside it is left out; what that moves is added up, and ends when the slack is used up.
#include "core/outline/faces_work.h"

#include <math.h>
#include <string.h>

enum {
    MOST_FACES = 1 << 15, // of a tile that are joined further
    ROOM = 2 * NAV_FACE_MAX_CORNERS,
    NONE = -1,
};

typedef struct vec {
    double x, y, z;
} vec;

typedef struct shared_edge {
    int32_t face[2]; // NONE: there is none so far
    uint32_t a, b;
    bool crowded;   // more than two faces have it
    double length2; // once it is sorted
} shared_edge;

typedef struct join_work {
    const face_work *face;
    nav_faces *out;
    int32_t count;
    face_polygon *polygon;
    vec *normal;     // per face, as it was, of length 1
    int32_t *owner;  // per face: the polygon that it is part of, or one on the way to it
    bool *joined;    // per polygon: it is more than a face
    int32_t *number; // per polygon: of the face
    shared_edge *edge;
    int32_t edge_count;
    int32_t *order;
} join_work;

// --- two faces ---

static vec between(const face_work *w, uint32_t from, uint32_t to)
{
    const float *a = nav_face_place(w, from), *b = nav_face_place(w, to);
    return (vec){(double)b[0] - (double)a[0], (double)b[1] - (double)a[1], (double)b[2] - (double)a[2]};
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// As long as twice the area.
static vec normal_of(const face_work *w, const face_polygon *p)
{
    vec n = {0};
    for (int32_t k = 1; k + 1 < p->count; k++) {
        const vec c = cross(between(w, p->at[0], p->at[k]), between(w, p->at[0], p->at[k + 1]));
        n = (vec){n.x + c.x, n.y + c.y, n.z + c.z};
    }
    return n;
}

static bool is_in_plane(const face_work *w, const face_polygon *p, vec normal, uint32_t origin)
{
    const double most2 = w->plane * w->plane * dot(normal, normal);
    for (int32_t k = 0; k < p->count; k++) {
        const double off = dot(between(w, origin, p->at[k]), normal);
        if (off * off > most2) return false;
    }
    return true;
}

static void heights(const face_work *w, const face_polygon *p, double *low, double *high)
{
    for (int32_t k = 0; k < p->count; k++) {
        const double y = (double)nav_face_place(w, p->at[k])[1];
        *low = y < *low ? y : *low;
        *high = y > *high ? y : *high;
    }
}

// A level surface is another thing to the voxels than one that is nearly so.
static bool is_level_alike(const face_work *w, const face_polygon *f, const face_polygon *g)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    heights(w, f, &low[0], &high[0]);
    heights(w, g, &low[1], &high[1]);
    const bool level = high[0] - low[0] <= w->level;
    if (level != (high[1] - low[1] <= w->level)) return false;
    return !level || ((high[0] > high[1] ? high[0] : high[1]) - (low[0] < low[1] ? low[0] : low[1]) <= w->level);
}

// Leaves out corners that are straight. False: one is no corner of a convex polygon.
static bool straighten(const face_work *w, uint32_t *at, int32_t *count, vec normal, double *error)
{
    for (int32_t k = 0, good = 0; good < *count; k++) {
        if (*count < 3) return false;
        if (k >= *count) k = 0;
        const int32_t before = k > 0 ? k - 1 : *count - 1, behind = k + 1 < *count ? k + 1 : 0;
        int32_t gone = 0;
        if (at[before] == at[behind]) { // there and back
            gone = 2;
        } else {
            const vec u = between(w, at[before], at[k]), v = between(w, at[k], at[behind]), c = cross(u, v);
            const vec chord = between(w, at[before], at[behind]);
            const double side = dot(c, normal), c2 = dot(c, c), chord2 = dot(chord, chord);
            if (c2 <= w->slack * w->slack * chord2) {
                const double off = sqrt(c2 / chord2);
                if (dot(u, v) <= 0) return false;
                if (*error + off <= w->slack) {
                    *error += off;
                    gone = 1;
                }
            }
            if (gone == 0 && side <= 0) return false;
        }
        good = gone > 0 ? 0 : good + 1;
        for (; gone > 0; gone--) {
            const int32_t which = k < *count ? k : 0;
            memmove(at + which, at + which + 1, (size_t)(*count - which - 1) * sizeof *at);
            --*count;
        }
        if (good == 0) k--;
    }
    return *count >= 3 && *count <= NAV_FACE_MAX_CORNERS;
}

// The corner of f from which it goes along an edge of g, and the one of g from which that comes back.
static bool find_shared(const face_polygon *f, const face_polygon *g, int32_t *at, int32_t *back)
{
    for (int32_t i = 0; i < f->count; i++)
        for (int32_t k = 0; k < g->count; k++)
            if (f->at[i] == g->at[k + 1 < g->count ? k + 1 : 0] && g->at[k] == f->at[i + 1 < f->count ? i + 1 : 0]) {
                *at = i;
                *back = k;
                return true;
            }
    return false;
}

static face_polygon turned(const face_polygon *p)
{
    face_polygon t = {.count = p->count, .error = p->error};
    for (int32_t k = 0; k < p->count; k++) t.at[k] = p->at[p->count - 1 - k];
    return t;
}

bool nav_face_join(const face_work *w, const face_polygon *f, const face_polygon *g, face_polygon *out)
{
    int32_t i, k, count = 0;
    face_polygon other;
    if (!find_shared(f, g, &i, &k)) {
        other = turned(g);
        g = &other;
        if (!find_shared(f, g, &i, &k)) return false;
    }
    const vec n = normal_of(w, f), m = normal_of(w, g);
    if (dot(n, m) <= 0 || !is_in_plane(w, g, n, f->at[i]) || !is_in_plane(w, f, m, g->at[k])) return false;
    if (!is_level_alike(w, f, g)) return false;
    uint32_t at[ROOM];
    double error = f->error > g->error ? f->error : g->error;
    for (int32_t c = 1; c <= f->count; c++) at[count++] = f->at[(i + c) % f->count];
    for (int32_t c = 2; c < g->count; c++) at[count++] = g->at[(k + c) % g->count];
    if (!straighten(w, at, &count, n, &error)) return false;
    out->count = count;
    out->error = error;
    memcpy(out->at, at, (size_t)count * sizeof *at);
    return true;
}

int nav_face_compare_edges(const face_work *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const float *p[2] = {nav_face_place(w, a), nav_face_place(w, b)};
    const float *q[2] = {nav_face_place(w, c), nav_face_place(w, d)};
    const double one = nav_place_distance2(p[0], p[1]), two = nav_place_distance2(q[0], q[1]);
    if (one != two) return one > two ? -1 : 1;
    const int pf = nav_place_before(p[1], p[0]), qf = nav_place_before(q[1], q[0]);
    for (int i = 0; i < 2; i++) {
        if (nav_place_before(p[i ^ pf], q[i ^ qf])) return -1;
        if (nav_place_before(q[i ^ qf], p[i ^ pf])) return 1;
    }
    return 0;
}

// From its first corner on by place, and from there to the nearer of its neighbours in that order: the same whatever
// it was made of.
void nav_faces_add(const face_work *w, nav_faces *f, const face_polygon *p, uint8_t lists, bool walkable)
{
    const int32_t first = f->count > 0 ? f->face[f->count - 1].first + f->face[f->count - 1].count : 0, n = p->count;
    int32_t from = 0;
    for (int32_t k = 1; k < n; k++)
        if (nav_place_before(nav_face_place(w, p->at[k]), nav_face_place(w, p->at[from]))) from = k;
    const bool turn =
        nav_place_before(nav_face_place(w, p->at[(from + n - 1) % n]), nav_face_place(w, p->at[(from + 1) % n]));
    for (int32_t k = 0; k < n; k++) f->corner[first + k] = p->at[(from + (turn ? n - k : k)) % n];
    f->face[f->count++] = (nav_face){first, (uint8_t)n, lists, walkable};
}

// --- a tile ---

static int32_t owner_of(const join_work *j, int32_t face)
{
    while (j->owner[face] != face) {
        j->owner[face] = j->owner[j->owner[face]];
        face = j->owner[face];
    }
    return face;
}

static void enter_edge(join_work *j, int32_t *table, uint64_t mask, int32_t face, uint32_t from, uint32_t to)
{
    const uint32_t a = from < to ? from : to, b = from < to ? to : from;
    const bool walkable = j->out->face[j->number[face]].walkable;
    uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ walkable) * UINT64_C(0xbf58476d1ce4e5b9);
    for (uint64_t slot = h >> 32 & mask;; slot = (slot + 1) & mask) {
        if (!table[slot]) {
            table[slot] = ++j->edge_count;
            j->edge[j->edge_count - 1] = (shared_edge){{face, NONE}, a, b, false, 0};
            return;
        }
        shared_edge *e = &j->edge[table[slot] - 1];
        if (e->a != a || e->b != b || j->out->face[j->number[e->face[0]]].walkable != walkable) continue;
        if (e->face[1] != NONE) e->crowded = true;
        e->face[1] = face;
        return;
    }
}

static bool is_after(const join_work *j, int32_t a, int32_t b)
{
    const shared_edge *p = &j->edge[a], *q = &j->edge[b];
    if (p->length2 != q->length2) return p->length2 < q->length2;
    return nav_face_compare_edges(j->face, p->a, p->b, q->a, q->b) > 0;
}

static void sift_down(join_work *j, int32_t at, int32_t count)
{
    const int32_t which = j->order[at];
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && is_after(j, j->order[child + 1], j->order[child])) child++;
        if (!is_after(j, j->order[child], which)) break;
        j->order[at] = j->order[child];
        at = child;
    }
    j->order[at] = which;
}

// Is it between two faces, and may they be of one plane? Asked of many, and so roughly.
static bool is_flat(const join_work *j, const shared_edge *e)
{
    if (e->face[1] == NONE || e->crowded) return false;
    const double turn = dot(j->normal[e->face[0]], j->normal[e->face[1]]);
    return turn * turn > 0.9;
}

// Edges between two faces, in order. Returns how many.
static int32_t sort_edges(join_work *j)
{
    int32_t count = 0;
    for (int32_t i = 0; i < j->edge_count; i++) {
        shared_edge *e = &j->edge[i];
        if (!is_flat(j, e)) continue;
        e->length2 = nav_place_distance2(nav_face_place(j->face, e->a), nav_face_place(j->face, e->b));
        j->order[count++] = i;
    }
    for (int32_t i = count / 2; i-- > 0;) sift_down(j, i, count);
    for (int32_t end = count - 1; end > 0; end--) {
        const int32_t swap = j->order[0];
        j->order[0] = j->order[end];
        j->order[end] = swap;
        sift_down(j, 0, end);
    }
    return count;
}

static nav_status find_edges(join_work *j, nav_arena *arena)
{
    size_t corners = 0, slots = 64;
    for (int32_t i = 0; i < j->count; i++) corners += (size_t)j->polygon[i].count;
    while (slots < 2 * corners) slots *= 2;
    int32_t *table = NAV_TAKE_ZERO(arena, int32_t, slots);
    j->edge = NAV_TAKE(arena, shared_edge, corners);
    j->order = NAV_TAKE(arena, int32_t, corners);
    if (!table || !j->edge || !j->order) return nav_arena_failure(arena);
    for (int32_t i = 0; i < j->count; i++) {
        const face_polygon *p = &j->polygon[i];
        for (int32_t k = 0; k < p->count; k++)
            enter_edge(j, table, slots - 1, i, p->at[k], p->at[k + 1 < p->count ? k + 1 : 0]);
    }
    return NAV_OK;
}

static void take_polygons(join_work *j)
{
    for (int32_t i = 0, n = 0; i < j->out->count; i++) {
        const nav_face *f = &j->out->face[i];
        if (!(f->lists & NAV_FACE_OF_REGIONS)) continue;
        face_polygon *p = &j->polygon[n];
        p->count = f->count;
        p->error = 0;
        for (int32_t k = 0; k < f->count; k++) p->at[k] = j->face->id[j->out->corner[f->first + k]];
        j->owner[n] = n;
        const vec normal = normal_of(j->face, p);
        const double length = sqrt(dot(normal, normal)), scale = length > 0 ? 1 / length : 0;
        j->normal[n] = (vec){normal.x * scale, normal.y * scale, normal.z * scale};
        j->number[n] = i;
        j->joined[n++] = false;
    }
}

static void join_along(join_work *j, const shared_edge *e)
{
    const int32_t one = owner_of(j, e->face[0]), two = owner_of(j, e->face[1]);
    face_polygon joined;
    if (one == two || !nav_face_join(j->face, &j->polygon[one], &j->polygon[two], &joined)) return;
    j->polygon[one] = joined;
    j->owner[two] = one;
    j->joined[one] = true;
}

// Takes the parts off the regions' list, and those faces that are in none.
static void write_joined(join_work *j)
{
    nav_faces *f = j->out;
    const int32_t before = f->count;
    for (int32_t i = 0; i < j->count; i++)
        if (j->joined[owner_of(j, i)]) f->face[j->number[i]].lists &= (uint8_t)~NAV_FACE_OF_REGIONS;
    for (int32_t i = 0; i < j->count; i++)
        if (owner_of(j, i) == i && j->joined[i])
            nav_faces_add(j->face, f, &j->polygon[i], NAV_FACE_OF_REGIONS, f->face[j->number[i]].walkable);
    int32_t kept = 0;
    for (int32_t i = 0; i < f->count; i++)
        if (i >= before || f->face[i].lists) f->face[kept++] = f->face[i];
    f->count = kept;
}

nav_status nav_faces_join_all(const face_work *w, nav_arena *arena, nav_faces *f)
{
    join_work j = {.face = w, .out = f};
    for (int32_t i = 0; i < f->count; i++) j.count += (f->face[i].lists & NAV_FACE_OF_REGIONS) != 0;
    if (j.count < 2 || j.count > MOST_FACES) return NAV_OK;
    j.polygon = NAV_TAKE(arena, face_polygon, j.count);
    j.normal = NAV_TAKE(arena, vec, j.count);
    j.owner = NAV_TAKE(arena, int32_t, j.count);
    j.joined = NAV_TAKE(arena, bool, j.count);
    j.number = NAV_TAKE(arena, int32_t, j.count);
    if (!j.polygon || !j.normal || !j.owner || !j.joined || !j.number) return nav_arena_failure(arena);
    take_polygons(&j);
    nav_status status = find_edges(&j, arena);
    if (status != NAV_OK) return status;
    const int32_t count = sort_edges(&j);
    for (int32_t i = 0; i < count; i++) join_along(&j, &j.edge[j.order[i]]);
    write_joined(&j);
    return NAV_OK;
}
