#include "daemon/replica/check.h"

#include "core/base/endian.h"
#include "daemon/base/thread.h"
#include "daemon/farm/names.h"
#include "daemon/replica/subjects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, HEAD_BYTES = 2, SUM_BYTES = 56, WAIT_MS = 10000, MOST_CALLS = 64 };

// A call that waits for the leader's sums.
typedef struct check_call {
    struct check_call *next;
    uint64_t session, serial;
    uint32_t request;
    uint64_t due_ms; // by the loop's clock
} check_call;

struct nd_check {
    nd_check_options o;
    nd_bus_ear *questions, *answers;
    uv_timer_t timer;
    check_call *calls;
    size_t call_count;
    uint64_t serial;
    bool closing;
};

// --- sums ---

typedef struct summing {
    const nd_world *w;
    nd_world_sum *out;
} summing;

static void add_tile(void *user, nd_node *n)
{
    summing *s = user;
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    const nd_tile_result *r = &t->result;
    uint8_t bytes[16 + 2 * NAV_KEY_BYTES];
    if (s->w->profiles[t->profile].state != ND_PROFILE_LIVE) return;
    s->out->tiles++;
    s->out->open += t->state != ND_TILE_CLEAN || r->status == NP_TILE_PENDING;
    nav_store_u32(bytes, t->profile);
    nav_store_i32(bytes + 4, t->x);
    nav_store_i32(bytes + 8, t->z);
    nav_store_u32(bytes + 12, (uint32_t)r->status);
    nav_key_store(r->source, bytes + 16);
    nav_key_store(r->content, bytes + 16 + NAV_KEY_BYTES);
    s->out->sum = nav_key_add(s->out->sum, nav_key_of(bytes, sizeof bytes));
}

static nd_world_sum sum_up(const nd_check *c, const nd_world *w)
{
    bool waits;
    nd_world_sum out = {.world = w->id, .revision = w->revision};
    summing s = {w, &out};
    out.sequence = c->o.sequence_of(c->o.user, w, &waits);
    nd_table_each((nd_table *)&w->scheduler.tiles, add_tile, &s);
    out.open += waits || w->edit || w->change || w->marking;
    return out;
}

static nav_status write_sums(const nd_check *c, nav_buffer *out)
{
    const nd_worlds *all = c->o.methods->worlds;
    const uint8_t head[HEAD_BYTES] = {VERSION, 'C'};
    nav_status s = nav_buffer_append(out, head, sizeof head);
    for (size_t i = 0; i < all->count && s == NAV_OK; i++) {
        const nd_world_sum sum = sum_up(c, all->list[i]);
        uint8_t bytes[SUM_BYTES];
        nav_store_u64(bytes, sum.world);
        nav_store_u64(bytes + 8, sum.revision);
        nav_store_u64(bytes + 16, sum.sequence);
        nav_store_u64(bytes + 24, sum.tiles);
        nav_store_u64(bytes + 32, sum.open);
        nav_key_store(sum.sum, bytes + 40);
        s = nav_buffer_append(out, bytes, sizeof bytes);
    }
    return s;
}

// False: nothing is said of this world.
static bool read_sum(const uint8_t *bytes, size_t count, uint64_t world, nd_world_sum *out)
{
    if (count < HEAD_BYTES || bytes[0] != VERSION || bytes[1] != 'C') return false;
    for (size_t at = HEAD_BYTES; count - at >= SUM_BYTES; at += SUM_BYTES) {
        const uint8_t *p = bytes + at;
        if (nav_load_u64(p) != world) continue;
        *out = (nd_world_sum){.world = world,
                              .revision = nav_load_u64(p + 8),
                              .sequence = nav_load_u64(p + 16),
                              .tiles = nav_load_u64(p + 24),
                              .open = nav_load_u64(p + 32),
                              .sum = nav_key_load(p + 40)};
        return true;
    }
    return false;
}

// --- the answer ---

static const char *verdict(const nd_world_sum *own, const nd_world_sum *leader, bool is_known)
{
    if (!is_known) return "unknown";
    if (own->sequence != leader->sequence || own->open || leader->open) return "pending";
    return own->tiles == leader->tiles && nav_key_equal(own->sum, leader->sum) ? "same" : "differs";
}

