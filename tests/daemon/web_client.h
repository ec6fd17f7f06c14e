// A client of the view's listener: requests over a socket of our own, and WebSockets under the fixture's client. It
// frames by itself, so that a test can send what no library would.
#ifndef TEST_WEB_CLIENT_H
#define TEST_WEB_CLIENT_H

#include "tests/daemon/fixture.h"

enum {
    WEB_CONTINUATION = 0,
    WEB_TEXT = 1,
    WEB_BINARY = 2,
    WEB_CLOSE = 8,
    WEB_PING = 9,
    WEB_PONG = 10,
    WEB_FINAL = 0x80
};

typedef struct web_state {
    uint8_t raw[70000]; // received, not looked at yet
    size_t have;
    uint64_t left; // of the frame that is being read
    unsigned opcode;
    unsigned close_code; // 0: none came
    char close_reason[126];
    uint8_t control[126];
    size_t control_bytes;
    unsigned pongs;
} web_state;

typedef struct web_upgrade {
    const char *path, *host, *origin, *protocol, *more; // NULL: what is right; "": left out
} web_upgrade;

// A connection to that port of the loopback address.
int web_connect(int port);
// Sends a request and reads up to the end of the connection, or of the answer's head where upgraded. What came stands
// in out; its status is returned, 0 without one.
unsigned web_ask(int port, const char *request, char *out, size_t room);
// The status that an upgrade is answered with; 101: c is connected.
unsigned web_open(client *c, int port, const web_upgrade *u);
// One frame as it is: first has opcode and WEB_FINAL. length: as its header says, count bytes follow.
void web_send_frame(int fd, unsigned first, uint64_t length, const void *bytes, size_t count);
// A session over a WebSocket that has said hello with the token.
void web_enter(client *c, int port, const char *token);
web_state *web_state_of(const client *c);

#endif
