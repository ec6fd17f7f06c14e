// The cache on the daemon's disk.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)NAVD_CACHE_KEY_BYTES == (int)NP_CACHE_KEY_BYTES, "keys of the cache");
_Static_assert((int)NAVD_CACHE_PAGE_ENTRIES == (int)NP_CACHE_PAGE_ENTRIES, "pages of the cache");

static nav_status take_gc(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_cache_gc_response r;
    (void)c;
    nav_status s = np_decode_cache_gc_response(in, &r, err);
    if (s == NAV_OK)
        *(navd_cache_counts *)out = (navd_cache_counts){.entries = r.entries, .bytes = r.bytes, .dropped = r.dropped};
    return s;
}

navd_status navd_cache_gc(navd_client *c, uint64_t bytes, navd_cache_counts *out)
{
    np_cache_gc_request request = {.bytes = bytes};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_cache_gc_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_gc, out);
}

static nav_status take_verify(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_cache_verify_response r;
    (void)c;
    nav_status s = np_decode_cache_verify_response(in, &r, err);
    if (s == NAV_OK)
        *(navd_cache_counts *)out =
            (navd_cache_counts){.entries = r.entries, .bytes = r.bytes, .damaged = r.damaged, .outdated = r.outdated};
    return s;
}

navd_status navd_cache_verify(navd_client *c, navd_cache_counts *out)
{
    np_cache_verify_request request = {0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_cache_verify_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_verify, out);
}

typedef struct exporting {
    void (*visit)(void *user, const navd_cache_entry *entry);
    void *user;
    bool *end;
} exporting;

static nav_status take_export(navd_client *c, const np_message *in, np_error *err, void *out)
{
    exporting *x = out;
    np_cache_export_response r;
    (void)c;
    nav_status s = np_decode_cache_export_response(in, &r, err);
    for (uint32_t i = 0; i < r.entry_count && s == NAV_OK; i++) {
        const np_cache_entry *from = &r.entries[i];
        navd_cache_entry e = {.sum = from->sum, .record = from->record.data, .size = from->record.size};
        if (from->key.size != sizeof e.key)
            return np_error_set(err, NAV_ERR_FORMAT, "the daemon sent a key of %u bytes", from->key.size);
        memcpy(e.key, from->key.data, sizeof e.key);
        x->visit(x->user, &e);
    }
    if (s == NAV_OK) *x->end = r.end;
    return s;
}

navd_status navd_cache_export(navd_client *c, const uint8_t *after,
                              void (*visit)(void *user, const navd_cache_entry *entry), void *user, bool *end)
{
    np_cache_export_request request = {.bytes = 1 << 20};
    exporting x = {visit, user, end};
    if (after) request.after = (np_bin){after, NP_CACHE_KEY_BYTES};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_cache_export_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_export, &x);
}

static nav_status take_import(navd_client *c, const np_message *in, np_error *err, void *out)
{
    navd_cache_import_result *to = out;
    np_cache_import_response r;
    (void)c;
    nav_status s = np_decode_cache_import_response(in, &r, err);
    if (s != NAV_OK) return s;
    to->taken = r.taken;
    to->refused = r.refused;
    navd_text_copy(to->reason, sizeof to->reason, r.reason);
    return NAV_OK;
}

navd_status navd_cache_import(navd_client *c, const navd_cache_entry *entries, size_t count,
                              navd_cache_import_result *out)
{
    *out = (navd_cache_import_result){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    if (count > NP_CACHE_PAGE_ENTRIES)
        return navd_client_fail(c, NAV_ERR_ARGUMENT, "%zu entries, but at most %d are allowed", count,
                                NP_CACHE_PAGE_ENTRIES);
    np_cache_entry *list = calloc(count + 1, sizeof *list);
    if (!list) return navd_client_fail(c, NAV_ERR_MEMORY, "no memory for the entries");
    for (size_t i = 0; i < count; i++)
        list[i] = (np_cache_entry){
            {entries[i].key, NP_CACHE_KEY_BYTES}, entries[i].sum, {entries[i].record, entries[i].size}};
    np_cache_import_request request = {(uint32_t)count, list};
    s = np_encode_cache_import_request(&c->out, navd_client_next_id(c), &request);
    free(list);
    return navd_client_finish(c, s, take_import, out);
}
