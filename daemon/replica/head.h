// What a world's head (store/records.h) says, against what the world is. Loop thread only.
#ifndef ND_HEAD_H
#define ND_HEAD_H

#include "daemon/world/profiles.h"

enum { ND_HEAD_OPS = 3 };

// None where the head has none.
nd_goal nd_head_goal(const np_world_open_request *head);
// The operations that give the world its goal, build and areas, where they differ; out has room for ND_HEAD_OPS.
// Returns how many. They borrow from the head and from seeds.
size_t nd_head_ops(const np_world_open_request *head, const nd_world *w, np_seed seeds[NAV_MAX_SEEDS], np_op *out);
// Its profiles, with their slots; the caller deinits them, also where it fails. NAV_ERR_FORMAT: one of the world's
// that stays has another slot. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_head_profiles(const np_world_open_request *head, const nd_world *w, nd_profile_list *out,
                                         bool *differs);

#endif
