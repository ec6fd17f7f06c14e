// world.edit: the operations, each a map whose "op" says which keys it has. Volumes and links have the same keys here
// and in tiles.build.
#include "protocol/frame.h"
#include "protocol/name.h"
#include "protocol/schema.h"

#include <stdio.h>
#include <string.h>

enum { MAX_AREA = NAV_AREA_COUNT - 1 };

#define ID                                                                                                             \
    {                                                                                                                  \
        .key = "id", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_op, id)                             \
    }

#define SOURCE_AND_NAME                                                                                                \
    {.key = "source", .type = NP_T_STR, .offset = offsetof(np_op, source)},                                            \
    {                                                                                                                  \
        .key = "name", .type = NP_T_STR, .offset = offsetof(np_op, name)                                               \
    }

static nav_status check_texts(const np_op *op, char *why, size_t why_bytes)
{
    nav_status s = op->source.size ? np_name_check("source", op->source, why, why_bytes) : NAV_OK;
    return s == NAV_OK && op->name.size ? np_name_check("name", op->name, why, why_bytes) : s;
}

static nav_status check_instance_op(void *m, char *why, size_t why_bytes)
{
    return check_texts(m, why, why_bytes);
}

static const np_field put_instance[] = {
    ID,
    {.key = "mesh", .type = NP_T_KEY, .flags = NP_REQUIRED, .offset = offsetof(np_op, u.instance.mesh)},
    {.key = "transform",
     .type = NP_T_PACKED,
     .count = 12,
     .offset = offsetof(np_op, u.instance.transform),
     .place = NP_PLACE_TRANSFORM},
    {.key = "area", .type = NP_T_U8, .count = MAX_AREA, .offset = offsetof(np_op, u.instance.area)},
    SOURCE_AND_NAME,
};

static void default_instance(void *m)
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    np_op *op = m;
    memcpy(op->u.instance.transform, identity, sizeof identity);
    op->u.instance.area = NAV_AREA_DEFAULT;
}

static const np_schema put_instance_schema = {
    .bytes = sizeof(np_op), NP_FIELDS(put_instance), .defaults = default_instance, .check = check_instance_op};

static const np_field move_instance[] = {
    ID,
    {.key = "transform",
     .type = NP_T_PACKED,
     .flags = NP_REQUIRED,
     .count = 12,
     .offset = offsetof(np_op, u.instance.transform),
     .place = NP_PLACE_TRANSFORM},
};
static const np_schema move_instance_schema = {.bytes = sizeof(np_op), NP_FIELDS(move_instance)};

static const np_field remove_any[] = {ID};
static const np_schema remove_schema = {.bytes = sizeof(np_op), NP_FIELDS(remove_any)};

// T: the struct that holds a nav_volume under `at` (which ends in a dot, or is empty).
#define VOLUME_FIELDS(T, at)                                                                                           \
    {.key = "points",                                                                                                  \
     .type = NP_T_POINTS,                                                                                              \
     .flags = NP_REQUIRED,                                                                                             \
     .count = 2 * NAV_VOLUME_MAX_POINTS,                                                                               \
     .offset = offsetof(T, at points),                                                                                 \
     .count_offset = offsetof(T, at point_count),                                                                      \
     .place = NP_PLACE_GROUND},                                                                                        \
        {.key = "min_y",                                                                                               \
         .type = NP_T_F32,                                                                                             \
         .flags = NP_REQUIRED,                                                                                         \
         .offset = offsetof(T, at min_y),                                                                              \
         .place = NP_PLACE_HEIGHT},                                                                                    \
        {.key = "max_y",                                                                                               \
         .type = NP_T_F32,                                                                                             \
         .flags = NP_REQUIRED,                                                                                         \
         .offset = offsetof(T, at max_y),                                                                              \
         .place = NP_PLACE_HEIGHT},                                                                                    \
        {.key = "area", .type = NP_T_U8, .count = MAX_AREA, .offset = offsetof(T, at area)},                           \
    {                                                                                                                  \
        .key = "include", .type = NP_T_BOOL, .offset = offsetof(T, at include)                                         \
    }

