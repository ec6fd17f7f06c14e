#include "daemon/methods/methods.h"

nav_status nd_method_stats(nd_call *c)
{
    np_stats_request r;
    nav_status s = np_decode_stats_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    nd_measures measures;
    np_counter counters[ND_FLAT_COUNT];
    c->methods->measure(c->methods->user, &measures);
    for (unsigned i = 0; i < ND_FLAT_COUNT; i++)
        counters[i] = (np_counter){np_str_of(nd_flat_name(i)), nd_flat_value(&measures, i)};
    np_stats_response out = {.counter_count = ND_FLAT_COUNT, .counters = counters};
    nd_reply(c->session, c->message->id, NP_STATS, &out);
    return NAV_OK;
}
