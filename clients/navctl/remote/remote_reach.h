// Reachability of a world that a daemon has: what push and edit send, and what they say of it afterwards.
#ifndef NAVCTL_REMOTE_REACH_H
#define NAVCTL_REMOTE_REACH_H

#include "clients/navctl/arguments/reach_args.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/remote/remote.h"

// The operation that gives the world what the options say; what they leave out stays as the world has it. seeds: room
// that must outlive the operation. Returns an exit code.
int remote_reach_operation(navd_client *c, uint64_t world, const reach_values *v, float (*seeds)[3],
                           navd_operation *out);
// What can be reached now: a sentence on stdout, or members of an object that is open. Seeds without ground are named
// on stderr. Returns an exit code: NAVCTL_FAILED where seeds were given, some have no ground, and that is not allowed.
int remote_reach_report(navd_client *c, uint64_t world, const char *profile, const reach_values *v, json_writer *json);

#endif
