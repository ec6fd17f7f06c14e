#include "tests/bench/rooms.h"
#include "tests/bench/random.h"

#include <math.h>
#include <stdbool.h>

const char *const ROOM_KIND_NAMES[ROOM_KINDS] = {"crates",  "sheet",   "thin",  "thick",   "lintel",
                                                 "ramp",    "pillars", "upper", "border",  "corner",
                                                 "leaning", "stairs",  "wall",  "ceiling", "steep"};

// The agent of nav_settings_default(), but for its radius.
static const double CLIMB_M = 0.9, TALL_M = 2;

// Along the room's own axes: u along the wall with the door, v through the door.
static const double HALF_U_M = 5, HALF_V_M = 5.5, OUTER_M = 0.2, HIGH_M = 3, SLAB_M = 0.35, STOREY_M = 3.5;
static const double PITCH_M = 16, ASIDE_M = 2.5, PI = 3.14159265358979;
static const double NARROWEST_M = -0.2, WIDEST_M = 0.8; // beside the agent's width

typedef struct maker {
    bench_random random;
    tri_list *out;
    double radius;
    bench_box frame;       // of the room: its middle and angle
    double rise_u, rise_v; // of its floor
    double base;           // height of its floor in the middle
    double low, high;      // of its walls
} maker;

static double pick(maker *m, double low, double high)
{
    return bench_random_in(&m->random, low, high);
}

static double floor_at(const maker *m, double u, double v)
{
    return m->base + u * m->rise_u + v * m->rise_v;
}

static void world_at(const maker *m, double u, double v, double out[3])
{
    double xz[2];
    bench_box_place(&m->frame, u, v, xz);
    out[0] = xz[0];
    out[1] = floor_at(m, u, v);
    out[2] = xz[1];
}

// --- Parts, given along the room's axes ---

static bench_prism rect(const maker *m, double low_u, double high_u, double low_v, double high_v)
{
    const bench_box b = {
        (low_u + high_u) / 2, (low_v + high_v) / 2, (high_u - low_u) / 2, (high_v - low_v) / 2, m->low, m->high, 0};
    return prism_of_box(&b);
}

static bench_prism sheet(const maker *m, double from_u, double from_v, double to_u, double to_v)
{
    return (bench_prism){{{from_u, from_v}, {to_u, to_v}}, 2, m->low, m->high, {0, 0}};
}

static void put(maker *m, const bench_prism *part)
{
    const bench_box turn = {.angle = m->frame.angle};
    bench_prism p = *part;
    for (uint32_t i = 0; i < p.corners; i++) bench_box_place(&m->frame, part->xz[i][0], part->xz[i][1], p.xz[i]);
    bench_box_place(&turn, part->lean[0], part->lean[1], p.lean);
    tri_list_add_prism(m->out, &p);
}

// The same between other heights.
static void put_between(maker *m, bench_prism part, double low, double high)
{
    part.low = low;
    part.high = high;
    put(m, &part);
}

static void put_outer(maker *m)
{
    const double u = HALF_U_M, v = HALF_V_M, o = OUTER_M;
    const bench_prism walls[4] = {rect(m, -u, -u + o, -v, v), rect(m, u - o, u, -v, v), rect(m, -u, u, -v, -v + o),
                                  rect(m, -u, u, v - o, v)};
    for (int i = 0; i < 4; i++) put(m, &walls[i]);
}

static void put_floor_quad(maker *m, const double uv[4][2])
{
    double at[4][3];
    for (int i = 0; i < 4; i++) world_at(m, uv[i][0], uv[i][1], at[i]);
    if (pick(m, 0, 1) < 0.5)
        tri_list_add_quad(m->out, at[0], at[1], at[2], at[3]);
    else
        tri_list_add_quad(m->out, at[1], at[2], at[3], at[0]);
}

static void put_floor_grid(maker *m)
{
    enum { U = 20, V = 22 };
    double at[U + 1][V + 1][2];
    for (int i = 0; i <= U; i++) {
        for (int k = 0; k <= V; k++) {
            bool inner_u = i > 0 && i<U, inner_v = k> 0 && k < V;
            at[i][k][0] = HALF_U_M * (2.0 * i / U - 1) + (inner_u ? pick(m, -0.15, 0.15) : 0);
            at[i][k][1] = HALF_V_M * (2.0 * k / V - 1) + (inner_v ? pick(m, -0.15, 0.15) : 0);
        }
    }
    for (int i = 0; i < U; i++) {
        for (int k = 0; k < V; k++) {
            const double uv[4][2] = {{at[i][k][0], at[i][k][1]},
                                     {at[i][k + 1][0], at[i][k + 1][1]},
                                     {at[i + 1][k + 1][0], at[i + 1][k + 1][1]},
                                     {at[i + 1][k][0], at[i + 1][k][1]}};
            put_floor_quad(m, uv);
        }
    }
}

