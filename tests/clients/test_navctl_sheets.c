// navctl with walls and ceilings: options, files of every kind, pictures, graphs; what it refuses.
#include "core/base/endian.h"
#include "core/tile/tile_format.h"
#include "navcore/tile_file.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[NAV_SHEET_COUNT] = {"up", "down", "x+", "x-", "z+", "z-"};

// A closed room of 20 m by 8 m by 12 m around 3, 4, -2, seen from within: six sheets of one rectangle each.
static const double MIDDLE[3] = {3, 4, -2}, HALF[3] = {10, 4, 6};

static const char *room(void)
{
    static char path[400];
    char text[1024];
    size_t at = 0;
    if (path[0]) return path;
    snprintf(path, sizeof path, "%s", temp_path("room.obj"));
    for (int i = 0; i < 8; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "v %g %g %g\n", MIDDLE[0] + (i & 1 ? HALF[0] : -HALF[0]),
                               MIDDLE[1] + (i & 2 ? HALF[1] : -HALF[1]), MIDDLE[2] + (i & 4 ? HALF[2] : -HALF[2]));
    snprintf(text + at, sizeof text - at, "f 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\nf 1 2 4 3\nf 5 7 8 6\n");
    write_text(path, text);
    return path;
}

static json_t *parse(const char *text, size_t length)
{
    json_error_t e;
    json_t *j = json_loadb(text, length, JSON_DISABLE_EOF_CHECK, &e);
    ck_assert_msg(j != NULL, "not JSON: %s at %d", e.text, e.position);
    return j;
}

static int64_t count_of(const json_t *j, const char *key)
{
    const json_t *value = json_object_get(j, key);
    ck_assert_msg(json_is_integer(value), "there is no number \"%s\"", key);
    return json_integer_value(value);
}

static json_t *report_of(const outcome *r)
{
    ck_assert_msg(r->code == 0, "%s", r->err);
    return parse(r->out, strlen(r->out));
}

// What is left of a face when the radius is kept from its four inner edges.
static double face_m2(int sheet)
{
    const int axis = sheet < 2 ? 1 : sheet < 4 ? 0 : 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
    return (2 * HALF[u] - 1.2) * (2 * HALF[v] - 1.2);
}

// Edges lie up to 2 % of the radius farther in, so that they never lie too near.
static void expect_about(double m2, double wanted)
{
    ck_assert_double_le(m2, wanted + 0.1);
    ck_assert_double_gt(m2, 0.99 * wanted);
}

START_TEST(figures_are_told_for_each_sheet_and_in_sum)
{
    const outcome r = run_navctl("build", room(), "--sheets", "all", "--json", NULL);
    json_t *report = report_of(&r), *sheets = json_object_get(report, "sheets");
    int64_t tiles = 0, cells = 0, polys = 0;
    double area = 0;
    ck_assert_uint_eq(json_object_size(sheets), NAV_SHEET_COUNT);
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        const json_t *sheet = json_object_get(sheets, names[s]);
        const double m2 = json_number_value(json_object_get(sheet, "area_m2"));
        expect_about(m2, face_m2(s));
        tiles += count_of(sheet, "tiles");
        cells += count_of(sheet, "cells");
        polys += count_of(sheet, "polys");
        area += m2;
    }
    ck_assert_int_eq(tiles, count_of(report, "tiles"));
    ck_assert_int_eq(cells, count_of(report, "cells"));
    ck_assert_int_eq(polys, count_of(report, "polys"));
    ck_assert_double_eq_tol(area, json_number_value(json_object_get(report, "area_m2")), 1e-3);
    json_decref(report);
}
END_TEST