#define LINK_FIELDS(T, at)                                                                                             \
    {.key = "start",                                                                                                   \
     .type = NP_T_F32S,                                                                                                \
     .flags = NP_REQUIRED,                                                                                             \
     .count = 3,                                                                                                       \
     .offset = offsetof(T, at start),                                                                                  \
     .place = NP_PLACE_POINT},                                                                                         \
        {.key = "end",                                                                                                 \
         .type = NP_T_F32S,                                                                                            \
         .flags = NP_REQUIRED,                                                                                         \
         .count = 3,                                                                                                   \
         .offset = offsetof(T, at end),                                                                                \
         .place = NP_PLACE_POINT},                                                                                     \
        {.key = "radius_m", .type = NP_T_F32, .flags = NP_REQUIRED, .offset = offsetof(T, at radius_m)},               \
        {.key = "area", .type = NP_T_U8, .count = MAX_AREA, .offset = offsetof(T, at area)},                           \
        {.key = "both_ways", .type = NP_T_BOOL, .offset = offsetof(T, at both_ways)},                                  \
    {                                                                                                                  \
        .key = "flags", .type = NP_T_U16, .offset = offsetof(T, at flags)                                              \
    }

// No default: what is forgotten would block. Only an include volume needs no area.
enum { NO_AREA = UINT8_MAX };

static void default_volume(void *m)
{
    nav_volume *v = m;
    v->area = NO_AREA;
}

static void default_volume_op(void *m)
{
    np_op *op = m;
    default_volume(&op->u.volume);
}

static nav_status check_volume(void *m, char *why, size_t why_bytes)
{
    nav_volume *v = m;
    if (v->area == NO_AREA && !v->include) {
        snprintf(why, why_bytes, "area: missing, expected an integer from 0 to %d", MAX_AREA);
        return NAV_ERR_ARGUMENT;
    }
    if (v->area == NO_AREA) v->area = NAV_AREA_NONE;
    return nav_volume_check(v, why, why_bytes);
}

static nav_status check_volume_op(void *m, char *why, size_t why_bytes)
{
    np_op *op = m;
    nav_status s = check_texts(op, why, why_bytes);
    return s == NAV_OK ? check_volume(&op->u.volume, why, why_bytes) : s;
}

static void default_link(void *m)
{
    nav_link *l = m;
    l->area = NAV_AREA_DEFAULT;
    l->flags = 1;
}

static void default_link_op(void *m)
{
    np_op *op = m;
    default_link(&op->u.link);
}

static nav_status check_link(void *m, char *why, size_t why_bytes)
{
    return nav_link_check(m, why, why_bytes);
}

// Tiles carry a link's id in 32 bits.
static nav_status check_link_op(void *m, char *why, size_t why_bytes)
{
    np_op *op = m;
    if (op->id > UINT32_MAX) {
        snprintf(why, why_bytes, "id: %llu, expected an integer from 0 to %u (links)", (unsigned long long)op->id,
                 UINT32_MAX);
        return NAV_ERR_ARGUMENT;
    }
    op->u.link.id = (uint32_t)op->id;
    nav_status s = check_texts(op, why, why_bytes);
    return s == NAV_OK ? nav_link_check(&op->u.link, why, why_bytes) : s;
}

static const np_field put_volume[] = {ID, VOLUME_FIELDS(np_op, u.volume.), SOURCE_AND_NAME};
static const np_schema put_volume_schema = {
    .bytes = sizeof(np_op), NP_FIELDS(put_volume), .defaults = default_volume_op, .check = check_volume_op};
static const np_field volume[] = {VOLUME_FIELDS(nav_volume, )};
const np_schema np_schema_volume = {
    .bytes = sizeof(nav_volume), NP_FIELDS(volume), .defaults = default_volume, .check = check_volume};

static const np_field put_link[] = {ID, LINK_FIELDS(np_op, u.link.), SOURCE_AND_NAME};
static const np_schema put_link_schema = {
    .bytes = sizeof(np_op), NP_FIELDS(put_link), .defaults = default_link_op, .check = check_link_op};
static const np_field link_fields[] = {
    {.key = "id", .type = NP_T_U32, .flags = NP_REQUIRED, .offset = offsetof(nav_link, id)},
    LINK_FIELDS(nav_link, ),
};
const np_schema np_schema_link = {
    .bytes = sizeof(nav_link), NP_FIELDS(link_fields), .defaults = default_link, .check = check_link};

static nav_status check_dirty(void *m, char *why, size_t why_bytes)
{
    const np_op *op = m;
    if (op->u.dirty.min[0] <= op->u.dirty.max[0] && op->u.dirty.min[1] <= op->u.dirty.max[1]) return NAV_OK;
    snprintf(why, why_bytes, "min: greater than max");
    return NAV_ERR_ARGUMENT;
}

