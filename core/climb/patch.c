// A tile's triangles with what is beside each of their sides.
#include "core/climb/climb_work.h"

#include <stdlib.h>
#include <string.h>

static void free_arrays(const climb_patch *p)
{
    free(p->at);
    free(p->corner);
    free(p->beside);
    free(p->cell);
    free(p->part);
    free(p->area);
    free(p->edge);
}

void nav_climb_patch_destroy(climb_patch *p)
{
    if (!p) return;
    if (!p->block) free_arrays(p);
    free(p->block);
    nav_box_tree_deinit(&p->triangles);
    nav_box_tree_deinit(&p->edges);
    free(p->half);
    free(p->tie);
    free(p);
}

static size_t tree_bytes(const box_tree *t)
{
    return t->node_count * sizeof *t->node + t->item_count * sizeof *t->item;
}

size_t nav_climb_patch_bytes(const climb_patch *p)
{
    const size_t of_triangle = 3 * sizeof *p->corner + 3 * sizeof *p->beside + sizeof *p->cell + sizeof *p->part + 1;
    return sizeof *p + 3 * (size_t)p->point_count * sizeof *p->at + p->triangle_count * of_triangle +
           ((size_t)p->edge_count + 1) * sizeof *p->edge + tree_bytes(&p->triangles) + tree_bytes(&p->edges) +
           p->half_room * sizeof *p->half + p->tie_room * sizeof *p->tie;
}

void nav_climb_edge_ends(const climb_patch *p, uint32_t edge, vec *from, vec *to)
{
    const climb_edge *e = &p->edge[edge];
    *from = climb_corner(p, e->triangle, e->side);
    *to = climb_corner(p, e->triangle, (e->side + 1) % 3);
}

vec nav_climb_normal(const climb_patch *p, uint32_t triangle)
{
    vec a = climb_corner(p, triangle, 0), b = climb_corner(p, triangle, 1), c = climb_corner(p, triangle, 2);
    return vec_unit(vec_cross(vec_sub(b, a), vec_sub(c, a)));
}

// --- Places that are equal become one ---

static uint32_t hash_place(const float p[3])
{
    uint32_t bits[3], h = 0;
    memcpy(bits, p, sizeof bits);
    for (int k = 0; k < 3; k++) h = (h ^ bits[k]) * 0x9e3779b1u, h ^= h >> 15;
    return h;
}

static uint32_t room_for(uint32_t count)
{
    uint32_t room = 16;
    while (room < 2 * (uint64_t)count) room *= 2;
    return room;
}

// of: the point that each of the mesh becomes.
static nav_status weld(const climb_mesh *m, climb_patch *p, uint32_t *of)
{
    uint32_t room = room_for(m->point_count), *slot = calloc(room, sizeof *slot);
    if (!slot) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < m->point_count; i++) {
        float at[3];
        for (int k = 0; k < 3; k++) at[k] = m->at[3 * (size_t)i + (size_t)k] + 0.0f; // -0 is 0
        uint32_t s = hash_place(at) & (room - 1);
        while (slot[s] && memcmp(&p->at[3 * ((size_t)slot[s] - 1)], at, sizeof at) != 0) s = (s + 1) & (room - 1);
        if (!slot[s]) {
            memcpy(&p->at[3 * (size_t)p->point_count], at, sizeof at);
            slot[s] = ++p->point_count;
        }
        of[i] = slot[s] - 1;
    }
    free(slot);
    return NAV_OK;
}

// sides: what lies behind those of the triangles that are kept.
static void take_triangles(const climb_mesh *m, climb_patch *p, const uint32_t *of, uint8_t *sides)
{
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        uint32_t *to = &p->corner[3 * (size_t)p->triangle_count];
        for (size_t k = 0; k < 3; k++) to[k] = of[m->corner[3 * (size_t)t + k]];
        if (to[0] == to[1] || to[1] == to[2] || to[2] == to[0]) continue;
        memcpy(&sides[3 * (size_t)p->triangle_count], &m->behind[3 * (size_t)t], 3);
        p->cell[p->triangle_count] = m->cell[t];
        p->area[p->triangle_count++] = m->area[t];
    }
}

