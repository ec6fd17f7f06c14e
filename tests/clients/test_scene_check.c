// Scene files that are whole, and wrong: each is refused with what is wrong and where, and nothing is read that is not
// the file's.
#include "clients/navctl/scene/scene.h"
#include "clients/navctl/scene/scene_check.h"
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Assimp itself leaks where it refuses a file that passed our checks.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libassimp\n";
}

static void expect_read(const char *path, uint64_t triangles)
{
    scene s;
    char why[512] = "";
    ck_assert_msg(scene_read(path, &s, why, sizeof why), "%s: %s", path, why);
    ck_assert_uint_eq(s.tri_count, triangles);
    scene_deinit(&s);
}

// Expects a refusal whose sentence holds `part`.
static void expect_refused(const char *path, const char *part)
{
    scene s;
    char why[512] = "";
    ck_assert_msg(!scene_read(path, &s, why, sizeof why), "%s was read", path);
    ck_assert_msg(strstr(why, part) != NULL, "%s: \"%s\" says nothing of \"%s\"", path, why, part);
}

static void expect_text_refused(const char *name, const char *text, const char *part)
{
    write_text(temp_path(name), text);
    expect_refused(temp_path(name), part);
}

// ---- PLY

#define PLY_HEADER(format, list)                                                                                       \
    "ply\nformat " format " 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"             \
    "element face 2\nproperty list " list " vertex_indices\nend_header\n"
#define PLY_TEXT PLY_HEADER("ascii", "uchar int") "0 0 0\n9 0 0\n9 0 9\n0 0 9\n"

START_TEST(a_ply_face_names_only_vertices_that_exist)
{
    write_text(temp_path("good.ply"), PLY_TEXT "3 0 2 1\n3 0 3 2\n");
    expect_read(temp_path("good.ply"), 2);
    expect_text_refused("a.ply", PLY_TEXT "3 0 2 1\n3 0 4 2\n", "face 2 of 2 names vertex 4, but the file has 4");
    expect_text_refused("a.ply", PLY_TEXT "3 0 2 99999999\n3 0 3 2\n", "face 1 of 2 names vertex 99999999");
    expect_text_refused("a.ply", PLY_TEXT "3 0 2 -1\n3 0 3 2\n", "face 1 of 2 names vertex -1");
    expect_text_refused("a.ply", PLY_TEXT "4 0 1 2 4\n3 0 3 2\n", "face 1 of 2 names vertex 4");
    expect_text_refused("a.ply", PLY_TEXT "4 0 2 1\n3 0 3 2\n", "face 1 of 2 is cut short");
    expect_text_refused("a.ply", PLY_TEXT "4000000000 0 2 1\n3 0 3 2\n", "face 1 of 2 is cut short");
    expect_text_refused("a.ply", PLY_TEXT "0\n3 0 3 2\n", "has no corners");
}
END_TEST

START_TEST(a_binary_ply_face_names_only_vertices_that_exist)
{
    static const struct {
        const char *format, *list;
        bool is_big_endian;
        const char *names; // of the third index, all of whose bytes are 0xFF
    } kinds[] = {{"binary_little_endian", "uchar int", false, "face 1 of 1 names vertex -1,"},
                 {"binary_big_endian", "uchar int", true, "face 1 of 1 names vertex -1,"},
                 {"binary_little_endian", "uchar uint", false, "face 1 of 1 names vertex 4294967295,"}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        uint8_t file[512] = {0};
        int n = snprintf((char *)file, sizeof file,
                         "ply\nformat %s 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
                         "element face 1\nproperty list %s vertex_indices\nend_header\n",
                         kinds[i].format, kinds[i].list);
        uint8_t *face = file + n + 4 * 12;
        face[0] = 3;
        face[1 + (kinds[i].is_big_endian ? 3 : 0)] = 1;
        memset(face + 9, 0xFF, 4);
        write_file(temp_path("b.ply"), file, (size_t)(face + 13 - file));
        expect_refused(temp_path("b.ply"), kinds[i].names);
    }
}
END_TEST

