// Responses that wait for the disk. A method that changes what is stored begins a commit, applies its change in
// memory while the commit's log records it, and replies through the commit: the response goes out when the change is
// durable, or the change is undone and the reason goes out. Without a state folder everything is answered at once.
// Who keeps a log of all changes elsewhere (nd_methods.log) sees each commit on its way, and may have it wait there
// first:
//
//     reply ──► take ──► writer ──► ended, answer
//                └─ waits ──► nd_commit_store() ──► writer ──► ended, answer
//                         └─► nd_commit_refuse() ──► undone, answer
//
// Loop thread only.
#ifndef ND_DURABLE_H
#define ND_DURABLE_H

#include "daemon/disk/writer.h"
#include "daemon/methods/methods.h"
#include "daemon/store/edit_log.h"

typedef struct nd_commit {
    nd_write write;
    void *logged; // the hook's
    nd_methods *methods;
    nav_buffer answer; // the whole response
    uint64_t session, world;
    uint32_t request;
    nd_edit_log log;
    bool is_edit, is_creation, is_deletion;
    bool is_change;         // of profiles
    nd_profile_list before; // as they were
    nd_mesh *mesh;          // becomes durable with it; a reference, or NULL
    nd_namespace *shown_in; // where that mesh is visible because of it; NULL: it was already
    bool writes_mesh;       // what follows is not on disk yet
    nav_key mesh_hash;
    nd_bytes mesh_bytes; // the mesh's own
} nd_commit;

// May changes be stored at the moment, and do not too many wait for the disk? Else an error that names the reason.
// what: "the edit". NAV_OK without a store.
NAV_MUST_USE nav_status nd_durable_check(nd_methods *methods, const char *what, np_error *err);
// *out is NULL where nothing is stored. NAV_ERR_MEMORY with err.
NAV_MUST_USE nav_status nd_commit_begin(nd_methods *methods, uint64_t session, uint32_t request, nd_commit **out,
                                        np_error *err);
// The mesh becomes durable with it, and that it is visible in the namespace (NULL: it was already). Its bytes are
// written from where they are. Once. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_commit_add_mesh(nd_commit *c, nd_mesh *m, nd_namespace *shown_in);
void nd_commit_destroy(nd_commit *c); // one that was not pushed; accepts NULL
// The edit of the log is applied, and cannot be stored.
void nd_commit_take_back_edit(nd_commit *c, nd_world *w);
// Writes the answer that goes out when it is durable, and hands the commit to the hook (nd_methods.log) and the writer.
// With c NULL it goes out now.
void nd_commit_reply(nd_commit *c, nd_methods *methods, uint64_t session, uint32_t request, np_method method,
                     const void *response);
// One that the hook has taken goes to the writer.
void nd_commit_store(nd_commit *c);
// The same cannot be: it is undone and answered with the reason. The newest first, and before any other method runs.
void nd_commit_refuse(nd_commit *c, nav_status status, const char *why);

#endif
