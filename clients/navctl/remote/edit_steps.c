#include "clients/navctl/remote/edit_steps.h"
#include "clients/navctl/remote/remote.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP(name, metavar, help)                                                                                      \
    {                                                                                                                  \
        name, 0, ARG_STEP, metavar, help, offsetof(edit_steps_values, steps), 0, 0, NULL                               \
    }

const arg_option edit_step_options[EDIT_STEP_OPTIONS] = {
    STEP("put", "NAME=SCENE[@PLACE]", "put the first mesh of a scene file as an instance; PLACE as for --move"),
    STEP("move", "NAME=X,Y,Z[,TURN]", "move an instance, turned by TURN degrees about Y"),
    STEP("remove", "NAME", "remove an instance"),
    STEP("volume", "ID=AREA,Y,Y,X,Z,X,Z,X,Z...", "put a convex volume between two heights; area 0 blocks"),
    STEP("include", "ID=Y,Y,X,Z,X,Z,X,Z...", "put an include volume: there is ground inside of these alone"),
    STEP("remove-volume", "ID", "remove a volume"),
    STEP("link", "ID=X,Y,Z,X,Y,Z[,RADIUS[,AREA[,WAYS]]]", "put an off-mesh link; both ways unless WAYS is 1"),
    STEP("remove-link", "ID", "remove a link"),
    STEP("build", "WHAT[,METRES]", "all, or watched: build only what somebody watches, and so far around it"),
    STEP("dirty", "X,Z,X,Z", "build the tiles of a rectangle again"),
    STEP("patch-heights", "NAME=FILE[@COLUMN,ROW]", "put a height map into a terrain, with its first sample there"),
};

static bool wrong(const arg_option *o, const char *value)
{
    fprintf(stderr, "navctl edit: --%s %s: expected %s\n", o->name, value, o->metavar);
    return false;
}

// As many numbers as stand there, at most `most`. -1: something else stands there.
static int parse_list(const char *text, double *out, int most)
{
    int count = 1;
    for (const char *p = text; *p; p++) count += *p == ',';
    return count <= most && args_parse_numbers(text, out, count) ? count : -1;
}

static bool parse_place(const char *text, float transform[12])
{
    double n[4] = {0};
    int count = parse_list(text, n, 4);
    if (count < 3) return false;
    double turn = n[3] * (3.14159265358979323846 / 180);
    float c = (float)cos(turn), s = (float)sin(turn);
    const float placed[12] = {c, 0, s, (float)n[0], 0, 1, 0, (float)n[1], -s, 0, c, (float)n[2]};
    memcpy(transform, placed, sizeof placed);
    return true;
}

static bool parse_number_id(const char *text, size_t length, uint64_t *id)
{
    char digits[24], *end;
    if (length == 0 || length >= sizeof digits || text[0] < '0' || text[0] > '9') return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    *id = strtoull(digits, &end, 10);
    return *end == '\0';
}

// Behind the sign: an area unless it includes, two heights, and the corners.
static bool parse_volume(const char *text, bool include, navd_operation *op)
{
    double n[3 + 2 * NAVD_VOLUME_MAX_POINTS] = {0};
    int skipped = include ? 1 : 0;
    int count = parse_list(text, n + skipped, 3 + 2 * NAVD_VOLUME_MAX_POINTS - skipped) + skipped;
    if (count < 9 || count % 2 == 0 || n[0] != floor(n[0]) || n[0] < 0 || n[0] >= NAVD_AREA_COUNT) return false;
    op->u.volume.include = include;
    op->u.volume.area = (uint8_t)n[0];
    op->u.volume.min_y = (float)n[1];
    op->u.volume.max_y = (float)n[2];
    op->u.volume.point_count = (uint32_t)(count - 3) / 2;
    for (int i = 3; i < count; i++) op->u.volume.points[i - 3] = (float)n[i];
    return true;
}

static bool parse_build(const char *text, navd_operation *op)
{
    const char *comma = strchr(text, ',');
    size_t length = comma ? (size_t)(comma - text) : strlen(text);
    bool all = length == 3 && !memcmp(text, "all", 3), watched = length == 7 && !memcmp(text, "watched", 7);
    op->u.build.mode = watched ? NAVD_BUILD_WATCHED : NAVD_BUILD_ALL;
    op->u.build.margin_m = 0;
    if (comma && (!args_parse_numbers(comma + 1, &op->u.build.margin_m, 1) || op->u.build.margin_m < 0)) return false;
    return all || watched;
}

static bool parse_link(const char *text, navd_operation *op)
{
    double n[9] = {0, 0, 0, 0, 0, 0, 0.6, NAVD_AREA_DEFAULT, 2};
    int count = parse_list(text, n, 9);
    if (count < 6 || n[7] != floor(n[7]) || n[7] < 1 || n[7] >= NAVD_AREA_COUNT || (n[8] != 1 && n[8] != 2))
        return false;
    for (int k = 0; k < 3; k++) {
        op->u.link.start[k] = (float)n[k];
        op->u.link.end[k] = (float)n[3 + k];
    }
    op->u.link.radius_m = (float)n[6];
    op->u.link.area = (uint8_t)n[7];
    op->u.link.both_ways = n[8] == 2;
    op->u.link.flags = 1;
    return true;
}