START_TEST(numbers_with_a_comma_are_refused_where_they_stand)
{
    expect_text_refused("comma.obj", "v 0 0 0\nv 0,5 0 0\nv 1 0 1\nf 1 2 3\n", "line 2: '0,5' is not a number");
    expect_text_refused("hex.obj", "v 0 0 0\nv 0x10 0 0\nv 1 0 1\nf 1 2 3\n", "line 2: '0x10' is not a number");
    expect_text_refused("comma.ply",
                        PLY_HEADER("ascii", "uchar int") "0 0 0\n9 0 0\n9 0,5 9\n0 0 9\n3 0 2 1\n3 0 3 2\n",
                        "vertex 3 of 4: '0,5' is not a number");
    expect_text_refused("comma.stl",
                        "solid a\nfacet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 0,5 0 0\nvertex 1 0 1\n"
                        "endloop\nendfacet\nendsolid a\n",
                        "line 5: '0,5' is not a number");
}
END_TEST

START_TEST(numbers_are_read_in_every_usual_form)
{
    static const char *const good[] = {"0", "-1", "+2.5", "3.", ".5", "1e5", "1.5E-3", "nan", "-inf", "Infinity"};
    static const char *const bad[] = {"", "-", ".", "1,5", "1e", "1e+", "0x1", "1.2.3", "1f", "e5", "1.#QNAN"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ck_assert_msg(scene_is_number((const uint8_t *)good[i], strlen(good[i])), "\"%s\" is refused", good[i]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(!scene_is_number((const uint8_t *)bad[i], strlen(bad[i])), "\"%s\" is a number", bad[i]);
    }
}
END_TEST

START_TEST(an_obj_face_counts_back_no_further_than_to_the_first_vertex)
{
    expect_text_refused("back.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nf -1 -2 -4\n", "line 4: the face names vertex -4");
    expect_text_refused("zero.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 0 1 2\n", "line 4: the face names vertex 0");
    expect_text_refused("huge.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nf 1 2 99999999999999999999\n", "line 4: corner 3");
    // counted from where the face stands, not from the end
    expect_text_refused("early.obj", "v 0 0 0\nv 1 0 0\nf -1 -2 -3\nv 1 0 1\n", "line 3: the face names vertex -3");
}
END_TEST

START_TEST(an_stl_that_promises_more_or_fewer_triangles_is_no_surprise)
{
    uint8_t file[84 + 50] = {0};
    write_file(temp_path("one.stl"), file, sizeof file);
    nav_store_u32(file + 80, 2);
    write_file(temp_path("two.stl"), file, sizeof file);
    expect_refused(temp_path("two.stl"), "its header promises 2 triangles (184 bytes), it has 134 bytes");
    nav_store_u32(file + 80, 85899346); // times 50, plus 84: 134 modulo 2^32
    write_file(temp_path("wrap.stl"), file, sizeof file);
    expect_refused(temp_path("wrap.stl"), "its header promises 85899346 triangles");
    expect_text_refused(
        "text.stl",
        "solid a\nfacet normal 0 1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid a\n", "");
}
END_TEST

// ---- glTF: four vertices (0 0 0, 9 0 0, 9 0 9, 0 0 9), then six indices of 16 bits.

typedef struct gltf_parts {
    const char *asset, *nodes, *primitive, *accessors, *views, *buffer, *more;
} gltf_parts;

#define NODES "[{\"mesh\":0}]"
#define PRIMITIVE "{\"attributes\":{\"POSITION\":0},\"indices\":1}"
#define POSITIONS                                                                                                      \
    "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[9,0,9]}"
#define INDICES "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}"
#define VIEWS "[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12}]"

static const gltf_parts good_gltf = {.asset = "{\"version\":\"2.0\"}",
                                     .nodes = NODES,
                                     .primitive = PRIMITIVE,
                                     .accessors = "[" POSITIONS "," INDICES "]",
                                     .views = VIEWS,
                                     .buffer = "{\"byteLength\":60,\"uri\":\"square.bin\"}",
                                     .more = ""};

static const uint8_t square[60] = {0, 0, 0, 0, 0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0x10, 0x41, 0, 0, 0, 0,
                                   0, 0, 0, 0, 0, 0, 0x10, 0x41, 0, 0, 0, 0, 0, 0, 0x10, 0x41, 0, 0, 0, 0,
                                   0, 0, 0, 0, 0, 0, 0x10, 0x41, 0, 0, 2, 0, 1, 0, 0,    0,    3, 0, 2, 0};

static char *gltf_text(const gltf_parts *g)
{
    char *text = NULL;
    ck_assert_int_gt(
        asprintf(&text,
                 "{\"asset\":%s,\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":%s,"
                 "\"meshes\":[{\"primitives\":[%s]}],\"accessors\":%s,\"bufferViews\":%s,\"buffers\":[%s]%s}",
                 g->asset, g->nodes, g->primitive, g->accessors, g->views, g->buffer, g->more),
        0);
    return text;
}

static void write_gltf(const gltf_parts *g)
{
    char *text = gltf_text(g);
    write_file(temp_path("square.bin"), square, sizeof square);
    write_text(temp_path("a.gltf"), text);
    free(text);
}

static void expect_gltf_refused(const gltf_parts *g, const char *part)
{
    write_gltf(g);
    expect_refused(temp_path("a.gltf"), part);
}

#define EXPECT_GLTF_REFUSED(member, value, part)                                                                       \
    do {                                                                                                               \
        gltf_parts changed = good_gltf;                                                                                \
        changed.member = value;                                                                                        \
        expect_gltf_refused(&changed, part);                                                                           \
    } while (0)

START_TEST(a_gltf_face_names_only_vertices_that_exist)
{
    write_gltf(&good_gltf);
    expect_read(temp_path("a.gltf"), 2);
    uint8_t bytes[60];
    memcpy(bytes, square, sizeof bytes);
    bytes[48 + 2 * 4] = 4;
    write_file(temp_path("square.bin"), bytes, sizeof bytes);
    expect_refused(temp_path("a.gltf"), "mesh 0, primitive 0: face 1 names vertex 4, but it has 4 vertices");
    EXPECT_GLTF_REFUSED(accessors,
                        "[" POSITIONS ",{\"bufferView\":1,\"componentType\":5123,\"count\":5,\"type\":\"SCALAR\"}]",
                        "its last triangle has 2 of 3 corners");
    EXPECT_GLTF_REFUSED(accessors,
                        "[" POSITIONS ",{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"}]",
                        "accessor 1) are not unsigned whole numbers");
    EXPECT_GLTF_REFUSED(primitive, "{\"attributes\":{\"POSITION\":0},\"indices\":7}",
                        "indices is 7, but the file has 2 accessors");
    gltf_parts fan = good_gltf;
    fan.primitive = "{\"attributes\":{\"POSITION\":0},\"mode\":6}";
    fan.accessors = "[{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}]";
    expect_gltf_refused(&fan, "a strip or fan of 1 corners; 3 is the least");
}
END_TEST

