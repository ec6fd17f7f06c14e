#include "tests/bench/ground.h"

#include <math.h>

// A drop is looked for in steps of this length along the floors' edges, and beyond them at these distances: a gap
// narrower than the last one is none, and slivers of floor are seen down to the first. Up to 0.3 m for a drop; all for
// one that is sure: there a disc that touches the edge has no floor in it, and is so wide that it holds a whole column
// of 0.3 m.
static const double STEP_M = 0.1, BEYOND_M[] = {0.001, 0.01, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9}, PI = 3.14159265358979;
// A slope that is just the steepest is walkable to one rounding and not to another; here it is.
static const double SLOPE_TIE = 1e-6;
enum { BEYOND = 4, SURELY_BEYOND = sizeof BEYOND_M / sizeof *BEYOND_M };

static bool is_floor(const float *a, const float *b, const float *c, double slope_cos)
{
    double p[3], q[3], n[3];
    for (int k = 0; k < 3; k++) {
        p[k] = (double)b[k] - (double)a[k];
        q[k] = (double)c[k] - (double)a[k];
    }
    for (int k = 0; k < 3; k++) n[k] = p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return length > 0 && n[1] > slope_cos * length * (1 - SLOPE_TIE);
}

// (x, y, z): a point on an edge; (out_x, out_z): away from its triangle, length 1.
static bool ends_here(const ground *g, double x, double y, double z, double out_x, double out_z, bool surely)
{
    const double climb = g->climb_m + (surely ? g->level_m : 0);
    for (int i = 0; i < (surely ? SURELY_BEYOND : BEYOND); i++) {
        double beyond = BEYOND_M[i], found;
        // To both sides as far as the disc goes, in two steps.
        const double wide = surely ? sqrt(fmax(0, beyond * (BEYOND_M[SURELY_BEYOND - 1] - beyond))) / 2 : 0;
        for (int k = wide > 0 ? -2 : 0; k <= (wide > 0 ? 2 : 0); k++) {
            double px = x + beyond * out_x - k * wide * out_z, pz = z + beyond * out_z + k * wide * out_x;
            if (tri_grid_height(&g->floors, px, pz, y - climb, y + climb, &found)) return false;
        }
    }
    return true;
}

// Is there any?
static bool find_drops(ground *g, const float *a, const float *b, bool surely)
{
    double d[3], length;
    for (int k = 0; k < 3; k++) d[k] = (double)b[k] - (double)a[k];
    length = hypot(d[0], d[2]);
    if (length <= 0) return false;
    int steps = (int)ceil(length / STEP_M), began = -1;
    bool any = false;
    for (int i = 0; i <= steps; i++) {
        double s = (i + 0.5) / steps;
        bool ends = i < steps && ends_here(g, (double)a[0] + s * d[0], (double)a[1] + s * d[1], (double)a[2] + s * d[2],
                                           -d[2] / length, d[0] / length, surely);
        if (ends && began < 0) began = i;
        if (ends || began < 0) continue;
        // A step counts as a whole; what is sure goes from middle to middle.
        const double more = surely ? 0.5 : 0;
        float from[3], to[3];
        for (int k = 0; k < 3; k++) {
            from[k] = (float)((double)a[k] + d[k] * (began + more) / steps);
            to[k] = (float)((double)a[k] + d[k] * (i - more) / steps);
        }
        tri_grid_add(surely ? &g->sure_drops : &g->drops, from, to, to);
        began = -1;
        any = true;
    }
    return any;
}

void ground_init(ground *g, const float *verts, const uint32_t *tris, uint32_t tri_count, const nav_settings *settings)
{
    *g = (ground){.climb_m = (double)settings->agent_climb_m, .level_m = (double)settings->cell_height_m};
    double slope_cos = cos((double)settings->agent_slope_deg / 180 * PI);
    for (uint32_t i = 0; i < tri_count; i++) {
        const float *v[3];
        for (int c = 0; c < 3; c++) v[c] = verts + 3 * (size_t)tris[3 * (size_t)i + (size_t)c];
        tri_grid_add(is_floor(v[0], v[1], v[2], slope_cos) ? &g->floors : &g->blocks, v[0], v[1], v[2]);
    }
    tri_grid_finish(&g->floors);
    tri_grid_finish(&g->blocks);
    for (uint32_t i = 0; i < g->floors.tri_count; i++) {
        const float *t = g->floors.tri[i];
        for (int c = 0; c < 3; c++) {
            const float *from = t + 3 * c, *to = t + 3 * ((c + 1) % 3);
            if (find_drops(g, from, to, false)) find_drops(g, from, to, true);
        }
    }
    tri_grid_finish(&g->drops);
    tri_grid_finish(&g->sure_drops);
}

void ground_deinit(ground *g)
{
    tri_grid_deinit(&g->floors);
    tri_grid_deinit(&g->blocks);
    tri_grid_deinit(&g->drops);
    tri_grid_deinit(&g->sure_drops);
}
