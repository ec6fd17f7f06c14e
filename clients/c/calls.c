#include "clients/c/client.h"
#include "clients/c/convert.h"
#include "protocol/tile_note.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *navd_status_name(navd_status s)
{
    return nav_status_name((nav_status)s);
}

_Static_assert((int)NAVD_ERR_CRASHED == (int)NAV_ERR_CRASHED && (int)NAV_STATUS_COUNT == (int)NAVD_ERR_CRASHED + 1,
               "navd_status follows nav_status");

navd_status navd_client_fail(navd_client *c, nav_status s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(c->error, sizeof c->error, format, arguments);
    va_end(arguments);
    return (navd_status)s;
}

// The connection is of no use any more.
static nav_status break_off(navd_client *c, nav_status s)
{
    if (c->broken != NAV_OK) return c->broken;
    c->broken = s;
    if (c->why[0]) {
        navd_client_fail(c, s, "%s: %s", c->address, c->why);
    } else if (c->reader.failed != NAV_OK) {
        navd_client_fail(c, s, "%s: this is not the navd protocol: %s", c->address, c->reader.why);
    } else {
        navd_client_fail(c, s, "%s: %s", c->address,
                         s == NAV_ERR_CLOSED ? "the daemon closed the connection" : nav_status_text(s));
    }
    return s;
}

double navd_client_deadline(const navd_client *c)
{
    return c->timeout_ms < 0 ? -1 : navd_clock_ms() + c->timeout_ms;
}

uint32_t navd_client_next_id(navd_client *c)
{
    return c->next_id++;
}

nav_status navd_client_ready(navd_client *c, bool blocking)
{
    c->error_op = -1;
    if (c->dispatching && blocking) {
        navd_client_fail(c, NAV_ERR_STATE, "a blocking call from within a callback");
        return NAV_ERR_STATE;
    }
    if (!c->resume.lost) return c->broken;
    return blocking ? navd_resume_wait(c, navd_client_deadline(c)) : NAV_ERR_CLOSED;
}

static void end_call(navd_client *c, call *k, nav_status s)
{
    for (call **at = &c->calls; *at; at = &(*at)->next) {
        if (*at == k) {
            *at = k->next;
            break;
        }
    }
    k->status = s;
    k->finished = true;
    if (!k->finish) return; // whoever waits owns it
    bool outer = c->dispatching;
    c->dispatching = true;
    k->finish(c, k);
    c->dispatching = outer;
}

static void take_response(navd_client *c, const np_message *in)
{
    call *k = c->calls;
    while (k && k->id != in->id) k = k->next;
    if (!k) { // given up before: its time was over; or the daemon says why it ends the session
        np_error last = {.code = NAV_OK};
        if (in->error && in->id == 0 && np_error_decode(in, &last) != NAV_OK)
            snprintf(c->why, sizeof c->why, "%s", last.message);
        return;
    }
    np_error error = {.code = NAV_OK};
    nav_status s = in->error ? np_error_decode(in, &error) : k->take(c, in, &error, k->out);
    if (s != NAV_OK) {
        navd_client_fail(c, s, "%s", error.message[0] ? error.message : c->why[0] ? c->why : nav_status_text(s));
        c->why[0] = 0;
        c->error_op = error.has_op ? (int64_t)error.op : -1;
    }
    end_call(c, k, s);
}

static nav_status take_note(navd_client *c, const np_message *in)
{
    np_error error;
    np_method method = np_method_of(in);
    if (method == NP_TILE) { // not written in the usual way, see dispatch()
        np_tile_note note;
        nav_status s = np_decode_tile_note(in, &note, &error);
        return s == NAV_OK ? navd_tile_note_dispatch(c, &note) : s;
    }
    if (method == NP_SYNCED) {
        np_synced_note note;
        nav_status s = np_decode_synced_note(in, &note, &error);
        if (s == NAV_OK) navd_resume_note_synced(c, &note);
        if (s == NAV_OK) navd_watches_note_synced(c, &note);
        return s;
    }
    if (method == NP_SETTINGS) {
        np_settings_note note;
        nav_status s = np_decode_settings_note(in, &note, &error);
        if (s == NAV_OK) navd_resume_note_settings(c, &note);
        return s;
    }
    if (method == NP_ENDED) {
        np_ended_note note;
        nav_status s = np_decode_ended_note(in, &note, &error);
        if (s == NAV_OK) navd_resume_note_ended(c, &note);
        if (s == NAV_OK) navd_watches_note_ended(c, &note);
        return s;
    }
    if (method == NP_PATHS) {
        np_paths_note note;
        nav_status s = np_decode_paths_note(in, &note, &error);
        return s == NAV_OK ? navd_watches_note_paths(c, &note) : s;
    }
    if (method == NP_AREAS) {
        np_areas_note note;
        nav_status s = np_decode_areas_note(in, &note, &error);
        if (s == NAV_OK) navd_resume_note_areas(c, &note);
        return s;
    }
    if (method == NP_BYE) {
        np_bye_note note;
        nav_status s = np_decode_bye_note(in, &note, &error);
        if (s == NAV_OK) navd_resume_note_bye(c, &note);
        return s;
    }
    if (method == NP_PROGRESS && c->on_progress) {
        np_progress_note note;
        char profile[NAVD_NAME_BYTES];
        nav_status s = np_decode_progress_note(in, &note, &error);
        if (s != NAV_OK) return s;
        navd_text_copy(profile, sizeof profile, note.profile);
        bool outer = c->dispatching;
        c->dispatching = true;
        c->on_progress(c->on_progress_user, note.world, profile, note.done, note.total);
        c->dispatching = outer;
    }
    return NAV_OK; // a notification from a newer daemon is no error
}

