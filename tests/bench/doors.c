#include "tests/bench/doors.h"
#include "navcore/path_places.h"
#include "tests/bench/random.h"

#include <math.h>
#include <stdio.h>

static const double PITCH_M = 16, SHIFT_M = 0.5, HALF_WIDTH_M = 5, HALF_DEPTH_M = 5.5, HIGH_M = 3, FLOOR_M = 0.3;
static const double OUTER_M = 0.2; // thickness of the outer walls
static const double ASIDE_M = 2.5; // from the door's wall to where the judge stands
static const double PI = 3.14159265358979, NEAR_M = 0.5;

// A part of the room, given along its axes.
static bench_box part(const bench_box *room, double low_x, double high_x, double low_z, double high_z)
{
    double at[2];
    bench_box_place(room, (low_x + high_x) / 2, (low_z + high_z) / 2, at);
    return (bench_box){at[0], at[1], (high_x - low_x) / 2, (high_z - low_z) / 2, 0, HIGH_M, room->angle};
}

static void make_room(const bench_box *room, double width, double along, double thick, bench_box *out)
{
    const double w = HALF_WIDTH_M, d = HALF_DEPTH_M;
    *out = *room;
    out[1] = part(room, -w, -w + OUTER_M, -d, d);
    out[2] = part(room, w - OUTER_M, w, -d, d);
    out[3] = part(room, -w, w, -d, -d + OUTER_M);
    out[4] = part(room, -w, w, d - OUTER_M, d);
    out[5] = part(room, -w, along - width / 2, -thick / 2, thick / 2);
    out[6] = part(room, along + width / 2, w, -thick / 2, thick / 2);
}

void doors_make(uint64_t seed, uint32_t count, bench_box *boxes, bench_door *doors)
{
    bench_random r = {seed};
    uint32_t row = (uint32_t)ceil(sqrt(count));
    for (uint32_t i = 0; i < count; i++) {
        bench_door *door = &doors[i];
        bench_box room = {.half_x = HALF_WIDTH_M, .half_z = HALF_DEPTH_M, .low = -FLOOR_M};
        room.x = PITCH_M * (i % row + 0.5) + bench_random_in(&r, -SHIFT_M, SHIFT_M);
        room.z = PITCH_M * (i / row + 0.5) + bench_random_in(&r, -SHIFT_M, SHIFT_M);
        room.angle = bench_random_in(&r, 0, 2 * PI);
        door->width_m = bench_random_in(&r, DOOR_LEAST_M, DOOR_MOST_M);
        double along = bench_random_in(&r, -2, 2), at[2];
        make_room(&room, door->width_m, along, bench_random_in(&r, 0.2, 0.4), boxes + (size_t)i * DOOR_BOXES);
        for (int side = 0; side < 2; side++) {
            double *end = side ? door->to : door->from;
            bench_box_place(&room, along, side ? ASIDE_M : -ASIDE_M, at);
            end[0] = at[0];
            end[1] = 0;
            end[2] = at[1];
        }
    }
}

bool doors_judge(const nav_path_set *set, const bench_door *doors, uint32_t count, double radius_m, door_counts *out)
{
    *out = (door_counts){.doors = count};
    for (uint32_t i = 0; i < count; i++) {
        const bench_door *d = &doors[i];
        const double goal[1][3] = {{d->to[0], d->to[1], d->to[2]}};
        nav_place_status found;
        nav_status status = nav_path_reach(NULL, set, d->from, &(nav_place_scope){.near_m = NEAR_M}, goal, 1, &found);
        if (status != NAV_OK) {
            fprintf(stderr, "bench: door %u: %s\n", i, nav_status_text(status));
            return false;
        }
        bool open = found == NAV_PLACE_FOUND;
        double class_of = (d->width_m - DOOR_LEAST_M) / (DOOR_MOST_M - DOOR_LEAST_M) * DOOR_CLASSES;
        int c = (int)fmin(DOOR_CLASSES - 1, fmax(0, class_of));
        uint32_t wrong = out->shut_wrongly + out->open_wrongly;
        out->class_doors[c]++;
        out->class_open[c] += open;
        out->open += open;
        out->shut_wrongly += !open && d->width_m >= 2 * radius_m + DOOR_TOLERANCE_M;
        out->open_wrongly += open && d->width_m < 2 * radius_m;
        if (wrong < out->shut_wrongly + out->open_wrongly && wrong < DOOR_WRONG_KEPT) out->wrong[wrong] = i;
    }
    return true;
}