_Static_assert(offsetof(np_op, u.dirty.max) == offsetof(np_op, u.dirty.min) + 16, "bounds");
static const np_field dirty[] = {
    {.key = "min",
     .type = NP_T_F64S,
     .flags = NP_REQUIRED,
     .count = 2,
     .offset = offsetof(np_op, u.dirty.min),
     .place = NP_PLACE_BOUNDS}, // with max, which stands behind it
    {.key = "max", .type = NP_T_F64S, .flags = NP_REQUIRED, .count = 2, .offset = offsetof(np_op, u.dirty.max)},
};
static const np_schema dirty_schema = {.bytes = sizeof(np_op), NP_FIELDS(dirty), .check = check_dirty};

static const np_field set_reach[] = {{.key = "reach",
                                      .type = NP_T_MAP,
                                      .flags = NP_REQUIRED,
                                      .offset = offsetof(np_op, u.reach),
                                      .item = &np_schema_reach}};
static const np_schema set_reach_schema = {.bytes = sizeof(np_op), NP_FIELDS(set_reach)};

const char *const np_build_names[] = {[NP_BUILD_ALL] = "all", [NP_BUILD_WATCHED] = "watched", NULL};

nav_status np_check_margin(double margin_m, char *why, size_t why_bytes)
{
    if (margin_m >= 0 && margin_m <= (double)NAV_WORLD_REACH_M) return NAV_OK;
    snprintf(why, why_bytes, "margin_m: %g, expected 0 to %g metres", margin_m, (double)NAV_WORLD_REACH_M);
    return NAV_ERR_ARGUMENT;
}

static nav_status check_build(void *m, char *why, size_t why_bytes)
{
    const np_op *op = m;
    return np_check_margin(op->u.build.margin_m, why, why_bytes);
}

static const np_field set_build[] = {
    {.key = "build",
     .type = NP_T_ENUM,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_op, u.build.mode),
     .names = np_build_names},
    {.key = "margin_m", .type = NP_T_F64, .offset = offsetof(np_op, u.build.margin_m)},
};
static const np_schema set_build_schema = {.bytes = sizeof(np_op), NP_FIELDS(set_build), .check = check_build};

static nav_status check_set_areas(void *m, char *why, size_t why_bytes)
{
    const np_op *op = m;
    return np_areas_check(op->u.areas.list, op->u.areas.count, why, why_bytes);
}

static const np_field set_areas[] = {{.key = "areas",
                                      .type = NP_T_LIST,
                                      .flags = NP_REQUIRED,
                                      .count = NP_MAX_AREAS,
                                      .offset = offsetof(np_op, u.areas.list),
                                      .count_offset = offsetof(np_op, u.areas.count),
                                      .item = &np_schema_area}};
static const np_schema set_areas_schema = {.bytes = sizeof(np_op), NP_FIELDS(set_areas), .check = check_set_areas};

static nav_status check_patch(void *m, char *why, size_t why_bytes)
{
    const np_op *op = m;
    const uint64_t count = (uint64_t)op->u.patch.columns * op->u.patch.rows;
    if (!count || op->u.patch.columns > NAV_HEIGHTS_SIDE_MAX || op->u.patch.rows > NAV_HEIGHTS_SIDE_MAX) {
        snprintf(why, why_bytes, "columns, rows: %u and %u samples, expected 1 to %d", op->u.patch.columns,
                 op->u.patch.rows, NAV_HEIGHTS_SIDE_MAX);
        return NAV_ERR_ARGUMENT;
    }
    const uint64_t cells = (uint64_t)(op->u.patch.columns - 1) * (op->u.patch.rows - 1);
    if (op->u.patch.samples.size != 2 * count && op->u.patch.samples.size != 4 * count) {
        snprintf(why, why_bytes, "samples: %u bytes, expected %llu samples of 2 or 4 bytes each",
                 op->u.patch.samples.size, (unsigned long long)count);
        return NAV_ERR_ARGUMENT;
    }
    if (!op->u.patch.areas.size || op->u.patch.areas.size == cells) return NAV_OK;
    snprintf(why, why_bytes, "areas: %u bytes, expected one for each of the %llu cells between the samples, or none",
             op->u.patch.areas.size, (unsigned long long)cells);
    return NAV_ERR_ARGUMENT;
}

