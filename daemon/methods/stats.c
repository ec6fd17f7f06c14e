#include "daemon/methods/methods.h"

nav_status nd_method_stats(nd_call *c)
{
    np_stats_request r;
    nav_status s = np_decode_stats_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    nd_measures measures;
    np_counter counters[ND_FLAT_COUNT];
    const nd_namespace *space = c->session->principal.role == NP_ROLE_ADMIN ? NULL : c->session->space;
    c->methods->measure(c->methods->user, space, &measures);
    np_stats_response out = {.counters = counters};
    for (unsigned i = 0; i < ND_FLAT_COUNT; i++)
        if (!space || nd_flat_is_of_namespace(i))
            counters[out.counter_count++] = (np_counter){np_str_of(nd_flat_name(i)), nd_flat_value(&measures, i)};
    nd_reply(c->session, c->message->id, NP_STATS, &out);
    return NAV_OK;
}
