#include "daemon/farm/area.h"

#include "core/geometry/tile_source.h"
#include "daemon/base/age_list.h"
#include "daemon/base/clock.h"
#include "daemon/world/areas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARES = 64, A_STEP = 8 };

// --- life ---

static nd_area *take_memory(nd_coordinator *c)
{
    nd_area *a = c->spare;
    if (!a) return calloc(1, sizeof *a);
    c->spare = a->older;
    c->spares--;
    return a;
}

static void give_memory(nd_coordinator *c, nd_area *a)
{
    if (c->spares >= SPARES) {
        free(a);
        return;
    }
    memset(a, 0, offsetof(nd_area, tiles));
    a->older = c->spare;
    c->spare = a;
    c->spares++;
}

nd_area *nd_area_create(nd_coordinator *c, nd_world *w, uint32_t profile, int32_t block_x, int32_t block_z)
{
    nd_area *a = nd_table_reserve(&c->areas, 1) == NAV_OK ? take_memory(c) : NULL;
    if (!a) return NULL;
    a->of = c;
    a->number = ++c->next_number;
    a->block = (nd_block_name){w->id, profile, block_x, block_z};
    a->form = nd_away_form(w, profile);
    a->began_ns = nd_now_ns();
    if (!nd_farm_space_token(w->space->name, a->space, sizeof a->space)) {
        give_memory(c, a);
        return NULL;
    }
    a->state = ND_AREA_ASKED;
    c->in[a->state]++;
    ND_AGE_LINK_NEWEST(c, a);
    nd_table_insert(&c->areas, &a->node, nd_hash_u64(a->number));
    return a;
}

nd_area *nd_area_find(const nd_coordinator *c, uint64_t number)
{
    for (nd_node *n = nd_table_first(&c->areas, nd_hash_u64(number)); n; n = nd_table_next(n))
        if (ND_HOLDER(n, nd_area, node)->number == number) return ND_HOLDER(n, nd_area, node);
    return NULL;
}

void nd_area_set_state(nd_coordinator *c, nd_area *a, nd_area_state state)
{
    if (a->dropped) return;
    c->in[a->state]--;
    a->state = state;
    c->in[a->state]++;
}

static void free_dropped(nd_coordinator *c, nd_area *a)
{
    ND_AGE_UNLINK(c, a);
    nd_table_remove(&c->areas, &a->node);
    give_memory(c, a);
}

void nd_area_drop(nd_coordinator *c, nd_area *a)
{
    if (!a->dropped) {
        a->dropped = true;
        c->in[a->state]--;
        nd_bus_hush(c->with.bus, a->ear);
        a->ear = NULL;
    }
    if (!a->tasks) free_dropped(c, a);
}

bool nd_area_end_task(nd_coordinator *c, nd_area *a)
{
    a->tasks--;
    if (!a->dropped) return !c->closing;
    if (!a->tasks) free_dropped(c, a);
    return false;
}

// --- tiles ---

void nd_area_return_tile(nd_coordinator *c, nd_area *a, uint32_t tile)
{
    a->ended[tile] = true;
    a->left--;
    c->stats.home++;
    nd_builder_return(c->with.builder, &a->tiles[tile], ND_AWAY_NEVER);
}

void nd_area_return(nd_coordinator *c, nd_area *a, nd_tile_away as)
{
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->ended[i]) continue;
        a->ended[i] = true;
        if (as == ND_AWAY_NEVER) c->stats.home++;
        nd_builder_return(c->with.builder, &a->tiles[i], as);
    }
    a->left = 0;
    if (as == ND_AWAY_MISSED) nd_blocks_note(&c->unsent, &a->block);
    nd_area_drop(c, a);
}

