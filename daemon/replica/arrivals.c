#include "daemon/replica/arrivals.h"

#include <stdlib.h>
#include <string.h>

void nd_arrivals_init(nd_arrivals *a)
{
    *a = (nd_arrivals){0};
    ND_FIFO_INIT(&a->queue);
}

static void destroy(nd_arrival *x)
{
    if (!x) return;
    nav_buffer_deinit(&x->records);
    free(x);
}

void nd_arrivals_drop(nd_arrivals *a)
{
    nd_arrival *x = a->queue.first;
    ND_FIFO_DROP(&a->queue);
    destroy(x);
}

void nd_arrivals_clear(nd_arrivals *a)
{
    while (a->queue.first) nd_arrivals_drop(a);
    destroy(a->partial);
    nd_arrivals_init(a);
}

static nav_status add_note(nd_arrivals *a, const nd_feed_message *m)
{
    nd_arrival *x = calloc(1, sizeof *x);
    if (!x) return NAV_ERR_MEMORY;
    nav_status s = nd_leader_note_read(m->bytes, m->count, &x->note);
    if (s != NAV_OK) {
        free(x);
        return s;
    }
    x->is_note = true;
    x->sequence = m->sequence;
    destroy(a->partial); // its leader did not come to the end of it
    a->partial = NULL;
    ND_FIFO_PUT(&a->queue, x);
    return NAV_OK;
}

static bool continues(const nd_arrivals *a, const nd_entry *e)
{
    const nd_arrival *x = a->partial;
    return x && e->part == a->next_part && x->head.epoch == e->epoch && x->head.number == e->number &&
           x->head.world == e->world && x->head.parts == e->parts;
}

static nav_status begin_entry(nd_arrivals *a, const char *farm, const nd_feed_message *m, const nd_entry *e)
{
    uint64_t world;
    destroy(a->partial);
    a->partial = calloc(1, sizeof *a->partial);
    if (!a->partial) return NAV_ERR_MEMORY;
    a->partial->head = *e;
    a->partial->is_torn = e->part > 0;
    return nd_subject_read_world(farm, m->subject, a->partial->space, &world) && world == e->world ? NAV_OK
                                                                                                   : NAV_ERR_FORMAT;
}

static nav_status add_part(nd_arrivals *a, const char *farm, const nd_feed_message *m, const nd_entry *e, bool *whole)
{
    nav_status s = e->part && continues(a, e) ? NAV_OK : begin_entry(a, farm, m, e);
    if (s == NAV_OK) s = nav_buffer_append(&a->partial->records, e->bytes, e->count);
    if (s != NAV_OK) return s;
    a->next_part = e->part + 1;
    if (a->next_part < e->parts) return NAV_OK;
    a->partial->sequence = m->sequence;
    ND_FIFO_PUT(&a->queue, a->partial);
    a->partial = NULL;
    *whole = true;
    return NAV_OK;
}

nav_status nd_arrivals_add(nd_arrivals *a, const char *farm, const nd_feed_message *m, bool *whole)
{
    char leader[ND_SUBJECT_BYTES];
    nd_entry e;
    *whole = false;
    nd_leader_subject(farm, leader);
    if (!strcmp(m->subject, leader)) {
        nav_status s = add_note(a, m);
        *whole = s == NAV_OK;
        return s;
    }
    nav_status s = nd_entry_read(m->bytes, m->count, &e);
    if (s == NAV_OK) s = add_part(a, farm, m, &e, whole);
    if (s != NAV_OK) {
        destroy(a->partial);
        a->partial = NULL;
    }
    return s;
}
