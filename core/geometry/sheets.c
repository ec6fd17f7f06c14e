#include "navcore/sheets.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Of each frame's axis: the axis of the world that it lies along, and which way. Each frame is turned, not mirrored.
typedef struct frame {
    int axis[3];
    double sign[3];
} frame;

static const frame frames[NAV_SHEET_COUNT] = {
    [NAV_SHEET_UP] = {{0, 1, 2}, {1, 1, 1}},     [NAV_SHEET_DOWN] = {{0, 1, 2}, {1, -1, -1}},
    [NAV_SHEET_XPLUS] = {{1, 0, 2}, {-1, 1, 1}}, [NAV_SHEET_XMINUS] = {{1, 0, 2}, {1, -1, 1}},
    [NAV_SHEET_ZPLUS] = {{0, 2, 1}, {1, 1, -1}}, [NAV_SHEET_ZMINUS] = {{0, 2, 1}, {1, -1, 1}},
};

static const char *const names[NAV_SHEET_COUNT] = {"up", "down", "x+", "x-", "z+", "z-"};

static nav_status parse(const char *name, size_t length, nav_sheet *out)
{
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        if (strlen(names[s]) == length && memcmp(names[s], name, length) == 0) {
            *out = (nav_sheet)s;
            return NAV_OK;
        }
    return NAV_ERR_ARGUMENT;
}

nav_status nav_sheet_parse(const char *name, nav_sheet *out)
{
    return parse(name, strlen(name), out);
}

const char *nav_sheet_name(nav_sheet s)
{
    return (unsigned)s < NAV_SHEET_COUNT ? names[s] : "unknown";
}

nav_status nav_sheets_parse(const char *list, uint32_t *out)
{
    uint32_t found = 0;
    if (strcmp(list, "all") == 0) {
        *out = NAV_SHEETS_ALL;
        return NAV_OK;
    }
    for (const char *p = list;; p++) {
        size_t length = strcspn(p, ",");
        nav_sheet s = NAV_SHEET_UP;
        nav_status status = parse(p, length, &s);
        if (status != NAV_OK) return status;
        found |= UINT32_C(1) << s;
        p += length;
        if (*p == '\0') break;
    }
    *out = found;
    return NAV_OK;
}

void nav_sheet_to_frame(nav_sheet s, const double in[3], double out[3])
{
    const frame *f = &frames[s];
    const double world[3] = {in[0], in[1], in[2]};
    for (int k = 0; k < 3; k++) out[k] = f->sign[k] * world[f->axis[k]];
}

void nav_sheet_to_world(nav_sheet s, const double in[3], double out[3])
{
    const frame *f = &frames[s];
    const double own[3] = {in[0], in[1], in[2]};
    for (int k = 0; k < 3; k++) out[f->axis[k]] = f->sign[k] * own[k];
}

void nav_sheet_box_to_frame(nav_sheet s, const double min[3], const double max[3], double out_min[3], double out_max[3])
{
    double a[3], b[3];
    nav_sheet_to_frame(s, min, a);
    nav_sheet_to_frame(s, max, b);
    for (int k = 0; k < 3; k++) {
        out_min[k] = a[k] < b[k] ? a[k] : b[k];
        out_max[k] = a[k] < b[k] ? b[k] : a[k];
    }
}

// What is not nearer by a thousandth is equally near: walls at 45 degrees do not fall apart by rounding.
static const double NEARER = 1.001;

nav_sheet nav_sheet_of_normal(const double n[3])
{
    static const int order[3] = {1, 0, 2};
    static const nav_sheet along[3] = {NAV_SHEET_XPLUS, NAV_SHEET_UP, NAV_SHEET_ZPLUS};
    int best = order[0];
    for (int k = 1; k < 3; k++)
        if (fabs(n[order[k]]) > NEARER * fabs(n[best])) best = order[k];
    return (nav_sheet)(along[best] + (n[best] < 0));
}
