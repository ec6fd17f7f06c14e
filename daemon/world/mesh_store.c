#include "daemon/world/mesh_store.h"

#include "daemon/base/age_list.h"
#include "daemon/base/thread.h"
#include "protocol/messages_world.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

nd_mesh *nd_mesh_ref(nd_mesh *m)
{
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
    return m;
}

void nd_mesh_unref(nd_mesh *m)
{
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1) return;
    nav_mesh_destroy(m->owned);
    free(m->spaces);
    nav_buffer_deinit(&m->source);
    free(m);
}

static size_t mesh_bytes(const nd_mesh *m)
{
    return m->mesh->bytes + m->source.size;
}

uint64_t nd_mesh_cost(const nav_mesh *mesh, uint32_t vertices, uint32_t triangles, np_mesh_form form)
{
    return mesh->bytes + np_mesh_bytes(vertices, triangles, form);
}

void nd_mesh_store_init(nd_mesh_store *s, size_t max_bytes)
{
    *s = (nd_mesh_store){.max_bytes = max_bytes};
}

static void drop(nd_mesh_store *s, nd_mesh *m)
{
    if (m->state == ND_MESH_LOST) s->lost_count--;
    ND_AGE_UNLINK(s, m);
    nd_table_remove(&s->table, &m->node);
    if (m->has_digest) nd_table_remove(&s->digests, &m->digest_node);
    s->bytes -= mesh_bytes(m);
    for (uint32_t i = 0; i < m->space_count; i++) m->spaces[i]->mesh_bytes -= m->counted_bytes;
    m->space_count = 0;
    nd_mesh_unref(m);
}

void nd_mesh_store_deinit(nd_mesh_store *s)
{
    while (s->oldest) drop(s, s->oldest);
    nd_table_deinit(&s->table);
    nd_table_deinit(&s->digests);
    *s = (nd_mesh_store){0};
}

nd_mesh *nd_mesh_store_find(nd_mesh_store *s, const nav_key *hash)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_node *n = nd_table_first(&s->table, hash->low); n; n = nd_table_next(n)) {
        nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
        if (!nav_key_equal(m->mesh->hash, *hash)) continue;
        ND_AGE_UNLINK(s, m);
        ND_AGE_LINK_NEWEST(s, m);
        return m;
    }
    return NULL;
}

bool nd_mesh_is_visible(const nd_mesh *m, const nd_namespace *space)
{
    for (uint32_t i = 0; i < m->space_count; i++)
        if (m->spaces[i] == space) return true;
    return false;
}

nd_mesh *nd_mesh_store_find_in(nd_mesh_store *s, const nd_namespace *space, const nav_key *hash)
{
    nd_mesh *m = nd_mesh_store_find(s, hash);
    return m && m->state != ND_MESH_LOST && nd_mesh_is_visible(m, space) ? m : NULL;
}

// A digest is evenly spread.
static uint64_t hash_of(const np_digest *digest)
{
    uint64_t hash;
    memcpy(&hash, digest->bytes, sizeof hash);
    return hash;
}

nd_mesh *nd_mesh_store_find_digest_in(nd_mesh_store *s, const nd_namespace *space, const np_digest *digest)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_node *n = nd_table_first(&s->digests, hash_of(digest)); n; n = nd_table_next(n)) {
        nd_mesh *m = ND_HOLDER(n, nd_mesh, digest_node);
        if (memcmp(&m->digest, digest, sizeof *digest) != 0) continue;
        if (m->state != ND_MESH_LOST && nd_mesh_is_visible(m, space)) return m;
    }
    return NULL;
}

nav_status nd_mesh_store_set_digest(nd_mesh_store *s, nd_mesh *m, const np_digest *digest)
{
    ND_ASSERT_LOOP_THREAD();
    assert(!m->has_digest);
    nav_status status = nd_table_reserve(&s->digests, 1);
    if (status != NAV_OK) return status;
    m->has_digest = true;
    m->digest = *digest;
    nd_table_insert(&s->digests, &m->digest_node, hash_of(digest));
    return NAV_OK;
}

nav_status nd_mesh_show(nd_mesh *m, nd_namespace *space)
{
    ND_ASSERT_LOOP_THREAD();
    if (nd_mesh_is_visible(m, space)) return NAV_OK;
    nd_namespace **grown = realloc(m->spaces, (m->space_count + 1) * sizeof(nd_namespace *));
    if (!grown) return NAV_ERR_MEMORY;
    m->spaces = grown;
    m->spaces[m->space_count++] = space;
    if (!m->counted_bytes) m->counted_bytes = nd_mesh_cost(m->mesh, m->vertices, m->triangles, m->form);
    space->mesh_bytes += m->counted_bytes;
    return NAV_OK;
}

static void hide(nd_mesh *m, const nd_namespace *space)
{
    for (uint32_t i = 0; i < m->space_count; i++) {
        if (m->spaces[i] != space) continue;
        m->spaces[i]->mesh_bytes -= m->counted_bytes;
        m->spaces[i] = m->spaces[--m->space_count];
        return;
    }
}

