#include "tests/clients/sheets_room.h"

#include "tests/check.h"

#include <stdio.h>
#include <string.h>

const char *const sheet_names[NAV_SHEET_COUNT] = {"up", "down", "x+", "x-", "z+", "z-"};

const double ROOM_MIDDLE[3] = {3, 4, -2}, ROOM_HALF[3] = {10, 4, 6};

const char *room_path(void)
{
    static char path[400];
    char text[1024];
    size_t at = 0;
    if (path[0]) return path;
    snprintf(path, sizeof path, "%s", temp_path("room.obj"));
    for (int i = 0; i < 8; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "v %g %g %g\n",
                               ROOM_MIDDLE[0] + (i & 1 ? ROOM_HALF[0] : -ROOM_HALF[0]),
                               ROOM_MIDDLE[1] + (i & 2 ? ROOM_HALF[1] : -ROOM_HALF[1]),
                               ROOM_MIDDLE[2] + (i & 4 ? ROOM_HALF[2] : -ROOM_HALF[2]));
    snprintf(text + at, sizeof text - at, "f 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\nf 1 2 4 3\nf 5 7 8 6\n");
    write_text(path, text);
    return path;
}

json_t *parse_json(const char *text, size_t length)
{
    json_error_t e;
    json_t *j = json_loadb(text, length, JSON_DISABLE_EOF_CHECK, &e);
    ck_assert_msg(j != NULL, "not JSON: %s at %d", e.text, e.position);
    return j;
}

int64_t json_count(const json_t *j, const char *key)
{
    const json_t *value = json_object_get(j, key);
    ck_assert_msg(json_is_integer(value), "there is no number \"%s\"", key);
    return json_integer_value(value);
}

json_t *json_report(const outcome *r)
{
    ck_assert_msg(r->code == 0, "%s", r->err);
    return parse_json(r->out, strlen(r->out));
}

double room_face_m2(int sheet)
{
    const int axis = sheet < 2 ? 1 : sheet < 4 ? 0 : 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (2 * ROOM_HALF[u] - 1.2) * (2 * ROOM_HALF[v] - 1.2);
}

void expect_room_m2(double m2, double wanted)
{
    ck_assert_double_le(m2, wanted + 0.1);
    ck_assert_double_gt(m2, 0.999 * wanted);
}
