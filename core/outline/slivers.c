// Slivers: floor that comes over a border by next to nothing.
//
//          .-._              Behind the border it would be a cell, and a portal to it, for a few square centimetres.
//      ---/----'-.--border   Where what lies behind is closed within a column of the border, comes to it at this one
//        /  floor '-._       piece and is worth no more floor than two corners, the border is a wall instead, and the
//       /             '-     tile behind it drops what is left.
//
// Both tiles ask the shapes of the border's own floor (border.c), and about both sides, so both close it or neither.
#include "core/outline/outline_stage.h"
#include "core/outline/union.h"

enum {
    WORTH = 2,       // corners
    BORDER = 0,      // the shape along the border
    STRIPS = 4,      // shapes that close the box, this one and those of its other sides
    COVERS = 4,      // times that all shapes are looked through
    CROWD = 1 << 10, // shapes: among so many nothing is looked for
};

// Places counted from the border and from where the box begins along it.
typedef struct box {
    int side;
    int32_t at;          // the border, across it
    int32_t low, length; // along it
    int32_t depth;       // below 0: towards lower places
} box;

static nav_point in_box(const box *b, nav_point p)
{
    return b->side & 1 ? (nav_point){p.x - b->low, p.z - b->at} : (nav_point){p.x - b->at, p.z - b->low};
}

static nav_status add_rectangle(const box *b, nav_arena *arena, int32_t across0, int32_t across1, int32_t along0,
                                int32_t along1, nav_shapes *out)
{
    const int32_t c0 = across0 < across1 ? across0 : across1, c1 = across0 < across1 ? across1 : across0;
    const nav_point low = b->side & 1 ? (nav_point){along0, c0} : (nav_point){c0, along0};
    const nav_point high = b->side & 1 ? (nav_point){along1, c1} : (nav_point){c1, along1};
    return nav_shapes_add(out, arena, (nav_point[]){low, {high.x, low.z}, high, {low.x, high.z}}, 4);
}

// What closes the box on its four sides, and the shapes that come into it.
static nav_status collect(const box *b, const nav_shapes *shapes, nav_arena *arena, nav_shapes *out)
{
    const int32_t h = OUTLINE_STRIP, sign = b->depth < 0 ? -1 : 1, end = b->length;
    const int32_t strip[STRIPS][4] = {{0, -sign * h, -h, end + h},
                                      {b->depth, b->depth + sign * h, -h, end + h},
                                      {-sign * h, b->depth + sign * h, -h, 0},
                                      {-sign * h, b->depth + sign * h, end, end + h}};
    nav_status status = NAV_OK;
    for (int i = 0; i < STRIPS && status == NAV_OK; i++)
        status = add_rectangle(b, arena, strip[i][0], strip[i][1], strip[i][2], strip[i][3], out);
    for (int32_t s = 0; s < shapes->count && status == NAV_OK; s++) {
        const int32_t n = shapes->first[s + 1] - shapes->first[s];
        nav_point at[NAV_SHAPE_MAX_CORNERS];
        bool before = true, behind = true, below = true, above = true; // all of it
        for (int32_t k = 0; k < n; k++) {
            at[k] = in_box(b, shapes->at[shapes->first[s] + k]);
            const int32_t across = sign * (b->side & 1 ? at[k].z : at[k].x), along = b->side & 1 ? at[k].x : at[k].z;
            before &= across < -h;
            behind &= across > sign * b->depth + h;
            below &= along < -h;
            above &= along > end + h;
        }
        if (!(before | behind | below | above)) status = nav_shapes_add(out, arena, at, n);
    }
    return status;
}

// Does the loop, which comes to the border, come to none of the other sides, and to the border nowhere but between the
// two places?
static bool is_closed(const box *b, const nav_loops *loops, int32_t loop, int32_t low, int32_t high)
{
    const int32_t first = loops->first[loop], end = loops->first[loop + 1];
    for (int32_t k = first; k < end; k++) {
        if (loops->shape[k] >= STRIPS) continue;
        if (loops->shape[k] != BORDER) return false;
        const nav_point p = loops->at[k], q = loops->at[k + 1 < end ? k + 1 : first];
        const int32_t from = b->side & 1 ? p.x : p.z, to = b->side & 1 ? q.x : q.z;
        if ((from < to ? from : to) < low - OUTLINE_SNAP || (from < to ? to : from) > high + OUTLINE_SNAP) return false;
    }
    return true;
}

