#include "core/outline/corners.h"

#include <assert.h>

static const double SAME_COS = 0.99996; // of half a degree: one place does
static const double CLOSE = 1e-9;       // more than steps add up to by rounding
static const double BACK = 1e-6;        // cosine to the middle of what turns back

enum { BACK_MOST = NAV_CORNER_MOST / 2 };

typedef struct places {
    double radius;
    nav_point p, *at;
    int32_t count;
} places;

static nav_direction turn(nav_direction a, double cos, double sin)
{
    return (nav_direction){a.x * cos - a.z * sin, a.x * sin + a.z * cos};
}

// Where the tangents with normals a and b meet.
static void put_meeting(places *c, nav_direction a, nav_direction b)
{
    const double scale = c->radius / (1.0 + nav_direction_dot(a, b));
    assert(c->count < NAV_CORNER_MOST);
    c->at[c->count++] = nav_moved(c->p, (nav_direction){a.x + b.x, a.z + b.z}, scale);
}

static void put_arc(const nav_corner_style *style, places *c, nav_direction f, nav_direction g)
{
    nav_direction back[BACK_MOST];
    int backs = 0;
    for (bool front = true; nav_direction_dot(f, g) < style->last_cos; front = !front) {
        assert(backs < BACK_MOST);
        if (front) {
            nav_direction next = turn(f, style->step_cos, style->step_sin);
            put_meeting(c, f, next);
            f = next;
        } else {
            back[backs++] = g;
            g = turn(g, style->step_cos, -style->step_sin);
        }
    }
    if (nav_direction_dot(f, g) < SAME_COS || backs == 0)
        put_meeting(c, f, g);
    else
        g = f;
    for (; backs > 0; g = back[backs]) {
        backs--;
        put_meeting(c, g, back[backs]);
    }
}

static void put_mitre(const nav_corner_style *style, places *c, nav_direction f, nav_direction g)
{
    double x = f.x + g.x, z = f.z + g.z, length = sqrt(x * x + z * z);
    double half = length / 2; // cosine of half the turn
    if (half * style->mitre_limit >= 1) {
        put_meeting(c, f, g);
        return;
    }
    nav_direction along_f = {-f.z, f.x}, along_g = {-g.z, g.x};
    double rise = sqrt(1 - half * half), on = c->radius * (style->mitre_limit - half) / rise;
    if (half < BACK) on = c->radius * style->mitre_limit; // straight on
    const nav_direction first = {c->radius * f.x + on * along_f.x, c->radius * f.z + on * along_f.z};
    const nav_direction last = {c->radius * g.x - on * along_g.x, c->radius * g.z - on * along_g.z};
    c->at[c->count++] = nav_moved(c->p, first, 1);
    c->at[c->count++] = nav_moved(c->p, last, 1);
}

nav_corner_style nav_corner_style_of(const nav_config *cfg)
{
    const double cos = cfg->arc_step_cos, last = cos == NAV_ARC_STEP_COS ? NAV_ARC_LAST_COS : cos - CLOSE;
    return (nav_corner_style){cfg->corners, cos, cos == NAV_ARC_STEP_COS ? NAV_ARC_STEP_SIN : sqrt(1 - cos * cos), last,
                              cfg->mitre_limit};
}

int32_t nav_corner_find(const nav_corner_style *style, double radius, nav_point p, nav_direction f, nav_direction g,
                        nav_point out[NAV_CORNER_MOST])
{
    places c = {radius, p, out, 0};
    if (nav_direction_dot(f, g) >= SAME_COS) {
        put_meeting(&c, f, g);
    } else if (style->kind == NAV_CORNERS_ROUND) {
        put_arc(style, &c, f, g);
    } else if (style->kind == NAV_CORNERS_MITRE) {
        put_mitre(style, &c, f, g);
    } else {
        out[c.count++] = nav_moved(p, f, radius);
        out[c.count++] = nav_moved(p, g, radius);
    }
    return c.count;
}
