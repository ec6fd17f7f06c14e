// DESIGN. Time limits of sessions. One timer looks at all sessions twice a second while there are any:
//
//     hello_s      from the connection to hello; a byte now and then does not help
//     message_s    from the first byte of a message to its last
//     stall_s      output waits, and the peer takes nothing of it
//     idle_s       no call, no subscription, no call under way
//     keepalive_s  nothing was sent: those who asked for it get the note `alive`, so that they know; on TCP the kernel
//                  asks the peer, and a session whose peer is gone without a word ends
//
// It also refills the budget of calls (max_call_rate), and accepts connections that there was no memory for when
// they came. Loop thread only.
#ifndef ND_TIMEOUTS_H
#define ND_TIMEOUTS_H

#include "daemon/session/session.h"

// The timer is the server's; it cannot fail.
void nd_timeouts_init(nd_sessions *s);
void nd_timeouts_close(nd_sessions *s);

// The timer runs while there are sessions, or listeners that owe one.
void nd_timeouts_watch(nd_sessions *s);
// A session begins, its stream is open.
void nd_timeouts_begin(nd_session *s);
// After the session has looked at what it has received: is a message begun and not complete?
void nd_timeouts_received(nd_session *s, bool completed);
// A call is about to be handled. False: it must wait for the next refill.
bool nd_timeouts_may_call(const nd_session *s);

#endif
