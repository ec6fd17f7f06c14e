#include "tests/daemon/web_client.h"

#include "tests/check.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WAIT_MS = 240000, PIECE = 32768 };

static const uint8_t mask[4] = {0x12, 0x34, 0x56, 0x78};

web_state *web_state_of(const client *c)
{
    return c->wire_state;
}

int web_connect(int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static ssize_t read_some(int fd, void *out, size_t room)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ck_assert_msg(poll(&p, 1, WAIT_MS) == 1, "nothing came, nor the end");
    return recv(fd, out, room, 0);
}

static unsigned status_of(const char *answer)
{
    unsigned status = 0;
    return sscanf(answer, "HTTP/%*[0-9.] %u", &status) == 1 ? status : 0;
}

unsigned web_ask(int port, const char *request, char *out, size_t room)
{
    int fd = web_connect(port);
    size_t n = 0;
    ssize_t got;
    send(fd, request, strlen(request), MSG_NOSIGNAL);
    while (n + 1 < room && (got = read_some(fd, out + n, room - 1 - n)) > 0) n += (size_t)got;
    out[n] = 0;
    close(fd);
    return status_of(out);
}

// --- frames ---

void web_send_frame(int fd, unsigned first, uint64_t length, const void *bytes, size_t count)
{
    uint8_t *frame = malloc(count + 14);
    size_t at = 0;
    ck_assert_ptr_nonnull(frame);
    frame[at++] = (uint8_t)first;
    frame[at++] = (uint8_t)(0x80 | (length < 126 ? length : length < 65536 ? 126 : 127));
    for (int i = length < 126 ? 0 : length < 65536 ? 2 : 8; i-- > 0;) frame[at++] = (uint8_t)(length >> 8 * i);
    memcpy(frame + at, mask, 4);
    at += 4;
    for (size_t i = 0; i < count; i++) frame[at + i] = ((const uint8_t *)bytes)[i] ^ mask[i & 3];
    at += count;
    for (size_t sent = 0; sent < at;) {
        ssize_t n = send(fd, frame + sent, at - sent, MSG_NOSIGNAL);
        if (n <= 0) break; // the daemon has closed: the test sees it when it reads
        sent += (size_t)n;
    }
    free(frame);
}

static void send_bytes(int fd, void *state, const void *bytes, size_t count)
{
    (void)state;
    for (size_t at = 0; at < count; at += PIECE) {
        size_t n = count - at < PIECE ? count - at : PIECE;
        web_send_frame(fd, WEB_FINAL | WEB_BINARY, n, (const uint8_t *)bytes + at, n);
    }
}

static void drop(web_state *w, size_t count)
{
    w->have -= count;
    memmove(w->raw, w->raw + count, w->have);
}

// A frame's header, where all of it is there.
static bool begin_frame(web_state *w)
{
    size_t more = w->have < 2 ? 0 : w->raw[1] == 126 ? 2 : w->raw[1] == 127 ? 8 : 0;
    if (w->have < 2 + more) return false;
    w->left = more ? 0 : w->raw[1];
    for (size_t i = 0; i < more; i++) w->left = w->left << 8 | w->raw[2 + i];
    w->opcode = w->raw[0] & 15;
    w->control_bytes = 0;
    drop(w, 2 + more);
    return true;
}

static void end_control(web_state *w)
{
    w->pongs += w->opcode == WEB_PONG;
    if (w->opcode != WEB_CLOSE) return;
    w->close_code = w->control_bytes < 2 ? 1 : (unsigned)(w->control[0] << 8 | w->control[1]);
    size_t n = w->control_bytes > 2 ? w->control_bytes - 2 : 0;
    memcpy(w->close_reason, w->control + 2, n);
    w->close_reason[n] = 0;
}

// What frames of data have; what others say is noted.
static ssize_t receive(int fd, void *state, void *out, size_t room)
{
    web_state *w = state;
    for (;;) {
        bool begun = w->left || begin_frame(w);
        size_t n = w->left < w->have ? (size_t)w->left : w->have;
        if (begun && w->opcode >= WEB_CLOSE) {
            memcpy(w->control + w->control_bytes, w->raw, n);
            w->control_bytes += n;
        } else if (begun) {
            n = n < room ? n : room;
            memcpy(out, w->raw, n);
        }
        if (begun) {
            drop(w, n);
            w->left -= n;
            if (!w->left && w->opcode >= WEB_CLOSE) end_control(w);
            if (n && w->opcode < WEB_CLOSE) return (ssize_t)n;
            if (w->close_code) return 0;
            if (w->have && !w->left) continue;
        }
        ssize_t got = read_some(fd, w->raw + w->have, sizeof w->raw - w->have);
        if (got <= 0) return got;
        w->have += (size_t)got;
    }
}

static const client_wire wire = {send_bytes, receive};

// --- the handshake ---

static void add(char *out, size_t room, const char *name, const char *value, const char *right)
{
    if (value && !value[0]) return;
    size_t at = strlen(out);
    snprintf(out + at, room - at, "%s: %s\r\n", name, value ? value : right);
}

unsigned web_open(client *c, int port, const web_upgrade *u)
{
    static const web_upgrade right;
    char request[8192], host[64], origin[80], answer[4096];
    size_t n = 0;
    if (!u) u = &right;
    snprintf(host, sizeof host, "127.0.0.1:%d", port);
    snprintf(origin, sizeof origin, "http://%s", host);
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
             u->path ? u->path : "/socket");
    add(request, sizeof request, "Host", u->host, host);
    add(request, sizeof request, "Origin", u->origin, origin);
    add(request, sizeof request, "Sec-WebSocket-Protocol", u->protocol, "navd");
    strcat(strcat(request, u->more ? u->more : ""), "\r\n");

    memset(c, 0, sizeof *c);
    c->fd = web_connect(port);
    c->wire = &wire;
    c->wire_state = calloc(1, sizeof(web_state));
    c->next_id = 1;
    ck_assert_ptr_nonnull(c->wire_state);
    ck_assert_int_eq(np_reader_init(&c->reader, NULL), NAV_OK);
    send(c->fd, request, strlen(request), MSG_NOSIGNAL);
    answer[0] = 0;
    while (n + 1 < sizeof answer && !strstr(answer, "\r\n\r\n")) {
        if (read_some(c->fd, answer + n, 1) <= 0) break;
        answer[++n] = 0;
    }
    return status_of(answer);
}

void web_enter(client *c, int port, const char *token)
{
    const np_hello_request hello = {
        .version = NP_PROTOCOL_VERSION, .client = np_str_of("page"), .token = np_str_of(token)};
    np_hello_response answer;
    np_error err = {0};
    ck_assert_uint_eq(web_open(c, port, NULL), 101);
    ck_assert_msg(client_call(c, NP_HELLO, &hello, &answer, &err) == NAV_OK, "%s", err.message);
}
