// DESIGN. What unfinished messages hold. A message is received whole before anybody looks at it, and before `hello` it
// is small; but those who have said it may begin a large one in each of their sessions and never end it. So the sum is
// bounded, for each peer and in all, and more tightly while memory is short, where one large move still fits. Above the
// bound the slowest message gives way: of the peer, or of the peer that holds most. Its session ends and is told why.
// Sessions stand in the order in which their last 64 KiB came in, so the slowest is the first. Loop thread only.
#ifndef ND_INPUT_H
#define ND_INPUT_H

#include <stdint.h>

struct nd_sessions;
struct nd_session;

// Of a session.
typedef struct nd_input {
    uint64_t bytes; // that count; 0: so few that they do not
    uint64_t moved; // bytes when it was put at the end
    struct nd_session *before, *after;
} nd_input;

typedef struct nd_inputs {
    struct nd_session *first, *last;
    uint64_t bytes;
} nd_inputs;

// After the session has looked at what it has received. It, or another one, may end.
void nd_input_received(struct nd_session *s);
// The session ends; before it leaves its peer. Any number of times.
void nd_input_leave(struct nd_session *s);

#endif
