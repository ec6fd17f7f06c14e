// A world that is edited while processes die: what was acknowledged, what is under way, and a daemon that never dies
// and is given the same (the truth).
//
//     editor:  e1 e2 e3 e4 | e5 e6 e7        | acknowledged, sent
//     after a restart the world is that of e4, e5, e6 or e7: whole edits, in order
#ifndef TESTS_E2E_EDITED_WORLD_H
#define TESTS_E2E_EDITED_WORLD_H

#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"
#include "tests/e2e/edits.h"

enum { EDITED_IN_FLIGHT = 12, EDITED_WORLDS = 2 };

typedef struct edited_world {
    char name[16];
    int32_t side;
    city city;
    peer editor, checker, truth;
    objects acknowledged, sent;
    edit pending[EDITED_IN_FLIGHT];      // sent, not answered, oldest first
    uint32_t requests[EDITED_IN_FLIGHT]; // their ids
    uint32_t pending_count;
    bool may_refuse;   // an edit may be answered with NAV_ERR_STATE, and has had no effect then
    bool refused;      // one was: nothing is sent any more, until a check has found out what the world is
    uint64_t revision; // of the last that was acknowledged
    uint64_t edits, acknowledged_edits, refused_edits;
    double acknowledged_ms; // when the last one was
} edited_world;

// Makes it in both daemons; the editor is to be connected.
void edited_begin(edited_world *w, int number, int32_t side, const daemon_process *navd, const daemon_process *truth);
void edited_end(edited_world *w);
// Edits in all worlds until `until_ms`, as fast as they are acknowledged, some under way.
void edited_run(edited_world worlds[EDITED_WORLDS], double until_ms, uint64_t *chance);
// Sends one edit.
void edited_send(edited_world *w, uint64_t *chance);
// Until all that was sent is answered, by a daemon that lives.
void edited_settle(edited_world *w);
// What had left the daemon before it died.
void edited_read_to_the_end(edited_world *w);
// Nothing that was acknowledged is lost, and every tile is the truth's. round: for words.
void edited_check(edited_world *w, const daemon_process *navd, uint64_t round);

#endif