START_TEST(a_gltf_keeps_to_its_buffers)
{
    EXPECT_GLTF_REFUSED(buffer, "{\"byteLength\":61,\"uri\":\"square.bin\"}",
                        "buffer 0 is cut short: byteLength is 61");
    EXPECT_GLTF_REFUSED(buffer, "{\"byteLength\":60,\"uri\":\"absent.bin\"}", "absent.bin: No such file");
    EXPECT_GLTF_REFUSED(buffer, "{\"byteLength\":60}", "buffer 0 names no file");
    EXPECT_GLTF_REFUSED(buffer, "{\"byteLength\":3,\"uri\":\"data:;base64,AA*A\"}", "character 3 of its data");
    EXPECT_GLTF_REFUSED(buffer, "{\"byteLength\":-5,\"uri\":\"square.bin\"}", "byteLength is -5");
    EXPECT_GLTF_REFUSED(views, "[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":49,\"byteLength\":12}]",
                        "bufferView 1 ends at byte 61, buffer 0 has 60");
    EXPECT_GLTF_REFUSED(views, "[{\"buffer\":0,\"byteLength\":48},{\"buffer\":3,\"byteLength\":12}]",
                        "buffer is 3, but the file has 1 buffers");
    EXPECT_GLTF_REFUSED(views, "[{\"buffer\":0,\"byteLength\":48,\"byteStride\":4},{\"buffer\":0,\"byteLength\":12}]",
                        "byteStride 4 is less than the 12 bytes");
    EXPECT_GLTF_REFUSED(views, "[{\"buffer\":0,\"byteLength\":48,\"byteStride\":16},{\"buffer\":0,\"byteLength\":12}]",
                        "accessor 0 ends at byte 60, bufferView 0 has 48");
    EXPECT_GLTF_REFUSED(
        accessors, "[{\"bufferView\":0,\"componentType\":5126,\"count\":2147483647,\"type\":\"VEC3\"}," INDICES "]",
        "accessor 0 ends at byte 25769803764");
    EXPECT_GLTF_REFUSED(
        accessors, "[{\"bufferView\":0,\"componentType\":5126,\"count\":4294967300,\"type\":\"VEC3\"}," INDICES "]",
        "count is 4294967300");
    EXPECT_GLTF_REFUSED(accessors, "[{\"componentType\":5126,\"count\":2000000000,\"type\":\"VEC3\"}," INDICES "]",
                        "claims 2000000000 elements without a bufferView");
    EXPECT_GLTF_REFUSED(
        accessors,
        "[{\"bufferView\":0,\"byteOffset\":4,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}," INDICES "]",
        "accessor 0 ends at byte 52");
    EXPECT_GLTF_REFUSED(accessors,
                        "[{\"bufferView\":0,\"componentType\":5122,\"count\":4,\"type\":\"VEC3\"}," INDICES "]",
                        "navctl does not read quantized meshes");
    EXPECT_GLTF_REFUSED(accessors, "[{\"bufferView\":0,\"componentType\":9,\"count\":4,\"type\":\"VEC3\"}," INDICES "]",
                        "componentType 9 does not exist");
}
END_TEST

