#include "tests/bench/tri_list.h"

#include <stdio.h>
#include <stdlib.h>

void tri_list_add(tri_list *l, const double a[3], const double b[3], const double c[3])
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 1024;
        l->tri = realloc(l->tri, l->capacity * sizeof *l->tri);
        if (!l->tri) {
            fprintf(stderr, "bench: no memory for triangles\n");
            exit(1);
        }
    }
    float *t = l->tri[l->count++];
    for (int k = 0; k < 3; k++) {
        t[k] = (float)a[k];
        t[3 + k] = (float)b[k];
        t[6 + k] = (float)c[k];
    }
}

void tri_list_add_quad(tri_list *l, const double a[3], const double b[3], const double c[3], const double d[3])
{
    tri_list_add(l, a, b, c);
    tri_list_add(l, a, c, d);
}

static void corner(const bench_prism *p, uint32_t i, double y, double out[3])
{
    i %= p->corners;
    out[0] = p->xz[i][0] + p->lean[0] * y;
    out[1] = y;
    out[2] = p->xz[i][1] + p->lean[1] * y;
}

void tri_list_add_prism(tri_list *l, const bench_prism *p)
{
    double a[3], b[3], c[3], d[3];
    for (uint32_t i = 0; i < (p->corners > 2 ? p->corners : 1); i++) {
        corner(p, i, p->low, a);
        corner(p, i, p->high, b);
        corner(p, i + 1, p->high, c);
        corner(p, i + 1, p->low, d);
        tri_list_add_quad(l, a, b, c, d);
    }
    for (uint32_t i = 1; i + 1 < p->corners; i++) {
        corner(p, 0, p->high, a);
        corner(p, i + 1, p->high, b);
        corner(p, i, p->high, c);
        tri_list_add(l, a, b, c);
        corner(p, 0, p->low, a);
        corner(p, i, p->low, b);
        corner(p, i + 1, p->low, c);
        tri_list_add(l, a, b, c);
    }
}

void tri_list_deinit(tri_list *l)
{
    free(l->tri);
    *l = (tri_list){0};
}
