#include "clients/navctl/remote/link_sync.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/scene/heap_array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The links that the world has.
typedef struct links {
    navd_operation *all;
    uint32_t count, capacity;
} links;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int begin(void *user)
{
    ((links *)user)->count = 0;
    return NAVCTL_OK;
}

static int keep(void *user, const navd_objects *page)
{
    links *l = user;
    for (size_t i = 0; i < page->count; i++) {
        if (page->objects[i].kind != NAVD_PUT_LINK) continue;
        if (!heap_array_grow(&l->all, &l->capacity, l->count + 1, sizeof *l->all)) return no_memory();
        l->all[l->count++] = page->objects[i];
    }
    return NAVCTL_OK;
}

static int compare_ids(const void *a, const void *b)
{
    const navd_operation *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static bool is_same(const navd_operation *a, const navd_operation *b)
{
    return !memcmp(a->u.link.start, b->u.link.start, sizeof a->u.link.start) &&
           !memcmp(a->u.link.end, b->u.link.end, sizeof a->u.link.end) && a->u.link.radius_m == b->u.link.radius_m &&
           a->u.link.area == b->u.link.area && a->u.link.both_ways == b->u.link.both_ways &&
           a->u.link.flags == b->u.link.flags;
}

static void set_operation(navd_operation *op, const nav_link *from, const char *source)
{
    memset(op, 0, sizeof *op);
    op->kind = NAVD_PUT_LINK;
    op->id = from->id;
    snprintf(op->source, sizeof op->source, "%s", source);
    memcpy(op->u.link.start, from->start, sizeof op->u.link.start);
    memcpy(op->u.link.end, from->end, sizeof op->u.link.end);
    op->u.link.radius_m = from->radius_m;
    op->u.link.area = from->area;
    op->u.link.both_ways = from->both_ways != 0;
    op->u.link.flags = from->flags;
}

// Puts what is new or different, and removes what only the world has. Returns an exit code.
static int compare(links *has, const scene *s, const char *source, navd_operation *ops, size_t *count, link_sync *out)
{
    if (has->count) qsort(has->all, has->count, sizeof *has->all, compare_ids);
    for (uint32_t i = 0; i < s->link_count; i++) {
        navd_operation *op = &ops[*count];
        set_operation(op, &s->links[i], source);
        navd_operation *found = has->count ? bsearch(op, has->all, has->count, sizeof *has->all, compare_ids) : NULL;
        if (found && strcmp(found->source, source) != 0) {
            fprintf(
                stderr,
                "navctl: the world has a link with id %llu already, of %s%s: give the one in the file another name\n",
                (unsigned long long)op->id, found->source[0] ? "source " : "nobody", found->source);
            return NAVCTL_FAILED;
        }
        const bool same = found && is_same(found, op);
        if (found) found->kind = NAVD_REMOVE_LINK; // seen
        out->unchanged += same;
        out->put += !same;
        *count += !same;
    }
    for (uint32_t i = 0; i < has->count; i++) {
        if (has->all[i].kind == NAVD_REMOVE_LINK || strcmp(has->all[i].source, source) != 0) continue;
        ops[(*count)++] = (navd_operation){.kind = NAVD_REMOVE_LINK, .id = has->all[i].id};
        out->removed++;
    }
    return NAVCTL_OK;
}

int link_sync_run(navd_client *c, const navd_world *world, const char *world_name, const scene *s, const char *source,
                  bool dry_run, link_sync *out)
{
    *out = (link_sync){0};
    links has = {0};
    uint64_t revision;
    size_t count = 0;
    const world_taker taker = {.user = &has, .begin = begin, .page = keep};
    int code = world_objects_read(c, world_name, world->id, &taker, &revision);
    navd_operation *ops = code == NAVCTL_OK ? malloc((has.count + (size_t)s->link_count + 1) * sizeof *ops) : NULL;
    if (code == NAVCTL_OK) code = ops ? compare(&has, s, source, ops, &count, out) : no_memory();
    if (code == NAVCTL_OK && count && !dry_run) {
        navd_edit_result result;
        const navd_status status = navd_edit(c, world->id, NULL, ops, count, &result);
        if (status == NAVD_OK)
            out->revision = result.revision;
        else
            code = remote_failed(c, status, world_name);
    }
    free(ops);
    free(has.all);
    return code;
}