START_TEST(some_sheets_are_those_of_all)
{
    const char *all = temp_path("all.navd"), *two = temp_path("two.navd");
    outcome r = run_navctl("build", room(), "--sheets", "down,x-", "-o", two, "--json", NULL);
    json_t *report = report_of(&r), *sheets = json_object_get(report, "sheets");
    ck_assert_uint_eq(json_object_size(sheets), 2);
    ck_assert(json_object_get(sheets, "down") && json_object_get(sheets, "x-"));
    expect_about(json_number_value(json_object_get(report, "area_m2")), face_m2(1) + face_m2(3));
    json_decref(report);
    r = run_navctl("build", room(), "--sheets", "all", "-o", all, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("info", all, "--json", NULL);
    report = report_of(&r);
    sheets = json_object_get(report, "sheets");
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        expect_about(json_number_value(json_object_get(json_object_get(sheets, names[s]), "area_m2")), face_m2(s));
    json_decref(report);
}
END_TEST

// --- files

typedef struct obj_file {
    double at[4096][3];
    int tris[8192][3];
    int verts, tri_count, objects;
} obj_file;

static void read_obj(const char *path, obj_file *o)
{
    size_t count;
    char *text = (char *)read_file(path, &count), *line, *rest = text;
    text = realloc(text, count + 1);
    ck_assert_ptr_nonnull(text);
    text[count] = '\0';
    rest = text;
    *o = (obj_file){0};
    while ((line = strtok_r(rest, "\n", &rest))) {
        double *p = o->at[o->verts];
        int *t = o->tris[o->tri_count];
        if (sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3) o->verts++;
        if (sscanf(line, "f %d %d %d", &t[0], &t[1], &t[2]) == 3) o->tri_count++;
        o->objects += line[0] == 'o';
        ck_assert_int_lt(o->verts, 4096);
        ck_assert_int_lt(o->tri_count, 8192);
    }
    free(text);
}

// Of the triangle: how much it looks at the room's middle, and its area.
static double looks_inwards(const obj_file *o, const int t[3], double *area)
{
    const double *a = o->at[t[0] - 1], *b = o->at[t[1] - 1], *c = o->at[t[2] - 1];
    double n[3], in = 0, length = 0;
    for (int k = 0; k < 3; k++) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        n[k] = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
        in += n[k] * (MIDDLE[k] - a[k]);
        length += n[k] * n[k];
    }
    *area = sqrt(length) / 2;
    return in;
}

START_TEST(an_obj_holds_all_triangles_and_they_face_the_agent)
{
    static obj_file o;
    const char *obj = temp_path("mesh.obj"), *mesh = temp_path("mesh.navd");
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", obj, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room(), "--sheets", "all", "-o", mesh, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("info", mesh, "--json", NULL);
    json_t *info = report_of(&r);
    read_obj(obj, &o);
    ck_assert_int_eq(o.objects, NAV_SHEET_COUNT);
    ck_assert_int_eq(o.tri_count, count_of(info, "triangles"));
    double sum = 0, wanted = 0;
    for (int i = 0; i < o.tri_count; i++) {
        double area;
        for (int c = 0; c < 3; c++) ck_assert(o.tris[i][c] >= 1 && o.tris[i][c] <= o.verts);
        ck_assert_double_gt(looks_inwards(&o, o.tris[i], &area), 0);
        sum += area;
    }
    for (int s = 0; s < NAV_SHEET_COUNT; s++) wanted += face_m2(s);
    expect_about(sum, wanted);
    for (int i = 0; i < o.verts; i++) { // on a face: at its height, and within it by the radius
        int on = 0, within = 0;
        for (int k = 0; k < 3; k++) {
            const double off = fabs(o.at[i][k] - MIDDLE[k]);
            on += fabs(off - HALF[k]) < 0.01;
            within += off < HALF[k] - 0.6 + 0.02;
        }
        ck_assert_msg(on == 1 && within == 2, "%g %g %g", o.at[i][0], o.at[i][1], o.at[i][2]);
    }
    json_decref(info);
}
END_TEST

// A floor's mesh is an OBJ too, whatever made it.
START_TEST(floors_alone_are_an_obj_by_either_generator)
{
    static obj_file o;
    static const char *const generators[] = {"voxel", "surface"};
    for (int i = 0; i < 2; i++) {
        const char *obj = temp_path("floor.obj");
        outcome r = run_navctl("build", yard(), "--generator", generators[i], "-o", obj, NULL);
        EXPECT_CODE(r, 0);
        read_obj(obj, &o);
        ck_assert_int_gt(o.tri_count, 4);
        for (int t = 0; t < o.tri_count; t++) {
            const double *a = o.at[o.tris[t][0] - 1], *b = o.at[o.tris[t][1] - 1], *c = o.at[o.tris[t][2] - 1];
            ck_assert_double_gt((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]), 0);
        }
    }
}
END_TEST