// Of one of three kinds.
static void put_floor(maker *m)
{
    const double u = HALF_U_M, v = HALF_V_M, kind = pick(m, 0, 3);
    const double uv[4][2] = {{-u, -v}, {-u, v}, {u, v}, {u, -v}};
    if (kind < 1 && m->rise_u == 0 && m->rise_v == 0)
        put_between(m, rect(m, -u, u, -v, v), m->base - SLAB_M, m->base);
    else if (kind < 2)
        put_floor_quad(m, uv);
    else
        put_floor_grid(m);
}

// --- Doors ---

// What stands on both sides of a door. The right one begins at u = 0 and is moved away until the gap is right.
typedef struct jamb {
    bench_prism wall, more; // more: at the wall's end; without corners: there is none
} jamb;

static double gap_at(const jamb *left, const jamb *right, double shift, double at[2])
{
    double best = INFINITY;
    for (int i = 0; i < 4; i++) {
        const bench_prism *a = i & 1 ? &left->more : &left->wall;
        bench_prism b = i & 2 ? right->more : right->wall;
        double middle[2] = {0, 0};
        if (!a->corners || !b.corners) continue;
        prism_move(&b, shift, 0);
        double gap = prism_gap(a, &b, middle);
        if (gap >= best) continue;
        best = gap;
        if (!at) continue;
        at[0] = middle[0];
        at[1] = middle[1];
    }
    return best;
}

