// glTF: a head, a document in JSON and a block of bytes that it describes: for each sheet positions, normals and
// indices, in this order.
#include "clients/navctl/tile_files/mesh_glb.h"

#include "clients/navctl/drawing/sheet_colours.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/tile_files/mesh_triangles.h"
#include "core/base/buffer.h"
#include "core/base/endian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GLB_MAGIC = 0x46546C67,
    CHUNK_JSON = 0x4E4F534A,
    CHUNK_BIN = 0x004E4942,
    HEAD_BYTES = 12,
    CHUNK_HEAD_BYTES = 8,
    VERTEX_BYTES = 12,
    FLOATS = 5126, // component types
    UINTS = 5125,
    VERTICES = 34962, // targets
    INDICES = 34963,
};

typedef struct sheet_part {
    nav_sheet sheet;
    uint32_t verts, tris;
    float min[3], max[3];
    size_t at; // in the block
} sheet_part;

typedef struct glb {
    sheet_part parts[NAV_SHEET_COUNT];
    uint32_t count;
    uint8_t *block;
    size_t bytes;
} glb;

static size_t part_bytes(const sheet_part *p)
{
    return 2 * (size_t)VERTEX_BYTES * p->verts + 3 * sizeof(uint32_t) * (size_t)p->tris;
}

static bool open_tile(const stored_tile *t, nav_tile_view *out)
{
    return nav_tile_open(t->bytes, t->size, out, NULL, 0) == NAV_OK;
}

// What each sheet has. NAV_ERR_LIMIT: a block that a file of 2^32 bytes cannot hold.
static nav_status measure(glb *g, const stored_tile *tiles, uint32_t count)
{
    uint64_t bytes = 0, verts[NAV_SHEET_COUNT] = {0}, tris[NAV_SHEET_COUNT] = {0};
    mesh_triangles m = {0};
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        nav_tile_view v;
        if (!open_tile(&tiles[i], &v)) continue; // cannot be: navd made it
        ok = mesh_triangles_take(&m, &v);
        verts[v.sheet] += m.place_count;
        tris[v.sheet] += m.tri_count;
    }
    mesh_triangles_deinit(&m);
    if (!ok) return NAV_ERR_MEMORY;
    for (int s = 0; s < NAV_SHEET_COUNT; s++) {
        if (!tris[s]) continue;
        sheet_part *p = &g->parts[g->count++];
        if (verts[s] > UINT32_MAX || tris[s] > UINT32_MAX) return NAV_ERR_LIMIT;
        *p = (sheet_part){.sheet = (nav_sheet)s,
                          .verts = (uint32_t)verts[s],
                          .tris = (uint32_t)tris[s],
                          .min = {INFINITY, INFINITY, INFINITY},
                          .max = {-INFINITY, -INFINITY, -INFINITY},
                          .at = bytes};
        bytes += part_bytes(p);
        if (bytes > UINT32_MAX / 2) return NAV_ERR_LIMIT;
    }
    g->bytes = bytes;
    return NAV_OK;
}

static void add_normal(float *normals, const float (*places)[3], const uint32_t t[3])
{
    const float *a = places[t[0]], *b = places[t[1]], *c = places[t[2]];
    float u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        for (int corner = 0; corner < 3; corner++) normals[3 * (size_t)t[corner] + k] += u[i] * v[j] - u[j] * v[i];
    }
}

// Of length 1. The sheet's axis where no triangle has an area.
static void finish_normal(nav_sheet sheet, float n[3])
{
    const double length = sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2]);
    double axis[3] = {0, 1, 0};
    nav_sheet_to_world(sheet, axis, axis);
    for (int k = 0; k < 3; k++) n[k] = (float)(length > 0 ? (double)n[k] / length : axis[k]);
}

static void store_floats(uint8_t *to, const float *from, size_t count)
{
    for (size_t i = 0; i < count; i++) nav_store_f32(to + 4 * i, from[i]);
}

