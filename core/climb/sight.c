#include "core/climb/search.h"

static void bend_at(climb_sight *s, flat corner, double rate)
{
    s->cost += rate * flat_apart(s->source, corner);
    s->source = corner;
}

static bool is_beyond_left(const climb_sight *s, flat at)
{
    return flat_cross(s->source, s->left, at) < 0; // x runs to the left
}

static bool is_beyond_right(const climb_sight *s, flat at)
{
    return flat_cross(s->source, s->right, at) > 0;
}

void nav_climb_aim(climb_sight *s, double width, flat at, double rate)
{
    const flat ends[2] = {{0, 0}, {width, 0}};
    bool left = is_beyond_left(s, at);
    if (!left && !is_beyond_right(s, at)) return;
    bend_at(s, left ? s->left : s->right, rate);
    s->right = ends[0];
    s->left = ends[1];
    // The corner may lie far behind the gate: then the gate's own end may hide the place still.
    if (s->source.y < 0 && (left ? is_beyond_left(s, at) : is_beyond_right(s, at))) {
        bend_at(s, ends[left], rate);
        s->right = ends[0];
        s->left = ends[1];
    }
}

void nav_climb_narrow(climb_sight *s, flat right, flat left, double rate)
{
    if (is_beyond_left(s, right)) {
        bend_at(s, s->left, rate);
        s->right = right;
        s->left = left;
    } else if (is_beyond_right(s, left)) {
        bend_at(s, s->right, rate);
        s->right = right;
        s->left = left;
    } else {
        if (!is_beyond_right(s, right)) s->right = right;
        if (!is_beyond_left(s, left)) s->left = left;
    }
}

static flat turned(flat p, flat origin, flat x)
{
    double dx = p.x - origin.x, dy = p.y - origin.y;
    return (flat){dx * x.x + dy * x.y, dy * x.x - dx * x.y};
}

void nav_climb_turn(climb_sight *s, flat right, flat left)
{
    double l = flat_apart(right, left);
    flat x = l > 0 ? (flat){(left.x - right.x) / l, (left.y - right.y) / l} : (flat){1, 0};
    s->source = turned(s->source, right, x);
    s->right = turned(s->right, right, x);
    s->left = turned(s->left, right, x);
}