static const np_field patch_heights[] = {
    ID,
    {.key = "column", .type = NP_T_U32, .offset = offsetof(np_op, u.patch.column)},
    {.key = "row", .type = NP_T_U32, .offset = offsetof(np_op, u.patch.row)},
    {.key = "columns", .type = NP_T_U32, .flags = NP_REQUIRED, .offset = offsetof(np_op, u.patch.columns)},
    {.key = "rows", .type = NP_T_U32, .flags = NP_REQUIRED, .offset = offsetof(np_op, u.patch.rows)},
    {.key = "samples", .type = NP_T_BIN, .flags = NP_REQUIRED, .offset = offsetof(np_op, u.patch.samples)},
    {.key = "areas", .type = NP_T_BIN, .offset = offsetof(np_op, u.patch.areas)},
};
static const np_schema patch_heights_schema = {.bytes = sizeof(np_op), NP_FIELDS(patch_heights), .check = check_patch};

static const char *const op_names[] = {
    [NP_OP_PUT_INSTANCE] = "put_instance",
    [NP_OP_MOVE_INSTANCE] = "move_instance",
    [NP_OP_REMOVE_INSTANCE] = "remove_instance",
    [NP_OP_PUT_VOLUME] = "put_volume",
    [NP_OP_REMOVE_VOLUME] = "remove_volume",
    [NP_OP_PUT_LINK] = "put_link",
    [NP_OP_REMOVE_LINK] = "remove_link",
    [NP_OP_DIRTY] = "dirty",
    [NP_OP_SET_REACH] = "set_reach",
    [NP_OP_SET_BUILD] = "set_build",
    [NP_OP_SET_AREAS] = "set_areas",
    [NP_OP_PATCH_HEIGHTS] = "patch_heights",
    NULL,
};
static const np_schema *const op_variants[] = {
    [NP_OP_PUT_INSTANCE] = &put_instance_schema, [NP_OP_MOVE_INSTANCE] = &move_instance_schema,
    [NP_OP_REMOVE_INSTANCE] = &remove_schema,    [NP_OP_PUT_VOLUME] = &put_volume_schema,
    [NP_OP_REMOVE_VOLUME] = &remove_schema,      [NP_OP_PUT_LINK] = &put_link_schema,
    [NP_OP_REMOVE_LINK] = &remove_schema,        [NP_OP_DIRTY] = &dirty_schema,
    [NP_OP_SET_REACH] = &set_reach_schema,       [NP_OP_SET_BUILD] = &set_build_schema,
    [NP_OP_SET_AREAS] = &set_areas_schema,       [NP_OP_PATCH_HEIGHTS] = &patch_heights_schema,
};
static const np_field op_tag[] = {
    {.key = "op", .type = NP_T_ENUM, .flags = NP_REQUIRED, .offset = offsetof(np_op, kind), .names = op_names}};
static const np_schema op_schema = {.bytes = sizeof(np_op), NP_FIELDS(op_tag), .variants = op_variants};

static const np_field world_edit_request[] = {
    {.key = "world", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_world_edit_request, world)},
    {.key = "base_revision",
     .type = NP_T_U64,
     .offset = offsetof(np_world_edit_request, base_revision),
     .has_offset = offsetof(np_world_edit_request, has_base_revision)},
    {.key = "ops",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_MAX_EDIT_OPS,
     .offset = offsetof(np_world_edit_request, ops),
     .count_offset = offsetof(np_world_edit_request, op_count),
     .item = &op_schema},
};
const np_schema np_schema_world_edit_request = {.bytes = sizeof(np_world_edit_request), NP_FIELDS(world_edit_request)};

static const np_field world_edit_response[] = {
    {.key = "revision", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_world_edit_response, revision)},
    {.key = "dirty_tiles",
     .type = NP_T_U32,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_world_edit_response, dirty_tiles)},
    {.key = "durable", .type = NP_T_BOOL, .offset = offsetof(np_world_edit_response, durable)},
};
const np_schema np_schema_world_edit_response = {.bytes = sizeof(np_world_edit_response),
                                                 NP_FIELDS(world_edit_response)};

nav_status np_object_encode(nav_buffer *out, const np_op *op)
{
    np_writer w;
    np_writer_init(&w, out);
    np_schema_encode(&w, &op_schema, op);
    return np_writer_finish(&w);
}

