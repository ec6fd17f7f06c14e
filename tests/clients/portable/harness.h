// The same tests on each system: check's on Linux, and on Windows, where Debian has no check, the little of it that is
// used here. A test that fails ends the program there, as it does with CK_FORK=no.
#ifndef TESTS_PORTABLE_HARNESS_H
#define TESTS_PORTABLE_HARNESS_H

#ifdef _WIN32

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winsock2.h>
#include <ws2tcpip.h>

#define START_TEST(name) static void name(void)
#define END_TEST
#define ck_assert_msg(holds, ...)                                                                                      \
    do {                                                                                                               \
        if (holds) break;                                                                                              \
        printf("%s:%d: ", __FILE__, __LINE__);                                                                         \
        printf(__VA_ARGS__);                                                                                           \
        printf("\n");                                                                                                  \
        fflush(stdout);                                                                                                \
        exit(1);                                                                                                       \
    } while (0)
#define ck_assert(holds) ck_assert_msg(holds, "%s", #holds)
#define ck_assert_int_eq(a, b)                                                                                         \
    do {                                                                                                               \
        long long is = (long long)(a), wanted = (long long)(b);                                                        \
        ck_assert_msg(is == wanted, "%s is %lld, and %s is %lld", #a, is, #b, wanted);                                 \
    } while (0)
#define ck_assert_uint_eq(a, b) ck_assert_int_eq(a, b)
#define ck_assert_uint_gt(a, b) ck_assert_msg((a) > (b), "%s is %llu", #a, (unsigned long long)(a))
#define ck_assert_ptr_nonnull(p) ck_assert_msg(p, "%s is NULL", #p)
#define ck_assert_mem_eq(a, b, size) ck_assert_msg(memcmp(a, b, size) == 0, "%s is not %s", #a, #b)

typedef struct harness {
    int tests;
} harness;

static inline harness harness_begin(const char *name)
{
    WSADATA data;
    ck_assert_int_eq(WSAStartup(MAKEWORD(2, 2), &data), 0); // for sockets of the tests
    printf("%s\n", name);
    return (harness){0};
}
#define harness_add(h, test)                                                                                           \
    do {                                                                                                               \
        printf("  %s\n", #test);                                                                                       \
        fflush(stdout);                                                                                                \
        test();                                                                                                        \
        (h)->tests++;                                                                                                  \
    } while (0)
static inline int harness_end(const harness *h)
{
    printf("%d tests passed\n", h->tests);
    return 0;
}
#define close_socket(fd) closesocket((SOCKET)(fd))

#else

#include "tests/check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct harness {
    Suite *suite;
    TCase *tests;
} harness;

static inline harness harness_begin(const char *name)
{
    harness h = {suite_create(name), tcase_create(name)};
    suite_add_tcase(h.suite, h.tests);
    return h;
}
#define harness_add(h, test) tcase_add_test((h)->tests, test)
static inline int harness_end(const harness *h)
{
    return run_suite(h->suite);
}
#define close_socket(fd) close(fd)

#endif

// A TCP socket on the loopback address. With listens false nobody is behind its port.
static inline int open_port(bool listens, int *port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = (int)socket(AF_INET, SOCK_STREAM, 0);
    ck_assert(fd >= 0);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &size), 0);
    if (listens) ck_assert_int_eq(listen(fd, 8), 0);
    *port = ntohs(at.sin_port);
    return fd;
}

// What an event loop does: until fd is readable, or writable where that is wanted, or the time is over.
static inline void wait_for(int fd, bool write, int timeout_ms)
{
    fd_set readable, writable;
    struct timeval time = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    FD_ZERO(&readable);
    FD_ZERO(&writable);
#ifdef _WIN32
    if (fd < 0) Sleep((DWORD)timeout_ms); // select() wants one
    if (fd < 0) return;
    FD_SET((SOCKET)fd, &readable);
    if (write) FD_SET((SOCKET)fd, &writable);
#else
    if (fd >= 0) FD_SET(fd, &readable);
    if (fd >= 0 && write) FD_SET(fd, &writable);
#endif
    (void)select(fd + 1, &readable, &writable, NULL, &time);
}

#endif
