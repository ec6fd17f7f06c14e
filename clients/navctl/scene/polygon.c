#include "clients/navctl/scene/polygon.h"

#include <math.h>
#include <string.h>

static void subtract(const float *a, const float *b, double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = (double)a[k] - (double)b[k];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Where the fan has the polygon's corner k.
static uint32_t *corner_of(uint32_t *fan, uint32_t k)
{
    return k < 2 ? fan + k : fan + 3 * (size_t)(k - 2) + 2;
}

static void reverse(uint32_t *fan, uint32_t first, uint32_t end)
{
    for (; first + 1 < end; first++) {
        uint32_t *a = corner_of(fan, first), *b = corner_of(fan, --end), keep = *a;
        *a = *b;
        *b = keep;
    }
}

static void add_triangle_normal(const float *verts, const uint32_t *tri, double normal[3])
{
    double a[3], b[3], n[3];
    subtract(verts + 3 * (size_t)tri[1], verts + 3 * (size_t)tri[0], a);
    subtract(verts + 3 * (size_t)tri[2], verts + 3 * (size_t)tri[0], b);
    cross(a, b, n);
    for (int k = 0; k < 3; k++) normal[k] += n[k];
}

// By how much the outline turns against the polygon's own turn; corners on a straight line do not.
static bool points_inwards(const float *verts, uint32_t *fan, uint32_t count, uint32_t k, const double normal[3])
{
    static const double least_sine = 1e-5;
    const float *here = verts + 3 * (size_t)*corner_of(fan, k);
    double in[3], out[3], turn[3];
    subtract(here, verts + 3 * (size_t)*corner_of(fan, (k + count - 1) % count), in);
    subtract(verts + 3 * (size_t)*corner_of(fan, (k + 1) % count), here, out);
    cross(in, out, turn);
    return dot(turn, normal) < -least_sine * sqrt(dot(in, in) * dot(out, out) * dot(normal, normal));
}

bool polygon_fan(uint32_t *tris, uint32_t count, const float *verts)
{
    double normal[3] = {0};
    uint32_t from = 0, inwards = 0;
    for (uint32_t t = 0; t + 2 < count; t++) add_triangle_normal(verts, tris + 3 * (size_t)t, normal);
    for (uint32_t k = 0; k < count; k++) {
        if (!points_inwards(verts, tris, count, k, normal)) continue;
        if (++inwards > 1) return false;
        from = k;
    }
    if (from == 0) return true;
    reverse(tris, 0, from); // turned, so that `from` comes first
    reverse(tris, from, count);
    reverse(tris, 0, count);
    for (uint32_t t = 1; t + 2 < count; t++) {
        tris[3 * (size_t)t] = tris[0];
        tris[3 * (size_t)t + 1] = tris[3 * (size_t)t - 1];
    }
    return true;
}
