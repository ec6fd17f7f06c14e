#include "tests/daemon/profile_fixture.h"

daemon_fixture daemon_;
client author, other;

void profile_start(void)
{
    fixture_start(&daemon_, NULL);
    ck_assert_msg(daemon_.status == NAV_OK, "%s", daemon_.why);
    client_connect(&author, &daemon_);
    client_connect(&other, &daemon_);
    client_greet(&other);
}

void profile_stop(void)
{
    client_close(&author);
    client_close(&other);
    fixture_stop(&daemon_);
}

void make_scene(void)
{
    client_open(&author);
    other.world = author.world;
    nav_key floor = client_put_box(&author, 12, 0.5f, 12), box = client_put_box(&author, 1, 1, 1);
    const np_op ops[] = {op_put(1, floor, 0, -0.5f, 0), op_put(2, box, 3, 1, 3)};
    ck_assert_int_eq(client_edit(&author, ops, 2, NULL, NULL), NAV_OK);
    client_settle(&author);
}

nav_settings walker(void)
{
    nav_settings s;
    nav_settings_default(&s);
    s.tile_cells = 16;
    return s;
}

np_world_profile_request change_to(const char *name, const nav_settings *s)
{
    return (np_world_profile_request){
        .world = author.world, .name = np_str_of(name), .has_settings = true, .settings = *s};
}

np_world_profile_response change(client *c, const char *name, const nav_settings *s)
{
    const np_world_profile_request r = change_to(name, s);
    np_world_profile_response out;
    np_error err;
    nav_status status = client_call(c, NP_WORLD_PROFILE, &r, &out, &err);
    ck_assert_msg(status == NAV_OK, "%s", err.message);
    return out;
}

np_world_profile_response take_away(client *c, const char *name)
{
    const np_world_profile_request r = {.world = author.world, .name = np_str_of(name), .remove = true};
    np_world_profile_response out;
    ck_assert_int_eq(client_call(c, NP_WORLD_PROFILE, &r, &out, NULL), NAV_OK);
    return out;
}

np_tiles_subscribe_response subscribe(client *c, const char *profile, const uint64_t *since)
{
    np_tiles_subscribe_request r = {.world = author.world, .profile = np_str_of(profile), .has_since = since != NULL};
    np_tiles_subscribe_response out;
    if (since) r.since = *since;
    ck_assert_int_eq(client_call(c, NP_TILES_SUBSCRIBE, &r, &out, NULL), NAV_OK);
    return out;
}

void await_synced(client *c, uint64_t revision)
{
    np_message m = {0};
    while (c->last_synced.revision < revision) {
        np_message_deinit(&m);
        m = (np_message){0};
        ck_assert(client_read(c, &m));
    }
    np_message_deinit(&m);
}

static bool is_same_place(const seen_tile *a, const seen_tile *b)
{
    return a->sheet == b->sheet && a->x == b->x && a->z == b->z;
}

void collect_shown(const client *c, uint64_t subscription, shown *out)
{
    out->count = 0;
    for (size_t i = 0; i < c->tile_count; i++) {
        const seen_tile *t = &c->tiles[i];
        size_t at = 0;
        if (t->subscription != subscription) continue;
        while (at < out->count && !is_same_place(&out->tiles[at], t)) at++;
        ck_assert_uint_lt(at, 1024);
        if (t->status != NP_TILE_REMOVED) {
            out->tiles[at] = *t;
            out->count += at == out->count;
        } else if (at < out->count) {
            out->tiles[at] = out->tiles[--out->count];
        }
    }
}

void must_be_as_new(const client *c, uint64_t subscription, const nav_settings *settings)
{
    static shown have, want;
    np_tiles_subscribe_response twin;
    change(&other, "twin", settings);
    twin = subscribe(&other, "twin", NULL);
    client_settle(&other);
    collect_shown(c, subscription, &have);
    collect_shown(&other, twin.subscription, &want);
    ck_assert_uint_gt(want.count, 1);
    ck_assert_uint_eq(have.count, want.count);
    for (size_t i = 0; i < want.count; i++) {
        const seen_tile *w = &want.tiles[i];
        size_t at = 0;
        while (at < have.count && !is_same_place(&have.tiles[at], w)) at++;
        ck_assert_msg(at < have.count, "sheet %s: tile %d, %d is missing", nav_sheet_name(w->sheet), w->x, w->z);
        ck_assert_msg(nav_key_equal(have.tiles[at].key, w->key) && nav_key_equal(have.tiles[at].data_key, w->data_key),
                      "sheet %s: tile %d, %d differs", nav_sheet_name(w->sheet), w->x, w->z);
    }
    take_away(&other, "twin");
}
