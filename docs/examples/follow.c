/* Follows a world of a navd daemon from an event loop of one's own: prints each tile as it changes, moves an object,
 * and ends when the tiles that it touched are there.
 *   cc follow.c $(pkg-config --cflags --libs navdclient) -o follow && ./follow WORLD ID */
#include <navd.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct editor {
    navd_client *client;
    navd_world world;
    uint64_t object;
    bool done;
} editor;

static void on_tile(void *user, const navd_tile *t)
{
    (void)user;
    printf("tile %d,%d %s: revision %llu, %zu bytes\n", t->x, t->z, navd_tile_status_name(t->status),
           (unsigned long long)t->revision, t->size);
}

static void on_settled(void *user, navd_status s, const char *text, uint64_t now)
{
    editor *e = user;
    if (s != NAVD_OK) fprintf(stderr, "%s\n", text);
    printf("all tiles of revision %llu are here\n", (unsigned long long)now);
    e->done = true;
}

static void on_edited(void *user, navd_status s, const char *text, const navd_edit_result *result)
{
    editor *e = user;
    if (s == NAVD_OK) {
        printf("the edit is revision %llu and touches %u tiles\n", (unsigned long long)result->revision,
               result->dirty_tiles);
        s = navd_wait_start(e->client, e->world.id, &result->revision, on_settled, e);
        text = navd_error_text(e->client);
    }
    if (s != NAVD_OK) fprintf(stderr, "%s\n", text);
    e->done = s != NAVD_OK;
}

static navd_status begin(editor *e, const char *name)
{
    navd_status s = navd_world_open(e->client, name, false, NULL, NULL, 0, &e->world);
    if (s != NAVD_OK) return s;
    navd_subscription_options wanted = {.profile = e->world.profiles[0].name};
    navd_on_tile(e->client, on_tile, e);
    s = navd_subscribe(e->client, e->world.id, &wanted, NULL);
    if (s != NAVD_OK) return s;
    navd_operation move = {.kind = NAVD_MOVE_INSTANCE, .id = e->object};
    const float place[12] = {1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0};
    for (int i = 0; i < 12; i++) move.u.instance.transform[i] = place[i];
    return navd_edit_start(e->client, e->world.id, NULL, &move, 1, on_edited, e);
}

int main(int argc, char **argv)
{
    editor e = {0};
    char why[256];
    if (argc != 3) {
        fprintf(stderr, "usage: follow WORLD ID\n");
        return 2;
    }
    e.object = strtoull(argv[2], NULL, 10);
    if (navd_connect(NULL, "follow", 5000, &e.client, why, sizeof why) != NAVD_OK) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    navd_status s = begin(&e, argv[1]);
    while (s == NAVD_OK && !e.done) {
        struct pollfd p = {.fd = navd_fd(e.client),
                           .events = (short)(POLLIN | (navd_want_write(e.client) ? POLLOUT : 0))};
        if (poll(&p, 1, -1) >= 0) s = navd_process(e.client);
    }
    if (s != NAVD_OK) fprintf(stderr, "%s\n", navd_error_text(e.client));
    navd_close(e.client);
    navd_world_free(&e.world);
    return s == NAVD_OK ? 0 : 1;
}
