#include "daemon/delivery/sync.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/subscription.h"
#include "daemon/world/changes.h"

void nd_sync_due(nd_server *s, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    w->sync_due = s->sync_due = true;
}

static void send_synced(nd_subscription *sub, uint64_t revision)
{
    nd_server *server = sub->session->server;
    np_synced_note note = {.subscription = sub->id, .world = sub->world->id, .revision = revision};
    server->scratch.size = 0;
    if (np_encode_synced_note(&server->scratch, &note) == NAV_OK)
        nd_session_send(sub->session, server->scratch.data, server->scratch.size, NULL);
    else
        nd_session_close(sub->session, "memory");
}

static void tell_world(nd_world *w)
{
    uint64_t complete = nd_changes_complete_to(w);
    for (nd_subscription *sub = w->subscriptions; sub;) {
        nd_session *session = sub->session;
        bool news = !sub->synced_once || sub->synced < complete;
        bool has_all = !sub->pending && !sub->fetching && !sub->awaited;
        if (news && has_all && !nd_session_writable(session)) {
            nd_sync_due(session->server, w); // when there is room
        } else if (news && has_all) {
            sub->synced_once = true;
            sub->synced = complete;
            if (w->told < complete) w->told = complete;
            send_synced(sub, complete);
        }
        // A session that closed took its subscriptions along: begin again, those that were told are not told twice.
        sub = session->closing ? w->subscriptions : sub->next_of_world;
    }
}

void nd_sync_tell(nd_server *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (!s->sync_due) return;
    s->sync_due = false; // and true again where a session has no room
    for (size_t i = 0; i < s->worlds.count; i++) {
        nd_world *w = s->worlds.list[i];
        if (!w->sync_due) continue;
        w->sync_due = false;
        tell_world(w);
    }
}