// --- Sides that two triangles share ---

static uint32_t side_end(const climb_patch *p, uint32_t side)
{
    return p->corner[side % 3 == 2 ? side - 2 : side + 1];
}

// Inside of a cell a side has a triangle on both sides, whatever edge it lies near; cells are joined where they say so.
static bool may_pair(const climb_patch *p, const uint8_t *sides, uint32_t i, uint32_t j)
{
    if (p->cell[i / 3] == p->cell[j / 3]) return true;
    return sides[i] == sides[j] && (sides[i] == CLIMB_INSIDE || sides[i] == CLIMB_OPEN);
}

static nav_status pair_sides(climb_patch *p, const uint8_t *sides)
{
    uint32_t count = 3 * p->triangle_count, room = room_for(count), *slot = calloc(room, sizeof *slot);
    if (!slot) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) p->beside[i] = CLIMB_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = p->corner[i], b = side_end(p, i), low = a < b ? a : b, high = a < b ? b : a;
        uint32_t s = (low * 0x9e3779b1u ^ high * 0x85ebca77u) & (room - 1);
        // One that runs the other way and has no partner yet: the first such.
        for (; slot[s]; s = (s + 1) & (room - 1)) {
            uint32_t j = slot[s] - 1;
            if (p->corner[j] != b || side_end(p, j) != a || p->beside[j] >= 0 || !may_pair(p, sides, i, j)) continue;
            p->beside[j] = (int32_t)i;
            p->beside[i] = (int32_t)j;
            break;
        }
        if (!slot[s]) slot[s] = i + 1;
    }
    free(slot);
    return NAV_OK;
}

static nav_status take_edges(climb_patch *p, const uint8_t *sides)
{
    uint32_t count = 3 * p->triangle_count;
    for (uint32_t i = 0; i < count; i++) p->edge_count += p->beside[i] < 0;
    p->edge = calloc((size_t)p->edge_count + 1, sizeof *p->edge);
    if (!p->edge) return NAV_ERR_MEMORY;
    for (uint32_t i = 0, e = 0; i < count; i++) {
        if (p->beside[i] >= 0) continue;
        p->edge[e] = (climb_edge){i / 3, (uint8_t)(i % 3), sides[i], 0};
        p->beside[i] = -1 - (int32_t)e++;
    }
    return NAV_OK;
}

// --- Parts and trees ---

static nav_status find_parts(climb_patch *p)
{
    uint32_t *queue = malloc(((size_t)p->triangle_count + 1) * sizeof *queue);
    if (!queue) return NAV_ERR_MEMORY;
    memset(p->part, 0xff, p->triangle_count * sizeof *p->part);
    for (uint32_t t = 0; t < p->triangle_count; t++) {
        if (p->part[t] != UINT32_MAX) continue;
        uint32_t count = 0;
        queue[count++] = t;
        p->part[t] = p->part_count;
        for (uint32_t i = 0; i < count; i++)
            for (size_t k = 0; k < 3; k++) {
                int32_t side = p->beside[3 * (size_t)queue[i] + k];
                if (side < 0 || p->part[side / 3] != UINT32_MAX) continue;
                p->part[side / 3] = p->part_count;
                queue[count++] = (uint32_t)side / 3;
            }
        p->part_count++;
    }
    free(queue);
    return NAV_OK;
}

