// A connection that broke is made again: at once, then after a pause that doubles. Nothing here waits: an attempt is a
// walk through stages, each of which begins something (a connection, a request) and goes on when that is there.
//
//     PAUSE ──► OPEN ──► HELLO ──► AXES ──► WORLD ──► DICTIONARY ──► SUBSCRIBE ──► connected
//                                             ▲     for each subscription │
//                                             └───────────────────────────┘
//
// A new connection talks about every world in metres with Y up: AXES opens those again of which this one does not.
//
// Each subscription goes on where it was: `since` names the revision up to which everything is here (the daemon's note
// `synced`), `known` the tiles that came after it. See tiles.subscribe in docs/protocol/subscriptions.md.
#include "clients/c/resume.h"
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_PAUSE_MS = 100, LONGEST_PAUSE_MS = 5000, STAGE_MS = 2000, SILENT_PERIODS = 3 };
enum { MOST_SEEN = 1 << 17 }; // one request must be able to name them

static void call_back(navd_client *c, const navd_event *e)
{
    client_resume *r = &c->resume;
    if (!r->on_event) return;
    bool outer = c->dispatching;
    c->dispatching = true;
    r->on_event(r->on_event_user, e);
    c->dispatching = outer;
}

static void tell(navd_client *c, navd_event_kind kind, const client_subscription *s, const char *text)
{
    navd_event e = {.kind = kind, .text = text};
    if (s) {
        e.subscription = s->id;
        e.world = s->world;
        e.revision = s->since;
    }
    call_back(c, &e);
}

// --- what is remembered ---