typedef struct glb_file {
    json_t *document;
    uint8_t *bytes, *block;
    size_t block_bytes;
} glb_file;

static glb_file open_glb(const char *path)
{
    glb_file g = {0};
    size_t count;
    g.bytes = read_file(path, &count);
    ck_assert_uint_gt(count, 28);
    ck_assert_uint_eq(nav_load_u32(g.bytes), 0x46546C67);
    ck_assert_uint_eq(nav_load_u32(g.bytes + 4), 2);
    ck_assert_uint_eq(nav_load_u32(g.bytes + 8), count);
    const size_t json_bytes = nav_load_u32(g.bytes + 12);
    ck_assert_uint_eq(nav_load_u32(g.bytes + 16), 0x4E4F534A);
    ck_assert_uint_eq(json_bytes % 4, 0);
    ck_assert_uint_lt(28 + json_bytes, count);
    g.document = parse((const char *)g.bytes + 20, json_bytes);
    g.block_bytes = nav_load_u32(g.bytes + 20 + json_bytes);
    ck_assert_uint_eq(nav_load_u32(g.bytes + 24 + json_bytes), 0x004E4942);
    ck_assert_uint_eq(28 + json_bytes + g.block_bytes, count);
    g.block = g.bytes + 28 + json_bytes;
    return g;
}

// The bytes of an accessor, checked; size: of one of its items.
static const uint8_t *bytes_of(const glb_file *g, int64_t accessor, int type, size_t size, int64_t *count)
{
    const json_t *a = json_array_get(json_object_get(g->document, "accessors"), (size_t)accessor);
    const json_t *v = json_array_get(json_object_get(g->document, "bufferViews"), (size_t)count_of(a, "bufferView"));
    *count = count_of(a, "count");
    ck_assert_int_eq(count_of(a, "componentType"), type);
    ck_assert_int_eq(count_of(v, "byteLength"), *count * (int64_t)size);
    ck_assert_int_eq(count_of(v, "byteOffset") % 4, 0);
    ck_assert_int_le(count_of(v, "byteOffset") + count_of(v, "byteLength"), (int64_t)g->block_bytes);
    return g->block + count_of(v, "byteOffset");
}

static void check_bounds(const glb_file *g, int64_t accessor, const uint8_t *places, int64_t count)
{
    const json_t *a = json_array_get(json_object_get(g->document, "accessors"), (size_t)accessor);
    for (size_t k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            const double at = (double)nav_load_f32(places + 12 * i + 4 * k);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        ck_assert_double_eq_tol(json_number_value(json_array_get(json_object_get(a, "min"), k)), low, 1e-6);
        ck_assert_double_eq_tol(json_number_value(json_array_get(json_object_get(a, "max"), k)), high, 1e-6);
    }
}

