#include "daemon/paths/audit.h"

#include "navcore/path_audit.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_AN_ITEM = 256 };

typedef struct audit_call {
    nd_path_call call;
    double near_m;
    uint64_t seed;
    uint32_t wanted, worst;
    atomic_uint drawn; // pairs; less than wanted where there is no ground
    atomic_uint open_items;
    nav_audit_pair *pairs; // owned, as is what follows
    nav_audit_worst *standing_out;
    np_audit_worst *told;
    np_path_audit_response out;
} audit_call;

static void destroy(nd_path_call *call)
{
    audit_call *c = (audit_call *)call;
    free(c->pairs);
    free(c->standing_out);
    free(c->told);
    free(c);
}

// The figures, by the worker that ends the last item: the loop thread is not to sort thousands of numbers.
static nav_status sum_up(audit_call *c)
{
    uint32_t count = atomic_load(&c->drawn);
    nav_audit_totals t;
    nav_status s = nav_audit_sum(c->pairs, count, &t);
    if (s != NAV_OK) return s;
    c->out = (np_path_audit_response){.pairs = count,
                                      .found = t.found,
                                      .unreachable = t.unreachable,
                                      .limited = t.limited,
                                      .open = t.open,
                                      .bent = t.bent,
                                      .length_m = t.length_m,
                                      .surface_m = t.surface_m,
                                      .straight_m = t.straight_m,
                                      .median_ratio = t.median_ratio,
                                      .worst_ratio = t.worst_ratio,
                                      .worst = c->told};
    c->out.worst_count = nav_audit_find_worst(c->pairs, NULL, count, 0, c->standing_out, c->worst);
    for (uint32_t i = 0; i < c->out.worst_count; i++) {
        const nav_audit_pair *p = &c->pairs[c->standing_out[i].pair];
        c->told[i] = (np_audit_worst){.why = c->standing_out[i].reason,
                                      .ratio = c->standing_out[i].ratio,
                                      .length_m = p->length_m,
                                      .straight_m = p->straight_m};
        for (int k = 0; k < 3; k++) {
            c->told[i].from[k] = (float)p->from[k];
            c->told[i].to[k] = (float)p->to[k];
        }
    }
    return NAV_OK;
}

// Each item draws its pairs, and those before them, for itself: they are the same, and that is quick.
static nav_status draw(audit_call *c, nd_path_hand *hand, uint32_t first, uint32_t end)
{
    nav_audit_pair *drawn = malloc(end * sizeof *drawn);
    uint32_t count = 0;
    nav_status s = drawn ? nav_audit_draw(hand->finder, hand->set, c->seed, end, drawn, &count) : NAV_ERR_MEMORY;
    if (s == NAV_OK && count == end) {
        memcpy(&c->pairs[first], &drawn[first], (end - first) * sizeof *drawn);
        atomic_fetch_add(&c->drawn, end - first);
    }
    free(drawn);
    return s;
}

static nav_status answer(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    audit_call *c = (audit_call *)call;
    uint32_t first = item * PAIRS_AN_ITEM;
    uint32_t end = c->wanted - first > PAIRS_AN_ITEM ? first + PAIRS_AN_ITEM : c->wanted;
    nav_status s = draw(c, hand, first, end);
    for (uint32_t i = first; i < end && s == NAV_OK && atomic_load(&c->drawn) > 0; i++) {
        if (nd_path_call_is_over(call)) break; // what is not answered is of status NAV_PATH_LIMIT
        s = nav_audit_answer(hand->finder, hand->set, c->near_m, nd_path_call_stop, call, &c->pairs[i]);
        if (s == NAV_OK) hand->spent += nav_path_landmarks_may_save(c->pairs[i].nodes);
        if (s == NAV_ERR_FORMAT) s = NAV_OK; // damaged tiles
    }
    return atomic_fetch_sub(&c->open_items, 1) == 1 && s == NAV_OK ? sum_up(c) : s;
}

static void reply(nd_path_call *call, nd_session *s)
{
    audit_call *c = (audit_call *)call;
    c->out.revision = call->revision;
    c->out.open_tiles = call->open_tiles;
    c->out.axes = np_axes_is_plain(&call->axes) ? NULL : &call->axes;
    nd_reply(s, call->request, NP_PATH_AUDIT, &c->out);
}

static const nd_path_kind kind = {.method = NP_PATH_AUDIT, .answer = answer, .reply = reply, .destroy = destroy};

nd_path_call *nd_audit_call_create(const np_path_audit_request *r)
{
    uint32_t items = (r->pairs + PAIRS_AN_ITEM - 1) / PAIRS_AN_ITEM;
    audit_call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->near_m = r->near_m;
    c->seed = r->seed;
    c->wanted = r->pairs;
    c->worst = r->worst;
    c->pairs = calloc((size_t)r->pairs + 1, sizeof *c->pairs);
    c->standing_out = calloc((size_t)r->worst + 1, sizeof *c->standing_out);
    c->told = calloc((size_t)r->worst + 1, sizeof *c->told);
    atomic_init(&c->drawn, 0);
    atomic_init(&c->open_items, items);
    if (!c->pairs || !c->standing_out || !c->told) {
        destroy(&c->call);
        return NULL;
    }
    nd_path_call_init(&c->call, &kind, items,
                      sizeof *c + r->pairs * sizeof *c->pairs + r->worst * (sizeof *c->told + sizeof *c->standing_out));
    return &c->call;
}
