#include "daemon/mesh_store.h"

#include "daemon/thread.h"

#include <stdlib.h>

nd_mesh *nd_mesh_ref(nd_mesh *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void nd_mesh_unref(nd_mesh *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1) return;
    nav_mesh_destroy((nav_mesh *)m->mesh);
    free(m);
}

void nd_mesh_store_init(nd_mesh_store *s, size_t max_bytes)
{
    *s = (nd_mesh_store){.max_bytes = max_bytes};
}

static void unlink_mesh(nd_mesh_store *s, nd_mesh *m)
{
    *(m->newer ? &m->newer->older : &s->newest) = m->older;
    *(m->older ? &m->older->newer : &s->oldest) = m->newer;
}

static void link_newest(nd_mesh_store *s, nd_mesh *m)
{
    m->newer = NULL;
    m->older = s->newest;
    *(s->newest ? &s->newest->newer : &s->oldest) = m;
    s->newest = m;
}

static void drop(nd_mesh_store *s, nd_mesh *m)
{
    unlink_mesh(s, m);
    nd_table_remove(&s->table, &m->node);
    s->bytes -= m->mesh->bytes;
    nd_mesh_unref(m);
}

void nd_mesh_store_deinit(nd_mesh_store *s)
{
    while (s->oldest) drop(s, s->oldest);
    nd_table_deinit(&s->table);
    *s = (nd_mesh_store){0};
}

nd_mesh *nd_mesh_store_find(nd_mesh_store *s, const nav_key *hash)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_node *n = nd_table_first(&s->table, hash->low); n; n = nd_table_next(n)) {
        nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
        if (!nav_key_equal(m->mesh->hash, *hash)) continue;
        unlink_mesh(s, m);
        link_newest(s, m);
        return m;
    }
    return NULL;
}

// Only the loop thread takes references, so a mesh seen with the store's alone cannot gain another meanwhile.
static void make_room(nd_mesh_store *s, size_t bytes)
{
    for (nd_mesh *m = s->oldest, *newer; m && (bytes > s->max_bytes || s->bytes > s->max_bytes - bytes); m = newer) {
        newer = m->newer;
        if (atomic_load_explicit(&m->refs, memory_order_acquire) != 1) continue;
        drop(s, m);
        s->evicted_count++;
    }
}

nav_status nd_mesh_store_add(nd_mesh_store *s, nav_mesh *mesh, nd_mesh **out)
{
    ND_ASSERT_LOOP_THREAD();
    nav_status status = NAV_OK;
    nd_mesh *m = NULL;
    *out = nd_mesh_store_find(s, &mesh->hash);
    if (*out) goto done;

    if (mesh->bytes <= s->max_bytes) make_room(s, mesh->bytes);
    if (mesh->bytes > s->max_bytes || s->bytes > s->max_bytes - mesh->bytes) {
        status = NAV_ERR_LIMIT;
        goto done;
    }
    m = calloc(1, sizeof *m);
    status = m ? nd_table_reserve(&s->table, 1) : NAV_ERR_MEMORY;
    if (status != NAV_OK) goto done;
    atomic_init(&m->refs, 1);
    m->mesh = mesh;
    s->bytes += mesh->bytes;
    nd_table_insert(&s->table, &m->node, mesh->hash.low);
    link_newest(s, m);
    *out = m;
    return NAV_OK;

done:
    free(m);
    nav_mesh_destroy(mesh);
    return status;
}
