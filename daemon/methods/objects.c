// world.objects: what stands in a world, in pages.
#include "daemon/methods/methods.h"
#include "daemon/store/edit_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// A cursor is a kind and a slot of that kind's table, which stand still while the revision does. It is never 0: the
// walk begins there.
enum { CURSOR_KIND_SHIFT = 56 };

typedef struct page {
    np_op *ops;
    size_t count, capacity;
    bool no_memory;
} page;

static void take_object(void *user, nd_node *n)
{
    page *p = user;
    if (p->count == p->capacity) {
        size_t capacity = p->capacity + p->capacity / 2 + 64;
        np_op *grown = realloc(p->ops, capacity * sizeof *grown);
        p->no_memory |= !grown;
        if (!grown) return;
        p->ops = grown;
        p->capacity = capacity;
    }
    p->ops[p->count++] = nd_object_to_op(ND_HOLDER(n, nd_object, node));
}

// Fills the page; *next is where the one after it begins, 0 where there is none.
static nav_status fill_page(const nd_world *w, uint64_t cursor, uint32_t limit, page *p, uint64_t *next)
{
    uint64_t kind = cursor >> CURSOR_KIND_SHIFT, slot = cursor & ((UINT64_C(1) << CURSOR_KIND_SHIFT) - 1);
    if (kind >= ND_KIND_COUNT || (slot && slot >= w->objects[kind].slot_count)) return NAV_ERR_ARGUMENT;
    *next = 0;
    while (kind < ND_KIND_COUNT && p->count < limit) {
        slot = nd_table_each_from(&w->objects[kind], slot, limit - p->count, take_object, p);
        if (!slot) kind++;
    }
    if (kind < ND_KIND_COUNT) *next = kind << CURSOR_KIND_SHIFT | slot;
    return p->no_memory ? NAV_ERR_MEMORY : NAV_OK;
}

nav_status nd_method_world_objects(nd_call *c)
{
    np_world_objects_request r;
    nd_world *w;
    page p = {0};
    nav_status s = np_decode_world_objects_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    if (r.has_revision && r.revision != w->revision)
        return np_error_set_key(&c->err, NAV_ERR_STATE, "revision",
                                "the world is at revision %" PRIu64 ", no longer at %" PRIu64 ": start again",
                                w->revision, r.revision);
    np_world_objects_response out = {.revision = w->revision, .axes = c->message->axes};
    s = fill_page(w, r.cursor, r.limit, &p, &out.next);
    if (s == NAV_ERR_ARGUMENT)
        np_error_set_key(&c->err, s, "cursor", "cursor is %" PRIu64 ", which no response gave as next", r.cursor);
    else if (s != NAV_OK)
        np_error_set(&c->err, s, "no memory for the page");
    out.object_count = (uint32_t)p.count;
    out.objects = p.ops;
    if (s == NAV_OK) nd_reply(c->session, c->message->id, NP_WORLD_OBJECTS, &out);
    free(p.ops);
    return s;
}