START_TEST(sparse_accessors_keep_to_their_elements)
{
#define SPARSE(count, offset)                                                                                          \
    "[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":" count             \
    ",\"indices\":{\"bufferView\":1,\"byteOffset\":" offset                                                            \
    ",\"componentType\":5123},\"values\":{\"bufferView\":0}}}," INDICES "]"
    gltf_parts g = good_gltf;
    g.accessors = SPARSE("1", "0"); // index 0 of the square's own
    write_gltf(&g);
    expect_read(temp_path("a.gltf"), 2);
    EXPECT_GLTF_REFUSED(accessors, SPARSE("5", "0"), "its sparse part has count 5 of 4");
    EXPECT_GLTF_REFUSED(accessors, SPARSE("2", "10"), "accessor 0 ends at byte 14, bufferView 1 has 12");
    EXPECT_GLTF_REFUSED(
        accessors,
        "[{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\",\"sparse\":{\"count\":2,"
        "\"indices\":{\"bufferView\":1,\"componentType\":5123},\"values\":{\"bufferView\":0}}}," INDICES "]",
        "sparse index 1 is 2, but the accessor has 2 elements");
    EXPECT_GLTF_REFUSED(
        accessors,
        "[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":1}}," INDICES
        "]",
        "its sparse part lacks indices or values");
}
END_TEST

// Nodes 0 to count - 1, each the parent of the next; the last shows the mesh. closed: and of the first.
static char *chain_of_nodes(int count, bool closed)
{
    size_t room = (size_t)count * 32 + 64, n = 0;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    n += (size_t)snprintf(text + n, room - n, "[");
    for (int i = 0; i + 1 < count; i++) n += (size_t)snprintf(text + n, room - n, "{\"children\":[%d]},", i + 1);
    snprintf(text + n, room - n, closed ? "{\"mesh\":0,\"children\":[0]}]" : "{\"mesh\":0}]");
    return text;
}