// NAME=... of an instance: the name to the id, and what stands behind the sign.
static const char *split_instance(const char *value, uint64_t *id)
{
    char name[256];
    const char *sign = strchr(value, '=');
    size_t length = sign ? (size_t)(sign - value) : 0;
    if (length == 0 || length >= sizeof name) return NULL;
    memcpy(name, value, length);
    name[length] = '\0';
    return remote_instance_id(name, id) ? sign + 1 : NULL;
}

// The name that stands for an instance; nothing where it is a number, or longer than a stored name.
static void keep_name(const char *value, size_t length, edit_step *out)
{
    if (value[0] == '@' || length >= sizeof out->name) return;
    memcpy(out->name, value, length);
    out->name[length] = '\0';
}

static bool parse_put(const char *value, edit_step *out)
{
    const char *scene = split_instance(value, &out->operation.id);
    if (!scene) return false;
    const char *at = strrchr(scene, '@');
    size_t length = at ? (size_t)(at - scene) : strlen(scene);
    if (length == 0 || length >= sizeof out->scene) return false;
    memcpy(out->scene, scene, length);
    out->scene[length] = '\0';
    out->operation.u.instance.area = NAVD_AREA_DEFAULT;
    return parse_place(at ? at + 1 : "0,0,0", out->operation.u.instance.transform);
}

static bool parse_patch(const char *value, edit_step *out)
{
    const char *file = split_instance(value, &out->operation.id);
    double at[2] = {0, 0};
    if (!file) return false;
    const char *sign = strrchr(file, '@');
    size_t length = sign ? (size_t)(sign - file) : strlen(file);
    if (length == 0 || length >= sizeof out->scene || (sign && !args_parse_numbers(sign + 1, at, 2))) return false;
    memcpy(out->scene, file, length);
    out->scene[length] = '\0';
    for (int k = 0; k < 2; k++)
        if (!(at[k] >= 0 && at[k] <= 1e9) || at[k] != floor(at[k])) return false;
    out->column = (uint32_t)at[0];
    out->row = (uint32_t)at[1];
    return true;
}

bool edit_step_parse(const arg_option *option, const char *value, edit_step *out)
{
    static const navd_operation_kind kinds[EDIT_STEP_OPTIONS] = {
        NAVD_PUT_INSTANCE, NAVD_MOVE_INSTANCE, NAVD_REMOVE_INSTANCE, NAVD_PUT_VOLUME,
        NAVD_PUT_VOLUME,   NAVD_REMOVE_VOLUME, NAVD_PUT_LINK,        NAVD_REMOVE_LINK,
        NAVD_SET_BUILD,    NAVD_MARK_DIRTY,    NAVD_PATCH_HEIGHTS};
    *out = (edit_step){.operation.kind = kinds[option - edit_step_options]};
    navd_operation *op = &out->operation;
    const char *sign = strchr(value, '='), *rest = NULL;
    size_t id_length = sign ? (size_t)(sign - value) : strlen(value);
    double box[4];
    bool ok = false;
    switch (op->kind) {
    case NAVD_PUT_INSTANCE:
        ok = parse_put(value, out);
        break;
    case NAVD_MOVE_INSTANCE:
        rest = split_instance(value, &op->id);
        ok = rest && parse_place(rest, op->u.instance.transform);
        if (ok) keep_name(value, id_length, out);
        break;
    case NAVD_REMOVE_INSTANCE:
        ok = remote_instance_id(value, &op->id);
        if (ok) keep_name(value, strlen(value), out);
        break;
    case NAVD_PUT_VOLUME:
        ok = sign && parse_number_id(value, id_length, &op->id) &&
             parse_volume(sign + 1, !strcmp(option->name, "include"), op);
        break;
    case NAVD_PUT_LINK:
        ok = sign && parse_number_id(value, id_length, &op->id) && op->id <= UINT32_MAX && parse_link(sign + 1, op);
        break;
    case NAVD_REMOVE_VOLUME:
    case NAVD_REMOVE_LINK:
        ok = parse_number_id(value, id_length, &op->id) && !sign;
        break;
    case NAVD_MARK_DIRTY:
        ok = args_parse_numbers(value, box, 4) && box[0] <= box[2] && box[1] <= box[3];
        for (int k = 0; k < 2 && ok; k++) {
            op->u.dirty.min[k] = box[k];
            op->u.dirty.max[k] = box[2 + k];
        }
        break;
    case NAVD_PATCH_HEIGHTS:
        ok = parse_patch(value, out);
        if (ok) keep_name(value, id_length, out);
        break;
    case NAVD_SET_BUILD:
        ok = parse_build(value, op);
        break;
    case NAVD_SET_REACH: // has options of its own: reach_args.h
        break;
    }
    return ok || wrong(option, value);
}
