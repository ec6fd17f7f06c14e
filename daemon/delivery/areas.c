#include "daemon/delivery/areas.h"

#include "daemon/base/thread.h"
#include "daemon/world/areas.h"

bool nd_areas_tell(nd_subscription *sub)
{
    ND_ASSERT_LOOP_THREAD();
    const nd_world *w = sub->world;
    nav_buffer *out = &sub->delivery->sessions->scratch;
    if (sub->areas_told == w->areas_version) return true;
    if (!nd_session_writable(sub->session)) return false;
    const np_areas_note note = {.subscription = sub->id,
                                .world = w->id,
                                .revision = w->revision,
                                .area_count = w->areas->count,
                                .areas = w->areas->list};
    out->size = 0;
    sub->areas_told = w->areas_version;
    if (np_encode_areas_note(out, &note) == NAV_OK)
        nd_session_send(sub->session, out->data, out->size, NULL);
    else
        nd_session_close(sub->session, "memory");
    return true;
}
