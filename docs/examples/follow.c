/* Follows a world of a navd daemon from an event loop of one's own: moves one of its objects by 2 m and back, and
 * prints each tile as it comes. Ends with 0 when the tiles of both edits are there, with 1 where anything was refused.
 *   cc follow.c $(pkg-config --cflags --libs navdclient) -o follow && ./follow WORLD */
#include <navd.h>

#include <poll.h>
#include <stdio.h>

enum { EDITS = 2 };

typedef struct editor {
    navd_client *client;
    navd_world world;
    navd_operation move;
    int edits; /* sent so far */
    bool done, failed;
} editor;

static void on_tile(void *user, const navd_tile *t)
{
    (void)user;
    printf("tile %d,%d %s: revision %llu, %zu bytes for Detour\n", t->x, t->z, navd_tile_status_name(t->status),
           (unsigned long long)t->revision, t->size);
}

static bool check(editor *e, navd_status s, const char *text)
{
    if (s == NAVD_OK) return true;
    fprintf(stderr, "follow: %s\n", text);
    e->failed = e->done = true;
    return false;
}

static void send_edit(editor *e);

static void on_settled(void *user, navd_status s, const char *text, uint64_t now)
{
    editor *e = user;
    if (!check(e, s, text)) return;
    printf("all tiles of revision %llu are here\n", (unsigned long long)now);
    if (e->edits < EDITS)
        send_edit(e);
    else
        e->done = true;
}

static void on_edited(void *user, navd_status s, const char *text, const navd_edit_result *result)
{
    editor *e = user;
    if (!check(e, s, text)) return;
    printf("the edit is revision %llu and touches %u tiles\n", (unsigned long long)result->revision,
           result->dirty_tiles);
    s = navd_wait_start(e->client, e->world.id, &result->revision, on_settled, e);
    check(e, s, navd_error_text(e->client));
}

/* There by 2 m along x, and back. */
static void send_edit(editor *e)
{
    e->move.u.instance.transform[3] += e->edits++ % 2 ? -2.0f : 2.0f;
    navd_status s = navd_edit_start(e->client, e->world.id, NULL, &e->move, 1, on_edited, e);
    check(e, s, navd_error_text(e->client));
}

/* The first instance that the world has. */
static bool find_object(editor *e)
{
    navd_objects page = {0};
    bool found = false;
    do {
        navd_objects before = page;
        navd_status s = navd_world_objects(e->client, e->world.id, before.next ? &before : NULL, 0, &page);
        navd_objects_free(&before);
        if (!check(e, s, navd_error_text(e->client))) return false;
        for (size_t i = 0; i < page.count && !found; i++) {
            e->move = page.objects[i];
            found = e->move.kind == NAVD_PUT_INSTANCE;
        }
    } while (page.next && !found);
    navd_objects_free(&page);
    e->move.kind = NAVD_MOVE_INSTANCE;
    return check(e, found ? NAVD_OK : NAVD_ERR_NOT_FOUND, "the world has no instance to move");
}

static void begin(editor *e, const char *name)
{
    navd_status s = navd_world_open(e->client, name, false, NULL, NULL, 0, &e->world);
    if (!check(e, s, navd_error_text(e->client)) || !find_object(e)) return;
    navd_subscription_options wanted = {.profile = e->world.profiles[0].name, .encoding = NAVD_ENCODING_DETOUR};
    uint64_t subscription;
    navd_on_tile(e->client, on_tile, e);
    s = navd_subscribe(e->client, e->world.id, &wanted, &subscription);
    if (check(e, s, navd_error_text(e->client))) send_edit(e);
}

int main(int argc, char **argv)
{
    editor e = {0};
    char why[256];
    if (argc != 2) {
        fprintf(stderr, "usage: follow WORLD\n");
        return 2;
    }
    if (navd_connect(NULL, "follow", 5000, &e.client, why, sizeof why) != NAVD_OK) {
        fprintf(stderr, "follow: %s\n", why);
        return 1;
    }
    begin(&e, argv[1]);
    while (!e.done) {
        struct pollfd p = {.fd = navd_fd(e.client),
                           .events = (short)(POLLIN | (navd_want_write(e.client) ? POLLOUT : 0))};
        if (poll(&p, 1, -1) < 0) continue;
        navd_status s = navd_process(e.client);
        check(&e, s, navd_error_text(e.client));
    }
    navd_world_free(&e.world);
    navd_close(e.client);
    return e.failed ? 1 : 0;
}
