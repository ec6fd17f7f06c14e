#include "tests/core/borders.h"

#include <stdlib.h>

static int compare_points(const void *a, const void *b)
{
    const border_point *p = a, *q = b;
    if (p->along != q->along) return p->along < q->along ? -1 : 1;
    return (p->height > q->height) - (p->height < q->height);
}

static void add(border_line *line, int32_t *capacity, float along, float height)
{
    if (line->count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        line->points = realloc(line->points, (size_t)*capacity * sizeof *line->points);
        if (!line->points) abort();
    }
    line->points[line->count++] = (border_point){along, height};
}

// Takes the points between first and the last off that lie on the line of those beside them: they are on the surface of
// the tile behind, too, whether that has them or not.
static void drop_straight(border_line *line, int32_t first)
{
    const float near = 0.05f, rounding = 2.4e-7f; // heights are of single precision
    border_point *p = line->points + first;
    int32_t n = line->count - first, kept = 0;
    if (n < 3) return;
    qsort(p, (size_t)n, sizeof *p, compare_points);
    float before = p[0].height, before_along = p[0].along;
    for (int32_t i = 0; i < n; i++) {
        border_point here = p[i];
        float part = i > 0 && i + 1 < n ? (here.along - before_along) / (p[i + 1].along - before_along) : 0;
        float apart = i > 0 && i + 1 < n ? before + part * (p[i + 1].height - before) - here.height : 1;
        before = here.height;
        before_along = here.along;
        const float most = near + rounding * (here.height < 0 ? -here.height : here.height);
        if (apart > most || apart < -most) p[kept++] = here;
    }
    line->count = first + kept;
}

border_line border_line_of(const nav_tile *tile, int32_t side)
{
    return border_line_of_long(tile, side, 0);
}

border_line border_line_of_long(const nav_tile *tile, int32_t side, float least)
{
    const nav_polygons *p = &tile->polygons;
    const nav_detail *d = &tile->detail;
    bool along_z = side == NAV_EDGE_PORTAL_XMIN || side == NAV_EDGE_PORTAL_XMAX;
    float at = side == NAV_EDGE_PORTAL_XMAX || side == NAV_EDGE_PORTAL_ZMAX ? (float)tile->config.tile_units : 0;
    border_line line = {0};
    int32_t capacity = 0;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t n = p->first[i + 1] - p->first[i];
        for (int32_t c = 0; c < n; c++) {
            if (p->behind[p->first[i] + c] != side) continue;
            int32_t ends[2] = {p->vert[p->first[i] + c], p->vert[p->first[i] + (c + 1) % n]};
            float low = 1e30f, high = -1e30f;
            int32_t first = line.count;
            for (int e = 0; e < 2; e++) {
                float along = (float)(along_z ? p->z[ends[e]] : p->x[ends[e]]);
                add(&line, &capacity, along, (float)p->y[ends[e]]);
                low = along < low ? along : low;
                high = along > high ? along : high;
            }
            for (int32_t v = d->vert_first[i]; v < d->vert_first[i + 1]; v++) {
                float across = along_z ? d->x[v] : d->z[v], along = along_z ? d->z[v] : d->x[v];
                if (across == at && along > low && along < high) add(&line, &capacity, along, d->y[v]);
            }
            if (high - low < least)
                line.count = first;
            else
                drop_straight(&line, first);
        }
    }
    if (line.count) qsort(line.points, (size_t)line.count, sizeof *line.points, compare_points);
    return line;
}

void border_line_free(border_line *line)
{
    free(line->points);
    *line = (border_line){0};
}

int32_t border_difference(const border_line *a, const border_line *b)
{
    int32_t i = 0, j = 0, differences = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : compare_points(&a->points[i], &b->points[j]);
        differences += order != 0;
        i += order <= 0;
        j += order >= 0;
    }
    return differences;
}

int32_t border_difference_of(const nav_tile *here, const nav_tile *there, bool along_x, int32_t *points)
{
    border_line a = border_line_of(here, along_x ? NAV_EDGE_PORTAL_ZMAX : NAV_EDGE_PORTAL_XMAX);
    border_line b = border_line_of(there, along_x ? NAV_EDGE_PORTAL_ZMIN : NAV_EDGE_PORTAL_XMIN);
    int32_t different = border_difference(&a, &b);
    *points = a.count;
    border_line_free(&a);
    border_line_free(&b);
    return different;
}
