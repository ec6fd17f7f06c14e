// navctl with walls and ceilings: files of every kind.
#include "core/base/endian.h"
#include "core/tile/tile_format.h"
#include "navcore/tile_file.h"
#include "tests/check.h"
#include "tests/clients/sheets_room.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        in += n[k] * (ROOM_MIDDLE[k] - a[k]);
        length += n[k] * n[k];
    }
    *area = sqrt(length) / 2;
    return in;
}

START_TEST(an_obj_holds_all_triangles_and_they_face_the_agent)
{
    static obj_file o;
    const char *obj = temp_path("mesh.obj"), *mesh = temp_path("mesh.navd");
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", obj, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room_path(), "--sheets", "all", "-o", mesh, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("info", mesh, "--json", NULL);
    json_t *info = json_report(&r);
    read_obj(obj, &o);
    ck_assert_int_eq(o.objects, NAV_SHEET_COUNT);
    ck_assert_int_eq(o.tri_count, json_count(info, "triangles"));
    double sum = 0, wanted = 0;
    for (int i = 0; i < o.tri_count; i++) {
        double area;
        for (int c = 0; c < 3; c++) ck_assert(o.tris[i][c] >= 1 && o.tris[i][c] <= o.verts);
        ck_assert_double_gt(looks_inwards(&o, o.tris[i], &area), 0);
        sum += area;
    }
    for (int s = 0; s < NAV_SHEET_COUNT; s++) wanted += room_face_m2(s);
    expect_room_m2(sum, wanted);
    for (int i = 0; i < o.verts; i++) { // on a face: at its height, and within it by the radius
        int on = 0, within = 0;
        for (int k = 0; k < 3; k++) {
            const double off = fabs(o.at[i][k] - ROOM_MIDDLE[k]);
            on += fabs(off - ROOM_HALF[k]) < 0.01;
            within += off < ROOM_HALF[k] - 0.6 + 0.02;
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
    g.document = parse_json((const char *)g.bytes + 20, json_bytes);
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
    const json_t *v = json_array_get(json_object_get(g->document, "bufferViews"), (size_t)json_count(a, "bufferView"));
    *count = json_count(a, "count");
    ck_assert_int_eq(json_count(a, "componentType"), type);
    ck_assert_int_eq(json_count(v, "byteLength"), *count * (int64_t)size);
    ck_assert_int_eq(json_count(v, "byteOffset") % 4, 0);
    ck_assert_int_le(json_count(v, "byteOffset") + json_count(v, "byteLength"), (int64_t)g->block_bytes);
    return g->block + json_count(v, "byteOffset");
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
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", path, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", room_path(), "--sheets", "all", "-o", obj, NULL);
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
        ck_assert_str_eq(json_string_value(json_object_get(mesh, "name")), sheet_names[s]);
        ck_assert_int_eq(json_count(json_array_get(nodes, s), "mesh"), (int64_t)s);
        const json_t *primitive = json_array_get(json_object_get(mesh, "primitives"), 0);
        const json_t *attributes = json_object_get(primitive, "attributes");
        int64_t count, normal_count, index_count;
        const uint8_t *places = bytes_of(&g, json_count(attributes, "POSITION"), 5126, 12, &count);
        const uint8_t *normals = bytes_of(&g, json_count(attributes, "NORMAL"), 5126, 12, &normal_count);
        const uint8_t *indices = bytes_of(&g, json_count(primitive, "indices"), 5125, 4, &index_count);
        ck_assert_int_eq(count, normal_count);
        ck_assert_int_eq(index_count % 3, 0);
        check_bounds(&g, json_count(attributes, "POSITION"), places, count);
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
    json_t *document = parse_json((const char *)bytes + 20, count - 20);
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
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", mesh, NULL);
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
        r = run_navctl("tile", mesh, x, z, "--sheet", sheet_names[t.sheet], "-o", tile, NULL);
        EXPECT_CODE(r, 0);
        r = run_navctl("tile", room_path(), x, z, "--sheets", "all", "--sheet", sheet_names[t.sheet], "-o", again,
                       NULL);
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

// A record that sheet_names another sheet than its tile.
START_TEST(a_navd_file_whose_records_lie_about_sheets_is_refused)
{
    const char *mesh = temp_path("lie.navd");
    char why[256];
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", mesh, NULL);
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
        ck_assert_int_lt(json_count(side, "polygon"), json_count(sheet, "polygons"));
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
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", path, "--json", NULL);
    json_t *report = json_report(&r);
    ck_assert(!file_exists(path));
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        char name[32];
        snprintf(name, sizeof name, "level.%s.bin", sheet_names[s]);
        r = run_navctl("info", temp_path(name), "--json", NULL);
        json_t *info = json_report(&r);
        expect_room_m2(json_number_value(json_object_get(info, "area_m2")), room_face_m2(s));
        json_decref(info);
    }
    size_t count;
    uint8_t *bytes = read_file(temp_path("level.seams.json"), &count);
    json_t *table = parse_json((char *)bytes, count), *sheets = json_object_get(table, "sheets");
    const json_t *seam, *seams = json_object_get(table, "seams");
    ck_assert_uint_eq(json_array_size(sheets), NAV_SHEET_COUNT);
    ck_assert_int_eq((int64_t)json_array_size(seams), json_count(report, "seams"));
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
    ck_assert_double_eq_tol(length, 4 * (2 * (ROOM_HALF[0] + ROOM_HALF[1] + ROOM_HALF[2]) - 3 * 1.2),
                            0.5); // the room's twelve edges
    json_decref(table);
    json_decref(report);
    free(bytes);
}
END_TEST

START_TEST(frames_of_the_table_are_turned_and_lead_up)
{
    outcome r = run_navctl("build", room_path(), "--sheets", "all", "-o", temp_path("turned.bin"), NULL);
    EXPECT_CODE(r, 0);
    size_t count;
    uint8_t *bytes = read_file(temp_path("turned.seams.json"), &count);
    json_t *table = parse_json((char *)bytes, count), *sheets = json_object_get(table, "sheets");
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

int main(void)
{
    Suite *s = suite_create("navctl_sheet_files");
    TCase *t = tcase_create("files");
    tcase_add_test(t, an_obj_holds_all_triangles_and_they_face_the_agent);
    tcase_add_test(t, floors_alone_are_an_obj_by_either_generator);
    tcase_add_test(t, a_glb_has_a_mesh_for_each_sheet);
    tcase_add_test(t, a_glb_of_nothing_is_a_scene_without_meshes);
    tcase_add_test(t, a_navd_file_tells_tiles_apart_by_sheet);
    tcase_add_test(t, a_navd_file_whose_records_lie_about_sheets_is_refused);
    tcase_add_test(t, detour_has_a_file_for_each_sheet_and_a_table_of_seams);
    tcase_add_test(t, frames_of_the_table_are_turned_and_lead_up);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
