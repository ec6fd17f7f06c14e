// Windows 7 and newer, built with mingw-w64. A socket's handle fits an int: only its low 32 bits are significant.
#include "clients/c/system.h"
#include "navd.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

double navd_clock_ms(void)
{
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    return (double)now.QuadPart * 1e3 / (double)frequency.QuadPart;
}

// Winsock's numbers and those of errno.h. The C library of Windows has words for few of them.
static const struct error {
    int winsock, number;
    const char *text;
} errors[] = {
    {WSAEWOULDBLOCK, EINPROGRESS, "the connection is under way"},
    {WSAEINPROGRESS, EINPROGRESS, "the connection is under way"},
    {WSAEALREADY, EINPROGRESS, "the connection is under way"},
    {WSAECONNREFUSED, ECONNREFUSED, "connection refused"},
    {WSAETIMEDOUT, ETIMEDOUT, "connection timed out"},
    {WSAENETUNREACH, ENETUNREACH, "network is unreachable"},
    {WSAEHOSTUNREACH, EHOSTUNREACH, "no route to host"},
    {WSAECONNRESET, ECONNRESET, "connection reset by peer"},
    {WSAECONNABORTED, ECONNABORTED, "connection aborted"},
    {WSAEADDRNOTAVAIL, EADDRNOTAVAIL, "address not available"},
    {WSAEAFNOSUPPORT, EAFNOSUPPORT, "address family not supported"},
    {WSAEACCES, EACCES, "permission denied"},
    {WSAEMFILE, EMFILE, "too many open sockets"},
    {WSAENOBUFS, ENOBUFS, "no buffer space available"},
    {WSAENETDOWN, ENETDOWN, "network is down"},
};
enum { ERRORS = sizeof errors / sizeof *errors };

static int number_of(int winsock)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].winsock == winsock) return errors[i].number;
    return EIO;
}

const char *navd_system_error_text(int error)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].number == error) return errors[i].text;
    return strerror(error);
}

const char *navd_system_name_error_text(int problem)
{
    return problem == WSAHOST_NOT_FOUND || problem == WSANO_DATA ? "the name is not known"
           : problem == WSATRY_AGAIN                             ? "the name server does not answer"
           : problem == WSATYPE_NOT_FOUND                        ? "the port is not known"
                                                                 : "the name cannot be looked up";
}

int navd_system_begin(void)
{
    WSADATA data;
    int error = WSAStartup(MAKEWORD(2, 2), &data); // counts
    return error ? number_of(error) : 0;
}

void navd_system_end(void)
{
    WSACleanup();
}

void navd_default_address(char *text, size_t size)
{
    const char *given = getenv("NAVD_ADDRESS"); // there is no usual place
    snprintf(text, size, "%s", given ? given : "");
}

// --- sockets ---

int navd_socket_connect(const struct addrinfo *to, int *out)
{
    u_long on = 1;
    int no_delay = 1; // requests are small and each waits for its answer
    SOCKET s = WSASocketW(to->ai_family, to->ai_socktype, to->ai_protocol, NULL, 0, WSA_FLAG_OVERLAPPED);
    *out = s == INVALID_SOCKET ? -1 : (int)s;
    if (*out < 0 || ioctlsocket(s, FIONBIO, &on)) return number_of(WSAGetLastError());
    (void)SetHandleInformation((HANDLE)s, HANDLE_FLAG_INHERIT, 0);
    (void)setsockopt(s, IPPROTO_TCP, TCP_NODELAY, (const char *)&no_delay, sizeof no_delay);
    return connect(s, to->ai_addr, (int)to->ai_addrlen) == 0 ? 0 : number_of(WSAGetLastError());
}

// How many of it: 1, or 0 after so long. select() tells of connections that fail, which WSAPoll() does not before
// Windows 10 2004.
static int wait_for(int fd, bool read, bool write, bool failure, int timeout_ms)
{
    fd_set readable, writable, failed;
    struct timeval time = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_ZERO(&failed);
    if (read) FD_SET((SOCKET)fd, &readable);
    if (write) FD_SET((SOCKET)fd, &writable);
    if (failure) FD_SET((SOCKET)fd, &failed);
    return select(0, &readable, &writable, &failed, timeout_ms < 0 ? NULL : &time);
}

int navd_socket_ask(int fd)
{
    int error = 0, size = sizeof error;
    if (wait_for(fd, false, true, true, 0) == 0) return EINPROGRESS;
    if (getsockopt((SOCKET)fd, SOL_SOCKET, SO_ERROR, (char *)&error, &size)) return number_of(WSAGetLastError());
    return error ? number_of(error) : 0;
}

