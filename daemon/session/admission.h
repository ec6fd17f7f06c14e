// DESIGN. Who may have a session, by number: so many in all (max_sessions, and never more than there are file
// descriptors for), so many from one peer (a user on the Unix socket, an address on TCP), and so many that have not
// said hello. The last kind needs no credential, so it must not be able to keep others out. When there are too many
// of them on the Unix socket, on TCP, or from one address that has to log in, or too many sessions in all, one of
// them makes room for the newest: one whose token was wrong, else one that has said nothing, else the oldest. A
// refused connection is told why before it is closed. Loop thread only.
#ifndef ND_ADMISSION_H
#define ND_ADMISSION_H

#include "daemon/base/table.h"

#include <stdbool.h>
#include <uv.h>

struct nd_sessions;
struct nd_session;

typedef struct nd_peer {
    nd_node node; // hash: of the user or the address
    uint64_t sessions;
    uint64_t input_bytes; // input.h
} nd_peer;

typedef struct nd_admission {
    nd_table peers;                      // that have sessions
    struct nd_new_sessions {             // that have not said hello
        struct nd_session *first, *last; // the oldest first
        uint64_t count;
    } new_tcp, new_pipe;
    uint64_t room;                                 // sessions that there are descriptors for
    uint64_t refusal_logged_ns, refusals_unlogged; // at most one line a second
    uint64_t strangers_ns, strangers_logged;       // lines of the second that began then
} nd_admission;

// The process may open as many files as the system lets it. For the program, once.
void nd_admission_raise_descriptors(void);
// Works out how many sessions there are descriptors for, with words in the log where that is less than configured.
void nd_admission_init(nd_admission *a, const struct nd_sessions *sessions);
void nd_admission_deinit(nd_admission *a); // no session is open any more; accepts a zeroed one

// A connection has been accepted; its stream and principal are set. NULL: it counts from now on, nd_admission_leave()
// ends that. Else why not, one word; the peer has been told in a sentence.
const char *nd_admission_enter(struct nd_session *s);
// It has said hello.
void nd_admission_greeted(struct nd_session *s);
void nd_admission_leave(struct nd_session *s); // accepts one that never entered

// A connection was refused, for the log.
void nd_admission_log_refusal(struct nd_sessions *sessions, const char *reason, const char *source);
// May a line be logged about a connection that has not said hello? There may be thousands of them a second, and their
// lines are few; the metrics count all.
bool nd_admission_may_log(struct nd_sessions *sessions);
// accept() found no descriptor free.
void nd_admission_out_of_descriptors(struct nd_sessions *sessions);

#endif