START_TEST(nodes_of_a_gltf_are_a_tree_of_bounded_depth)
{
    static const struct {
        int count;
        bool closed;
        const char *part; // NULL: is read
    } chains[] = {{SCENE_MAX_DEPTH, false, NULL},
                  {SCENE_MAX_DEPTH + 1, false, "is below more than 255 others"},
                  {20000, false, "is below more than 255 others"},
                  {3, true, "or below itself"},
                  {1, true, "or below itself"}};
    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        char *nodes = chain_of_nodes(chains[i].count, chains[i].closed);
        gltf_parts g = good_gltf;
        g.nodes = nodes;
        write_gltf(&g);
        if (chains[i].part) {
            expect_refused(temp_path("a.gltf"), chains[i].part);
        } else {
            expect_read(temp_path("a.gltf"), 2);
        }
        free(nodes);
    }
    EXPECT_GLTF_REFUSED(nodes, "[{\"children\":[2]},{\"children\":[2]},{\"mesh\":0}]",
                        "node 2 is a child of node 0 and of node 1");
    EXPECT_GLTF_REFUSED(nodes, "[{\"children\":[5]},{\"mesh\":0}]", "node 0: child 0 is not one of the 2 nodes");
    EXPECT_GLTF_REFUSED(nodes, "[{\"mesh\":1}]", "mesh is 1, but the file has 1 meshes");
}
END_TEST

START_TEST(json_that_nests_without_end_or_names_a_key_twice_is_refused)
{
    enum { DEEP = 100000 };
    char *deep = malloc(2 * DEEP + 16);
    ck_assert_ptr_nonnull(deep);
    size_t n = (size_t)snprintf(deep, 16, ",\"extras\":");
    memset(deep + n, '[', DEEP);
    memset(deep + n + DEEP, ']', DEEP);
    deep[n + 2 * DEEP] = '\0';
    EXPECT_GLTF_REFUSED(more, deep, "depth");
    free(deep);
    EXPECT_GLTF_REFUSED(more, ",\"nodes\":[]", "duplicate object key");
    EXPECT_GLTF_REFUSED(asset, "{\"version\":\"1.0\"}", "glTF version 1.0; navctl reads version 2");
    EXPECT_GLTF_REFUSED(more, ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]",
                        "does not read KHR_draco_mesh_compression");
}
END_TEST

START_TEST(a_glb_is_checked_as_a_gltf_is)
{
    uint8_t file[2048] = "glTF";
    gltf_parts g = good_gltf;
    g.buffer = "{\"byteLength\":60}";
    char *text = gltf_text(&g);
    size_t length = (strlen(text) + 3) / 4 * 4;
    uint8_t *bin = file + 20 + length;
    nav_store_u32(file + 4, 2);
    nav_store_u32(file + 8, (uint32_t)(20 + length + 8 + sizeof square));
    nav_store_u32(file + 12, (uint32_t)length);
    nav_store_u32(file + 16, 0x4E4F534A);
    memset(file + 20, ' ', length);
    memcpy(file + 20, text, strlen(text));
    nav_store_u32(bin, sizeof square);
    nav_store_u32(bin + 4, 0x004E4942);
    memcpy(bin + 8, square, sizeof square);
    size_t count = (size_t)(bin + 8 + sizeof square - file);
    free(text);
    write_file(temp_path("a.glb"), file, count);
    expect_read(temp_path("a.glb"), 2);
    bin[8 + 48] = 200;
    write_file(temp_path("a.glb"), file, count);
    expect_refused(temp_path("a.glb"), "face 0 names vertex 200");
    nav_store_u32(file + 8, (uint32_t)(20 + length)); // without its second chunk
    write_file(temp_path("a.glb"), file, 20 + length);
    expect_refused(temp_path("a.glb"), "buffer 0 names no file");
    nav_store_u32(file + 16, 0x004E4942);
    write_file(temp_path("a.glb"), file, 20 + length);
    expect_refused(temp_path("a.glb"), "its first chunk is not JSON");
}
END_TEST

// ---- FBX

#define FBX_HEAD "; FBX 7.4.0 project file\nFBXHeaderExtension: {\n FBXVersion: 7400\n}\n"