void navd_socket_close(int fd)
{
    closesocket((SOCKET)fd);
}

static nav_status status_of(int winsock)
{
    if (winsock == WSAEWOULDBLOCK || winsock == WSAEINTR) return NAV_ERR_AGAIN;
    return winsock == WSAECONNRESET || winsock == WSAECONNABORTED || winsock == WSAESHUTDOWN ? NAV_ERR_CLOSED
                                                                                             : NAV_ERR_IO;
}

nav_status navd_socket_send(int fd, const void *bytes, size_t size, size_t *sent)
{
    int n = send((SOCKET)fd, bytes, size > INT_MAX ? INT_MAX : (int)size, 0);
    *sent = n < 0 ? 0 : (size_t)n;
    return n >= 0 ? NAV_OK : status_of(WSAGetLastError());
}

nav_status navd_socket_receive(int fd, void *bytes, size_t room, size_t *count)
{
    int n = recv((SOCKET)fd, bytes, room > INT_MAX ? INT_MAX : (int)room, 0);
    *count = n < 0 ? 0 : (size_t)n;
    if (n > 0) return NAV_OK;
    return n == 0 ? NAV_ERR_CLOSED : status_of(WSAGetLastError());
}

nav_status navd_socket_wait(int fd, bool write, int timeout_ms)
{
    if (fd < 0) {
        Sleep(timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
        return NAV_ERR_TIMEOUT;
    }
    int ready = wait_for(fd, true, write, write, timeout_ms);
    return ready > 0 ? NAV_OK : ready == 0 ? NAV_ERR_TIMEOUT : status_of(WSAGetLastError());
}

nav_status navd_socket_connect_unix(const char *address, const char *path, int *out, char *why, size_t why_bytes)
{
    *out = -1;
    (void)path;
    snprintf(why, why_bytes, "%s: there are no Unix sockets on Windows; let navd listen on TCP, and use host:port",
             address);
    return NAV_ERR_ARGUMENT;
}

// --- bells and threads ---

// A datagram socket on the loopback address that is its own peer: nobody else can send to it.
bool navd_bell_init(client_bell *b)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int size = sizeof at;
    u_long on = 1;
    SOCKET s = WSASocketW(AF_INET, SOCK_DGRAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED);
    *b = (client_bell){-1, -1};
    if (s == INVALID_SOCKET) return false;
    if (bind(s, (struct sockaddr *)&at, sizeof at) || getsockname(s, (struct sockaddr *)&at, &size) ||
        connect(s, (struct sockaddr *)&at, sizeof at) || ioctlsocket(s, FIONBIO, &on)) {
        closesocket(s);
        return false;
    }
    (void)SetHandleInformation((HANDLE)s, HANDLE_FLAG_INHERIT, 0);
    *b = (client_bell){(int)s, (int)s};
    return true;
}

void navd_bell_deinit(client_bell *b)
{
    if (b->fd >= 0) closesocket((SOCKET)b->fd);
}

void navd_bell_ring(const client_bell *b)
{
    (void)send((SOCKET)b->other, "", 1, 0);
}

typedef struct errand {
    void (*run)(void *user);
    void *user;
} errand;

static DWORD WINAPI run_errand(void *memory)
{
    errand e = *(errand *)memory;
    free(memory);
    e.run(e.user);
    return 0;
}

bool navd_system_start_thread(void (*run)(void *user), void *user)
{
    errand *e = malloc(sizeof *e);
    if (!e) return false;
    *e = (errand){run, user};
    HANDLE thread = CreateThread(NULL, 0, run_errand, e, 0, NULL);
    if (!thread) free(e);
    if (thread) CloseHandle(thread);
    return thread != NULL;
}

// --- secrets ---

// Who may read a file is in its access control list here, which is not looked at.
nav_status navd_system_read_secret(const char *path, char *text, size_t room, size_t *size, const char **wrong)
{
    FILE *f = fopen(path, "rb");
    *wrong = NULL;
    *size = 0;
    if (f) *size = fread(text, 1, room - 1, f);
    if (!f || ferror(f)) *wrong = strerror(errno);
    if (f) fclose(f);
    text[*size] = 0;
    return *wrong ? NAV_ERR_ARGUMENT : NAV_OK;
}

void navd_system_wipe(void *bytes, size_t count)
{
    SecureZeroMemory(bytes, count);
}
