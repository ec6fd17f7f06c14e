#include "clients/navctl/drawing/pixels.h"

#include <math.h>
#include <string.h>

static uint32_t channel(double v)
{
    return (uint32_t)lrint(255 * fmin(fmax(v, 0), 1));
}

uint32_t pixels_colour(colour c)
{
    return UINT32_C(0xff000000) | channel(c.r) << 16 | channel(c.g) << 8 | channel(c.b);
}

static uint32_t *row_at(const pixels *p, int y)
{
    return (uint32_t *)(void *)(p->bytes + p->stride * (y - p->top));
}

static int clamp(double v, int low, int high)
{
    return v <= low ? low : v >= high ? high : (int)v;
}

// Where the polygon's edges cross a height, in order.
static uint32_t find_crossings(const double (*corners)[2], uint32_t count, double y, double *out)
{
    uint32_t n = 0;
    for (uint32_t k = 0, before = count - 1; k < count; before = k++) {
        const double *a = corners[before], *b = corners[k];
        if ((a[1] <= y) == (b[1] <= y)) continue;
        const double *low = a[1] < b[1] ? a : b, *high = a[1] < b[1] ? b : a; // the same for both who share the edge
        double x = low[0] + (y - low[1]) / (high[1] - low[1]) * (high[0] - low[0]);
        uint32_t at = n++;
        for (; at > 0 && out[at - 1] > x; at--) out[at] = out[at - 1];
        out[at] = x;
    }
    return n;
}

void pixels_fill(const pixels *p, const double (*corners)[2], uint32_t count, uint32_t value)
{
    double low = INFINITY, high = -INFINITY, crossings[PIXELS_MAX_CORNERS];
    for (uint32_t k = 0; k < count; k++) {
        low = fmin(low, corners[k][1]);
        high = fmax(high, corners[k][1]);
    }
    for (int y = clamp(ceil(low - 0.5), p->top, p->end), end = clamp(ceil(high - 0.5), p->top, p->end); y < end; y++) {
        uint32_t n = find_crossings(corners, count, y + 0.5, crossings), *row = row_at(p, y);
        for (uint32_t k = 0; k + 1 < n; k += 2) {
            int x = clamp(ceil(crossings[k] - 0.5), 0, p->width),
                last = clamp(ceil(crossings[k + 1] - 0.5), 0, p->width);
            for (; x < last; x++) row[x] = value;
        }
    }
}

void pixels_lines_begin(pixels_lines *l, double left, double top)
{
    *l = (pixels_lines){.from = {(int)floor(left), (int)floor(top)}};
    l->left = l->top = PIXELS_MAX_SIDE;
}

// As if the pixel were a disc: all of it within the line, or a share that falls evenly to its rim.
static double cover_of(double distance, double width)
{
    return fmin(fmin(width, 1), (1 + width) / 2 - distance);
}

void pixels_lines_add(pixels_lines *l, const double a[2], const double b[2], double width)
{
    const double from[2] = {a[0] - l->from[0] - 0.5, a[1] - l->from[1] - 0.5}; // so that centres are whole numbers
    const double along[2] = {b[0] - a[0], b[1] - a[1]}, reach = (1 + width) / 2;
    const double length2 = along[0] * along[0] + along[1] * along[1];
    int first[2], end[2];
    for (int k = 0; k < 2; k++) {
        first[k] = clamp(ceil(fmin(from[k], from[k] + along[k]) - reach), 0, PIXELS_MAX_SIDE);
        end[k] = clamp(floor(fmax(from[k], from[k] + along[k]) + reach) + 1, 0, PIXELS_MAX_SIDE);
    }
    if (first[0] >= end[0] || first[1] >= end[1]) return;
    l->left = first[0] < l->left ? first[0] : l->left;
    l->top = first[1] < l->top ? first[1] : l->top;
    l->right = end[0] > l->right ? end[0] : l->right;
    l->bottom = end[1] > l->bottom ? end[1] : l->bottom;
    for (int y = first[1]; y < end[1]; y++) {
        for (int x = first[0]; x < end[0]; x++) {
            double dx = x - from[0], dy = y - from[1];
            double t = length2 > 0 ? fmin(fmax((dx * along[0] + dy * along[1]) / length2, 0), 1) : 0;
            dx -= t * along[0];
            dy -= t * along[1];
            double away2 = dx * dx + dy * dy;
            if (away2 >= reach * reach) continue;
            uint8_t cover = (uint8_t)(255 * cover_of(sqrt(away2), width));
            if (cover > l->cover[y][x]) l->cover[y][x] = cover;
        }
    }
}

static uint32_t mix(uint32_t under, uint32_t over, uint32_t share)
{
    uint32_t out = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t a = under >> shift & 255, b = over >> shift & 255;
        out |= (a * (255 - share) + b * share + 127) / 255 << shift;
    }
    return out;
}

void pixels_lines_draw(pixels_lines *l, const pixels *p, uint32_t value, double alpha)
{
    for (int y = l->top; y < l->bottom; y++) {
        for (int x = l->left; x < l->right; x++) {
            int at[2] = {x + l->from[0], y + l->from[1]};
            uint32_t share = (uint32_t)(l->cover[y][x] * alpha + 0.5);
            l->cover[y][x] = 0;
            if (!share || at[0] < 0 || at[0] >= p->width || at[1] < p->top || at[1] >= p->end) continue;
            uint32_t *pixel = row_at(p, at[1]) + at[0];
            *pixel = mix(*pixel, value, share);
        }
    }
    l->left = l->top = PIXELS_MAX_SIDE;
    l->right = l->bottom = 0;
}