void navd_resume_drop(navd_client *c, client_subscription *s)
{
    for (client_subscription **at = &c->resume.subscriptions; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    free(s->seen);
    free(s);
}

void navd_resume_deinit(navd_client *c)
{
    while (c->resume.subscriptions) navd_resume_drop(c, c->resume.subscriptions);
    for (client_world *w = c->resume.worlds, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    c->resume.worlds = NULL;
}

nav_status navd_resume_note_world(navd_client *c, const char *name, uint64_t id)
{
    if (!c->resume.keep) return NAV_OK;
    for (client_world *w = c->resume.worlds; w; w = w->next)
        if (w->id == id) {
            w->axes = c->axes;
            return NAV_OK;
        }
    size_t bytes = strlen(name) + 1;
    client_world *w = malloc(sizeof *w + bytes);
    if (!w) return NAV_ERR_MEMORY;
    w->id = id;
    w->axes = c->axes;
    w->next = c->resume.worlds;
    memcpy(w->name, name, bytes);
    c->resume.worlds = w;
    return NAV_OK;
}

void navd_resume_forget_world(navd_client *c, uint64_t id)
{
    for (client_subscription *s = c->resume.subscriptions, *next; s; s = next) {
        next = s->next;
        if (s->world == id) navd_resume_drop(c, s);
    }
    for (client_world **at = &c->resume.worlds; *at; at = &(*at)->next) {
        client_world *w = *at;
        if (w->id != id) continue;
        *at = w->next;
        free(w);
        break;
    }
}

client_subscription *navd_resume_find(const navd_client *c, uint64_t id)
{
    client_subscription *s = c->resume.subscriptions;
    while (s && s->id != id) s = s->next;
    return s;
}

client_subscription *navd_resume_find_wire(const navd_client *c, uint64_t wire_id)
{
    client_subscription *s = c->resume.subscriptions;
    while (s && s->wire_id != wire_id) s = s->next;
    return s;
}

client_subscription *navd_resume_add(navd_client *c, uint64_t world, const navd_subscription_options *o)
{
    client_subscription *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->id = ++c->resume.last_subscription;
    s->world = world;
    s->options = *o;
    snprintf(s->profile, sizeof s->profile, "%s", o->profile);
    s->options.profile = s->profile;
    s->next = c->resume.subscriptions;
    c->resume.subscriptions = s;
    return s;
}

void navd_resume_note_tile(client_subscription *s, const np_tile *tile)
{
    if (s->seen_lost) return;
    if (s->seen_count == s->seen_capacity) {
        uint32_t capacity = s->seen_capacity ? 2 * s->seen_capacity : 64;
        np_known_tile *grown = capacity <= MOST_SEEN ? realloc(s->seen, capacity * sizeof *grown) : NULL;
        s->seen_lost = !grown;
        if (!grown) return;
        s->seen = grown;
        s->seen_capacity = capacity;
    }
    // The key of a tile that failed says nothing of the one before it, which is still here: no tile has this key.
    static const nav_key some = {UINT64_MAX, UINT64_MAX};
    nav_key key = tile->status == NP_TILE_FAILED ? some : tile->key;
    s->seen[s->seen_count++] = (np_known_tile){tile->x, tile->z, key, tile->sheet};
}

void navd_resume_note_synced(navd_client *c, const np_synced_note *note)
{
    client_subscription *s = navd_resume_find_wire(c, note->subscription);
    if (!s) return;
    s->synced = true;
    s->since = note->revision;
    s->seen_count = 0;
    s->seen_lost = false;
    tell(c, NAVD_EVENT_SYNCED, s, "");
}

static void tell_settings(navd_client *c, const client_subscription *s, const np_profile *p, const double origin_m[3],
                          uint64_t revision)
{
    client_resume *r = &c->resume;
    navd_settings settings;
    if (!r->on_event) return;
    navd_settings_from_core(&p->settings, &settings);
    navd_event e = {.kind = NAVD_EVENT_SETTINGS,
                    .subscription = s->id,
                    .world = s->world,
                    .revision = revision,
                    .text = s->profile,
                    .settings = &settings,
                    .grid = p->grid};
    memcpy(e.origin_m, origin_m, sizeof e.origin_m);
    bool outer = c->dispatching;
    c->dispatching = true;
    r->on_event(r->on_event_user, &e);
    c->dispatching = outer;
}

void navd_resume_note_settings(navd_client *c, const np_settings_note *note)
{
    client_subscription *s = navd_resume_find_wire(c, note->subscription);
    if (!s) return;
    const np_profile p = {.settings = note->settings, .grid = note->grid};
    s->grid = note->grid;
    tell_settings(c, s, &p, note->origin_m, note->revision);
}

void navd_resume_note_ended(navd_client *c, const np_ended_note *note)
{
    client_subscription *s = navd_resume_find_wire(c, note->subscription);
    char why[128];
    if (!s) return;
    navd_text_copy(why, sizeof why, note->reason);
    tell(c, NAVD_EVENT_ENDED, s, why);
    navd_resume_drop(c, s);
}

void navd_resume_note_areas(navd_client *c, const np_areas_note *note)
{
    const client_subscription *s = navd_resume_find_wire(c, note->subscription);
    navd_area_type areas[NAVD_MAX_AREAS];
    if (!s) return;
    for (uint32_t i = 0; i < note->area_count; i++) navd_area_from_wire(&note->areas[i], &areas[i]);
    const navd_event e = {.kind = NAVD_EVENT_AREAS,
                          .subscription = s->id,
                          .world = s->world,
                          .revision = note->revision,
                          .text = "",
                          .areas = areas,
                          .area_count = note->area_count};
    call_back(c, &e);
}

void navd_resume_note_bye(navd_client *c, const np_bye_note *note)
{
    c->resume.bye_ms = note->retry_ms;
    navd_text_copy(c->why, sizeof c->why, note->reason);
}

// --- subscribing ---

static nav_status take_subscription(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_tiles_subscribe_response answer;
    client_subscription *s = out;
    nav_status status = np_decode_tiles_subscribe_response(in, &answer, err);
    if (status != NAV_OK) return status;
    bool had_tiles = s->synced || s->seen_lost;
    s->wire_id = answer.subscription; // before the first of its tiles is looked at
    s->grid = answer.grid;
    if (!had_tiles || answer.resumed) return NAV_OK;
    s->synced = false;
    s->seen_count = 0;
    s->seen_lost = false;
    tell(c, NAVD_EVENT_RESET, s, "");
    return NAV_OK;
}

static nav_status encode_subscribe(navd_client *c, const client_subscription *s, np_encoding wire)
{
    const navd_subscription_options *o = &s->options;
    np_tiles_subscribe_request request = {.world = s->world,
                                          .profile = np_str_of(s->profile),
                                          .sheets = o->sheets,
                                          .encoding = wire,
                                          .compression = navd_decompressor_takes(),
                                          .has_bounds = o->has_bounds,
                                          .min = {o->min[0], o->min[1]},
                                          .max = {o->max[0], o->max[1]},
                                          .has_focus = o->has_focus,
                                          .focus = {o->focus[0], o->focus[1]},
                                          .build = (np_build_mode)o->build,
                                          .has_margin = o->has_margin,
                                          .margin_m = o->margin_m,
                                          .has_since = s->synced && !s->seen_lost,
                                          .since = s->since};
    if (!s->seen_lost) {
        request.known = s->seen;
        request.known_count = s->seen_count;
    }
    return np_encode_tiles_subscribe_request(&c->out, navd_client_next_id(c), &request);
}

navd_status navd_resume_subscribe(navd_client *c, client_subscription *s)
{
    np_encoding wire;
    navd_status status = navd_client_encoding(c, s->options.encoding, &wire);
    if (status != NAVD_OK) return status;
    return navd_client_finish(c, encode_subscribe(c, s, wire), take_subscription, s);
}

// --- coming back ---

bool navd_resume_lose(navd_client *c, nav_status why)
{
    client_resume *r = &c->resume;
    bool is_connection = why == NAV_ERR_CLOSED || why == NAV_ERR_IO || why == NAV_ERR_TIMEOUT ||
                         why == NAV_ERR_UNTRUSTED; // a certificate may be renewed
    if (!r->keep || !is_connection) return false;
    for (client_subscription *s = r->subscriptions; s; s = s->next) s->wire_id = 0;
    navd_watches_lose(c);
    navd_connection_close(c);
    r->lost = true;
    r->stage = RESUME_PAUSE;
    r->pause_ms = FIRST_PAUSE_MS;
    r->next_try_ms = navd_clock_ms() + (double)r->bye_ms;
    r->bye_ms = 0;
    c->why[0] = 0;
    tell(c, NAVD_EVENT_LOST, NULL, c->error);
    return true;
}

static nav_status take_opened(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_open_response answer;
    (void)out;
    nav_status s = np_decode_world_open_response(in, &answer, err);
    if (s != NAV_OK) return s;
    c->resume.opened = answer.world;
    const client_subscription *at = c->resume.at;
    for (uint32_t i = 0; i < answer.profile_count && answer.world == at->world; i++)
        if (np_str_equal(answer.profiles[i].name, at->profile))
            tell_settings(c, at, &answer.profiles[i], answer.origin_m, answer.revision);
    return NAV_OK;
}

static const client_world *find_world(const navd_client *c, uint64_t id)
{
    const client_world *w = c->resume.worlds;
    while (w && w->id != id) w = w->next;
    return w;
}

static void on_answer(navd_client *c, call *k)
{
    c->resume.answered = true;
    c->resume.answer = k->status;
    free(k);
}

// NAV_ERR_AGAIN: it was asked.
static nav_status ask(navd_client *c, nav_status encoded, call_take take, void *out)
{
    call *k = encoded == NAV_OK ? calloc(1, sizeof *k) : NULL;
    if (k) *k = (call){.take = take, .out = out, .finish = on_answer};
    nav_status s = (nav_status)navd_client_start(c, encoded, k);
    c->resume.asked = s == NAV_OK;
    c->resume.answered = false;
    return s == NAV_OK ? NAV_ERR_AGAIN : s;
}

static nav_status fail_with(navd_client *c, nav_status s, const char *sentence)
{
    if (s != NAV_OK && s != NAV_ERR_AGAIN && sentence[0]) navd_client_fail(c, s, "%s", sentence);
    return s;
}

static nav_status say_hello(navd_client *c)
{
    char sentence[sizeof c->error] = "";
    nav_status s = fail_with(c, navd_client_encode_hello(c, sentence, sizeof sentence), sentence);
    return s == NAV_OK ? ask(c, s, navd_client_take_hello, NULL) : s;
}

static nav_status end_hello(navd_client *c, nav_status s)
{
    char sentence[sizeof c->error] = "";
    s = fail_with(c, navd_client_end_hello(c, s, sentence, sizeof sentence), sentence);
    return s;
}

// The first from w on that is not in metres with Y up.
static const client_world *next_turned(const client_world *w)
{
    while (w && np_axes_is_plain(&w->axes)) w = w->next;
    return w;
}

static nav_status ignore(navd_client *c, const np_message *in, np_error *err, void *out)
{
    (void)c, (void)in, (void)err, (void)out;
    return NAV_OK;
}

static nav_status ask_for_axes(navd_client *c)
{
    const client_world *w = c->resume.turned;
    if (!w) return NAV_OK;
    const np_world_open_request request = {.name = np_str_of(w->name), .axes = w->axes};
    return ask(c, np_encode_world_open_request(&c->out, navd_client_next_id(c), &request), ignore, NULL);
}

// Is the world of that name still the one that it was?
static nav_status ask_for_world(navd_client *c)
{
    const client_world *w = find_world(c, c->resume.at->world);
    if (!w) return NAV_OK; // opened by another connection: its number has to do
    const np_world_open_request request = {.name = np_str_of(w->name), .axes = w->axes};
    return ask(c, np_encode_world_open_request(&c->out, navd_client_next_id(c), &request), take_opened, NULL);
}

static nav_status check_world(navd_client *c)
{
    const client_world *w = find_world(c, c->resume.at->world);
    if (!w || c->resume.opened == w->id) return NAV_OK;
    navd_client_fail(c, NAV_ERR_NOT_FOUND, "world %s was deleted and created again", w->name);
    return NAV_ERR_NOT_FOUND;
}

static nav_status ask_for_tiles(navd_client *c, bool only_dictionary)
{
    client_subscription *sub = c->resume.at;
    np_encoding wire;
    bool lacks;
    nav_status s = navd_client_choose_encoding(c, sub->options.encoding, &wire, &lacks);
    if (s != NAV_OK) return s;
    if (!only_dictionary) return ask(c, encode_subscribe(c, sub, wire), take_subscription, sub);
    return lacks ? ask(c, navd_client_encode_dictionary(c), navd_client_take_dictionary, NULL) : NAV_OK;
}

static nav_status begin_stage(navd_client *c)
{
    c->resume.deadline_ms = navd_clock_ms() + STAGE_MS;
    switch (c->resume.stage) {
    case RESUME_HELLO:
        return say_hello(c);
    case RESUME_AXES:
        return ask_for_axes(c);
    case RESUME_WORLD:
        return ask_for_world(c);
    default:
        return ask_for_tiles(c, c->resume.stage == RESUME_DICTIONARY);
    }
}

// A subscription that cannot go on ends; the others go on.
static nav_status end_stage(navd_client *c, nav_status s)
{
    client_resume *r = &c->resume;
    client_subscription *sub = r->at;
    r->asked = false;
    if (r->stage == RESUME_HELLO) {
        if (navd_client_hello_again(c, s)) return NAV_OK;
        s = end_hello(c, s);
        r->stage = RESUME_AXES;
        r->turned = next_turned(r->worlds);
        return s;
    }
    if (r->stage == RESUME_AXES) {
        if (s != NAV_OK && (c->broken != NAV_OK || s == NAV_ERR_MEMORY)) return s; // else the world is gone
        if (r->turned) r->turned = next_turned(r->turned->next);
        if (r->turned) return NAV_OK;
        r->stage = RESUME_WORLD;
        r->at = r->subscriptions;
        return NAV_OK;
    }
    if (s == NAV_OK && r->stage == RESUME_WORLD) s = check_world(c);
    bool attempt_failed = c->broken != NAV_OK || s == NAV_ERR_MEMORY;
    if (s != NAV_OK && attempt_failed) return s;
    if (s == NAV_OK && r->stage != RESUME_SUBSCRIBE) {
        r->stage++;
        return s;
    }
    r->stage = RESUME_WORLD;
    r->at = sub->next;
    if (s == NAV_OK) return s;
    tell(c, NAVD_EVENT_ENDED, sub, c->error);
    navd_resume_drop(c, sub);
    return NAV_OK;
}

// NAV_OK: all is as it was. NAV_ERR_AGAIN: something has to come first.
static nav_status walk(navd_client *c)
{
    client_resume *r = &c->resume;
    while (r->stage == RESUME_HELLO || r->stage == RESUME_AXES || r->at) {
        nav_status s = NAV_ERR_AGAIN;
        if (!r->asked)
            s = begin_stage(c);
        else if (r->answered)
            s = r->answer;
        if (s == NAV_ERR_AGAIN) return s;
        s = end_stage(c, s);
        if (s != NAV_OK) return s;
    }
    return NAV_OK;
}

// Moves bytes and walks, until nothing new is asked.
static nav_status talk(navd_client *c)
{
    for (;;) {
        uint32_t before = c->next_id;
        nav_status s = navd_client_pump(c);
        if (s == NAV_OK) s = walk(c);
        if (s != NAV_ERR_AGAIN || c->next_id == before) return s;
    }
}

// Nothing of the old connection counts.
static nav_status start_again(navd_client *c)
{
    navd_connection_close(c);
    np_reader_deinit(&c->reader);
    c->out.size = c->sent = 0;
    c->broken = NAV_OK;
    c->why[0] = 0;
    return np_reader_init(&c->reader, NULL);
}

static nav_status attempt(navd_client *c)
{
    client_resume *r = &c->resume;
    char sentence[sizeof c->error] = "";
    nav_status s = NAV_OK;
    if (r->stage == RESUME_PAUSE) {
        r->stage = RESUME_OPEN;
        r->asked = false;
        r->at = NULL;
        r->deadline_ms = navd_clock_ms() + STAGE_MS;
        s = start_again(c);
        if (s == NAV_OK) s = navd_connection_begin(c, sentence, sizeof sentence);
    }
    if (s == NAV_OK && r->stage == RESUME_OPEN) {
        s = navd_connection_step(c, sentence, sizeof sentence);
        if (s == NAV_ERR_AGAIN && navd_clock_ms() > r->deadline_ms)
            s = navd_connection_late(c, sentence, sizeof sentence);
        if (s == NAV_OK) r->stage = RESUME_HELLO;
        s = fail_with(c, s, sentence);
        if (s == NAV_ERR_FORBIDDEN) s = NAV_ERR_IO; // the socket may be opened to us a moment later
    }
    if (s == NAV_OK) s = talk(c);
    // An answer may stand behind many tiles of a subscription that goes on already.
    if (r->deadline_ms < r->heard_ms + STAGE_MS) r->deadline_ms = r->heard_ms + STAGE_MS;
    if (s == NAV_ERR_AGAIN && r->stage != RESUME_OPEN && navd_clock_ms() > r->deadline_ms)
        s = (nav_status)navd_client_fail(c, NAV_ERR_TIMEOUT, "%s: no answer within %d ms", c->address, STAGE_MS);
    return s;
}

// Coming again later does not help.
static bool is_final(nav_status s)
{
    return s == NAV_ERR_UNAUTHENTICATED || s == NAV_ERR_FORBIDDEN || s == NAV_ERR_VERSION || s == NAV_ERR_ARGUMENT ||
           s == NAV_ERR_FORMAT;
}

static void pause_attempts(navd_client *c)
{
    client_resume *r = &c->resume;
    navd_client_end_calls(c, NAV_ERR_CLOSED);
    navd_connection_close(c);
    for (client_subscription *sub = r->subscriptions; sub; sub = sub->next) sub->wire_id = 0;
    r->stage = RESUME_PAUSE;
    // Many clients of one daemon must not come back all at once.
    double spread = 0.5 + (double)((uintptr_t)c / 64 % 64) / 64;
    r->next_try_ms = navd_clock_ms() + r->pause_ms * spread;
    r->pause_ms = r->pause_ms * 2 < LONGEST_PAUSE_MS ? r->pause_ms * 2 : LONGEST_PAUSE_MS;
}

nav_status navd_resume_go_on(navd_client *c)
{
    client_resume *r = &c->resume;
    if (r->stage == RESUME_PAUSE && navd_clock_ms() < r->next_try_ms) return NAV_OK;
    nav_status s = attempt(c);
    if (s == NAV_ERR_AGAIN) return NAV_OK;
    if (s == NAV_OK) {
        r->lost = false;
        r->stage = RESUME_PAUSE;
        r->heard_ms = navd_clock_ms();
        navd_watches_resume(c);
        tell(c, NAVD_EVENT_RESTORED, NULL, "");
        return NAV_OK;
    }
    pause_attempts(c);
    if (!is_final(s)) return NAV_OK;
    r->keep = r->lost = false;
    c->broken = s;
    return s;
}

// The caller's time is over before the attempt's.
static nav_status explain_wait(navd_client *c)
{
    char sentence[sizeof c->error];
    if (c->resume.stage == RESUME_OPEN)
        (void)fail_with(c, navd_connection_late(c, sentence, sizeof sentence), sentence);
    else if (c->resume.stage != RESUME_PAUSE) // else the words of the last attempt
        navd_client_fail(c, NAV_ERR_CLOSED, "%s: no answer within %d ms", c->address, c->timeout_ms);
    return NAV_ERR_CLOSED;
}

nav_status navd_resume_wait(navd_client *c, double deadline_ms)
{
    for (;;) {
        nav_status s = navd_resume_go_on(c);
        if (s != NAV_OK || !c->resume.lost) return s;
        if (deadline_ms >= 0 && navd_clock_ms() >= deadline_ms) return explain_wait(c);
        s = navd_connection_wait(c, deadline_ms);
        if (s != NAV_OK && s != NAV_ERR_TIMEOUT) return s;
    }
}

static double silent_at(const client_resume *r)
{
    return r->heard_ms + 1000.0 * SILENT_PERIODS * r->keepalive_s;
}

double navd_resume_due_ms(const navd_client *c)
{
    const client_resume *r = &c->resume;
    if (!r->keep) return -1;
    if (r->lost) return r->stage == RESUME_PAUSE ? r->next_try_ms : r->deadline_ms;
    return r->keepalive_s ? silent_at(r) : -1;
}

bool navd_resume_is_silent(const navd_client *c)
{
    const client_resume *r = &c->resume;
    return r->keep && !r->lost && r->keepalive_s && navd_clock_ms() > silent_at(r);
}