// A sheet's tiles, one behind the other. False: no memory.
static bool fill(glb *g, sheet_part *p, const stored_tile *tiles, uint32_t count)
{
    float *places = malloc(p->verts * 3 * sizeof *places), *normals = calloc(p->verts, 3 * sizeof *normals);
    uint8_t *indices = g->block + p->at + 2 * (size_t)VERTEX_BYTES * p->verts;
    uint32_t verts = 0;
    mesh_triangles m = {0};
    bool ok = places && normals;
    for (uint32_t i = 0; i < count && ok; i++) {
        nav_tile_view v;
        if (!open_tile(&tiles[i], &v) || v.sheet != p->sheet) continue;
        ok = mesh_triangles_take(&m, &v);
        if (!ok) break;
        memcpy(places + 3 * (size_t)verts, m.places, m.place_count * sizeof *m.places);
        for (uint32_t k = 0; k < m.tri_count; k++, indices += 12) {
            add_normal(normals + 3 * (size_t)verts, (const float(*)[3])m.places, m.tris[k]);
            for (int c = 0; c < 3; c++) nav_store_u32(indices + 4 * (size_t)c, verts + m.tris[k][c]);
        }
        verts += m.place_count;
    }
    mesh_triangles_deinit(&m);
    for (uint32_t i = 0; i < verts && ok; i++) {
        const float *at = places + 3 * (size_t)i;
        finish_normal(p->sheet, normals + 3 * (size_t)i);
        for (int k = 0; k < 3; k++) {
            p->min[k] = fminf(p->min[k], at[k]);
            p->max[k] = fmaxf(p->max[k], at[k]);
        }
    }
    if (ok) {
        store_floats(g->block + p->at, places, 3 * (size_t)verts);
        store_floats(g->block + p->at + (size_t)VERTEX_BYTES * verts, normals, 3 * (size_t)verts);
    }
    free(places);
    free(normals);
    return ok;
}

// --- the document

static void accessor(json_writer *w, int view, int type, uint32_t count, const char *shape, const sheet_part *bounds)
{
    json_open(w, NULL, '{');
    json_int(w, "bufferView", view);
    json_int(w, "componentType", type);
    json_int(w, "count", count);
    json_text(w, "type", shape);
    if (bounds) {
        json_vec(w, "min", bounds->min, 3);
        json_vec(w, "max", bounds->max, 3);
    }
    json_close(w, '}');
}

static void buffer_view(json_writer *w, size_t at, size_t bytes, int target)
{
    json_open(w, NULL, '{');
    json_int(w, "buffer", 0);
    json_int(w, "byteOffset", (int64_t)at);
    json_int(w, "byteLength", (int64_t)bytes);
    json_int(w, "target", target);
    json_close(w, '}');
}

static void write_mesh(json_writer *w, const glb *g, uint32_t i)
{
    json_open(w, NULL, '{');
    json_text(w, "name", nav_sheet_name(g->parts[i].sheet));
    json_open(w, "primitives", '[');
    json_open(w, NULL, '{');
    json_open(w, "attributes", '{');
    json_int(w, "POSITION", 3 * (int64_t)i);
    json_int(w, "NORMAL", 3 * (int64_t)i + 1);
    json_close(w, '}');
    json_int(w, "indices", 3 * (int64_t)i + 2);
    json_int(w, "material", i);
    json_close(w, '}');
    json_close(w, ']');
    json_close(w, '}');
}