START_TEST(objects_of_an_fbx_are_connected_to_a_bounded_depth)
{
    enum { MODELS = 20000 };
    size_t room = MODELS * 64 + 256, n = 0;
    char *text = malloc(room);
    ck_assert_ptr_nonnull(text);
    n += (size_t)snprintf(text + n, room - n, FBX_HEAD "Connections: {\n");
    for (int i = 0; i < MODELS; i++) n += (size_t)snprintf(text + n, room - n, "\tC: \"OO\",%d,%d\n", i + 1, i);
    snprintf(text + n, room - n, "}\n");
    expect_text_refused("deep.fbx", text, "is connected below more than 256 others");
    free(text);
    expect_text_refused("circle.fbx", FBX_HEAD "Connections: {\n C: \"OO\",7,8\n C: \"OO\", 8, 7\n}\n",
                        "or below itself");
}
END_TEST

START_TEST(blocks_of_an_fbx_nest_to_a_bounded_depth)
{
    enum { DEEP = 20000 };
    char *text = malloc(4 * DEEP + 256);
    ck_assert_ptr_nonnull(text);
    size_t n = (size_t)sprintf(text, FBX_HEAD);
    for (int i = 0; i < DEEP; i++) n += (size_t)sprintf(text + n, "A:{");
    memset(text + n, '}', DEEP);
    text[n + DEEP] = '\0';
    expect_text_refused("nested.fbx", text, "line 5: blocks within blocks, deeper than 256");
    free(text);
}
END_TEST

// A binary FBX: one record of a name, one property and, below it, `depth` records of nothing.
static size_t write_binary_fbx(uint8_t *out, const char *name, const uint8_t *property, size_t property_count,
                               int depth)
{
    memcpy(out, "Kaydara FBX Binary  \0\x1a", 23);
    nav_store_u32(out + 23, 7400);
    size_t body = 27 + 13 + strlen(name) + property_count, end = body + 13 * (size_t)depth;
    memset(out + 27, 0, end + 13 - 27);
    nav_store_u32(out + 27, (uint32_t)end);
    nav_store_u32(out + 31, property_count > 0);
    nav_store_u32(out + 35, (uint32_t)property_count);
    out[39] = (uint8_t)strlen(name);
    memcpy(out + 40, name, strlen(name));
    memcpy(out + 40 + strlen(name), property, property_count);
    for (int i = 0; i < depth; i++) nav_store_u32(out + body + 13 * (size_t)i, (uint32_t)end);
    return end + 13;
}

START_TEST(arrays_and_records_of_a_binary_fbx_are_as_long_as_they_say)
{
    static uint8_t file[1 << 20];
    uint8_t array[13 + 16] = {'d'};
    nav_store_u32(array + 1, 2);
    nav_store_u32(array + 9, 16);
    size_t count = write_binary_fbx(file, "Vertices", array, sizeof array, 0);
    scene_file mapped = {.path = "a.fbx", .bytes = file, .count = count};
    char why[256] = "";
    ck_assert_msg(scene_check(SCENE_FBX, &mapped, why, sizeof why), "%s", why);

    nav_store_u32(array + 1, 1); // room for 8 bytes, 16 follow
    write_file(temp_path("a.fbx"), file, write_binary_fbx(file, "Vertices", array, sizeof array, 0));
    expect_refused(temp_path("a.fbx"), "the record at byte 27 is damaged");
    nav_store_u32(array + 1, 0x20000002); // times 8: 16 modulo 2^32
    write_file(temp_path("a.fbx"), file, write_binary_fbx(file, "Vertices", array, sizeof array, 0));
    expect_refused(temp_path("a.fbx"), "the record at byte 27 is damaged");
    nav_store_u32(array + 1, 0x1FFFFFFF);
    nav_store_u32(array + 5, 1); // compressed, to more than 16 bytes can hold
    write_file(temp_path("a.fbx"), file, write_binary_fbx(file, "Vertices", array, sizeof array, 0));
    expect_refused(temp_path("a.fbx"), "the record at byte 27 is damaged");

    count = write_binary_fbx(file, "Deep", array, 0, SCENE_MAX_DEPTH);
    mapped.count = count;
    ck_assert_msg(scene_check(SCENE_FBX, &mapped, why, sizeof why), "%s", why);
    write_file(temp_path("a.fbx"), file, write_binary_fbx(file, "Deep", array, 0, 20000));
    expect_refused(temp_path("a.fbx"), "records within records, deeper than 256");
}
END_TEST