static int compare_names(const void *a, const void *b)
{
    const np_str *x = &((const np_farm_checked *)a)->name, *y = &((const np_farm_checked *)b)->name;
    const int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

// sums: the leader's; NULL: it has not answered. leads: it is this one.
static void answer(const nd_check *c, nd_session *s, uint32_t request, const uint8_t *sums, size_t count, bool leads)
{
    const nd_worlds *all = c->o.methods->worlds;
    np_farm_checked *list = malloc((all->count + 1) * sizeof *list);
    np_farm_check_response out = {.answered = leads || sums, .worlds = list};
    np_error err;
    if (!list) {
        np_error_set(&err, NAV_ERR_MEMORY, "no memory for the list");
        nd_reply_error(s, request, &err);
        return;
    }
    for (size_t i = 0; i < all->count && out.world_count < NP_FARM_WORLDS_MAX; i++) {
        const nd_world *w = all->list[i];
        if (w->space != s->space) continue;
        const nd_world_sum own = sum_up(c, w);
        nd_world_sum other = leads ? own : (nd_world_sum){0};
        const bool is_known = leads || (sums && read_sum(sums, count, w->id, &other));
        list[out.world_count++] = (np_farm_checked){.name = np_str_of(w->name),
                                                    .state = np_str_of(verdict(&own, &other, is_known)),
                                                    .revision = own.revision,
                                                    .leader_revision = other.revision,
                                                    .tiles = own.tiles,
                                                    .leader_tiles = other.tiles,
                                                    .sum = own.sum,
                                                    .leader_sum = other.sum};
    }
    qsort(list, out.world_count, sizeof *list, compare_names);
    nd_reply(s, request, NP_FARM_CHECK, &out);
    free(list);
}

static void end_call(nd_check *c, check_call **at, const uint8_t *sums, size_t count)
{
    check_call *call = *at;
    nd_session *s = nd_sessions_find(c->o.methods->sessions, call->session);
    *at = call->next;
    c->call_count--;
    if (s) s->waits--;
    if (s && !c->closing) answer(c, s, call->request, sums, count, false);
    free(call);
}

static void on_timer(uv_timer_t *timer)
{
    nd_check *c = timer->data;
    const uint64_t now = uv_now(c->o.loop);
    for (check_call **at = &c->calls; *at;) {
        if ((*at)->due_ms <= now)
            end_call(c, at, NULL, 0);
        else
            at = &(*at)->next;
    }
    if (!c->calls) uv_timer_stop(timer);
}

static void on_answer(void *user, const nd_bus_message *m)
{
    nd_check *c = user;
    const char *last = strrchr(m->subject, '.');
    const uint64_t serial = strtoull(last ? last + 1 : "", NULL, 10);
    for (check_call **at = &c->calls; *at; at = &(*at)->next) {
        if ((*at)->serial != serial) continue;
        end_call(c, at, m->bytes, m->count);
        return;
    }
}

// --- the leader's side ---

static void on_question(void *user, const nd_bus_message *m)
{
    nd_check *c = user;
    char subject[ND_SUBJECT_BYTES], prefix[ND_SUBJECT_BYTES];
    nav_buffer sums = {0};
    snprintf(prefix, sizeof prefix, "%s.check.", c->o.farm); // nobody is sent anything elsewhere
    if (m->count >= sizeof subject) return;
    memcpy(subject, m->bytes, m->count);
    subject[m->count] = 0;
    if (strncmp(subject, prefix, strlen(prefix)) != 0 || strpbrk(subject, " *>\t\r\n")) return;
    if (write_sums(c, &sums) == NAV_OK)
        (void)(nd_bus_tell(c->o.bus, ND_BUS_ORDERS, subject, sums.data, sums.size) == NAV_OK); // else it waits in vain
    nav_buffer_deinit(&sums);
}

// --- life ---

nav_status nd_check_ask(nd_check *c, const char *leader, bool leads, nd_session *s, uint32_t request, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    char to[ND_SUBJECT_BYTES], from[ND_SUBJECT_BYTES];
    if (leads || !leader[0]) {
        answer(c, s, request, NULL, 0, leads);
        return NAV_OK;
    }
    if (c->call_count >= MOST_CALLS)
        return np_error_set(err, NAV_ERR_LIMIT, "%d checks are under way already: try again", MOST_CALLS);
    check_call *call = calloc(1, sizeof *call);
    if (!call) return np_error_set(err, NAV_ERR_MEMORY, "no memory for the check");
    *call = (check_call){.next = c->calls,
                         .session = s->id,
                         .serial = ++c->serial,
                         .request = request,
                         .due_ms = uv_now(c->o.loop) + WAIT_MS};
    snprintf(to, sizeof to, "%s.check.%s", c->o.farm, leader);
    snprintf(from, sizeof from, "%s.check.%s.%" PRIu64, c->o.farm, c->o.id, call->serial);
    if (nd_bus_tell(c->o.bus, ND_BUS_ORDERS, to, from, strlen(from)) != NAV_OK) {
        free(call);
        return np_error_set(err, NAV_ERR_MEMORY, "no memory for the check");
    }
    c->calls = call;
    c->call_count++;
    s->waits++;
    if (!uv_is_active((uv_handle_t *)&c->timer)) uv_timer_start(&c->timer, on_timer, WAIT_MS, WAIT_MS / 10);
    return NAV_OK;
}

nav_status nd_check_create(const nd_check_options *o, nd_check **out)
{
    ND_ASSERT_LOOP_THREAD();
    char subject[ND_SUBJECT_BYTES];
    nd_check *c = calloc(1, sizeof *c);
    if (!c) return NAV_ERR_MEMORY;
    c->o = *o;
    if (uv_timer_init(o->loop, &c->timer)) abort(); // it cannot: memory only
    c->timer.data = c;
    snprintf(subject, sizeof subject, "%s.check.%s", o->farm, o->id);
    nav_status s = nd_bus_listen(o->bus, ND_BUS_ORDERS, subject, on_question, c, &c->questions);
    snprintf(subject, sizeof subject, "%s.check.%s.*", o->farm, o->id);
    if (s == NAV_OK) s = nd_bus_listen(o->bus, ND_BUS_ORDERS, subject, on_answer, c, &c->answers);
    *out = c;
    if (s != NAV_OK) nd_check_close(c);
    if (s != NAV_OK) *out = NULL;
    return s;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void nd_check_close(nd_check *c)
{
    if (!c || c->closing) return;
    ND_ASSERT_LOOP_THREAD();
    c->closing = true;
    while (c->calls) end_call(c, &c->calls, NULL, 0);
    nd_bus_hush(c->o.bus, c->questions);
    nd_bus_hush(c->o.bus, c->answers);
    uv_close((uv_handle_t *)&c->timer, on_closed);
}