nav_status np_object_decode(const uint8_t *bytes, size_t count, np_op *op, np_error *err)
{
    static const np_limits limits = {
        .message_bytes = 1 << 16, .depth = 4, .elements = 1 << 12, .container_elements = 1 << 10};
    np_scan scan = {0};
    char why[NP_WHY_BYTES] = "it ends too early";
    nav_status s = np_scan_run(&scan, &limits, bytes, count, why, sizeof why);
    if (s != NAV_OK || scan.at != count)
        return np_error_set(err, s == NAV_OK || s == NAV_ERR_AGAIN ? NAV_ERR_FORMAT : s, "the object: %s", why);
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    size_t end = 0;
    if (msgpack_unpack_next(&unpacked, (const char *)bytes, count, &end) != MSGPACK_UNPACK_SUCCESS)
        s = np_error_set(err, NAV_ERR_FORMAT, "the object is not valid MessagePack");
    else if (unpacked.data.type != MSGPACK_OBJECT_MAP)
        s = np_error_set(err, NAV_ERR_FORMAT, "the object is not a map");
    else
        s = np_schema_decode(&op_schema, &unpacked.data, unpacked.zone, NULL, op, err);
    if (s == NAV_OK && op->kind != NP_OP_PUT_INSTANCE && op->kind != NP_OP_PUT_VOLUME && op->kind != NP_OP_PUT_LINK)
        s = np_error_set(err, NAV_ERR_FORMAT, "the object: %s is not a put operation", op_names[op->kind]);
    msgpack_unpacked_destroy(&unpacked);
    return s;
}

static void default_objects(void *m)
{
    np_world_objects_request *r = m;
    r->limit = NP_OBJECTS_PAGE;
}

static nav_status check_objects(void *m, char *why, size_t why_bytes)
{
    const np_world_objects_request *r = m;
    if (!r->limit) {
        snprintf(why, why_bytes, "limit: 0, expected 1 to %d", NP_OBJECTS_PAGE_MAX);
        return NAV_ERR_ARGUMENT;
    }
    if (!r->cursor || r->has_revision) return NAV_OK;
    snprintf(why, why_bytes, "revision: required with a cursor: that of the page before");
    return NAV_ERR_ARGUMENT;
}

static const np_field world_objects_request[] = {
    {.key = "world", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_world_objects_request, world)},
    {.key = "revision",
     .type = NP_T_U64,
     .offset = offsetof(np_world_objects_request, revision),
     .has_offset = offsetof(np_world_objects_request, has_revision)},
    {.key = "cursor", .type = NP_T_U64, .offset = offsetof(np_world_objects_request, cursor)},
    {.key = "limit",
     .type = NP_T_U32,
     .count = NP_OBJECTS_PAGE_MAX,
     .offset = offsetof(np_world_objects_request, limit)},
};
const np_schema np_schema_world_objects_request = {.bytes = sizeof(np_world_objects_request),
                                                   NP_FIELDS(world_objects_request),
                                                   .defaults = default_objects,
                                                   .check = check_objects};

static nav_status check_object_list(void *m, char *why, size_t why_bytes)
{
    const np_world_objects_response *r = m;
    for (uint32_t i = 0; i < r->object_count; i++) {
        np_op_kind kind = r->objects[i].kind;
        if (kind == NP_OP_PUT_INSTANCE || kind == NP_OP_PUT_VOLUME || kind == NP_OP_PUT_LINK) continue;
        snprintf(why, why_bytes, "objects: %s, expected put_instance, put_volume or put_link", op_names[kind]);
        return NAV_ERR_ARGUMENT;
    }
    return NAV_OK;
}

static const np_field world_objects_response[] = {
    {.key = "revision",
     .type = NP_T_U64,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_world_objects_response, revision)},
    {.key = "objects",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_MAX_EDIT_OPS,
     .offset = offsetof(np_world_objects_response, objects),
     .count_offset = offsetof(np_world_objects_response, object_count),
     .item = &op_schema},
    {.key = "next", .type = NP_T_U64, .offset = offsetof(np_world_objects_response, next)},
};
const np_schema np_schema_world_objects_response = {.bytes = sizeof(np_world_objects_response),
                                                    NP_FIELDS(world_objects_response),
                                                    .check = check_object_list,
                                                    .axes_offset = offsetof(np_world_objects_response, axes)};