START_TEST(a_glb_has_a_mesh_for_each_sheet)
{
    static const double up[NAV_SHEET_COUNT][3] = {{0, 1, 0}, {0, -1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
    const char *path = temp_path("mesh.glb"), *obj = temp_path("same.obj");
    static obj_file o;
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", path, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room(), "--sheets", "all", "-o", obj, NULL);
    EXPECT_CODE(r, 0);
    read_obj(obj, &o);
    const glb_file g = open_glb(path);
    const json_t *meshes = json_object_get(g.document, "meshes"), *nodes = json_object_get(g.document, "nodes");
    ck_assert_uint_eq(json_array_size(meshes), NAV_SHEET_COUNT);
    ck_assert_uint_eq(json_array_size(nodes), NAV_SHEET_COUNT);
    ck_assert_uint_eq(json_array_size(json_object_get(g.document, "materials")), NAV_SHEET_COUNT);
    int64_t tris = 0;
    for (size_t s = 0; s < NAV_SHEET_COUNT; s++) {
        const json_t *mesh = json_array_get(meshes, s);
        ck_assert_str_eq(json_string_value(json_object_get(mesh, "name")), names[s]);
        ck_assert_int_eq(count_of(json_array_get(nodes, s), "mesh"), (int64_t)s);
        const json_t *primitive = json_array_get(json_object_get(mesh, "primitives"), 0);
        const json_t *attributes = json_object_get(primitive, "attributes");
        int64_t count, normal_count, index_count;
        const uint8_t *places = bytes_of(&g, count_of(attributes, "POSITION"), 5126, 12, &count);
        const uint8_t *normals = bytes_of(&g, count_of(attributes, "NORMAL"), 5126, 12, &normal_count);
        const uint8_t *indices = bytes_of(&g, count_of(primitive, "indices"), 5125, 4, &index_count);
        ck_assert_int_eq(count, normal_count);
        ck_assert_int_eq(index_count % 3, 0);
        check_bounds(&g, count_of(attributes, "POSITION"), places, count);
        for (int64_t i = 0; i < index_count; i++) ck_assert_int_lt(nav_load_u32(indices + 4 * i), count);
        for (int64_t i = 0; i < count; i++)
            for (int k = 0; k < 3; k++)
                ck_assert_double_eq_tol((double)nav_load_f32(normals + 12 * i + 4 * k), up[s][k], 1e-4);
        tris += index_count / 3;
    }
    ck_assert_int_eq(tris, o.tri_count);
    json_decref(g.document);
    free(g.bytes);
}
END_TEST

START_TEST(a_glb_of_nothing_is_a_scene_without_meshes)
{
    const char *path = temp_path("none.glb"), *thin = temp_path("thin.obj");
    write_text(thin, "v 0 0 0\nv 0.5 0 0\nv 0 0 0.5\nf 1 3 2\n"); // narrower than the agent
    outcome r = run_navctl("build", thin, "--sheets", "up", "--generator", "surface", "-o", path, NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(path, &count);
    ck_assert_uint_eq(nav_load_u32(bytes + 8), count);
    ck_assert_uint_eq(20 + nav_load_u32(bytes + 12), count);
    json_t *document = parse((const char *)bytes + 20, count - 20);
    ck_assert_ptr_null(json_object_get(document, "meshes"));
    ck_assert_uint_eq(json_array_size(json_object_get(document, "scenes")), 1);
    json_decref(document);
    free(bytes);
}
END_TEST

START_TEST(a_navd_file_tells_tiles_apart_by_sheet)
{
    char mesh[400], tile[400], again[400], why[256];
    snprintf(mesh, sizeof mesh, "%s", temp_path("apart.navd"));
    snprintf(tile, sizeof tile, "%s", temp_path("one.tile"));
    snprintf(again, sizeof again, "%s", temp_path("again.tile"));
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", mesh, NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(mesh, &count);
    nav_tile_file_view v;
    ck_assert_msg(nav_tile_file_open(bytes, count, &v, why, sizeof why) == NAV_OK, "%s", why);
    nav_tile_file_tile t = {0}, same = {0};
    bool twice = false; // two sheets have a tile of the same place
    for (uint32_t i = 0; i < v.tile_count; i++) {
        nav_tile_view view;
        nav_tile_file_get(&v, i, &t);
        ck_assert_int_eq(nav_tile_open(t.bytes, t.size, &view, why, sizeof why), NAV_OK);
        ck_assert_int_eq(view.sheet, t.sheet);
        for (uint32_t k = 0; k < i; k++) {
            nav_tile_file_get(&v, k, &same);
            twice |= same.x == t.x && same.z == t.z;
            ck_assert(same.x != t.x || same.z != t.z || same.sheet != t.sheet);
            ck_assert(same.sheet <= t.sheet);
        }
        // The tile alone: from the file, and of the scene.
        char x[16], z[16];
        snprintf(x, sizeof x, "%d", t.x);
        snprintf(z, sizeof z, "%d", t.z);
        r = run_navctl("tile", mesh, x, z, "--sheet", names[t.sheet], "-o", tile, NULL);
        EXPECT_CODE(r, 0);
        r = run_navctl("tile", room(), x, z, "--sheets", "all", "--sheet", names[t.sheet], "-o", again, NULL);
        EXPECT_CODE(r, 0);
        size_t sizes[2];
        uint8_t *one = read_file(tile, &sizes[0]), *other = read_file(again, &sizes[1]);
        ck_assert(sizes[0] == t.size && !memcmp(one, t.bytes, t.size));
        ck_assert(sizes[1] == t.size && !memcmp(other, t.bytes, t.size));
        free(one);
        free(other);
    }
    ck_assert(twice);
    free(bytes);
}
END_TEST

// A record that names another sheet than its tile.
START_TEST(a_navd_file_whose_records_lie_about_sheets_is_refused)
{
    const char *mesh = temp_path("lie.navd");
    char why[256];
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", mesh, NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(mesh, &count);
    nav_tile_file_view v;
    bytes[32 + 8 + 3]++; // the highest byte of the first record's profile
    ck_assert_int_eq(nav_tile_file_open(bytes, count, &v, why, sizeof why), NAV_ERR_FORMAT);
    write_file(mesh, bytes, count);
    r = run_navctl("info", mesh, NULL);
    ck_assert_int_eq(r.code, 4);
    free(bytes);
}
END_TEST

static void check_side(const json_t *sheets, const json_t *side, double ends[2][3])
{
    const char *name = json_string_value(json_object_get(side, "sheet"));
    bool known = false;
    size_t i;
    const json_t *sheet;
    json_array_foreach(sheets, i, sheet)
    {
        if (strcmp(name, json_string_value(json_object_get(sheet, "sheet"))) != 0) continue;
        known = true;
        ck_assert_int_lt(count_of(side, "polygon"), count_of(sheet, "polygons"));
    }
    ck_assert_msg(known, "%s is no sheet of the table", name);
    for (size_t k = 0; k < 3; k++) {
        ends[0][k] = json_number_value(json_array_get(json_object_get(side, "from_m"), k));
        ends[1][k] = json_number_value(json_array_get(json_object_get(side, "to_m"), k));
    }
}

static double apart(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

START_TEST(detour_has_a_file_for_each_sheet_and_a_table_of_seams)
{
    const char *path = temp_path("level.bin");
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", path, "--json", NULL);
    json_t *report = report_of(&r);
    ck_assert(!file_exists(path));
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        char name[32];
        snprintf(name, sizeof name, "level.%s.bin", names[s]);
        r = run_navctl("info", temp_path(name), "--json", NULL);
        json_t *info = report_of(&r);
        expect_about(json_number_value(json_object_get(info, "area_m2")), face_m2(s));
        json_decref(info);
    }
    size_t count;
    uint8_t *bytes = read_file(temp_path("level.seams.json"), &count);
    json_t *table = parse((char *)bytes, count), *sheets = json_object_get(table, "sheets");
    const json_t *seam, *seams = json_object_get(table, "seams");
    ck_assert_uint_eq(json_array_size(sheets), NAV_SHEET_COUNT);
    ck_assert_int_eq((int64_t)json_array_size(seams), count_of(report, "seams"));
    double length = 0;
    size_t i;
    json_array_foreach(seams, i, seam)
    {
        double ends[2][2][3];
        const json_t *sides = json_object_get(seam, "sides");
        for (size_t k = 0; k < 2; k++) check_side(sheets, json_array_get(sides, k), ends[k]);
        // All of a room's seams are inner edges: the radius from the edge on both sides, over its corner the root of 2.
        ck_assert_double_eq_tol(json_number_value(json_object_get(seam, "turn_deg")), 90, 0.5);
        ck_assert_double_eq_tol(apart(ends[0][0], ends[1][1]), 0.6 * sqrt(2), 0.03);
        ck_assert_double_eq_tol(apart(ends[0][1], ends[1][0]), 0.6 * sqrt(2), 0.03);
        ck_assert_double_eq_tol(json_number_value(json_object_get(seam, "crossing_m")), 0.6 * sqrt(2), 0.03);
        length += json_number_value(json_object_get(seam, "length_m"));
    }
    ck_assert_double_eq_tol(length, 4 * (2 * (HALF[0] + HALF[1] + HALF[2]) - 3 * 1.2), 0.5); // the room's twelve edges
    json_decref(table);
    json_decref(report);
    free(bytes);
}
END_TEST

START_TEST(frames_of_the_table_are_turned_and_lead_up)
{
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", temp_path("turned.bin"), NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(temp_path("turned.seams.json"), &count);
    json_t *table = parse((char *)bytes, count), *sheets = json_object_get(table, "sheets");
    for (size_t s = 0; s < NAV_SHEET_COUNT; s++) {
        const json_t *rows = json_object_get(json_array_get(sheets, s), "to_world");
        double m[3][3], up[3] = {0, 1, 0};
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++) m[a][b] = json_number_value(json_array_get(json_array_get(rows, a), b));
        const double volume = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                              m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                              m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        ck_assert_double_eq(volume, 1); // not mirrored
        nav_sheet_to_world((nav_sheet)s, up, up);
        for (int a = 0; a < 3; a++) ck_assert_double_eq(m[a][1], up[a]);
    }
    json_decref(table);
    free(bytes);
}
END_TEST

// --- pictures and graphs

static void expect_same(const char *a, const char *b, bool same)
{
    size_t n, m;
    uint8_t *x = read_file(a, &n), *y = read_file(b, &m);
    ck_assert_msg((n == m && !memcmp(x, y, n)) == same, "%s and %s are %s", a, b, same ? "different" : "equal");
    free(x);
    free(y);
}

START_TEST(pictures_show_walls_in_perspective)
{
    const char *mesh = temp_path("seen.navd"), *one = temp_path("one.png"), *two = temp_path("two.png"),
               *svg = temp_path("seen.svg");
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", mesh, "--picture", one, "--picture-size", "300",
                           "--threads", "1", NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room(), "--sheets", "all", "--picture", two, "--picture-size", "300", "--threads", "3",
                   NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, true);
    r = run_navctl("build", room(), "--sheets", "all", "-o", temp_path("seen.bin"), "--picture", two, "--picture-size",
                   "300", NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, true);
    r = run_navctl("build", room(), "--sheets", "all", "--picture", two, "--picture-size", "300", "--look-from",
                   "-1,0.5,0.2", NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, false);
    r = run_navctl("render", mesh, "-o", two, "--size", "300", NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, false); // no geometry around it
    r = run_navctl("render", mesh, "-o", svg, "--look-from", "0,1,0", NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(svg, &count);
    ck_assert(count > 1000 && !memcmp(bytes, "<?xml", 5));
    free(bytes);
    // Floors may be looked at in perspective, too.
    r = run_navctl("build", yard(), "--picture", two, "--view", "perspective", "--picture-size", "300", NULL);
    EXPECT_CODE(r, 0);
}
END_TEST

START_TEST(the_graph_joins_sheets_by_seams)
{
    const char *mesh = temp_path("graph.navd"), *path = temp_path("graph.json"), *bin = temp_path("graph.bin");
    outcome r = run_navctl("build", room(), "--sheets", "all", "-o", mesh, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room(), "--sheets", "all", "-o", bin, "--json", NULL);
    json_t *report = report_of(&r);
    r = run_navctl("graph", mesh, "-o", path, NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(path, &count);
    json_t *graph = parse((char *)bytes, count), *nodes = json_object_get(graph, "nodes");
    const json_t *edge, *edges = json_object_get(graph, "edges");
    int64_t seams = 0;
    size_t i;
    ck_assert_int_eq((int64_t)json_array_size(nodes), count_of(report, "cells"));
    json_array_foreach(edges, i, edge)
    {
        const json_t *from = json_array_get(nodes, (size_t)count_of(edge, "source"));
        const json_t *to = json_array_get(nodes, (size_t)count_of(edge, "target"));
        const bool is_seam = !strcmp(json_string_value(json_object_get(edge, "kind")), "seam");
        const bool one_sheet =
            !strcmp(json_string_value(json_object_get(from, "sheet")), json_string_value(json_object_get(to, "sheet")));
        ck_assert(is_seam != one_sheet);
        seams += is_seam;
    }
    ck_assert_int_eq(seams, count_of(report, "seams"));
    json_decref(graph);
    json_decref(report);
    free(bytes);
}
END_TEST

// --- options

START_TEST(floors_alone_are_as_without_the_option)
{
    const char *one = temp_path("plain.navd"), *two = temp_path("up.navd");
    outcome r = run_navctl("build", yard(), "-o", one, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", yard(), "--sheets", "up", "--generator", "voxel", "-o", two, NULL);
    EXPECT_CODE(r, 0);
    expect_same(one, two, true);
}
END_TEST

START_TEST(what_does_not_hold_the_agent_is_a_floor_at_most)
{
    outcome r = run_navctl("build", room(), "--sheets", "all", "--grip-areas", "none", "--json", NULL);
    json_t *report = report_of(&r), *sheets = json_object_get(report, "sheets");
    for (int s = 0; s < NAV_SHEET_COUNT; s++)
        ck_assert((count_of(json_object_get(sheets, names[s]), "cells") > 0) == (s == 0));
    json_decref(report);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    static const char *const cases[][8] = {
        {"--sheets sideways: expected all", "--sheets", "sideways"},
        {"--sheets up,: expected all, or some of up,down,x+,x-,z+,z-", "--sheets", "up,"},
        {"--generator voxel makes floors alone", "--sheets", "up,x+", "--generator", "voxel"},
        {"--grip-areas 64: expected none, or areas from 1 to 63", "--sheets", "all", "--grip-areas", "64"},
        {"--seam-smooth is 90", "--sheets", "all", "--seam-smooth", "90"},
        {"--seam-inner is 151", "--sheets", "all", "--seam-inner", "151"},
        {"--seam-outer is -1", "--sheets", "all", "--seam-outer", "-1"},
        {"--sheets: seeds and the least area of islands", "--sheets", "all", "--seed", "0,0,0"},
        {"--look-from 0,0,0: is no direction", "--sheets", "all", "--look-from", "0,0,0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *c = cases[i];
        outcome r = run_navctl("build", room(), c[1], c[2], c[3], c[4], c[5], c[6], NULL);
        expect_error(&r, 2, c[0]);
    }
    outcome r =
        run_navctl("build", room(), "--sheets", "all", "--picture", temp_path("x.png"), "--show", "cells", NULL);
    expect_error(&r, 2, "--show: parts are drawn from above");
    r = run_navctl("build", room(), "--sheets", "all", "--picture", temp_path("x.png"), "--view", "top", NULL);
    expect_error(&r, 2, "--view: walls and ceilings are not seen from the top");
    r = run_navctl("build", room(), "--sheets", "all", "--picture", temp_path("x.png"), "--slice", "0,3", NULL);
    expect_error(&r, 2, "--slice: is for pictures from the top");
    r = run_navctl("build", room(), "--sheets", "all", "-o", temp_path("x.stl"), NULL);
    expect_error(&r, 2, "the name must end in .bin (Detour), .navd, .obj or .glb");
    r = run_navctl("tile", room(), "0", "0", "--sheets", "up,x+", "--sheet", "down", NULL);
    expect_error(&r, 1, "the agent does not stand on sheet down");
    ck_assert(!file_exists(temp_path("x.png")));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("navctl_sheets");
    TCase *files = tcase_create("files"), *rest = tcase_create("rest");
    tcase_add_test(files, figures_are_told_for_each_sheet_and_in_sum);
    tcase_add_test(files, some_sheets_are_those_of_all);
    tcase_add_test(files, an_obj_holds_all_triangles_and_they_face_the_agent);
    tcase_add_test(files, floors_alone_are_an_obj_by_either_generator);
    tcase_add_test(files, a_glb_has_a_mesh_for_each_sheet);
    tcase_add_test(files, a_glb_of_nothing_is_a_scene_without_meshes);
    tcase_add_test(files, a_navd_file_tells_tiles_apart_by_sheet);
    tcase_add_test(files, a_navd_file_whose_records_lie_about_sheets_is_refused);
    tcase_add_test(files, detour_has_a_file_for_each_sheet_and_a_table_of_seams);
    tcase_add_test(files, frames_of_the_table_are_turned_and_lead_up);
    tcase_add_test(rest, pictures_show_walls_in_perspective);
    tcase_add_test(rest, the_graph_joins_sheets_by_seams);
    tcase_add_test(rest, floors_alone_are_as_without_the_option);
    tcase_add_test(rest, what_does_not_hold_the_agent_is_a_floor_at_most);
    tcase_add_test(rest, what_does_not_fit_is_refused);
    suite_add_tcase(s, files);
    suite_add_tcase(s, rest);
    return run_suite_in_folder(s);
}
