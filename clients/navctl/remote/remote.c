#include "clients/navctl/remote/remote.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/json.h"
#include "core/base/key.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const arg_option remote_options[REMOTE_OPTION_COUNT] = {
    {"connect", 'c', ARG_FILE, "ADDRESS",
     "/path/to/socket, host:port or tls://host:port; default: $NAVD_ADDRESS, or the usual socket",
     offsetof(remote_values, address), 0, 0, NULL},
    {"socket", 0, ARG_FILE, "PATH", "same as --connect", offsetof(remote_values, address), 0, 0, NULL},
    {"timeout", 0, ARG_FLOAT, "SECONDS", "longest wait for an answer; 0: no limit", offsetof(remote_values, timeout_s),
     0, 1000000, NULL},
    {"wait", 0, ARG_FLOAT, "SECONDS", "as long as there is no daemon yet, try again for that long",
     offsetof(remote_values, wait_s), 0, 1000000, NULL},
    {"token-file", 0, ARG_FILE, "FILE",
     "file whose first line is the token; default: $NAVD_TOKEN_FILE, or the token in $NAVD_TOKEN",
     offsetof(remote_values, token_file), 0, 0, NULL},
    {"namespace", 0, ARG_TEXT, "NAME", "namespace to use, for admins; default: $NAVD_NAMESPACE, or the token's",
     offsetof(remote_values, space), 0, 0, NULL},
    {"ca", 0, ARG_FILE, "FILE", "TLS: authorities to trust, PEM; default: $NAVD_CA_FILE, or the system's",
     offsetof(remote_values, ca), 0, 0, NULL},
    {"cert", 0, ARG_FILE, "FILE", "TLS: client certificate, PEM; default: $NAVD_CERT_FILE, or none",
     offsetof(remote_values, certificate), 0, 0, NULL},
    {"key", 0, ARG_FILE, "FILE", "TLS: key of the client certificate, PEM; default: $NAVD_KEY_FILE",
     offsetof(remote_values, key), 0, 0, NULL},
    {"insecure-token", 0, ARG_FLAG, NULL, "allow sending the token over plain TCP, unencrypted",
     offsetof(remote_values, insecure_token), 0, 0, NULL},
};

