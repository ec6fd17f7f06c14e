// The place of the surface that is nearest to a place. Of several equally near ones the first patch's first triangle.
#include "core/climb/climb_work.h"

// C. Ericson, Real-Time Collision Detection (2005), 5.1.5.
vec nav_climb_on_triangle(const climb_patch *p, uint32_t triangle, vec at)
{
    vec a = climb_corner(p, triangle, 0), b = climb_corner(p, triangle, 1), c = climb_corner(p, triangle, 2);
    vec ab = vec_sub(b, a), ac = vec_sub(c, a), ap = vec_sub(at, a), bp = vec_sub(at, b), cp = vec_sub(at, c);
    double d1 = vec_dot(ab, ap), d2 = vec_dot(ac, ap), d3 = vec_dot(ab, bp), d4 = vec_dot(ac, bp);
    double d5 = vec_dot(ab, cp), d6 = vec_dot(ac, cp);
    double of_a = d3 * d6 - d5 * d4, of_b = d5 * d2 - d1 * d6, of_c = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0) return a;
    if (d3 >= 0 && d4 <= d3) return b;
    if (of_c <= 0 && d1 >= 0 && d3 <= 0) return vec_add(a, vec_scale(ab, d1 / (d1 - d3)));
    if (d6 >= 0 && d5 <= d6) return c;
    if (of_b <= 0 && d2 >= 0 && d6 <= 0) return vec_add(a, vec_scale(ac, d2 / (d2 - d6)));
    if (of_a <= 0 && d4 >= d3 && d5 >= d6) return vec_between(b, c, (d4 - d3) / (d4 - d3 + d5 - d6));
    double sum = of_a + of_b + of_c;
    if (!(sum > 0)) return a; // no area
    return vec_add(a, vec_add(vec_scale(ab, of_b / sum), vec_scale(ac, of_c / sum)));
}

typedef struct nearest {
    const nav_climb_set *set;
    const nav_climb_near *near;
    uint32_t part;
    const climb_patch *patch;
    vec at, normal;
    double best2;
    climb_spot best;
} nearest;

static void look_at(void *user, uint32_t triangle)
{
    nearest *n = user;
    const climb_patch *p = n->patch;
    if (n->near->excluded >> p->area[triangle] & 1) return;
    if (n->part != UINT32_MAX && n->set->label[p->first_part + p->part[triangle]] != n->part) return;
    vec at = nav_climb_on_triangle(p, triangle, n->at), way = vec_sub(at, n->at);
    double apart2 = vec_dot(way, way);
    if (apart2 > n->best2) return;
    bool equal = n->best.patch && apart2 >= n->best2;
    if (equal && (n->best.patch->place < p->place || (n->best.patch == p && n->best.triangle <= triangle))) return;
    if (vec_dot(n->normal, n->normal) > 0 && vec_dot(n->normal, nav_climb_normal(p, triangle)) < 0.5) return;
    n->best2 = apart2;
    n->best = (climb_spot){p, triangle, at};
}

static void look_in_patch(void *user, void *what)
{
    nearest *n = user;
    n->patch = what;
    if (n->near->sheets && !(n->near->sheets >> n->patch->sheet & 1)) return;
    nav_box_tree_near(&n->patch->triangles, n->near->at, &n->best2, look_at, n);
}

climb_spot nav_climb_spot(const nav_climb_set *set, const nav_climb_near *near, uint32_t part)
{
    nearest n = {.set = set,
                 .near = near,
                 .part = part,
                 .at = vec_of(near->at),
                 .normal = vec_unit(vec_of(near->normal)),
                 .best2 = near->near_m * near->near_m};
    box around = box_none();
    float at[3];
    vec_to_float(n.at, at);
    box_add(&around, at);
    box_widen(&around, (float)near->near_m);
    if (set->cells.side_m > 0 && nav_climb_cells_near(&set->cells, &around, look_in_patch, &n)) return n.best;
    for (uint32_t i = 0; i < set->count; i++) look_in_patch(&n, set->patch[i]);
    return n.best;
}

bool nav_climb_near_ok(const nav_climb_near *n)
{
    bool ok = n->near_m >= 0 && isfinite(n->near_m);
    for (int k = 0; k < 3; k++) ok = ok && isfinite(n->at[k]) && isfinite(n->normal[k]);
    return ok;
}

nav_climb_place nav_climb_place_of(const nav_climb_set *set, const climb_spot *s)
{
    const climb_patch *p = s->patch;
    nav_climb_place out = {.sheet = p->sheet,
                           .tile_x = p->x,
                           .tile_z = p->z,
                           .cell = p->cell[s->triangle],
                           .area = p->area[s->triangle],
                           .part = set->label[p->first_part + p->part[s->triangle]]};
    vec_to(s->at, out.at);
    vec_to(nav_climb_normal(p, s->triangle), out.normal);
    return out;
}

nav_status nav_climb_nearest(const nav_climb_set *set, const nav_climb_near *query, nav_climb_place *out)
{
    *out = (nav_climb_place){.part = UINT32_MAX};
    if (!nav_climb_near_ok(query)) return NAV_ERR_ARGUMENT;
    climb_spot s = nav_climb_spot(set, query, UINT32_MAX);
    if (!s.patch) return NAV_ERR_NOT_FOUND;
    *out = nav_climb_place_of(set, &s);
    return NAV_OK;
}
