#include "clients/navctl/drawing/perspective.h"

#include <math.h>
#include <stdlib.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static bool make_unit(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int k = 0; k < 3 && length > 0; k++) v[k] /= length;
    return length > 0;
}

bool perspective_init(perspective *p, const float min[3], const float max[3], const double from[3])
{
    double back[3] = {from[0], from[1], from[2]}, half[3];
    const double vertical[3] = {0, 1, 0}, north[3] = {0, 0, -1};
    if (!make_unit(back)) return false;
    for (int k = 0; k < 3; k++) half[k] = min[k] <= max[k] ? ((double)max[k] - (double)min[k]) / 2 : 1;
    p->distance = 3 * fmax(sqrt(dot(half, half)), 0.1);
    cross(vertical, back, p->right);
    if (!make_unit(p->right)) {
        cross(north, back, p->right);
        make_unit(p->right);
    }
    cross(back, p->right, p->up);
    for (int k = 0; k < 3; k++) {
        p->ahead[k] = -back[k];
        p->eye[k] = (min[k] <= max[k] ? (double)min[k] + half[k] : 0) + p->distance * back[k];
    }
    return true;
}

void perspective_place(const perspective *p, const float at[3], double out[3])
{
    double seen[3];
    for (int k = 0; k < 3; k++) seen[k] = (double)at[k] - p->eye[k];
    const double near = 1 / dot(seen, p->ahead), size = p->distance * near;
    out[0] = dot(seen, p->right) * size;
    out[1] = -dot(seen, p->up) * size;
    out[2] = near;
}

bool perspective_faces(const perspective *p, const float t[9])
{
    double a[3], b[3], normal[3], to_eye[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)t[3 + k] - (double)t[k];
        b[k] = (double)t[6 + k] - (double)t[k];
        to_eye[k] = p->eye[k] - (double)t[k];
    }
    cross(a, b, normal);
    return dot(normal, to_eye) > 0;
}

bool depth_image_init(depth_image *d, int width, int height, uint32_t paper)
{
    const size_t count = (size_t)width * (size_t)height;
    *d = (depth_image){.width = width, .height = height};
    d->pixels = malloc(count * sizeof *d->pixels);
    d->near = calloc(count, sizeof *d->near);
    if (!d->pixels || !d->near) {
        depth_image_deinit(d);
        return false;
    }
    for (size_t i = 0; i < count; i++) d->pixels[i] = paper;
    return true;
}

void depth_image_deinit(depth_image *d)
{
    free(d->pixels);
    free(d->near);
    *d = (depth_image){0};
}

static int clamp(double value, int most)
{
    return value <= 0 ? 0 : value >= most ? most : (int)value;
}

static double side(const double a[3], const double b[3], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

// 1 / distance is linear over the page, so it is added up from the corners.
void depth_image_triangle(depth_image *d, const double c[3][3], double lift, uint32_t colour)
{
    const double area = side(c[0], c[1], c[2][0], c[2][1]);
    if (area == 0) return;
    const int left = clamp(floor(fmin(c[0][0], fmin(c[1][0], c[2][0])) - 0.5), d->width);
    const int right = clamp(ceil(fmax(c[0][0], fmax(c[1][0], c[2][0])) + 0.5), d->width);
    const int top = clamp(floor(fmin(c[0][1], fmin(c[1][1], c[2][1])) - 0.5), d->height);
    const int bottom = clamp(ceil(fmax(c[0][1], fmax(c[1][1], c[2][1])) + 0.5), d->height);
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) {
            double weight[3], near = 0;
            for (int k = 0; k < 3; k++) {
                weight[k] = side(c[(k + 1) % 3], c[(k + 2) % 3], x + 0.5, y + 0.5) / area;
                near += weight[k] * c[k][2];
            }
            const size_t at = (size_t)y * (size_t)d->width + (size_t)x;
            if (weight[0] < 0 || weight[1] < 0 || weight[2] < 0 || near * lift <= (double)d->near[at]) continue;
            d->near[at] = (float)(near * lift);
            d->pixels[at] = colour;
        }
}

void depth_image_line(depth_image *d, const double a[3], const double b[3], double width, double lift, uint32_t colour)
{
    const double length = hypot(b[0] - a[0], b[1] - a[1]), half = width / 2;
    const int steps = clamp(ceil(2 * length), 1 << 20) + 1;
    for (int i = 0; i <= steps; i++) {
        const double t = (double)i / steps, x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
        const double near = (a[2] + t * (b[2] - a[2])) * lift;
        const int left = clamp(ceil(x - half - 0.5), d->width), top = clamp(ceil(y - half - 0.5), d->height);
        for (int v = top; v < d->height && v + 0.5 <= y + half; v++)
            for (int u = left; u < d->width && u + 0.5 <= x + half; u++) {
                const size_t at = (size_t)v * (size_t)d->width + (size_t)u;
                if (near >= (double)d->near[at]) d->pixels[at] = colour;
            }
    }
}
