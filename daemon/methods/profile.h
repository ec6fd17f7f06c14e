// Changes of profiles and of the origin, which take several turns in a large world. Loop thread only.
#ifndef ND_METHODS_PROFILE_H
#define ND_METHODS_PROFILE_H

#include "daemon/methods/methods.h"
#include "daemon/world/profile_change.h"

// With the daemon. After closing, what was under way is gone.
void nd_profiles_init(nd_methods *m);
void nd_profiles_close(nd_methods *m);

// world.open of a world that lacks some of these profiles: adds them, then answers the call. NAV_ERR_EXISTS (the name
// has other settings), NAV_ERR_ARGUMENT, NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_profiles_add(nd_call *c, nd_world *w, const np_profile *profiles, uint32_t count);

// What is under way in the world takes effect and is answered, or is refused and answered. Its tiles are marked in the
// turns that follow.
void nd_profiles_finish(nd_methods *m, const nd_world *w);
// The world goes: what is under way in it is refused.
void nd_profiles_drop(nd_methods *m, const nd_world *w);
// Something that was done before cannot be stored: what is under way is refused, in all worlds.
void nd_profiles_take_back(nd_methods *m, nav_status status, const char *why);
// They become what another daemon has made them, with the slots that they have there and its revision of the world (or
// a higher one); it is stored, and answered to nobody. Takes `wanted` over. Nothing is under way in the world.
// NAV_ERR_FORMAT: a slot is not free; else as below. The world is as it was then.
NAV_MUST_USE nav_status nd_profiles_follow(nd_methods *m, nd_world *w, nd_profile_list *wanted, uint64_t revision);
// The world's profiles become what they were. NAV_ERR_MEMORY, NAV_ERR_LIMIT: the world is not what is stored.
NAV_MUST_USE nav_status nd_profiles_put_back(nd_methods *m, nd_world *w, nd_profile_list *before);

#endif
