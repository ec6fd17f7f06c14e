#include "daemon/work/digest_job.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SHA256_DIGEST_LENGTH == NP_DIGEST_BYTES, "digest");

static void run(nd_task *task, nd_worker *worker)
{
    nd_digest_job *j = (nd_digest_job *)task;
    (void)worker;
    for (size_t i = 0; i < j->count; i++)
        SHA256(j->meshes[i]->source.data, j->meshes[i]->source.size, j->digests[i].bytes);
}

nd_digest_job *nd_digest_job_create(const nd_mesh_store *s, const nd_namespace *space,
                                    const np_mesh_have_request *asked, size_t *unread)
{
    size_t hash_bytes = asked->hash_count * sizeof *asked->hashes;
    size_t digest_bytes = asked->digest_count * sizeof *asked->digests;
    nd_digest_job *j = calloc(1, sizeof *j + hash_bytes + digest_bytes);
    *unread = 0;
    if (!j) return NULL;
    nav_key *hashes = (nav_key *)(j + 1);
    np_digest *digests = (np_digest *)(hashes + asked->hash_count);
    if (hash_bytes) memcpy(hashes, asked->hashes, hash_bytes);
    if (digest_bytes) memcpy(digests, asked->digests, digest_bytes);
    j->asked = (np_mesh_have_request){asked->hash_count, hashes, asked->digest_count, digests};
    j->task.run = run;
    j->meshes = malloc((s->table.count + 1) * sizeof(nd_mesh *));
    j->digests = malloc((s->table.count + 1) * sizeof *j->digests);
    if (!j->meshes || !j->digests) {
        nd_digest_job_destroy(j);
        return NULL;
    }
    for (nd_mesh *m = s->newest; m; m = m->older) {
        if (m->has_digest || !nd_mesh_is_visible(m, space)) continue;
        if (m->source.size) j->meshes[j->count++] = nd_mesh_ref(m);
        *unread += m->state == ND_MESH_STORED;
    }
    return j;
}

nav_status nd_digest_job_file(nd_digest_job *j, nd_mesh_store *s)
{
    nav_status status = NAV_OK;
    for (size_t i = 0; i < j->count && status == NAV_OK; i++) {
        nd_mesh *m = j->meshes[i];
        // Another session may have asked as well, and the store may have let go of it.
        if (!m->has_digest && nd_mesh_store_find(s, &m->mesh->hash) == m)
            status = nd_mesh_store_set_digest(s, m, &j->digests[i]);
    }
    return status;
}

void nd_digest_job_destroy(nd_digest_job *j)
{
    if (!j) return;
    for (size_t i = 0; i < j->count; i++) nd_mesh_unref(j->meshes[i]);
    free(j->meshes);
    free(j->digests);
    free(j);
}