// How far the right side must be moved for a gap.
static double shift_for(const jamb *left, const jamb *right, double width)
{
    double low = 0, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (gap_at(left, right, middle, NULL) < width)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void stand(const maker *m, bench_room *room, double u, double from_v, double to_v)
{
    world_at(m, u, from_v, room->door.from);
    world_at(m, u, to_v, room->door.to);
}

// Puts both sides into the room, the door about `along`, and says where one stands.
static void put_door(maker *m, const jamb *left, const jamb *right, double width, double along, bench_room *room)
{
    const double shift = shift_for(left, right, width), half_v = left->wall.corners == 2 ? 0 : left->wall.xz[2][1];
    double at[2];
    gap_at(left, right, shift, at);
    // The walls now end at the outer ones.
    const double move = along - at[0], left_u = move, right_u = move + shift;
    bench_prism walls[2] = {rect(m, -HALF_U_M, left_u, -half_v, half_v), rect(m, right_u, HALF_U_M, -half_v, half_v)};
    if (half_v == 0) {
        walls[0] = sheet(m, -HALF_U_M, 0, left_u, 0);
        walls[1] = pick(m, 0, 1) < 0.5 ? sheet(m, right_u, 0, HALF_U_M, 0) : sheet(m, HALF_U_M, 0, right_u, 0);
    }
    for (int side = 0; side < 2; side++) {
        bench_prism more = side ? right->more : left->more;
        put(m, &walls[side]);
        if (!more.corners) continue;
        prism_move(&more, side ? right_u : left_u, 0);
        put_between(m, more, m->low, m->high);
    }
    room->door.width_m = width;
    world_at(m, along, left->more.corners ? at[1] : 0, room->at); // plain walls are as near in the middle
    stand(m, room, along, -ASIDE_M, ASIDE_M);
}

// Walls of a thickness, 0 for sheets, as long as they may become.
static void make_walls(const maker *m, double thick, jamb *left, jamb *right)
{
    *left = (jamb){.wall = rect(m, -2 * HALF_U_M, 0, -thick / 2, thick / 2)};
    *right = (jamb){.wall = rect(m, 0, 2 * HALF_U_M, -thick / 2, thick / 2)};
    if (thick > 0) return;
    left->wall = sheet(m, -2 * HALF_U_M, 0, 0, 0);
    right->wall = sheet(m, 0, 0, 2 * HALF_U_M, 0);
}

static bench_prism make_crate(maker *m, double u)
{
    const bench_box b = {.x = u,
                         .z = pick(m, -0.3, 0.3),
                         .half_x = pick(m, 0.4, 0.9),
                         .half_z = pick(m, 0.4, 0.9),
                         .angle = pick(m, 0, PI)};
    return prism_of_box(&b);
}

static bench_prism make_pillar(maker *m, double u)
{
    return prism_round(u, pick(m, -0.3, 0.3), pick(m, 0.3, 0.9), 3 + (uint32_t)pick(m, 0, 14), pick(m, 0, PI));
}

// A crate or a pillar stands so that it hides the end of its wall.
static void make_between(maker *m, room_kind kind, jamb *left, jamb *right)
{
    make_walls(m, 0.2, left, right);
    left->more = kind == ROOM_PILLARS ? make_pillar(m, 0) : make_crate(m, -pick(m, 0, 0.3));
    right->more = kind == ROOM_PILLARS ? make_pillar(m, 0) : make_crate(m, pick(m, 0, 0.3));
}

static void put_plain(maker *m, double thick, double width, double along, bench_room *room)
{
    jamb left, right;
    make_walls(m, thick, &left, &right);
    put_door(m, &left, &right, width, along, room);
}

// The wall to the right is a sheet half a metre before the outer one.
static void put_beside_sheet(maker *m, double width, bench_room *room)
{
    const double wall_u = HALF_U_M - 0.5, v = HALF_V_M;
    jamb left, right = {.wall = sheet(m, 0, -2 * v, 0, 2 * v)};
    double at[2];
    make_walls(m, 0.2, &left, &right);
    right = (jamb){.wall = sheet(m, 0, -2 * v, 0, 2 * v)};
    left.more = make_crate(m, -pick(m, 0, 0.3));
    const double shift = shift_for(&left, &right, width), move = wall_u - shift;
    gap_at(&left, &right, shift, at);
    const bench_prism wall = rect(m, -HALF_U_M, move, -0.1, 0.1);
    const bench_prism last = pick(m, 0, 1) < 0.5 ? sheet(m, wall_u, -v, wall_u, v) : sheet(m, wall_u, v, wall_u, -v);
    prism_move(&left.more, move, 0);
    put(m, &wall);
    put_between(m, left.more, m->low, m->high);
    put(m, &last);
    room->door.width_m = width;
    world_at(m, move + at[0], at[1], room->at);
    stand(m, room, wall_u - m->radius - 0.5, -ASIDE_M, ASIDE_M);
}

// What is over the door is too low in every third room.
static void put_below(maker *m, double thick, double low_m, double high_m, double width, double along, bench_room *room)
{
    const bool blocks = pick(m, 0, 3) < 1;
    const double under = blocks ? pick(m, 1.2, 1.8) : pick(m, low_m, high_m);
    put_plain(m, thick, width, along, room);
    put_between(m, rect(m, along - width, along + width, -thick / 2, thick / 2), under, HIGH_M - 0.1);
    if (blocks) room->door.width_m = 0;
}

static void put_upper(maker *m, double width, double along, bench_room *room)
{
    put_floor(m);
    put_between(m, rect(m, -HALF_U_M, HALF_U_M, -0.1, 0.1), 0, STOREY_M);
    m->base = STOREY_M;
    m->high = STOREY_M + HIGH_M;
    put_outer(m);
    put_floor(m);
    m->low = STOREY_M;
    put_plain(m, pick(m, 0.2, 0.4), width, along, room);
}

// Its faces lean towards the door or away from it, steeper than 60 degrees.
static void put_leaning(maker *m, double width, double along, bench_room *room)
{
    const double left = pick(m, -0.5, 0.5), right = pick(m, -0.5, 0.5), reach = 1.6; // into the outer walls
    // How far each comes into the door that it leaves where it meets the floor.
    const double into[2] = {fmax(left * CLIMB_M, left * TALL_M), fmax(-right * CLIMB_M, -right * TALL_M)};
    bench_prism walls[2] = {rect(m, -HALF_U_M - reach, along - width / 2 - into[0], -0.1, 0.1),
                            rect(m, along + width / 2 + into[1], HALF_U_M + reach, -0.1, 0.1)};
    walls[0].lean[0] = left;
    walls[1].lean[0] = right;
    for (int i = 0; i < 2; i++) put_between(m, walls[i], 0, HIGH_M);
    room->door.width_m = width;
    world_at(m, along, 0, room->at);
    stand(m, room, along, -ASIDE_M, ASIDE_M);
}

static void put_stairs(maker *m, double width, double along, bench_room *room)
{
    const int steps = 6 + (int)pick(m, 0, 6);
    const double high = pick(m, 1.3, 1.8), run = pick(m, 0.25, 0.3);
    put_between(m, rect(m, -HALF_U_M, HALF_U_M, 0, HALF_V_M), -SLAB_M, high);
    for (int i = 0; i < steps; i++) {
        const double depth = run * (steps - i);
        put_between(m, rect(m, along - width / 2, along + width / 2, -depth, 0.05), 0, high * (i + 1) / (steps + 1));
    }
    room->door.width_m = width;
    stand(m, room, along, -run * steps - m->radius - 0.3, ASIDE_M);
    room->door.to[1] = high;
}

static void put_wall(maker *m, bench_room *room)
{
    static const double thick[] = {0, 0.02, 0.05, 0.1, 0.2};
    const double v = thick[(int)pick(m, 0, 5)] / 2, high = pick(m, 1.3, HIGH_M);
    put_between(m, v > 0 ? rect(m, -HALF_U_M, HALF_U_M, -v, v) : sheet(m, -HALF_U_M, 0, HALF_U_M, 0), m->low, high);
    room->door.width_m = 0;
    stand(m, room, 0, -ASIDE_M, ASIDE_M);
}

static void put_crates(maker *m, room_kind kind, double width, double along, bench_room *room)
{
    jamb left, right;
    make_between(m, kind, &left, &right);
    put_door(m, &left, &right, width, along, room);
}

// --- Rooms ---

static void make_room(maker *m, room_kind kind, double width, double along, bench_room *room)
{
    m->base = m->rise_u = m->rise_v = 0;
    m->low = pick(m, 0, 1) < 0.5 ? 0 : -SLAB_M;
    m->high = HIGH_M;
    if (kind == ROOM_RAMP || kind == ROOM_STEEP) {
        const double steep = tan((kind == ROOM_RAMP ? pick(m, 5, 25) : pick(m, 30, 43)) / 180 * PI),
                     turn = pick(m, 0, 2 * PI);
        m->rise_u = steep * cos(turn);
        m->rise_v = steep * sin(turn);
        m->low = -8;
        m->high = 10;
    }
    if (kind != ROOM_UPPER) {
        put_floor(m);
        put_outer(m);
    }
    switch (kind) {
    case ROOM_CRATES:
    case ROOM_PILLARS:
        put_crates(m, kind, width, along, room);
        break;
    case ROOM_SHEET:
        put_beside_sheet(m, width, room);
        break;
    case ROOM_THIN:
        put_plain(m, 0, width, along, room);
        break;
    case ROOM_THICK:
        put_plain(m, pick(m, 1, 2.4), width, along, room);
        break;
    case ROOM_LINTEL:
        put_below(m, 0.2, 2.12, 2.4, width, along, room);
        break;
    case ROOM_CEILING:
        put_below(m, pick(m, 1, 2.4), 2.3, 2.6, width, along, room);
        break;
    case ROOM_UPPER:
        put_upper(m, width, along, room);
        break;
    case ROOM_LEANING:
        put_leaning(m, width, along, room);
        break;
    case ROOM_STAIRS:
        put_stairs(m, width, along, room);
        break;
    case ROOM_WALL:
        put_wall(m, room);
        break;
    default:
        put_plain(m, pick(m, 0.2, 0.4), width, along, room);
        break;
    }
}

// Where the room's middle is: anywhere about a corner of tiles, or such that the door is where tiles meet.
static void place_room(maker *m, room_kind kind, double tile, double x, double z, double along)
{
    const bool here_x = kind == ROOM_CORNER || (kind == ROOM_BORDER && pick(m, 0, 1) < 0.5);
    const bool here_z = kind == ROOM_CORNER || (kind == ROOM_BORDER && !here_x);
    double door[2];
    m->frame = (bench_box){.angle = pick(m, 0, 2 * PI)};
    bench_box_place(&m->frame, along, 0, door);
    m->frame.x = here_x ? x - door[0] : x + pick(m, -0.5, 0.5) * tile;
    m->frame.z = here_z ? z - door[1] : z + pick(m, -0.5, 0.5) * tile;
}

void rooms_make(uint64_t seed, uint32_t of_each, double radius_m, double tile_m, tri_list *out, bench_room *rooms)
{
    const uint32_t count = of_each * ROOM_KINDS, row = (uint32_t)ceil(sqrt(count));
    const double pitch = tile_m * ceil((PITCH_M + tile_m) / tile_m);
    for (uint32_t i = 0; i < count; i++) {
        const room_kind kind = (room_kind)(i / of_each);
        maker m = {.random = {seed + i}, .out = out, .radius = radius_m}; // the same room in tiles of any size
        double width = 2 * radius_m + pick(&m, NARROWEST_M, WIDEST_M), along = pick(&m, -1.5, 1.5);
        if (kind == ROOM_CEILING || kind == ROOM_STAIRS || kind == ROOM_STEEP)
            width = 2 * radius_m + pick(&m, 0.05, WIDEST_M);
        place_room(&m, kind, tile_m, pitch * (i % row + 1), pitch * (i / row + 1), along);
        make_room(&m, kind, width, along, &rooms[i]);
    }
}
