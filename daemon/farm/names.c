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
    uint8_t bytes[(ND_FARM_ID_BYTES - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) abort(); // it cannot: so few come at once
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
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
