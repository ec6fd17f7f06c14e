// Half-edges: the working form of the polygons, from contour loops over triangles to convex cells.
//
//            next(h)
//        +<-----------            h runs from org(h) to org(next(h)); its face is to its right. twin(h) is the same
//        ^   face                 edge seen from the other face, or what is behind: a wall or a portal (negative).
//      h |
//        + org(h)                 Faces are joined by taking an edge away, and cut by adding one: both are O(1).
#ifndef NAV_POLYGON_HALF_EDGES_H
#define NAV_POLYGON_HALF_EDGES_H

#include "core/base/arena.h"
#include "core/base/plane.h"
#include "core/contour/contours.h"

#include <stdbool.h>

enum {
    HALF_FREE = -100,    // twin of a half-edge that is in no face
    HALF_PENDING = -101, // twin of a half-edge whose other side is another region, until it is found
};

enum {
    HALF_FIXED = 1, // an edge of a contour: no triangulation moves it
    HALF_NOTED = 2, // scratch of a triangulation, clear when it ends
};

typedef struct half_edges {
    int32_t capacity, count, free_list; // free ones hang together by `next`, -1 at the end
    int32_t *org, *next, *prev, *twin;
    int32_t *face;                 // as it was made; nav_half_face() follows joins
    int32_t face_count, free_face; // free ones hang together by `face_root`, -1 at the end
    int32_t *face_root;            // union-find
    int32_t *face_size;            // corners
    int32_t *face_edge;            // one of its half-edges, while it is a triangle
    int32_t *face_region;
    uint8_t *face_area;
    int32_t vert_count, vert_capacity;
    nav_point *at; // per vertex
    int32_t *y;
    uint8_t *joint;        // per vertex: to be removed from the border
    int32_t contour_verts; // vertices from here on are stops: corners on walls that a portal ends in
    uint8_t *flags;        // per half-edge: HALF_FIXED and what a triangulation notes there
    nav_triangulation method;
    bool wide;           // places may be 2^15 apart or more
    double unit;         // outline units to a column
    double voxel_aspect; // height of a voxel over the side of an outline unit
    // Scratch of triangulation and merging.
    int32_t *cut; // faces made by the latest triangulation
    int32_t cut_count;
    int64_t *ear;            // per half-edge: squared length of the cut that takes its origin off
    int32_t *heap, *heap_at; // ears, shortest first, and where each is
    int32_t *watch_first, *watch_next, *watch_prev; // who waits for whom to get out of the way
    int32_t *bucket, *near_next, *near_prev;        // of a half_grid
    int32_t *blocker;                               // a list of half-edges
    uint64_t *key;
    int32_t failed_loops;
} half_edges;

static inline nav_point half_at(const half_edges *m, int32_t h)
{
    return m->at[m->org[h]];
}

static inline int32_t half_face(half_edges *m, int32_t h)
{
    int32_t f = m->face[h];
    while (m->face_root[f] != f) {
        m->face_root[f] = m->face_root[m->face_root[f]];
        f = m->face_root[f];
    }
    return m->face[h] = f;
}

static inline void half_follow(half_edges *m, int32_t a, int32_t b)
{
    m->next[a] = b;
    m->prev[b] = a;
}

// A stop: a corner on a wall, made so that a portal can end in it.
static inline bool half_is_stop(const half_edges *m, int32_t vert)
{
    return vert >= m->contour_verts;
}

// Cuts the wall edge h at p, which is on it; returns the half-edge from p on. At most vert_capacity - contour_verts
// times. nav_half_remove_stop() joins the two again: h begins at the stop.
int32_t nav_half_add_stop(half_edges *m, int32_t h, nav_point p);
void nav_half_remove_stop(half_edges *m, int32_t h);

// A half-edge from the free list; capacity never runs out (see nav_half_edges_take()).
int32_t nav_half_new(half_edges *m, int32_t org);
void nav_half_release(half_edges *m, int32_t h);

// Turns the edge of h in the quadrilateral of the two triangles beside it, which must be strictly convex.
void nav_half_flip(half_edges *m, int32_t h);
// May the edge of h be turned: is it none of a contour, and between two triangles of one region?
bool nav_half_is_inner(const half_edges *m, int32_t h);

// A face of three corners; capacity never runs out.
int32_t nav_half_new_face(half_edges *m, int32_t region, uint8_t area);
// Makes the triangle around h one.
void nav_half_new_triangle(half_edges *m, int32_t h, int32_t region, uint8_t area);
void nav_half_release_face(half_edges *m, int32_t f);

// The seam between two faces: the edges in a row that lie between them. Before the edge that begins it comes `in`,
// after it `out`, on the one side, and in2, out2 on the other.
typedef struct half_seam {
    int32_t in, out, in2, out2, edges;
} half_seam;

half_seam nav_half_find_seam(const half_edges *m, int32_t h);
// Takes the seam away: face b becomes part of face a.
void nav_half_join(half_edges *m, const half_seam *s, int32_t a, int32_t b);

// Room for the contours' loops and everything that can be made from them. False when the arena is full.
bool nav_half_edges_take(half_edges *m, nav_arena *arena, const nav_contours *in);
// Makes vertices of the contours' corners; corners at the same place and height are one vertex. vert_of: per corner.
void nav_half_weld(half_edges *m, const nav_contours *in, int32_t *vert_of, int32_t *table, int32_t table_size);

// Takes the vertices marked joint off the border: the triangles around each are cut again without it.
void nav_half_remove_joints(half_edges *m);

// Joins convex faces across their common edges, longest first, while the union is convex and has at most max_corners.
// any_region: across regions of the same area, too; the face's region is 0 then.
void nav_half_merge(half_edges *m, int32_t max_corners, bool any_region);

#endif