static void arrive(nd_coordinator *c, nd_area *a, nd_arrival *r)
{
    const nd_wanted *f = r->found;
    const uint32_t i = r->at;
    if (nav_key_is_zero(f->tiles[i].source)) return;
    nd_cached out[ND_ENCODINGS];
    const bool has = nd_wanted_get(f, i, out);
    if (!r->made) *(has ? &c->stats.found : &c->stats.not_found) += 1;
    if (!has) return;
    r->has_some = true;
    if (a->ended[i]) {
        c->stats.late++; // into the caches alone
    } else {
        a->ended[i] = true;
        a->left--;
        c->stats.made += r->made;
    }
    nd_builder_arrive(c->with.builder, &a->tiles[i], f->form, out);
}

static void end_arrival(nd_coordinator *c, nd_area *a, nd_arrival *r)
{
    ND_FIFO_DROP(&c->arrivals);
    if (!r->made) c->unfound = r->has_some ? 0 : c->unfound + 1;
    if (nd_area_end_task(c, a)) {
        if (r->made && !a->left) nd_histogram_add(&c->stats.job, (nd_now_ns() - a->began_ns) / 1000);
        nd_coordinator_route(c, a);
    }
    nd_wanted_destroy(r->found);
    free(r);
}

void nd_area_arrive(nd_coordinator *c, nd_area *a, nd_wanted *found, bool made)
{
    nd_arrival *r = c->closing ? NULL : malloc(sizeof *r);
    c->stats.damaged += found->damaged;
    a->answered |= !made;
    if (r) {
        *r = (nd_arrival){.area = a->number, .found = found, .made = made};
        ND_FIFO_PUT(&c->arrivals, r);
        nd_builder_kick(c->with.builder);
        return;
    }
    nd_wanted_destroy(found);
    if (nd_area_end_task(c, a)) nd_coordinator_route(c, a);
}

bool nd_area_arrive_some(nd_coordinator *c)
{
    nd_arrival *r = c->arrivals.first;
    if (!r) return false;
    nd_area *a = nd_area_find(c, r->area);
    for (uint32_t i = r->at + A_STEP; i < r->at + 2 * A_STEP && i < r->found->count; i++)
        nd_builder_expect(c->with.builder, &a->tiles[i]);
    for (uint32_t n = 0; n < A_STEP && r->at < r->found->count; n++, r->at++) arrive(c, a, r);
    if (r->at == r->found->count) end_arrival(c, a, r);
    return true;
}

nd_wanted *nd_area_wanted(const nd_area *a)
{
    nav_key keys[ND_AREA_TILES];
    for (uint32_t i = 0; i < a->count; i++) keys[i] = a->ended[i] ? (nav_key){0, 0} : a->tiles[i].source;
    return nd_wanted_create(keys, a->count, a->form);
}

bool nd_area_is_needed(const nd_coordinator *c, const nd_area *a)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (!a->ended[i] && nd_builder_needs(c->with.builder, &a->tiles[i])) return true;
    return false;
}

// --- names ---

typedef struct smallest {
    const nd_box *box;
    nav_key anchor;
    bool has;
} smallest;

static bool look_at(void *user, uint64_t id, const nav_box_xz *box)
{
    smallest *s = user;
    const nd_object *o = (const nd_object *)(uintptr_t)id; // the index holds addresses
    (void)box;
    if (!nd_box_touch(&o->box, s->box)) return true;
    const nd_placed *p = (const nd_placed *)o;
    const nav_key anchor = nav_instance_key(&p->instance);
    if (!s->has || nav_key_less(anchor, s->anchor)) s->anchor = anchor;
    s->has = true;
    return true;
}

nav_key nd_area_anchor_of(const nd_world *w, const nav_settings *settings, int32_t block_x, int32_t block_z)
{
    nd_box box = nd_no_box, corner;
    for (int32_t k = 0; k < 2; k++) {
        nd_tile_box(settings, block_x * ND_AREA_SIDE + k * (ND_AREA_SIDE - 1),
                    block_z * ND_AREA_SIDE + k * (ND_AREA_SIDE - 1), &corner);
        nd_box_widen(&box, &corner);
    }
    smallest s = {.box = &box};
    nd_box clipped = box;
    nd_box_clip_xz(&clipped, &w->extent);
    nav_spatial_index_query(&w->index[ND_INSTANCE], &clipped.xz, look_at, &s);
    return s.anchor;
}