void nd_mesh_store_hide_unused(nd_mesh_store *s, nd_namespace *space, uint64_t max_bytes)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_mesh *m = s->oldest, *newer; m && space->mesh_bytes > max_bytes; m = newer) {
        newer = m->newer;
        if (atomic_load_explicit(&m->refs, memory_order_acquire) == 1) hide(m, space);
    }
}

// False: there is none. Only the loop thread takes references, so a mesh seen with the store's alone cannot gain
// another meanwhile.
static bool make_room(nd_mesh_store *s, size_t bytes)
{
    if (bytes > s->max_bytes) return false;
    for (nd_mesh *m = s->oldest, *newer; m && s->bytes > s->max_bytes - bytes; m = newer) {
        newer = m->newer;
        if (atomic_load_explicit(&m->refs, memory_order_acquire) != 1) continue;
        if (s->on_evict) s->on_evict(s->user, m);
        drop(s, m);
        s->evicted_count++;
    }
    return s->bytes <= s->max_bytes - bytes;
}

nav_status nd_mesh_store_add(nd_mesh_store *s, nav_mesh *mesh, nd_mesh **out)
{
    ND_ASSERT_LOOP_THREAD();
    nav_status status = NAV_OK;
    nd_mesh *m = NULL;
    *out = nd_mesh_store_find(s, &mesh->hash);
    if (*out && (*out)->state == ND_MESH_LOST) {
        nd_mesh_store_fill(s, *out, mesh);
        return NAV_OK;
    }
    if (*out) goto done;

    if (!make_room(s, mesh->bytes)) {
        status = NAV_ERR_LIMIT;
        goto done;
    }
    m = calloc(1, sizeof *m);
    status = m ? nd_table_reserve(&s->table, 1) : NAV_ERR_MEMORY;
    if (status != NAV_OK) goto done;
    atomic_init(&m->refs, 1);
    m->mesh = m->owned = mesh;
    s->bytes += mesh->bytes;
    nd_table_insert(&s->table, &m->node, mesh->hash.low);
    ND_AGE_LINK_NEWEST(s, m);
    *out = m;
    return NAV_OK;

done:
    free(m);
    nav_mesh_destroy(mesh);
    return status;
}

nav_status nd_mesh_store_add_stored(nd_mesh_store *s, const nav_mesh *known, uint32_t vertices, uint32_t triangles,
                                    np_mesh_form form, nd_mesh **out)
{
    ND_ASSERT_LOOP_THREAD();
    if (nd_mesh_store_find(s, &known->hash)) return NAV_ERR_EXISTS;
    nd_mesh *m = calloc(1, sizeof *m);
    nav_status status = m ? nd_table_reserve(&s->table, 1) : NAV_ERR_MEMORY;
    if (status != NAV_OK) {
        free(m);
        return status;
    }
    atomic_init(&m->refs, 1);
    m->placeholder = *known;
    m->mesh = &m->placeholder;
    m->state = ND_MESH_STORED;
    m->durable = true;
    m->vertices = vertices;
    m->triangles = triangles;
    m->form = form;
    s->bytes += known->bytes;
    nd_table_insert(&s->table, &m->node, known->hash.low);
    ND_AGE_LINK_NEWEST(s, m);
    *out = m;
    return NAV_OK;
}

void nd_mesh_store_fill(nd_mesh_store *s, nd_mesh *m, nav_mesh *mesh)
{
    ND_ASSERT_LOOP_THREAD();
    assert(m->state != ND_MESH_HERE && m->mesh == &m->placeholder);
    size_t bytes = m->placeholder.bytes; // as it was counted
    if (m->state == ND_MESH_LOST) s->lost_count--;
    m->owned = mesh;
    m->placeholder = *mesh;
    m->placeholder.bytes = bytes;
    m->state = ND_MESH_HERE;
}

void nd_mesh_store_lose(nd_mesh_store *s, nd_mesh *m)
{
    ND_ASSERT_LOOP_THREAD();
    assert(m->state == ND_MESH_STORED);
    m->state = ND_MESH_LOST;
    m->durable = false;
    s->lost_count++;
}

void nd_mesh_store_withdraw(nd_mesh_store *s, nd_mesh *m, const nd_namespace *shown_in)
{
    ND_ASSERT_LOOP_THREAD();
    if (nd_mesh_store_find(s, &m->mesh->hash) != m) return;
    if (m->durable)
        hide(m, shown_in);
    else
        drop(s, m);
}

nav_status nd_mesh_store_keep_source(nd_mesh_store *s, nd_mesh *m, nav_buffer *source, uint32_t vertices,
                                     uint32_t triangles, np_mesh_form form)
{
    ND_ASSERT_LOOP_THREAD();
    if (m->source.size) return NAV_OK;
    nd_mesh_ref(m); // so that it is not the one to go
    bool fits = make_room(s, source->size);
    nd_mesh_unref(m);
    if (!fits) return NAV_ERR_LIMIT;
    m->source = *source; // moves
    *source = (nav_buffer){0};
    m->vertices = vertices;
    m->triangles = triangles;
    m->form = form;
    s->bytes += m->source.size;
    return NAV_OK;
}