static nav_status make_trees(climb_patch *p)
{
    uint32_t most = p->triangle_count > p->edge_count ? p->triangle_count : p->edge_count;
    box *boxes = malloc(((size_t)most + 1) * sizeof *boxes);
    if (!boxes) return NAV_ERR_MEMORY;
    for (uint32_t t = 0; t < p->triangle_count; t++) {
        boxes[t] = box_none();
        for (size_t k = 0; k < 3; k++) box_add(&boxes[t], &p->at[3 * (size_t)p->corner[3 * (size_t)t + k]]);
    }
    nav_status s = nav_box_tree_build(&p->triangles, boxes, p->triangle_count);
    for (uint32_t e = 0; e < p->edge_count; e++) {
        uint32_t side = 3 * p->edge[e].triangle + p->edge[e].side;
        boxes[e] = box_none();
        box_add(&boxes[e], &p->at[3 * (size_t)p->corner[side]]);
        box_add(&boxes[e], &p->at[3 * (size_t)side_end(p, side)]);
    }
    if (s == NAV_OK) s = nav_box_tree_build(&p->edges, boxes, p->edge_count);
    free(boxes);
    return s;
}

static void *move(char **to, const void *from, size_t bytes)
{
    void *at = *to;
    if (bytes) memcpy(at, from, bytes);
    *to += bytes;
    return at;
}

// All arrays into one block of just their size: a search goes through many patches, and looks at a little of each.
static nav_status pack(climb_patch *p)
{
    const size_t t = p->triangle_count, points = 3 * (size_t)p->point_count * sizeof *p->at;
    const size_t edges = ((size_t)p->edge_count + 1) * sizeof *p->edge;
    const climb_patch old = *p;
    char *at = malloc(t * (3 * sizeof *p->corner + 3 * sizeof *p->beside + sizeof *p->cell + sizeof *p->part + 1) +
                      points + edges);
    if (!at) return NAV_ERR_MEMORY;
    p->block = at;
    p->edge = move(&at, old.edge, edges);
    p->beside = move(&at, old.beside, 3 * t * sizeof *p->beside);
    p->corner = move(&at, old.corner, 3 * t * sizeof *p->corner);
    p->at = move(&at, old.at, points);
    p->cell = move(&at, old.cell, t * sizeof *p->cell);
    p->part = move(&at, old.part, t * sizeof *p->part);
    p->area = move(&at, old.area, t);
    free_arrays(&old);
    return NAV_OK;
}

static nav_status fill(const climb_mesh *m, climb_patch *p, uint32_t *of, uint8_t *sides)
{
    const size_t t = (size_t)m->triangle_count + 1;
    p->at = malloc(3 * ((size_t)m->point_count + 1) * sizeof *p->at);
    p->corner = malloc(3 * t * sizeof *p->corner);
    p->beside = malloc(3 * t * sizeof *p->beside);
    p->cell = malloc(t * sizeof *p->cell);
    p->part = malloc(t * sizeof *p->part);
    p->area = malloc(t);
    if (!p->at || !p->corner || !p->beside || !p->cell || !p->part || !p->area) return NAV_ERR_MEMORY;
    nav_status s = weld(m, p, of);
    if (s != NAV_OK) return s;
    take_triangles(m, p, of, sides);
    s = pair_sides(p, sides);
    if (s == NAV_OK) s = take_edges(p, sides);
    if (s == NAV_OK) s = find_parts(p);
    if (s == NAV_OK) s = make_trees(p);
    return s == NAV_OK ? pack(p) : s;
}

nav_status nav_climb_patch_create(const climb_mesh *m, climb_patch **out)
{
    climb_patch *p = calloc(1, sizeof *p);
    uint32_t *of = malloc(((size_t)m->point_count + 1) * sizeof *of);
    uint8_t *sides = malloc(3 * (size_t)m->triangle_count + 1);
    nav_status s = p && of && sides ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        p->sheet = m->sheet;
        p->x = m->x;
        p->z = m->z;
        p->radius_m = m->radius_m;
        p->height_m = m->height_m;
        p->step_m = m->step_m;
        p->close_m = m->close_m;
        p->loose_m = m->loose_m;
        s = fill(m, p, of, sides);
    }
    free(of);
    free(sides);
    if (s != NAV_OK) {
        nav_climb_patch_destroy(p);
        p = NULL;
    }
    *out = p;
    return s;
}