static bool comes_to_border(const box *b, const nav_loops *loops, int32_t loop, int32_t low, int32_t high)
{
    const int32_t first = loops->first[loop], end = loops->first[loop + 1];
    for (int32_t k = first; k < end; k++) {
        if (loops->shape[k] != BORDER) continue;
        const nav_point p = loops->at[k], q = loops->at[k + 1 < end ? k + 1 : first];
        const int32_t from = b->side & 1 ? p.x : p.z, to = b->side & 1 ? q.x : q.z;
        if ((from < to ? from : to) < high && (from < to ? to : from) > low) return true;
    }
    return false;
}

// On the side of the border that the box is on.
static nav_status is_sliver(const outline_work *w, const box *b, int32_t low, int32_t high, const nav_shapes *shapes,
                            bool *out)
{
    const int32_t half = OUTLINE_STRIP / 2, d0 = b->depth < 0 ? b->depth : 0, d1 = b->depth < 0 ? 0 : b->depth;
    const nav_point least = b->side & 1 ? (nav_point){-half, d0 - half} : (nav_point){d0 - half, -half};
    const nav_point most =
        b->side & 1 ? (nav_point){b->length + half, d1 + half} : (nav_point){d1 + half, b->length + half};
    const double worth = WORTH * nav_outline_error(w).corner_area;
    nav_shapes all = {0};
    nav_loops loops;
    nav_status status = collect(b, shapes, w->arena, &all);
    if (status == NAV_OK) status = nav_union_build_inside(&all, least, most, w->arena, &loops);
    *out = false;
    if (status == NAV_ERR_LIMIT && !w->arena->refused) return NAV_OK; // a crowd
    if (status != NAV_OK) return status;
    double area2 = 0;
    for (int32_t l = 0; l < loops.count; l++) {
        if (!comes_to_border(b, &loops, l, low, high)) continue;
        if (!is_closed(b, &loops, l, low, high)) return NAV_OK;
        area2 += (double)nav_loop_area2(loops.at + loops.first[l], loops.first[l + 1] - loops.first[l]);
    }
    *out = area2 <= 2 * worth;
    return NAV_OK;
}

// Is all from low to high, on the line at `at`, within a few shapes? Asked first, as it rarely is.
static bool is_covered(int side, int32_t at, int32_t low, int32_t high, const nav_shapes *shapes)
{
    int32_t free = low;
    for (int pass = 0; pass < COVERS && free < high; pass++) {
        const int32_t before = free;
        for (int32_t s = 0; s < shapes->count && free < high; s++) {
            const int32_t first = shapes->first[s], n = shapes->first[s + 1] - first;
            int32_t from, to;
            if (nav_outline_cut(shapes->at + first, n, !(side & 1), at, &from, &to) && from <= free && to > free)
                free = to;
        }
        if (free == before) break;
    }
    return free >= high;
}

nav_status nav_outline_is_sliver(outline_work *w, int side, int32_t low, int32_t high, const nav_shapes *shapes,
                                 bool *sliver)
{
    const int32_t depth = w->cfg->unit, at = side == 0 || side == 3 ? 0 : w->side;
    *sliver = false;
    if (shapes->count > CROWD) return NAV_OK;
    for (int sign = -1; sign <= 1 && !*sliver; sign += 2) {
        const int32_t begin = low > depth ? low - depth : 0, end = high + depth < w->side ? high + depth : w->side;
        const box b = {side, at, begin, end - begin, sign * depth};
        if (!is_covered(side, at + sign * depth, low, high, shapes)) continue;
        const nav_arena_mark mark = nav_arena_get_mark(w->arena);
        nav_status status = is_sliver(w, &b, low - begin, high - begin, shapes, sliver);
        nav_arena_release(w->arena, mark);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}