// ---- All

START_TEST(navctl_leaves_with_4_and_names_file_and_face)
{
    write_text(temp_path("a.ply"), PLY_TEXT "3 0 2 1\n3 0 4 2\n");
    outcome r = run_navctl("build", temp_path("a.ply"), "-o", temp_path("a.bin"), NULL);
    ck_assert_int_eq(r.code, 4);
    ck_assert_ptr_nonnull(strstr(r.err, "a.ply: face 2 of 2 names vertex 4"));
    ck_assert(!file_exists(temp_path("a.bin")));
}
END_TEST

// Many damaged files of each kind: every one is read or refused. What dies by a signal fails the test.
START_TEST(damaged_files_are_read_or_refused)
{
    static const char *const kinds[][2] = {{"plyb", "m.ply"}, {"ply", "m.ply"},  {"stlb", "m.stl"}, {"stl", "m.stl"},
                                           {"glb2", "m.glb"}, {"fbxa", "m.fbx"}, {"obj", "m.obj"}};
    const char *source = temp_path("source.obj"), *whole = temp_path(kinds[_i][1]);
    char damaged[64];
    snprintf(damaged, sizeof damaged, "damaged%s", strchr(kinds[_i][1], '.'));
    write_text(source, YARD_OBJ);
    const struct aiScene *yard = aiImportFile(source, 0);
    ck_assert_ptr_nonnull(yard);
    ck_assert_int_eq(aiExportScene(yard, kinds[_i][0], whole, 0), aiReturn_SUCCESS);
    aiReleaseImport(yard);
    size_t count;
    uint8_t *bytes = read_file(whole, &count), *copy = malloc(count);
    ck_assert_ptr_nonnull(copy);
    uint32_t random = 1;
    for (int round = 0; round < 150; round++) {
        static const uint8_t values[] = {0, 0xFF, 0x7F, 0x80, '-', '9', ',', '}', '\n'};
        memcpy(copy, bytes, count);
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            copy[(random >> 8) % count] = values[(random >> 3) % sizeof values];
        }
        write_file(temp_path(damaged), copy, count);
        scene s;
        char why[512] = "";
        if (scene_read(temp_path(damaged), &s, why, sizeof why)) {
            scene_deinit(&s);
        } else {
            ck_assert_str_ne(why, "");
        }
    }
    free(bytes);
    free(copy);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("scene_check");
    TCase *t = tcase_create("scene_check");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_ply_face_names_only_vertices_that_exist);
    tcase_add_test(t, a_binary_ply_face_names_only_vertices_that_exist);
    tcase_add_test(t, numbers_with_a_comma_are_refused_where_they_stand);
    tcase_add_test(t, numbers_are_read_in_every_usual_form);
    tcase_add_test(t, an_obj_face_counts_back_no_further_than_to_the_first_vertex);
    tcase_add_test(t, an_stl_that_promises_more_or_fewer_triangles_is_no_surprise);
    tcase_add_test(t, a_gltf_face_names_only_vertices_that_exist);
    tcase_add_test(t, a_gltf_keeps_to_its_buffers);
    tcase_add_test(t, sparse_accessors_keep_to_their_elements);
    tcase_add_test(t, nodes_of_a_gltf_are_a_tree_of_bounded_depth);
    tcase_add_test(t, json_that_nests_without_end_or_names_a_key_twice_is_refused);
    tcase_add_test(t, a_glb_is_checked_as_a_gltf_is);
    tcase_add_test(t, objects_of_an_fbx_are_connected_to_a_bounded_depth);
    tcase_add_test(t, blocks_of_an_fbx_nest_to_a_bounded_depth);
    tcase_add_test(t, arrays_and_records_of_a_binary_fbx_are_as_long_as_they_say);
    tcase_add_test(t, navctl_leaves_with_4_and_names_file_and_face);
    tcase_add_loop_test(t, damaged_files_are_read_or_refused, 0, 7);
    return run_suite_in_folder(s);
}
