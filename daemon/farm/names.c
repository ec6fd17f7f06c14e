#include "daemon/farm/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

bool nd_farm_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++)
        if (!is_plain(name[i])) return false;
    return length > 0 && length < ND_FARM_NAME_BYTES;
}

void nd_farm_make_id(char out[ND_FARM_ID_BYTES])
{
    nav_key id;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id) abort(); // it cannot: so few come at once
    nav_key_text(id, out);
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool nd_farm_read_space(const char *token, char out[ND_NAMESPACE_BYTES])
{
    size_t n = 0;
    const char *at = strcmp(token, "%") != 0 ? token : "";
    for (; *at; at++) {
        int c = (unsigned char)*at;
        if (c == '%') {
            const int high = digit(at[1]), low = high < 0 ? -1 : digit(at[2]);
            if (low < 0) return false;
            c = high << 4 | low;
            at += 2;
        }
        if (!c || n + 1 == ND_NAMESPACE_BYTES) return false;
        out[n++] = (char)c;
    }
    out[n] = 0;
    return true;
}

const char *nd_farm_subject_space(const char *farm, const char *subject, char token[ND_SPACE_BYTES])
{
    const size_t length = strlen(farm);
    if (strncmp(subject, farm, length) != 0 || subject[length] != '.') return NULL;
    const char *at = subject + length + 1, *end = strchr(at, '.');
    if (!end || end == at || end - at >= ND_SPACE_BYTES) return NULL;
    memcpy(token, at, (size_t)(end - at));
    token[end - at] = 0;
    return end + 1;
}

void nd_farm_stream(const char *farm, const char *kind, char out[ND_STREAM_BYTES])
{
    snprintf(out, ND_STREAM_BYTES, "%s_%s", farm, kind);
}

void nd_farm_pack_subject(const char *farm, const char *space, nav_key area, uint32_t part, char out[ND_SUBJECT_BYTES])
{
    char key[NAV_KEY_TEXT_BYTES];
    nav_key_text(area, key);
    if (part)
        snprintf(out, ND_SUBJECT_BYTES, "%s.%s.tiles.%s.%u", farm, space, key, part);
    else
        snprintf(out, ND_SUBJECT_BYTES, "%s.%s.tiles.%s", farm, space, key);
}

void nd_farm_job_subject(const char *farm, const char *space, uint32_t generator, const char *daemon,
                         char out[ND_SUBJECT_BYTES])
{
    snprintf(out, ND_SUBJECT_BYTES, "%s.%s.jobs.v%u.%s", farm, space, generator, daemon);
}

bool nd_farm_space_token(const char *space, char *out, size_t out_bytes)
{
    size_t n = 0;
    if (!space[0]) return out_bytes > 1 && strcpy(out, "%");
    for (; *space; space++) {
        const size_t more = is_plain(*space) ? 1 : 3;
        if (n + more + 1 > out_bytes) return false;
        snprintf(out + n, out_bytes - n, more == 1 ? "%c" : "%%%02X", (unsigned char)*space);
        n += more;
    }
    out[n] = 0;
    return true;
}
