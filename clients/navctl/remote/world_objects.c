#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/remote.h"

#include <stdio.h>
#include <unistd.h>

enum { FIRST_PAGE = 4096, LARGEST_PAGE = 16384, MAX_ATTEMPTS = 40 };
enum { WAIT_MS = 50, MAX_WAITS = 1200 }; // for a mesh that the daemon is still reading from disk

// All pages, of one revision. NAVD_ERR_STATE: the world moved on meanwhile. *code: what the taker said.
static navd_status read_pages(navd_client *c, uint64_t world, uint32_t limit, const world_taker *taker, int *code,
                              uint64_t *revision)
{
    navd_objects page = {0}, next;
    bool first = true;
    navd_status s;
    *code = taker->begin(taker->user);
    do {
        s = navd_world_objects(c, world, first ? NULL : &page, limit, &next);
        navd_objects_free(&page);
        page = next;
        first = false;
        if (s == NAVD_OK && page.count && *code == NAVCTL_OK) *code = taker->page(taker->user, &page);
    } while (s == NAVD_OK && *code == NAVCTL_OK && page.next);
    *revision = page.revision;
    navd_objects_free(&page);
    return s;
}

int world_objects_read(navd_client *c, const char *name, uint64_t world, const world_taker *taker, uint64_t *revision)
{
    uint32_t limit = FIRST_PAGE;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        int code;
        navd_status s = read_pages(c, world, limit, taker, &code, revision);
        if (s == NAVD_OK || code != NAVCTL_OK) return code;
        if (s != NAVD_ERR_STATE) return remote_failed(c, s, name);
        limit = LARGEST_PAGE; // fewer pages, less time in which the world can move on
    }
    fprintf(stderr, "navctl: %s: the world changed during every attempt to read it; try again when it is edited less\n",
            name);
    return NAVCTL_FAILED;
}

int world_objects_mesh(navd_client *c, const char *name, navd_key key, navd_mesh_data *out)
{
    navd_status s;
    int tries = 0;
    while ((s = navd_mesh_get(c, key, out)) == NAVD_ERR_AGAIN && ++tries < MAX_WAITS) usleep(WAIT_MS * 1000);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(c, s, name);
}
