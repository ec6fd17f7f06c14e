#include "daemon/replica/plan.h"

#include <stdlib.h>

static bool is_needed(const nd_record *r)
{
    return r->table == ND_HEADS || r->table == ND_REVISIONS || r->table == ND_OBJECTS;
}

nav_status nd_plan_pick(nd_bytes change, nav_buffer *out)
{
    nd_record r;
    size_t at = 0;
    nav_status s;
    while ((s = nd_change_next(change, &at, &r)) == NAV_OK) {
        if (is_needed(&r)) s = nd_change_copy(out, &r);
        if (s != NAV_OK) return s;
    }
    return s == NAV_ERR_NOT_FOUND ? NAV_OK : s;
}

// --- reading ---

static nav_status of_world(nd_plan *p, uint64_t world)
{
    if (!world || (p->world && p->world != world)) return NAV_ERR_FORMAT;
    p->world = world;
    return NAV_OK;
}

static nav_status read_head(nd_plan *p, const nd_record *r)
{
    uint64_t world;
    nav_status s = nd_read_world_key(r->key, &world);
    if (s == NAV_OK) s = of_world(p, world);
    if (s != NAV_OK) return s;
    if (r->removes) {
        p->is_gone = true;
        return NAV_OK;
    }
    if (p->has_head) np_message_deinit(&p->message); // the last one counts
    p->has_head = true;
    return nd_read_head(r->value, p->space, &p->message, &p->head);
}

static nav_status read_revision(nd_plan *p, const nd_record *r)
{
    uint64_t world, horizon;
    nav_status s = nd_read_world_key(r->key, &world);
    if (s == NAV_OK) s = of_world(p, world);
    if (s != NAV_OK || r->removes) return s;
    return nd_read_revision(r->value, &p->revision, &horizon);
}

static nav_status add_op(nd_plan *p, const np_op *op)
{
    if (p->op_count == p->op_capacity) {
        uint32_t capacity = p->op_capacity ? 2 * p->op_capacity : 16;
        np_op *grown = realloc(p->ops, capacity * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        p->ops = grown;
        p->op_capacity = capacity;
    }
    p->ops[p->op_count++] = *op;
    return NAV_OK;
}

static nav_status read_object(nd_plan *p, const nd_record *r)
{
    uint64_t world = 0;
    np_op op = {0};
    nd_kind kind;
    nav_status s;
    if (r->removes && r->key.size == 8) { // all of them: the world goes
        s = nd_read_world_key(r->key, &world);
        return s == NAV_OK ? of_world(p, world) : s;
    }
    if (r->removes) {
        uint64_t id;
        s = nd_read_object_key(r->key, &world, &kind, &id);
        if (s == NAV_OK) op = nd_removal_of(kind, id);
    } else {
        s = nd_read_object(r->key, r->value, &world, &op);
    }
    if (s == NAV_OK) s = of_world(p, world);
    return s == NAV_OK ? add_op(p, &op) : s;
}

typedef struct ordered {
    np_op op;
    uint32_t at; // in the records
} ordered;

static int compare_ops(const void *a, const void *b)
{
    const ordered *x = a, *y = b;
    const nd_kind p = nd_kind_of_op(&x->op), q = nd_kind_of_op(&y->op);
    if (p != q) return p < q ? -1 : 1;
    if (x->op.id != y->op.id) return x->op.id < y->op.id ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

// Of several records of one object the last one counts.
static nav_status order_ops(nd_plan *p)
{
    const uint32_t count = p->op_count;
    if (count < 2) return NAV_OK;
    ordered *all = malloc(count * sizeof *all);
    if (!all) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < count; i++) all[i] = (ordered){p->ops[i], i};
    qsort(all, count, sizeof *all, compare_ops);
    p->op_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const bool is_last = i + 1 == count || nd_kind_of_op(&all[i].op) != nd_kind_of_op(&all[i + 1].op) ||
                             all[i].op.id != all[i + 1].op.id;
        if (is_last) p->ops[p->op_count++] = all[i].op;
    }
    free(all);
    return NAV_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const nav_key *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

// Each once. Returns how many are left.
static uint32_t only_once(nav_key *keys, uint32_t count)
{
    uint32_t left = 0;
    if (count) qsort(keys, count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < count; i++)
        if (!left || !nav_key_equal(keys[i], keys[left - 1])) keys[left++] = keys[i];
    return left;
}

static nav_status list_meshes(nd_plan *p)
{
    uint32_t count = 0;
    p->meshes = malloc((p->op_count + (size_t)1) * sizeof *p->meshes);
    if (!p->meshes) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < p->op_count; i++)
        if (p->ops[i].kind == NP_OP_PUT_INSTANCE) p->meshes[count++] = p->ops[i].u.instance.mesh;
    p->mesh_count = only_once(p->meshes, count);
    return NAV_OK;
}

static nav_status sum_up(const nd_record *r, nd_plan_summary *sum, uint32_t *capacity)
{
    uint64_t world, horizon;
    np_op op;
    if (r->table == ND_HEADS) {
        sum->has_head |= !r->removes;
        sum->is_gone |= r->removes;
    }
    if (r->removes || (r->table != ND_REVISIONS && r->table != ND_OBJECTS)) return NAV_OK;
    if (r->table == ND_REVISIONS) return nd_read_revision(r->value, &sum->revision, &horizon);
    nav_status s = nd_read_object(r->key, r->value, &world, &op);
    if (s != NAV_OK || op.kind != NP_OP_PUT_INSTANCE) return s;
    if (sum->mesh_count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 8;
        nav_key *grown = realloc(sum->meshes, *capacity * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        sum->meshes = grown;
    }
    sum->meshes[sum->mesh_count++] = op.u.instance.mesh;
    return NAV_OK;
}

nav_status nd_plan_sum_up(nd_bytes records, nd_plan_summary *out)
{
    size_t at = 0;
    nd_record r;
    nav_status s;
    uint32_t capacity = 0;
    *out = (nd_plan_summary){0};
    while ((s = nd_change_next(records, &at, &r)) == NAV_OK) {
        s = sum_up(&r, out, &capacity);
        if (s != NAV_OK) break;
    }
    if (s == NAV_ERR_NOT_FOUND) {
        out->mesh_count = only_once(out->meshes, out->mesh_count);
        return NAV_OK;
    }
    free(out->meshes);
    out->meshes = NULL;
    return s;
}

nav_status nd_plan_read(nd_plan *p, nav_buffer *records)
{
    size_t at = 0;
    nd_record r;
    nav_status s;
    *p = (nd_plan){.records = *records};
    *records = (nav_buffer){0};
    const nd_bytes all = {p->records.data, p->records.size};
    while ((s = nd_change_next(all, &at, &r)) == NAV_OK) {
        if (r.table == ND_HEADS) s = read_head(p, &r);
        if (r.table == ND_REVISIONS) s = read_revision(p, &r);
        if (r.table == ND_OBJECTS) s = read_object(p, &r);
        if (s != NAV_OK) return s;
    }
    if (s != NAV_ERR_NOT_FOUND) return s;
    s = p->world ? order_ops(p) : NAV_ERR_FORMAT;
    return s == NAV_OK ? list_meshes(p) : s;
}

void nd_plan_deinit(nd_plan *p)
{
    np_message_deinit(&p->message);
    free(p->ops);
    free(p->meshes);
    nav_buffer_deinit(&p->records);
    *p = (nd_plan){0};
}
