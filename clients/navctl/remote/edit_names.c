#include "clients/navctl/remote/edit_names.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/world_objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 8 }; // instances of one name that the error lists

typedef struct bearer {
    uint64_t id;
    char source[NAVD_NAME_BYTES];
} bearer;

typedef struct wanted {
    const char *name; // NULL: the step has its id
    uint64_t id;      // of an instance without a stored name
    bool is_terrain;  // its blocks have one name: the first is meant
    uint32_t count;
    bearer bearers[SHOWN];
} wanted;

typedef struct search {
    wanted *all;
    int count;
} search;

static int begin(void *user)
{
    search *s = user;
    for (int i = 0; i < s->count; i++) s->all[i].count = 0;
    return NAVCTL_OK;
}

static void take(wanted *w, const navd_operation *o)
{
    bool is_it = o->name[0] ? !strcmp(o->name, w->name) : o->id == w->id;
    if (!is_it) return;
    if (w->is_terrain && w->count) {
        bearer *b = &w->bearers[0];
        if (o->id < b->id) b->id = o->id;
        return;
    }
    if (w->count < SHOWN) {
        bearer *b = &w->bearers[w->count];
        b->id = o->id;
        memcpy(b->source, o->source, sizeof b->source);
    }
    w->count++;
}

static int take_page(void *user, const navd_objects *page)
{
    search *s = user;
    for (size_t k = 0; k < page->count; k++) {
        if (page->objects[k].kind != NAVD_PUT_INSTANCE) continue;
        for (int i = 0; i < s->count; i++)
            if (s->all[i].name) take(&s->all[i], &page->objects[k]);
    }
    return NAVCTL_OK;
}

static bool was_put(const edit_step *steps, int before, uint64_t id)
{
    for (int i = 0; i < before; i++)
        if (steps[i].operation.kind == NAVD_PUT_INSTANCE && steps[i].operation.id == id) return true;
    return false;
}

static int say_several(const arg_option *option, const char *value, const wanted *w, const char *world_name)
{
    uint32_t shown = w->count < SHOWN ? w->count : SHOWN;
    fprintf(stderr, "navctl edit: --%s %s: world %s has %" PRIu32 " instances of that name: ", option->name, value,
            world_name, w->count);
    for (uint32_t i = 0; i < shown; i++) {
        const bearer *b = &w->bearers[i];
        fprintf(stderr, "%s@%" PRIu64 " (%s%s)", i ? ", " : "", b->id, b->source[0] ? "from " : "no source", b->source);
    }
    fprintf(stderr, "%s; name one by its number, such as @%" PRIu64 "\n", w->count > shown ? " and others" : "",
            w->bearers[0].id);
    return NAVCTL_FAILED;
}

int edit_names_resolve(navd_client *c, const navd_world *world, const char *world_name, const arg_steps *given,
                       edit_step *steps)
{
    search s = {.count = given->count};
    const world_taker taker = {.user = &s, .begin = begin, .page = take_page};
    bool any = false;
    uint64_t revision;
    s.all = calloc((size_t)s.count + 1, sizeof *s.all);
    if (!s.all) {
        fprintf(stderr, "navctl: no memory left\n");
        return NAVCTL_FAILED;
    }
    for (int i = 0; i < s.count; i++) {
        if (!steps[i].name[0] || was_put(steps, i, steps[i].operation.id)) continue;
        s.all[i].name = steps[i].name;
        s.all[i].id = steps[i].operation.id;
        s.all[i].is_terrain = steps[i].operation.kind == NAVD_PATCH_HEIGHTS;
        any = true;
    }
    int code = any ? world_objects_read(c, world_name, world->id, &taker, &revision) : NAVCTL_OK;
    for (int i = 0; i < s.count && code == NAVCTL_OK; i++) {
        if (s.all[i].count > 1)
            code = say_several(given->items[i].option, given->items[i].value, &s.all[i], world_name);
        if (s.all[i].count == 1) steps[i].operation.id = s.all[i].bearers[0].id;
    }
    free(s.all);
    return code;
}
