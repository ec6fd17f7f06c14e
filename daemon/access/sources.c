#include "daemon/access/sources.h"

#include "core/base/key.h"
#include "daemon/base/age_list.h"
#include "daemon/base/thread.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nd_source_name(const struct sockaddr *from, char out[ND_SOURCE_BYTES])
{
    char text[INET6_ADDRSTRLEN] = "?";
    if (from->sa_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)from)->sin_addr, text, sizeof text);
        snprintf(out, ND_SOURCE_BYTES, "%s", text);
        return;
    }
    if (from->sa_family != AF_INET6) {
        snprintf(out, ND_SOURCE_BYTES, "%s", text);
        return;
    }
    struct in6_addr a = ((const struct sockaddr_in6 *)from)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(&a)) { // an IPv4 client of a socket that takes both
        inet_ntop(AF_INET, a.s6_addr + 12, text, sizeof text);
        snprintf(out, ND_SOURCE_BYTES, "%s", text);
        return;
    }
    memset(a.s6_addr + 8, 0, 8);
    inet_ntop(AF_INET6, &a, text, sizeof text);
    snprintf(out, ND_SOURCE_BYTES, "%.42s/64", text);
}

static void drop(nd_sources *s, nd_source *e)
{
    ND_AGE_UNLINK(s, e);
    nd_table_remove(&s->table, &e->node);
    free(e);
}

static bool make_room(nd_sources *s)
{
    if (s->table.count < ND_MAX_SOURCES) return true;
    for (nd_source *e = s->oldest; e; e = e->newer) {
        if (e->waiting || e->refusals) continue;
        drop(s, e);
        return true;
    }
    return false;
}

static uint64_t hash_of(const char *name)
{
    return nav_key_of(name, strlen(name)).low;
}

nd_source *nd_sources_find(const nd_sources *s, const char *name)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_node *n = nd_table_first(&s->table, hash_of(name)); n; n = nd_table_next(n)) {
        nd_source *e = ND_HOLDER(n, nd_source, node);
        if (!strcmp(e->name, name)) return e;
    }
    return NULL;
}

nav_status nd_sources_need(nd_sources *s, const char *name, nd_source **out)
{
    *out = nd_sources_find(s, name);
    if (*out) return NAV_OK;
    if (!make_room(s)) return NAV_ERR_LIMIT;
    nd_source *e = calloc(1, sizeof *e);
    if (!e || nd_table_reserve(&s->table, 1) != NAV_OK) {
        free(e);
        return NAV_ERR_MEMORY;
    }
    snprintf(e->name, sizeof e->name, "%s", name);
    nd_table_insert(&s->table, &e->node, hash_of(name));
    ND_AGE_LINK_NEWEST(s, e);
    *out = e;
    return NAV_OK;
}

uint64_t nd_source_fail(nd_sources *s, nd_source *source, uint64_t first_ms, uint64_t now_ms)
{
    ND_ASSERT_LOOP_THREAD();
    if (source->failures && now_ms - source->failed_ms > ND_SOURCE_FORGET_MS) source->failures = 0;
    source->failed_ms = now_ms;
    ND_AGE_UNLINK(s, source);
    ND_AGE_LINK_NEWEST(s, source);
    uint64_t delay = first_ms;
    for (uint32_t i = 0; i < source->failures && delay < ND_MAX_AUTH_DELAY_MS; i++) delay *= 2;
    source->failures++;
    return delay < ND_MAX_AUTH_DELAY_MS ? delay : ND_MAX_AUTH_DELAY_MS;
}

void nd_sources_deinit(nd_sources *s)
{
    while (s->oldest) drop(s, s->oldest);
    nd_table_deinit(&s->table);
    *s = (nd_sources){0};
}
