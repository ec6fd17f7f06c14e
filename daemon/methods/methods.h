// The methods of the protocol. One handler each, on the loop thread; it answers with nd_reply(), or keeps the call's id
// and answers later, or returns an error that the dispatcher sends. Loop thread only.
#ifndef ND_METHODS_H
#define ND_METHODS_H

#include "daemon/base/metrics.h"
#include "daemon/cache/memory.h"
#include "daemon/delivery/delivery.h"
#include "daemon/farm/farm.h"
#include "daemon/paths/paths.h"
#include "daemon/session/reply.h"
#include "daemon/store/world_store.h"
#include "daemon/work/batch.h"

// Where the view is.
typedef struct nd_view_place {
    char url[320];
    bool no_files; // this build has no page
} nd_view_place;

struct nd_commit;

// Who hears of all that changes, beside the disk (durable.h). Zeroed: nobody.
typedef struct nd_commit_hook {
    // May anything be changed at the moment? Else an error that names who takes changes. what: "the edit".
    nav_status (*check)(void *user, const char *what, np_error *err);
    // A commit goes to the disk, in the order in which they were made. True: not yet, the hook has it now.
    bool (*take)(void *user, struct nd_commit *c);
    // It is on disk, or cannot be and is about to be undone.
    void (*ended)(void *user, struct nd_commit *c, nav_status status);
    void *user;
} nd_commit_hook;

// What the methods work with.
typedef struct nd_methods {
    const nd_config *config; // borrowed, as is all up to user
    nd_sessions *sessions;
    nd_delivery *delivery;
    nd_paths *paths;
    nd_worlds *worlds;
    nd_mesh_store *meshes;
    nd_builder *builder;
    nd_workers *workers;
    nd_cache *cache;
    nd_tile_cache *disk;   // NULL: none
    nd_world_store *store; // NULL: worlds are in memory only
    nd_memory *memory;
    const nd_farm *farm; // NULL: none
    // What of farm.status is of worlds as streams; its strings stay as they are until it returns to the loop. NULL:
    // worlds are local.
    void (*farm_worlds)(void *user, np_farm_status_response *out);
    void *farm_worlds_user;
    // Answers farm.check; NULL as above. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
    nav_status (*farm_check)(void *user, nd_session *s, uint32_t request, np_error *err);
    void *farm_check_user;
    nd_commit_hook log;
    size_t unlogged; // commits that it has
    void (*measure)(void *user, const nd_namespace *space, nd_measures *out);
    // For a session that asks where; opens it on loopback, where it may. NAV_ERR_STATE, NAV_ERR_FORBIDDEN, NAV_ERR_IO.
    nav_status (*open_view)(void *user, const nd_session *s, nd_view_place *out, np_error *err);
    void *user;

    nd_world_limits world_limits;
    struct nd_edit_call *under_way; // edits that take several turns (edit.h)
    uv_idle_t edit_turn;
    size_t edit_steps;
    struct nd_profile_call *changing; // changes of profiles that take several turns (profile.h)
    uv_idle_t change_turn;
    bool stopping; // calls whose work comes back now are not answered any more
    uint64_t edits, edit_ops;
    uint64_t unstored; // changes that were refused or taken back as they could not be stored
} nd_methods;

typedef struct nd_call {
    nd_methods *methods;
    nd_session *session;
    np_message *message;
    np_axes axes; // of the message, where it is not in metres with Y up
    np_error err; // what a handler that fails has to say
} nd_call;

// For nd_session_calls; user is the nd_methods.
NAV_MUST_USE nav_status nd_methods_on_message(void *user, nd_session *s, const uint8_t *bytes, size_t count,
                                              np_error *err);
void nd_methods_on_room(void *user, nd_session *s);
void nd_methods_on_end(void *user, nd_session *s);

// Answers the call of a tiles.build that is given up, with NAV_ERR_CANCELLED.
void nd_methods_batch_cancel(nd_methods *methods, nd_batch *b);

// What a session has sent of a mesh is given up.
void nd_methods_end_upload(nd_methods *methods, nd_session *s);

// A call that is no mesh.put comes: true where it has to wait for meshes of the session, which is held then.
bool nd_methods_await_puts(nd_session *s);
// Those that are not at a worker yet are given up.
void nd_methods_end_puts(nd_session *s);

// What a session has sent of a source's list is given up.
void nd_methods_end_listing(nd_methods *methods, nd_session *s);

// Ends everything that looks at the world, and deletes it.
void nd_methods_remove_world(nd_methods *methods, nd_world *w);

// Answers world.open, through a commit where there is one (durable.h). profiles has room for as many as the world has.
// axes: of the session for this world.
void nd_reply_opened(nd_methods *methods, struct nd_commit *commit, nd_world *w, uint64_t session, uint32_t request,
                     bool created, np_profile *profiles, const np_axes *axes);

// NAV_ERR_FORBIDDEN with words, unless the session has that role at least. what: "make a world".
NAV_MUST_USE nav_status nd_call_needs(nd_call *c, np_role least, const char *what);

// Finds what a call names in the session's namespace, or sets call->err.
NAV_MUST_USE nav_status nd_call_world(nd_call *c, uint64_t id, nd_world **out);
NAV_MUST_USE nav_status nd_call_profile(nd_call *c, const nd_world *w, np_str name, uint32_t *out);
// The slot of one of its sheets. NAV_ERR_ARGUMENT: it has no such sheet.
NAV_MUST_USE nav_status nd_call_sheet(nd_call *c, const nd_world *w, uint32_t profile, nav_sheet sheet, uint32_t *out);

#define ND_METHOD_DECLARATION(ID, name, wire, role) nav_status nd_method_##name(nd_call *c);
NP_METHOD_LIST(ND_METHOD_DECLARATION)
#undef ND_METHOD_DECLARATION

#endif
