// path.nearest, path.raycast, path.wall, path.random, path.reach, path.within
#include "daemon/methods/path.h"

#include "daemon/paths/places.h"

nav_status nd_method_path_nearest(nd_call *c)
{
    np_path_nearest_request r;
    nav_status s = np_decode_path_nearest_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_nearest_call_create(&r)) : s;
}

nav_status nd_method_path_raycast(nd_call *c)
{
    np_path_raycast_request r;
    nav_status s = np_decode_path_raycast_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_raycast_call_create(&r)) : s;
}

nav_status nd_method_path_wall(nd_call *c)
{
    np_path_wall_request r;
    nav_status s = np_decode_path_wall_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_wall_call_create(&r)) : s;
}

nav_status nd_method_path_random(nd_call *c)
{
    np_path_random_request r;
    nav_status s = np_decode_path_random_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_random_call_create(&r)) : s;
}

nav_status nd_method_path_reach(nd_call *c)
{
    np_path_reach_request r;
    nav_status s = np_decode_path_reach_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_reach_call_create(&r)) : s;
}

nav_status nd_method_path_within(nd_call *c)
{
    np_path_within_request r;
    nav_status s = np_decode_path_within_request(c->message, &r, &c->err);
    return s == NAV_OK ? nd_call_ask_path(c, r.world, r.profile, nd_within_call_create(&r)) : s;
}
