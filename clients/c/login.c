// Who the client is: options, the environment, the token, hello.
#include "clients/c/client.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

nav_status client_access_fill(client_access *a, const navd_options *o, char *why, size_t why_bytes)
{
    snprintf(a->name, sizeof a->name, "%s", o->name ? o->name : "navdclient");
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
    struct stat st;
    const char *wrong = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    if (fd < 0 || fstat(fd, &st))
        wrong = strerror(errno);
    else if (S_ISREG(st.st_mode) && st.st_mode & S_IRWXO)
        wrong = "every user of the system can read it; chmod 0600 takes that away";
    else if ((n = read(fd, token, TOKEN_BYTES - 1)) < 0)
        wrong = strerror(errno);
    if (fd >= 0) close(fd);
    token[n > 0 ? n : 0] = 0;
    if (!wrong && !token[strcspn(token, "\r\n")] && n == TOKEN_BYTES - 1) wrong = "its first line is no token";
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

nav_status client_take_hello(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_hello_response hello;
    (void)out;
    nav_status s = np_decode_hello_response(in, &hello, err);
    if (s != NAV_OK) return s;
    c->limits = hello.limits;
    c->dictionary_id = hello.dictionary;
    c->resume.keepalive_s = hello.keepalive_s;
    snprintf(c->server, sizeof c->server, "%.*s", (int)hello.server.size, hello.server.data);
    return NAV_OK;
}

nav_status client_encode_hello(navd_client *c, char *why, size_t why_bytes)
{
    char token[TOKEN_BYTES];
    nav_status s = read_token(&c->access, token, why, why_bytes);
    if (s != NAV_OK) return s;
    np_hello_request hello = {.version = NP_PROTOCOL_VERSION,
                              .client = np_str_of(c->access.name),
                              .token = np_str_of(token),
                              .space = np_str_of(c->access.space),
                              .keepalive = c->resume.keep};
    c->access.gave_token = hello.token.size > 0;
    s = np_encode_hello_request(&c->out, client_next_id(c), &hello);
    if (s != NAV_OK) snprintf(why, why_bytes, "cannot write hello: %s", nav_status_text(s));
    OPENSSL_cleanse(token, sizeof token);
    return s;
}

nav_status client_end_hello(navd_client *c, nav_status s, char *why, size_t why_bytes)
{
    if (c->out.capacity) OPENSSL_cleanse(c->out.data, c->out.capacity); // it is sent, or the connection is of no use
    if (s == NAV_OK) return s;
    c->out.size = c->sent = 0;
    bool needs = s == NAV_ERR_UNAUTHENTICATED && !c->access.gave_token;
    snprintf(why, why_bytes, "%s%s%s%s", c->broken == NAV_OK ? c->address : "", c->broken == NAV_OK ? ": " : "",
             c->error, needs ? "; name its file with --token-file or NAVD_TOKEN_FILE" : "");
    return s;
}

nav_status client_login(navd_client *c, char *why, size_t why_bytes)
{
    nav_status s = client_encode_hello(c, why, why_bytes);
    if (s != NAV_OK) return s;
    return client_end_hello(c, (nav_status)client_finish(c, s, client_take_hello, NULL), why, why_bytes);
}