static nav_status dispatch(navd_client *c)
{
    for (;;) {
        const uint8_t *bytes;
        size_t count;
        np_tile_note note;
        nav_status s = NAV_OK;
        bool is_tile = np_tile_note_next(&c->reader, &note);
        if (!is_tile) {
            s = np_reader_next(&c->reader, &bytes, &count);
            if (s == NAV_ERR_AGAIN) return NAV_OK;
            if (s != NAV_OK) return s;
            is_tile = np_tile_note_read(bytes, count, &note);
        }
        if (is_tile) {
            s = navd_tile_note_dispatch(c, &note);
            if (s != NAV_OK) return s;
            continue;
        }
        np_message m = {0};
        np_error error;
        s = np_message_read(bytes, count, &m, &error);
        if (s == NAV_OK && m.kind == NP_RESPONSE) take_response(c, &m);
        if (s == NAV_OK && m.kind == NP_NOTIFICATION) s = take_note(c, &m);
        np_message_deinit(&m);
        if (s != NAV_OK)
            return s; // a peer that does not speak the protocol, or no memory for a tile that would be lost
    }
}

void navd_client_end_calls(navd_client *c, nav_status s)
{
    while (c->calls) {
        call *k = c->calls;
        end_call(c, k, s);
    }
}

nav_status navd_client_pump(navd_client *c)
{
    nav_status moved = navd_connection_move_bytes(c);
    nav_status s = dispatch(c);
    if (s == NAV_OK) s = moved;
    if (s == NAV_OK && navd_resume_is_silent(c)) {
        snprintf(c->why, sizeof c->why, "the daemon has been silent for %u s", 3 * c->resume.keepalive_s);
        s = NAV_ERR_TIMEOUT;
    }
    if (s == NAV_OK) return s;
    s = break_off(c, s);
    navd_client_end_calls(c, s);
    return s;
}

navd_status navd_process(navd_client *c)
{
    if (c->dispatching) return navd_client_fail(c, NAV_ERR_STATE, "navd_process() was called from within a callback");
    if (c->resume.lost) return (navd_status)navd_resume_go_on(c);
    if (c->broken != NAV_OK) return (navd_status)c->broken;
    nav_status s = navd_client_pump(c);
    return s == NAV_OK || navd_resume_lose(c, s) ? NAVD_OK : (navd_status)s;
}

nav_status navd_client_run_until(navd_client *c, const bool *done, double deadline_ms)
{
    for (;;) {
        nav_status s = (nav_status)navd_process(c);
        if (*done || s != NAV_OK) return s;
        s = navd_connection_wait(c, deadline_ms);
        if (s != NAV_OK) return s == NAV_ERR_TIMEOUT ? s : break_off(c, s);
    }
}

static navd_status finish(navd_client *c, nav_status encoded, call_take take, void *out, bool over_ground)
{
    if (encoded != NAV_OK)
        return navd_client_fail(c, encoded, "cannot write the request: %s", nav_status_text(encoded));
    call k = {.next = c->calls, .id = c->next_id - 1, .take = take, .out = out, .over_ground = over_ground};
    c->calls = &k;
    nav_status s = navd_client_run_until(c, &k.finished, navd_client_deadline(c));
    if (k.finished) return (navd_status)k.status;
    end_call(c, &k, s); // takes it off the list: an answer that comes late is nobody's
    if (s != NAV_ERR_TIMEOUT) return (navd_status)s;
    if (over_ground && navd_client_cancel_path(c, k.id) == NAVD_OK)
        (void)navd_process(c); // sends it now: nobody may call for long. What fails, the next call tells
    return navd_client_fail(c, s, "%s: no answer within %d ms", c->address, c->timeout_ms);
}

navd_status navd_client_finish(navd_client *c, nav_status encoded, call_take take, void *out)
{
    return finish(c, encoded, take, out, false);
}

navd_status navd_client_finish_over_ground(navd_client *c, nav_status encoded, call_take take, void *out)
{
    return finish(c, encoded, take, out, true);
}

