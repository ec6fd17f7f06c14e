#include "daemon/methods/axes.h"

#include "daemon/delivery/subscription.h"

static const np_axes *axes_of_session(const nd_call *c, np_method method)
{
    const nd_axes_list *all = &c->session->axes;
    uint64_t id;
    if (!all->count) return NULL;
    if (method == NP_TILES_FOCUS) {
        bool named = np_message_read_number(c->message, "subscription", &id);
        const nd_subscription *sub = named ? nd_subscription_find(c->session, id) : NULL;
        return sub ? nd_axes_find(all, sub->world->id) : NULL;
    }
    return np_message_read_number(c->message, "world", &id) ? nd_axes_find(all, id) : NULL;
}

nav_status nd_call_find_axes(nd_call *c, np_method method)
{
    const np_axes *found = NULL;
    if (method == NP_WORLD_OPEN || method == NP_TILES_BUILD) {
        nav_status s = np_message_read_axes(c->message, &c->axes, &c->err);
        if (s != NAV_OK) return s;
        if (!np_axes_is_plain(&c->axes)) found = &c->axes;
    } else if ((found = axes_of_session(c, method)) != NULL) {
        c->axes = *found;
        found = &c->axes;
    }
    c->message->axes = found;
    return NAV_OK;
}

nav_status nd_call_reserve_axes(nd_call *c)
{
    nd_axes_list *all = &c->session->axes;
    // Those of worlds that are deleted go first, so that there are never more than there are worlds.
    for (size_t i = all->count; all->count == all->capacity && i-- > 0;)
        if (!nd_worlds_find_in(c->methods->worlds, c->session->space, all->entries[i].world))
            nd_axes_forget(all, all->entries[i].world);
    return nd_axes_reserve(all) == NAV_OK ? NAV_OK : np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the axes");
}