// What is shown on screens, as light: glTF's factors are linear.
static double linear(float shown)
{
    const double v = (double)shown;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void write_material(json_writer *w, nav_sheet sheet)
{
    json_open(w, NULL, '{');
    json_text(w, "name", nav_sheet_name(sheet));
    json_bool(w, "doubleSided", true);
    json_open(w, "pbrMetallicRoughness", '{');
    json_open(w, "baseColorFactor", '[');
    for (int k = 0; k < 3; k++) json_number(w, NULL, linear(SHEET_COLOURS[sheet][k]));
    json_int(w, NULL, 1);
    json_close(w, ']');
    json_number(w, "metallicFactor", 0);
    json_number(w, "roughnessFactor", 0.9);
    json_close(w, '}');
    json_close(w, '}');
}

// Each array is there only where it holds something, as glTF wants it.
static void write_document(const glb *g, FILE *out)
{
    json_writer w = {.out = out};
    json_open(&w, NULL, '{');
    json_open(&w, "asset", '{');
    json_text(&w, "version", "2.0");
    json_text(&w, "generator", "navctl build");
    json_close(&w, '}');
    json_int(&w, "scene", 0);
    json_open(&w, "scenes", '[');
    json_open(&w, NULL, '{');
    if (g->count) {
        json_open(&w, "nodes", '[');
        for (uint32_t i = 0; i < g->count; i++) json_int(&w, NULL, i);
        json_close(&w, ']');
    }
    json_close(&w, '}');
    json_close(&w, ']');
    if (g->count) {
        json_open(&w, "nodes", '[');
        for (uint32_t i = 0; i < g->count; i++) {
            json_open(&w, NULL, '{');
            json_text(&w, "name", nav_sheet_name(g->parts[i].sheet));
            json_int(&w, "mesh", i);
            json_close(&w, '}');
        }
        json_close(&w, ']');
        json_open(&w, "meshes", '[');
        for (uint32_t i = 0; i < g->count; i++) write_mesh(&w, g, i);
        json_close(&w, ']');
        json_open(&w, "materials", '[');
        for (uint32_t i = 0; i < g->count; i++) write_material(&w, g->parts[i].sheet);
        json_close(&w, ']');
        json_open(&w, "accessors", '[');
        for (uint32_t i = 0; i < g->count; i++) {
            const sheet_part *p = &g->parts[i];
            accessor(&w, 3 * (int)i, FLOATS, p->verts, "VEC3", p);
            accessor(&w, 3 * (int)i + 1, FLOATS, p->verts, "VEC3", NULL);
            accessor(&w, 3 * (int)i + 2, UINTS, 3 * p->tris, "SCALAR", NULL);
        }
        json_close(&w, ']');
        json_open(&w, "bufferViews", '[');
        for (uint32_t i = 0; i < g->count; i++) {
            const sheet_part *p = &g->parts[i];
            const size_t places = (size_t)VERTEX_BYTES * p->verts;
            buffer_view(&w, p->at, places, VERTICES);
            buffer_view(&w, p->at + places, places, VERTICES);
            buffer_view(&w, p->at + 2 * places, 12 * (size_t)p->tris, INDICES);
        }
        json_close(&w, ']');
        json_open(&w, "buffers", '[');
        json_open(&w, NULL, '{');
        json_int(&w, "byteLength", (int64_t)g->bytes);
        json_close(&w, '}');
        json_close(&w, ']');
    }
    json_close(&w, '}');
}

static bool put(output *o, const void *bytes, size_t count)
{
    return count == 0 || fwrite(bytes, 1, count, o->file) == count;
}

static bool put_words(output *o, const uint32_t *words, int count)
{
    uint8_t bytes[12];
    for (int i = 0; i < count; i++) nav_store_u32(bytes + 4 * (size_t)i, words[i]);
    return put(o, bytes, 4 * (size_t)count);
}

// The block is whole words already; the document is filled up with blanks.
static bool write_file(const char *path, const glb *g, const char *document, size_t length)
{
    output o;
    const size_t padded = (length + 3) & ~(size_t)3;
    const size_t total = HEAD_BYTES + CHUNK_HEAD_BYTES + padded + (g->bytes ? CHUNK_HEAD_BYTES + g->bytes : 0);
    if (!output_open(&o, path)) return false;
    bool ok = put_words(&o, (const uint32_t[]){GLB_MAGIC, 2, (uint32_t)total}, 3) &&
              put_words(&o, (const uint32_t[]){(uint32_t)padded, CHUNK_JSON}, 2) && put(&o, document, length) &&
              put(&o, "   ", padded - length);
    if (g->bytes)
        ok = ok && put_words(&o, (const uint32_t[]){(uint32_t)g->bytes, CHUNK_BIN}, 2) && put(&o, g->block, g->bytes);
    (void)ok; // what could not be written shows when it is committed
    return output_commit(&o);
}

bool mesh_glb_write(const char *path, const stored_tile *tiles, uint32_t count)
{
    glb g = {0};
    char *document = NULL;
    size_t length = 0;
    const nav_status s = measure(&g, tiles, count);
    if (s == NAV_ERR_LIMIT) {
        fprintf(stderr, "navctl: cannot write %s: more than a glTF file of 4 GiB can hold; write .obj instead\n", path);
        return false;
    }
    if (s == NAV_OK) g.block = malloc(g.bytes ? g.bytes : 1);
    bool ok = g.block != NULL;
    for (uint32_t i = 0; i < g.count && ok; i++) ok = fill(&g, &g.parts[i], tiles, count);
    FILE *out = ok ? open_memstream(&document, &length) : NULL;
    if (out) write_document(&g, out);
    ok = out && fclose(out) == 0;
    if (!ok) fprintf(stderr, "navctl: no memory left\n");
    ok = ok && write_file(path, &g, document, length);
    free(document);
    free(g.block);
    return ok;
}
