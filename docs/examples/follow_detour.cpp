/* Keeps a dtNavMesh as a world of a navd daemon is, live: prints the path between two places, by the costs of the
 * world's areas, and prints it again whenever an edit changes the mesh or the costs. With a COUNT it ends after so many
 * paths.
 *   c++ follow_detour.cpp detour_mesh.cpp $(pkg-config --cflags --libs navdclient) -I/usr/include/recastnavigation \
 *       -lDetour -o follow_detour
 *   ./follow_detour WORLD X,Y,Z X,Y,Z [COUNT] */
#include "detour_mesh.h"

#include <navd.h>

#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

namespace
{

struct Follower {
    navd_client *client = nullptr;
    navd_world world = {};
    detour_mesh *mesh = nullptr;
    std::map<std::pair<int, int>, bool> places; // of tiles in the mesh; false: not heard of since the last reset
    bool changed = true, synced = false, failed = false;
};

/* A tile is new, or other than before. In between some tiles are newer than others: paths wait for "synced". */
void on_tile(void *user, const navd_tile *t)
{
    auto *f = static_cast<Follower *>(user);
    if (t->status == NAVD_TILE_FAILED) { // the one of before stays
        fprintf(stderr, "tile %d,%d could not be made: %s\n", t->x, t->z, t->reason);
        f->places[{t->x, t->z}] = true;
        return;
    }
    const char *why = "";
    bool is_there = t->status == NAVD_TILE_OK; // else it is empty or removed
    if (is_there)
        f->places[{t->x, t->z}] = true;
    else
        f->places.erase({t->x, t->z});
    if (!detour_mesh_put(f->mesh, t->x, t->z, t->data, is_there ? t->size : 0, &why)) {
        fprintf(stderr, "tile %d,%d: %s\n", t->x, t->z, why);
        f->failed = true;
    }
    f->changed = true;
}

void on_event(void *user, const navd_event *e)
{
    auto *f = static_cast<Follower *>(user);
    const char *why;
    switch (e->kind) {
    case NAVD_EVENT_LOST: // navd_process() connects again by itself; the mesh stays as it is
        fprintf(stderr, "%s\n", e->text);
        break;
    case NAVD_EVENT_AREAS: // no tile changes with them, but the way may
        for (int area = 0; area < NAVD_AREA_COUNT; area++) detour_mesh_set_cost(f->mesh, area, 1);
        for (size_t i = 0; i < e->area_count; i++) detour_mesh_set_cost(f->mesh, e->areas[i].id, e->areas[i].cost);
        f->changed = true;
        break;
    case NAVD_EVENT_RESTORED:
        break;
    case NAVD_EVENT_RESET:
        for (auto &place : f->places) place.second = false;
        break;
    case NAVD_EVENT_SYNCED:
        for (auto at = f->places.begin(); at != f->places.end();) {
            if (!at->second) f->changed = detour_mesh_put(f->mesh, at->first.first, at->first.second, nullptr, 0, &why);
            at = at->second ? std::next(at) : f->places.erase(at);
        }
        f->synced = true;
        break;
    case NAVD_EVENT_SETTINGS: // the tiles that follow replace those here, unless they lie elsewhere
        if (e->grid == f->world.profiles[0].grid) break;
        fprintf(stderr, "the size of tiles or the origin has changed; start again\n");
        f->failed = true;
        break;
    case NAVD_EVENT_ENDED:
        fprintf(stderr, "%s\n", e->text);
        f->failed = true;
        break;
    }
}

bool begin(Follower *f, const char *name)
{
    char why[256];
    navd_options options = {};
    options.name = "follow_detour";
    options.timeout_ms = 5000;
    options.keep_connected = true;
    if (navd_connect_with(&options, &f->client, why, sizeof why) != NAVD_OK) {
        fprintf(stderr, "%s\n", why);
        return false;
    }
    if (navd_world_open(f->client, name, false, nullptr, nullptr, 0, &f->world) != NAVD_OK) {
        fprintf(stderr, "%s\n", navd_error_text(f->client));
        return false;
    }
    /* Detour's grid is the world's. A reference has 22 bits for tile and polygon: 4096 tiles of 1024 polygons. */
    const navd_profile *profile = &f->world.profiles[0];
    const float origin[3] = {static_cast<float>(f->world.origin_m[0]), static_cast<float>(f->world.origin_m[1]),
                             static_cast<float>(f->world.origin_m[2])};
    const float side = static_cast<float>(profile->settings.tile_cells) * profile->settings.cell_size_m;
    f->mesh = detour_mesh_create(origin, side, 4096, 1024);
    if (!f->mesh) {
        fprintf(stderr, "no memory\n");
        return false;
    }
    navd_on_tile(f->client, on_tile, f);
    navd_on_event(f->client, on_event, f);
    navd_subscription_options wanted = {};
    wanted.profile = profile->name;
    wanted.encoding = NAVD_ENCODING_DETOUR;
    uint64_t subscription;
    if (navd_subscribe(f->client, f->world.id, &wanted, &subscription) == NAVD_OK) return true;
    fprintf(stderr, "%s\n", navd_error_text(f->client));
    return false;
}

/* An engine has a loop of its own: it calls navd_process() once a frame, and needs no poll(). */
bool wait_and_process(Follower *f)
{
    struct pollfd p = {navd_fd(f->client), POLLIN, 0};
    if (navd_want_write(f->client)) p.events |= POLLOUT;
    poll(&p, 1, navd_wait_ms(f->client));
    if (navd_process(f->client) != NAVD_OK) {
        fprintf(stderr, "%s\n", navd_error_text(f->client));
        f->failed = true;
    }
    return !f->failed;
}

} // namespace

int main(int argc, char **argv)
{
    float from[3], to[3];
    if (argc < 4 || argc > 5 || sscanf(argv[2], "%f,%f,%f", &from[0], &from[1], &from[2]) != 3 ||
        sscanf(argv[3], "%f,%f,%f", &to[0], &to[1], &to[2]) != 3) {
        fprintf(stderr, "usage: follow_detour WORLD X,Y,Z X,Y,Z [COUNT]\n");
        return 2;
    }
    const int count = argc == 5 ? atoi(argv[4]) : 0;
    Follower f;
    int printed = 0;
    bool ok = begin(&f, argv[1]);
    while (ok && (count == 0 || printed < count)) {
        ok = wait_and_process(&f);
        if (!ok || !f.synced || !f.changed) continue;
        f.changed = f.synced = false;
        const float length = detour_mesh_path(f.mesh, from, to);
        if (length < 0)
            printf("%zu tiles: no way leads there\n", f.places.size());
        else
            printf("%zu tiles: the way is %.1f m long\n", f.places.size(), static_cast<double>(length));
        fflush(stdout);
        printed++;
    }
    detour_mesh_destroy(f.mesh);
    navd_world_free(&f.world);
    navd_close(f.client);
    return ok ? 0 : 1;
}