// Where the status has no exit code of its own: `other`.
static int code_of(navd_status s, int other)
{
    switch (s) {
    case NAVD_ERR_TIMEOUT:
        return NAVCTL_TIMEOUT;
    case NAVD_ERR_CLOSED:
    case NAVD_ERR_IO:
        return NAVCTL_CONNECT;
    case NAVD_ERR_UNAUTHENTICATED:
        return NAVCTL_REFUSED;
    case NAVD_ERR_UNTRUSTED:
        return NAVCTL_UNTRUSTED;
    case NAVD_ERR_FORBIDDEN:
        return NAVCTL_FORBIDDEN;
    default:
        return other;
    }
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Its socket is not there or not listened to: it may be starting.
static bool is_absent(navd_status s, const char *why)
{
    return s != NAVD_OK && !strncmp(why, "no navd at ", 11);
}

int remote_try(const remote_values *v, navd_client **out, char *why, size_t why_bytes)
{
    int timeout_ms = v->timeout_s > 0 ? (int)(v->timeout_s * 1000.0f) : -1;
    int connect_ms = timeout_ms < 0 || timeout_ms > 10000 ? 10000 : timeout_ms;
    const navd_options o = {.address = v->address,
                            .name = "navctl",
                            .timeout_ms = connect_ms,
                            .token_file = v->token_file,
                            .namespace_name = v->space,
                            .ca_file = v->ca,
                            .certificate_file = v->certificate,
                            .key_file = v->key,
                            .keep_connected = v->keep_connected,
                            .insecure_token = v->insecure_token};
    double give_up_s = now_s() + (double)v->wait_s;
    navd_status s;
    while (is_absent(s = navd_connect_with(&o, out, why, why_bytes), why) && now_s() < give_up_s)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    if (s == NAVD_OK) {
        navd_set_timeout(*out, timeout_ms);
        return NAVCTL_OK;
    }
    const size_t length = strlen(why);
    if (is_absent(s, why))
        snprintf(why + length, why_bytes - length, " (start navd, or name its address with --connect)");
    bool no_daemon = s == NAVD_ERR_IO || s == NAVD_ERR_CLOSED || s == NAVD_ERR_TIMEOUT;
    return s == NAVD_ERR_ARGUMENT ? NAVCTL_USAGE : no_daemon ? NAVCTL_CONNECT : code_of(s, NAVCTL_REFUSED);
}

int remote_open(const remote_values *v, navd_client **out)
{
    char why[600];
    const int code = remote_try(v, out, why, sizeof why);
    if (code != NAVCTL_OK) fprintf(stderr, "navctl: %s\n", why);
    return code;
}

int remote_failed(const navd_client *c, navd_status s, const char *doing)
{
    fprintf(stderr, "navctl: %s: %s\n", doing, navd_error_text(c));
    return code_of(s, NAVCTL_FAILED);
}

int remote_find_world(navd_client *c, const char *name, navd_world *out)
{
    navd_status s = navd_world_open(c, name, false, NULL, NULL, 0, out);
    if (s == NAVD_OK) return NAVCTL_OK;
    if (s != NAVD_ERR_NOT_FOUND) return remote_failed(c, s, name);
    fprintf(stderr, "navctl: no world %s (navctl world list shows the worlds, navctl push creates one)\n", name);
    return NAVCTL_FAILED;
}

int remote_world(navd_client *c, const char *name, navd_world *out, const char **profile)
{
    int code = remote_find_world(c, name, out);
    if (code != NAVCTL_OK) return code;
    for (size_t i = 0; *profile && i < out->profile_count; i++) {
        if (!strcmp(out->profiles[i].name, *profile)) return NAVCTL_OK;
    }
    if (!*profile && out->profile_count > 0) {
        *profile = out->profiles[0].name;
        return NAVCTL_OK;
    }
    fprintf(stderr, "navctl: world %s has no agent profile%s%s\n", name, *profile ? " " : "", *profile ? *profile : "");
    navd_world_free(out);
    return NAVCTL_FAILED;
}

bool remote_instance_id(const char *name, uint64_t *id)
{
    if (name[0] != '@') {
        *id = nav_key_of(name, strlen(name)).low;
        return name[0] != '\0';
    }
    char *end;
    errno = 0;
    *id = strtoull(name + 1, &end, 10);
    return end != name + 1 && *end == '\0' && errno == 0 && name[1] != '-';
}

void remote_print_tile(const navd_tile *t, bool json, double after_s)
{
    char key[NAV_KEY_TEXT_BYTES];
    nav_key_text(nav_key_load(t->key.bytes), key);
    if (!json) {
        printf("tile %d,%d", t->x, t->z);
        if (t->sheet) printf(" of sheet %s", navd_sheet_name(t->sheet));
        printf(" %s", navd_tile_status_name(t->status));
        if (t->status == NAVD_TILE_FAILED) printf(" (%s)", t->reason);
        printf(", revision %llu, after %.1f ms", (unsigned long long)t->revision, after_s * 1e3);
        if (t->made_us) {
            printf(": waited %.1f ms, built in %.1f ms", (double)t->queued_us / 1e3, (double)t->made_us / 1e3);
        } else {
            printf(": from cache");
        }
        if (t->size) printf(", %zu bytes (%zu sent)", t->size, t->wire_size);
        printf("\n");
        return;
    }
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '{');
    json_int(&w, "x", t->x);
    json_int(&w, "z", t->z);
    if (t->sheet) json_text(&w, "sheet", navd_sheet_name(t->sheet));
    json_text(&w, "status", navd_tile_status_name(t->status));
    if (t->status == NAVD_TILE_FAILED) json_text(&w, "reason", t->reason);
    json_int(&w, "revision", (int64_t)t->revision);
    json_text(&w, "key", key);
    json_text(&w, "profile", t->profile);
    json_int(&w, "bytes", (int64_t)t->size);
    json_int(&w, "wire_bytes", (int64_t)t->wire_size);
    json_int(&w, "queued_us", (int64_t)t->queued_us);
    json_int(&w, "made_us", (int64_t)t->made_us);
    json_number(&w, "after_s", after_s);
    json_close(&w, '}');
    json_end_line(&w);
}
