// Who the client is: options, the environment, the token, hello.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_BYTES = 256 };

static nav_status fill_text(char *out, size_t room, const char *given, const char *variable, char *why,
                            size_t why_bytes)
{
    if (!given) given = getenv(variable);
    if (!given) given = "";
    if (strlen(given) < room) {
        memcpy(out, given, strlen(given) + 1);
        return NAV_OK;
    }
    snprintf(why, why_bytes, "%s: longer than %zu bytes", variable, room - 1);
    return NAV_ERR_ARGUMENT;
}

nav_status navd_client_access_fill(client_access *a, const navd_options *o, char *why, size_t why_bytes)
{
    snprintf(a->name, sizeof a->name, "%s", o->name ? o->name : "navdclient");
    a->insecure_token = o->insecure_token;
    const struct {
        char *out;
        size_t room;
        const char *given, *variable;
    } texts[] = {
        {a->space, sizeof a->space, o->namespace_name, "NAVD_NAMESPACE"},
        {a->token_file, sizeof a->token_file, o->token_file, "NAVD_TOKEN_FILE"},
        {a->ca_file, sizeof a->ca_file, o->ca_file, "NAVD_CA_FILE"},
        {a->certificate_file, sizeof a->certificate_file, o->certificate_file, "NAVD_CERT_FILE"},
        {a->key_file, sizeof a->key_file, o->key_file, "NAVD_KEY_FILE"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nav_status s = fill_text(texts[i].out, texts[i].room, texts[i].given, texts[i].variable, why, why_bytes);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

static nav_status read_token_file(const char *path, char token[TOKEN_BYTES], char *why, size_t why_bytes)
{
    const char *wrong;
    size_t n;
    nav_status s = navd_system_read_secret(path, token, TOKEN_BYTES, &n, &wrong);
    if (s == NAV_OK && !token[strcspn(token, "\r\n")] && n == TOKEN_BYTES - 1) wrong = "its first line is not a token";
    if (wrong) snprintf(why, why_bytes, "the token file %s: %s", path, wrong);
    return wrong ? NAV_ERR_ARGUMENT : NAV_OK;
}

static nav_status read_token(const client_access *a, char token[TOKEN_BYTES], char *why, size_t why_bytes)
{
    const char *given = getenv("NAVD_TOKEN");
    token[0] = 0;
    if (a->token_file[0]) {
        nav_status s = read_token_file(a->token_file, token, why, why_bytes);
        if (s != NAV_OK) return s;
    } else if (given) {
        snprintf(token, TOKEN_BYTES, "%s", given);
    }
    token[strcspn(token, " \t\r\n")] = 0;
    return NAV_OK;
}

nav_status navd_client_take_hello(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_hello_response hello;
    (void)out;
    nav_status s = np_decode_hello_response(in, &hello, err);
    if (s != NAV_OK) return s;
    c->limits = hello.limits;
    c->dictionary_id = hello.dictionary;
    c->resume.keepalive_s = hello.keepalive_s;
    navd_text_copy(c->server, sizeof c->server, hello.server);
    return NAV_OK;
}

bool navd_client_address_is_local(const struct sockaddr *address)
{
    const uint32_t loopback = 127; // the first number of its addresses
    if (address->sa_family == AF_UNIX) return true;
    if (address->sa_family == AF_INET) {
        return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == loopback;
    }
    if (address->sa_family != AF_INET6) return false;
    const struct in6_addr *a = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(a) || (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == loopback);
}

// Whoever listens on the way would read an unencrypted token. So none goes beyond this machine; and on it only to a
// daemon that has asked for one, which whoever took the port of a daemon that is down has not, as a rule.
static nav_status guard_token(navd_client *c, char token[TOKEN_BYTES], char *why, size_t why_bytes)
{
    client_access *a = &c->access;
    struct sockaddr_storage peer = {0};
    socklen_t bytes = sizeof peer;
    bool asked_for = a->asked_for_token;
    a->asked_for_token = false;
    a->withheld_token = false;
    if (!token[0] || c->tls || a->insecure_token) return NAV_OK;
    if (getpeername(c->fd, (struct sockaddr *)&peer, &bytes) != 0) {
        snprintf(why, why_bytes, "%s: %s", c->address, strerror(errno));
        return NAV_ERR_CLOSED;
    }
    if (peer.ss_family == AF_UNIX) return NAV_OK;
    if (!navd_client_address_is_local((struct sockaddr *)&peer)) {
        snprintf(why, why_bytes,
                 "%s: the token would cross the network unencrypted; use tls://%s, or allow it with --insecure-token "
                 "(navd_options.insecure_token)",
                 c->address, c->address);
        return NAV_ERR_ARGUMENT;
    }
    if (asked_for) return NAV_OK;
    navd_system_wipe(token, TOKEN_BYTES);
    a->withheld_token = true;
    return NAV_OK;
}

bool navd_client_hello_again(navd_client *c, nav_status s)
{
    if (s != NAV_ERR_UNAUTHENTICATED || !c->access.withheld_token || c->broken != NAV_OK) return false;
    c->access.asked_for_token = true;
    c->error[0] = '\0';
    return true;
}

nav_status navd_client_encode_hello(navd_client *c, char *why, size_t why_bytes)
{
    char token[TOKEN_BYTES];
    nav_status s = read_token(&c->access, token, why, why_bytes);
    if (s == NAV_OK) s = guard_token(c, token, why, why_bytes);
    if (s != NAV_OK) {
        navd_system_wipe(token, sizeof token);
        return s;
    }
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION,
                              .client = np_str_of(c->access.name),
                              .token = np_str_of(token),
                              .space = np_str_of(c->access.space),
                              .keepalive = c->resume.keep};
    c->access.gave_token = hello.token.size > 0;
    s = np_encode_hello_request(&c->out, navd_client_next_id(c), &hello);
    if (s != NAV_OK) snprintf(why, why_bytes, "cannot write hello: %s", nav_status_text(s));
    navd_system_wipe(token, sizeof token);
    return s;
}

nav_status navd_client_end_hello(navd_client *c, nav_status s, char *why, size_t why_bytes)
{
    if (c->out.capacity) navd_system_wipe(c->out.data, c->out.capacity); // it is sent, or the connection is of no use
    if (s == NAV_OK) return s;
    c->out.size = c->sent = 0;
    bool needs = s == NAV_ERR_UNAUTHENTICATED && !c->access.gave_token;
    snprintf(why, why_bytes, "%s%s%s%s", c->broken == NAV_OK ? c->address : "", c->broken == NAV_OK ? ": " : "",
             c->error, needs ? "; give its file with --token-file or NAVD_TOKEN_FILE" : "");
    return s;
}

nav_status navd_client_login(navd_client *c, char *why, size_t why_bytes)
{
    nav_status s;
    do {
        s = navd_client_encode_hello(c, why, why_bytes);
        if (s != NAV_OK) return s;
        s = (nav_status)navd_client_finish(c, s, navd_client_take_hello, NULL);
    } while (navd_client_hello_again(c, s));
    return navd_client_end_hello(c, s, why, why_bytes);
}
