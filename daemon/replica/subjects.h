// Subjects and streams of the log, of states and of the lease (farm/names.h, entry.h). farm: its name; space: a token
// (nd_farm_space_token()). out has ND_SUBJECT_BYTES. Any thread.
#ifndef ND_REPLICA_SUBJECTS_H
#define ND_REPLICA_SUBJECTS_H

#include "core/base/key.h"
#include "daemon/bus/bus.h"
#include "daemon/farm/names.h"

void nd_log_stream(const char *farm, char *out);
void nd_state_stream(const char *farm, char *out);
void nd_lease_stream(const char *farm, char *out);

void nd_log_subject(const char *farm, const char *space, uint64_t world, char *out);
void nd_leader_subject(const char *farm, char *out); // in the log: who writes it
void nd_bell_subject(const char *farm, char *out);   // in no stream: the log has become longer
void nd_state_head_subject(const char *farm, const char *space, uint64_t world, char *out);
// Part `part` of a state; ND_ALL_PARTS: a pattern for all of them.
enum { ND_ALL_PARTS = UINT32_MAX };
void nd_state_part_subject(const char *farm, const char *space, uint64_t world, nav_key id, uint32_t part, char *out);
void nd_lease_subject(const char *farm, char *out);

// What a subject of the log or the head of a state is about. False: it is neither.
bool nd_subject_read_world(const char *farm, const char *subject, char space[ND_SPACE_BYTES], uint64_t *world);

// For run() of a bus's task: the streams and the bucket are there. In our terms, with words.
NAV_MUST_USE nav_status nd_replica_ensure_streams(const nd_bus_link *link, const char *farm, char *why,
                                                  size_t why_bytes);

#endif
