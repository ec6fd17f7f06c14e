// The daemon's 3D view.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdio.h>
#include <string.h>

typedef struct view_out {
    const char *world;
    navd_view *view;
} view_out;

// What a fragment may hold stays as it is; the rest as %XX.
static bool append_escaped(char *out, size_t room, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    size_t at = strlen(out);
    for (; *text; text++) {
        bool is_plain = strchr(plain, *text) != NULL;
        if (at + 4 > room) return false;
        at += (size_t)snprintf(out + at, room - at, is_plain ? "%c" : "%%%02X", (unsigned char)*text);
    }
    return true;
}

static nav_status take_view(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_view_open_response answer;
    const view_out *o = out;
    navd_view *v = o->view;
    (void)c;
    nav_status s = np_decode_view_open_response(in, &answer, err);
    if (s != NAV_OK) return s;
    int used = snprintf(v->url, sizeof v->url, "%.*s#token=%.*s%s", (int)answer.url.size, answer.url.data,
                        (int)answer.token.size, answer.token.data, o->world ? "&world=" : "");
    if (used < 0 || used >= (int)sizeof v->url) return NAV_ERR_LIMIT;
    if (o->world && !append_escaped(v->url, sizeof v->url, o->world)) return NAV_ERR_LIMIT;
    navd_text_copy(v->role, sizeof v->role, answer.role);
    v->valid_s = answer.valid_s;
    v->has_files = !answer.no_files;
    return NAV_OK;
}

navd_status navd_view_open(navd_client *c, const char *world, bool edit, navd_view *out)
{
    const np_view_open_request request = {.edit = edit};
    view_out got = {world, out};
    *out = (navd_view){.url = ""};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_view_open_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_view, &got);
}