navd_status navd_client_start(navd_client *c, nav_status encoded, call *k)
{
    if (encoded != NAV_OK || !k) {
        free(k);
        if (encoded == NAV_OK) encoded = NAV_ERR_MEMORY;
        return navd_client_fail(c, encoded, "cannot write the request: %s", nav_status_text(encoded));
    }
    k->id = c->next_id - 1;
    k->next = c->calls;
    c->calls = k;
    return NAVD_OK;
}

bool navd_is_connected(const navd_client *c)
{
    return c->fd >= 0 && c->broken == NAV_OK && !c->resume.lost;
}

int navd_wait_ms(const navd_client *c)
{
    double due_ms = navd_resume_due_ms(c);
    if (due_ms < 0) return -1;
    double left = due_ms - navd_clock_ms();
    return left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)left + 1;
}

void navd_on_event(navd_client *c, navd_event_callback callback, void *user)
{
    c->resume.on_event = callback;
    c->resume.on_event_user = user;
}

const char *navd_error_text(const navd_client *c)
{
    return c->error;
}

int64_t navd_error_operation(const navd_client *c)
{
    return c->error_op;
}

void navd_set_timeout(navd_client *c, int timeout_ms)
{
    c->timeout_ms = timeout_ms;
}

navd_limits navd_get_limits(const navd_client *c)
{
    return (navd_limits){c->limits.message_bytes, c->limits.mesh_part_bytes, c->limits.mesh_bytes, c->limits.edit_ops,
                         c->limits.request_tiles};
}

const char *navd_server_name(const navd_client *c)
{
    return c->server;
}

navd_status navd_connect(const char *address, const char *name, int timeout_ms, navd_client **out, char *why,
                         size_t why_bytes)
{
    return navd_connect_with(&(navd_options){.address = address, .name = name, .timeout_ms = timeout_ms}, out, why,
                             why_bytes);
}

navd_status navd_connect_with(const navd_options *o, navd_client **out, char *why, size_t why_bytes)
{
    int timeout_ms = o->timeout_ms;
    char chosen[256], sentence[sizeof((navd_client *)0)->error] = "no memory left";
    double deadline_ms = timeout_ms < 0 ? -1 : navd_clock_ms() + timeout_ms;
    *out = NULL;
    if (o->address && *o->address) {
        snprintf(chosen, sizeof chosen, "%s", o->address);
    } else {
        navd_default_address(chosen, sizeof chosen);
    }
    nav_status s = NAV_ERR_MEMORY;
    navd_client *c = calloc(1, sizeof *c);
    if (!c) goto done;
    c->fd = -1;
    c->error_op = -1;
    memcpy(c->address, chosen, sizeof chosen);
    s = np_reader_init(&c->reader, NULL);
    if (s == NAV_OK) s = navd_decompressor_create(&c->decompressor);
    if (s != NAV_OK) goto done;
    int error = navd_system_begin();
    c->has_sockets = !error;
    if (error) {
        snprintf(sentence, sizeof sentence, "no sockets: %s", navd_system_error_text(error));
        s = NAV_ERR_IO;
        goto done;
    }
    c->resume.keep = o->keep_connected;
    s = navd_client_access_fill(&c->access, o, sentence, sizeof sentence);
    if (s != NAV_OK) goto done;
    s = navd_connection_open(c, deadline_ms, sentence, sizeof sentence);
    if (s != NAV_OK) goto done;

    c->timeout_ms = timeout_ms < 0 ? -1 : (int)(deadline_ms - navd_clock_ms()) + 1;
    if (c->timeout_ms < 0 && timeout_ms >= 0) c->timeout_ms = 0;
    s = navd_client_login(c, sentence, sizeof sentence);
    c->timeout_ms = 30000;
done:
    if (s != NAV_OK && why && why_bytes) snprintf(why, why_bytes, "%s", sentence);
    if (s != NAV_OK) {
        navd_close(c);
        c = NULL;
    }
    *out = c;
    return (navd_status)s;
}

void navd_close(navd_client *c)
{
    if (!c) return;
    navd_connection_close(c);
    navd_look_up_drop(c->opening.look_up);
    for (call *k = c->calls, *next; k; k = next) { // started, never answered
        next = k->next;
        k->status = NAV_ERR_CLOSED;
        navd_client_fail(c, NAV_ERR_CLOSED, "the client was closed");
        if (k->finish) k->finish(c, k);
    }
    np_reader_deinit(&c->reader);
    nav_buffer_deinit(&c->out);
    nav_buffer_deinit(&c->unpacked);
    navd_tile_queue_deinit(&c->queue);
    navd_resume_deinit(c);
    navd_watches_deinit(c);
    navd_decompressor_destroy(c->decompressor);
    if (c->has_sockets) navd_system_end();
    free(c);
}
