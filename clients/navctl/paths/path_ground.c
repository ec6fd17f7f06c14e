#include "clients/navctl/paths/path_ground.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/tile_files/path_file.h"
#include "navcore/detour.h"

#include <stdlib.h>
#include <string.h>

void path_ground_deinit(path_ground *g)
{
    nav_path_set_destroy(g->set);
    nav_climb_set_destroy(g->climb);
    free(g->world_list);
    store_deinit(&g->file);
    tile_set_deinit(&g->tiles);
    tile_set_deinit(&g->detour_tiles);
    *g = (path_ground){.name = NULL};
}

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// --- A file's ---

int path_ground_read_file(path_ground *g, const char *path, const path_ground_wanted *wanted)
{
    char *end = NULL;
    long profile = wanted->profile ? strtol(wanted->profile, &end, 10) : 0;
    if (wanted->profile && (end == wanted->profile || *end || profile < 0)) {
        fprintf(stderr, "navctl: --profile %s: in a file profiles are numbers from 0\n", wanted->profile);
        return NAVCTL_USAGE;
    }
    g->name = path;
    bool keeps = wanted->tiles || wanted->detour;
    nav_climb_set **climb = wanted->climb && !keeps ? &g->climb : NULL;
    if (!path_file_read(path, (uint32_t)profile, &g->set, climb, keeps ? &g->file : NULL)) return NAVCTL_INPUT;
    if (!keeps) return NAVCTL_OK;
    if (!g->file.tiles) {
        fprintf(stderr, "navctl: %s: a polygon mesh has no tiles to draw or to give to Detour\n", path);
        return NAVCTL_INPUT;
    }
    g->list = g->file.tiles;
    g->list_count = g->file.tile_count;
    g->encoding = g->file.encoding;
    g->detour = &g->file;
    return NAVCTL_OK;
}

// --- A world's ---

static void take_tile(void *user, const navd_tile *t)
{
    path_ground *g = user;
    g->no_memory |= !tile_set_take(t->encoding == NAVD_ENCODING_DETOUR ? &g->detour_tiles : &g->tiles, t);
}

static navd_status receive(navd_client *c, path_ground *g, uint64_t world, const char *profile, bool detour)
{
    navd_subscription_options wanted = {.profile = profile, .encoding = NAVD_ENCODING_NAVD};
    navd_on_tile(c, take_tile, g);
    navd_status s = navd_subscribe(c, world, &wanted, NULL);
    wanted.encoding = NAVD_ENCODING_DETOUR;
    if (s == NAVD_OK && detour) s = navd_subscribe(c, world, &wanted, NULL);
    return s == NAVD_OK ? navd_wait(c, world, NULL, NULL) : s;
}

// The world's Detour tiles as a file of them would hold them.
static bool hold_detour(path_ground *g, const navd_world *w, const char *profile)
{
    const navd_profile *p = w->profiles;
    uint32_t count, tiles = 1;
    stored_tile *list = tile_set_list(&g->detour_tiles, &count);
    int bits = NAV_DETOUR_REF_BITS;
    if (!list) return false;
    while (strcmp(p->name, profile) != 0) p++;
    for (; tiles < count && bits > 0; tiles *= 2) bits--;
    g->file = (store){.kind = STORE_MSET,
                      .encoding = GENERATE_DETOUR,
                      .tiles = list,
                      .tile_count = count,
                      .tile_width = (float)p->settings.tile_cells * p->settings.cell_size_m,
                      .tile_height = (float)p->settings.tile_cells * p->settings.cell_size_m,
                      .max_tiles = (int32_t)tiles,
                      .max_polys = 1 << bits};
    for (int k = 0; k < 3; k++) g->file.origin[k] = (float)w->origin_m[k];
    g->detour = &g->file;
    return true;
}

static int fill_set(path_ground *g)
{
    char why[256] = "";
    nav_status s = nav_path_set_create(&g->set);
    for (uint32_t i = 0; s == NAV_OK && i < g->list_count; i++)
        s = nav_path_set_put(g->set, g->list[i].bytes, g->list[i].size, why, sizeof why);
    if (s == NAV_OK) s = nav_path_set_join(g->set);
    if (s == NAV_OK) return NAVCTL_OK;
    fprintf(stderr, "navctl: %s: %s\n", g->name, why[0] ? why : nav_status_text(s));
    return NAVCTL_FAILED;
}

int path_ground_read_world(path_ground *g, const char *name, const path_ground_wanted *wanted,
                           const remote_values *remote)
{
    navd_client *c = NULL;
    navd_world world = {0};
    const char *profile = wanted->profile;
    g->name = name;
    g->encoding = GENERATE_NAVD;
    int code = remote_open(remote, &c);
    if (code == NAVCTL_OK) code = remote_world(c, name, &world, &profile);
    if (code == NAVCTL_OK) {
        navd_status s = receive(c, g, world.id, profile, wanted->detour);
        if (s != NAVD_OK) code = remote_failed(c, s, name);
    }
    if (code == NAVCTL_OK) {
        g->list = g->world_list = g->no_memory ? NULL : tile_set_list(&g->tiles, &g->list_count);
        if (!g->list || (wanted->detour && !hold_detour(g, &world, profile))) code = no_memory();
    }
    if (code == NAVCTL_OK) code = fill_set(g);
    navd_close(c);
    navd_world_free(&world);
    return code;
}
