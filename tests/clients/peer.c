#include "tests/clients/peer.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void peer_send(peer *p, nav_buffer *b, nav_status encoded)
{
    ck_assert_int_eq(encoded, NAV_OK);
    for (size_t at = 0; at < b->size;) {
        ssize_t n = send(p->fd, b->data + at, b->size - at, MSG_NOSIGNAL);
        if (n <= 0) break;
        at += (size_t)n;
    }
    nav_buffer_deinit(b);
}

np_method peer_take(peer *p)
{
    const uint8_t *bytes;
    size_t count;
    np_error error;
    np_message_deinit(&p->request);
    p->request = (np_message){0};
    while (np_reader_next(&p->reader, &bytes, &count) == NAV_ERR_AGAIN) {
        uint8_t chunk[4096];
        ssize_t n = recv(p->fd, chunk, sizeof chunk, 0);
        if (n <= 0) return NP_UNKNOWN;
        ck_assert_int_eq(np_reader_feed(&p->reader, chunk, (size_t)n), NAV_OK);
    }
    ck_assert_int_eq(np_message_read(bytes, count, &p->request, &error), NAV_OK);
    return np_method_of(&p->request);
}

void peer_hello(peer *p)
{
    nav_buffer b = {0};
    np_hello_response answer = {.server = np_str_of("navd 9.9"),
                                .version = NP_PROTOCOL_VERSION,
                                .limits = {.message_bytes = 1 << 20,
                                           .depth = 16,
                                           .elements = 1 << 16,
                                           .container_elements = 1 << 16,
                                           .mesh_part_bytes = p->part_bytes ? p->part_bytes : 1 << 16,
                                           .mesh_bytes = 1 << 20,
                                           .edit_ops = 100,
                                           .request_tiles = 10},
                                .dictionary = p->dictionary};
    ck_assert_int_eq(peer_take(p), NP_HELLO);
    peer_send(p, &b, np_encode_hello_response(&b, p->request.id, &answer));
}

static void *peer_run(void *user)
{
    peer *p = user;
    p->fd = accept(p->listener, NULL, NULL);
    ck_assert_int_ge(p->fd, 0);
    ck_assert_int_eq(np_reader_init(&p->reader, NULL), NAV_OK);
    p->play(p);
    np_message_deinit(&p->request);
    np_reader_deinit(&p->reader);
    close(p->fd);
    return NULL;
}

const char *peer_address(void)
{
    return temp_path("peer.sock");
}

void peer_listen(peer *p, void (*play)(peer *p))
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s", peer_address());
    unlink(at.sun_path);
    p->play = play;
    p->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(p->listener, (struct sockaddr *)&at, sizeof at), 0);
    ck_assert_int_eq(listen(p->listener, 1), 0);
    ck_assert_int_eq(pthread_create(&p->thread, NULL, peer_run, p), 0);
}

navd_client *peer_connect(peer *p, void (*play)(peer *p))
{
    navd_client *c;
    char why[256] = "";
    peer_listen(p, play);
    navd_status s = navd_connect(peer_address(), "test", 60000, &c, why, sizeof why);
    ck_assert_msg(s == NAVD_OK, "%s", why);
    return c;
}

void peer_end(peer *p, navd_client *c)
{
    navd_close(c);
    pthread_join(p->thread, NULL);
    close(p->listener);
}
