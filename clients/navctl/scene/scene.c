#include "clients/navctl/scene/scene.h"
#include "clients/navctl/scene/obj_read.h"
#include "clients/navctl/scene/plan_scene.h"
#include "clients/navctl/scene/points_read.h"
#include "clients/navctl/scene/scene_check.h"
#include "clients/navctl/scene/scene_join.h"
#include "clients/navctl/scene/weld.h"
#include "core/geometry/heights.h"
#include "navcore/settings.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct transform {
    double m[12]; // 3 rows of 4
} transform;

static transform transform_of(const struct aiMatrix4x4 *a)
{
    transform t = {{(double)a->a1, (double)a->a2, (double)a->a3, (double)a->a4, (double)a->b1, (double)a->b2,
                    (double)a->b3, (double)a->b4, (double)a->c1, (double)a->c2, (double)a->c3, (double)a->c4}};
    return t;
}

static transform transform_join(const transform *outer, const transform *inner)
{
    transform r;
    for (int row = 0; row < 3; row++) {
        const double *o = outer->m + 4 * row;
        for (int column = 0; column < 4; column++) {
            r.m[4 * row + column] = o[0] * inner->m[column] + o[1] * inner->m[4 + column] +
                                    o[2] * inner->m[8 + column] + (column == 3 ? o[3] : 0);
        }
    }
    return r;
}

// A number that an FBX file's header gave, or the fallback.
static int header_number(const struct aiScene *source, const char *key, int fallback)
{
    const struct aiMetadata *facts = source->mMetaData;
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++) {
        if (!strcmp(facts->mKeys[i].data, key) && facts->mValues[i].mType == AI_INT32) {
            return (int)*(const int32_t *)facts->mValues[i].mData;
        }
    }
    return fallback;
}

// Metres per unit: an FBX file's header counts in centimetres.
static double header_unit(const struct aiScene *source)
{
    const struct aiMetadata *facts = source->mMetaData;
    double unit_cm = 0;
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++) {
        if (strcmp(facts->mKeys[i].data, "UnitScaleFactor") != 0) continue;
        if (facts->mValues[i].mType == AI_FLOAT) unit_cm = (double)*(const float *)facts->mValues[i].mData;
        if (facts->mValues[i].mType == AI_DOUBLE) unit_cm = *(const double *)facts->mValues[i].mData;
        return unit_cm > 0 ? unit_cm / 100 : 0.01;
    }
    return 1;
}

// The importers are trusted with no index: one that is out of range would be read from memory that is not theirs.
static bool check_faces(const struct aiScene *source, char *why, size_t why_bytes)
{
    for (unsigned m = 0; m < source->mNumMeshes; m++) {
        const struct aiMesh *mesh = source->mMeshes[m];
        for (unsigned f = 0; f < mesh->mNumFaces; f++) {
            const struct aiFace *face = &mesh->mFaces[f];
            if (face->mNumIndices == 0) { // Assimp aborts at it
                snprintf(why, why_bytes, "face %u of mesh %u (%.64s) has no corners", f, m, mesh->mName.data);
                return false;
            }
            for (unsigned k = 0; k < face->mNumIndices; k++) {
                if (face->mIndices[k] < mesh->mNumVertices) continue;
                snprintf(why, why_bytes, "face %u of mesh %u (%.64s) names vertex %u, but it has %u vertices", f, m,
                         mesh->mName.data, face->mIndices[k], mesh->mNumVertices);
                return false;
            }
        }
    }
    return true;
}

// FBX says which of its axes points right, up and to the viewer, and Assimp leaves it at that; it also says its unit,
// which the global scale takes.
static scene_frame frame_of(const struct aiScene *source)
{
    static const char *const keys[3][2] = {
        {"CoordAxis", "CoordAxisSign"}, {"UpAxis", "UpAxisSign"}, {"FrontAxis", "FrontAxisSign"}};
    scene_frame f = {.unit_m = header_unit(source)};
    int seen = 0;
    for (int row = 0; row < 3; row++) {
        int axis = header_number(source, keys[row][0], row), sign = header_number(source, keys[row][1], 1);
        if (axis < 0 || axis > 2) axis = row;
        seen |= 1 << axis;
        f.axes[3 * row + axis] = sign < 0 ? -1 : 1;
    }
    if (seen == 7) return f;
    static const int8_t identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}; // an axis named twice: the header makes no sense
    memcpy(f.axes, identity, sizeof identity);
    return f;
}

static transform axes_of(const scene_frame *f)
{
    transform t = {{0}};
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) t.m[4 * row + column] = f->axes[3 * row + column];
    return t;
}

// What is being put together while Assimp's nodes are walked. Room for every node is made first.
typedef struct reader {
    const struct aiScene *source;
    scene *out;
    const struct aiNode **mesh_nodes; // the node that showed the mesh first, per mesh of `out`
    uint32_t *mesh_next;              // 1 + the next mesh of `out` with the same first mesh of `source`; 0: none
    uint32_t *mesh_heads;             // 1 + the first such mesh of `out`, per mesh of `source`
    bool no_memory;
} reader;

static uint32_t count_nodes(const struct aiNode *node)
{
    uint32_t count = 1;
    for (unsigned i = 0; i < node->mNumChildren; i++) count += count_nodes(node->mChildren[i]);
    return count;
}

static bool make_room(reader *r)
{
    size_t nodes = count_nodes(r->source->mRootNode);
    r->mesh_nodes = calloc(nodes, sizeof *r->mesh_nodes);
    r->mesh_next = calloc(nodes, sizeof *r->mesh_next);
    r->mesh_heads = calloc((size_t)r->source->mNumMeshes + 1, sizeof *r->mesh_heads);
    r->out->meshes = calloc(nodes, sizeof *r->out->meshes);
    r->out->instances = calloc(nodes, sizeof *r->out->instances);
    return r->mesh_nodes && r->mesh_next && r->mesh_heads && r->out->meshes && r->out->instances;
}

static bool same_meshes(const struct aiNode *a, const struct aiNode *b)
{
    return a->mNumMeshes == b->mNumMeshes && !memcmp(a->mMeshes, b->mMeshes, a->mNumMeshes * sizeof *a->mMeshes);
}

// The triangles of all of the node's meshes, in one.
static bool gather_mesh(const struct aiScene *source, const struct aiNode *node, scene_mesh *out)
{
    weld w = {0};
    uint64_t tri_count = 0;
    for (unsigned i = 0; i < node->mNumMeshes; i++) tri_count += source->mMeshes[node->mMeshes[i]]->mNumFaces;
    *out = (scene_mesh){0};
    if (tri_count < UINT32_MAX / 4) {
        out->tris = malloc(sizeof *out->tris * 3 * (tri_count + 1));
        out->tri_materials = malloc(sizeof *out->tri_materials * (tri_count + 1));
    }
    bool ok = out->tris && out->tri_materials;
    for (unsigned i = 0; i < node->mNumMeshes && ok; i++) {
        const struct aiMesh *mesh = source->mMeshes[node->mMeshes[i]];
        for (unsigned f = 0; f < mesh->mNumFaces && ok; f++) {
            const struct aiFace *face = &mesh->mFaces[f];
            if (face->mNumIndices != 3) continue; // points and lines
            out->tri_materials[out->tri_count] = mesh->mMaterialIndex;
            uint32_t *tri = out->tris + 3 * (size_t)out->tri_count++;
            for (int k = 0; k < 3 && ok; k++) {
                const struct aiVector3D *v = &mesh->mVertices[face->mIndices[k]];
                const float position[3] = {v->x, v->y, v->z};
                tri[k] = weld_add(&w, position);
                ok = tri[k] != UINT32_MAX;
            }
        }
    }
    out->vert_count = w.count;
    if (ok) out->verts = weld_finish(&w);
    weld_deinit(&w);
    if (!ok || out->tri_count == 0) {
        free(out->tris);
        free(out->tri_materials);
        free(out->verts);
        *out = (scene_mesh){0};
    }
    return ok;
}

// 1 + the mesh of `out` that shows what the node shows; 0 where there are only points and lines, or no memory.
static uint32_t find_or_gather_mesh(reader *r, const struct aiNode *node)
{
    uint32_t *head = &r->mesh_heads[node->mMeshes[0]];
    for (uint32_t m = *head; m; m = r->mesh_next[m - 1]) {
        if (same_meshes(r->mesh_nodes[m - 1], node)) return m;
    }
    uint32_t mesh = r->out->mesh_count;
    r->no_memory = !gather_mesh(r->source, node, &r->out->meshes[mesh]);
    if (r->out->meshes[mesh].tri_count == 0) return 0;
    r->mesh_nodes[mesh] = node;
    r->mesh_next[mesh] = *head;
    *head = ++r->out->mesh_count;
    return *head;
}

static void add_instance(reader *r, const struct aiNode *node, const transform *world)
{
    uint32_t mesh = find_or_gather_mesh(r, node);
    if (mesh == 0) return;
    scene_instance *instance = &r->out->instances[r->out->instance_count];
    *instance = (scene_instance){
        .name = strdup(node->mName.length ? node->mName.data : "object"), .mesh = mesh - 1, .area = NAV_AREA_DEFAULT};
    for (int i = 0; i < 12; i++) instance->transform[i] = (float)world->m[i];
    r->no_memory = !instance->name;
    r->out->instance_count += instance->name != NULL;
}

// Parents before children, so the order is that of the file. scene_check() bounds the depth.
static void walk(reader *r, const struct aiNode *node, const transform *parent)
{
    transform own = transform_of(&node->mTransformation), world = transform_join(parent, &own);
    if (node->mNumMeshes > 0) add_instance(r, node, &world);
    for (unsigned i = 0; i < node->mNumChildren && !r->no_memory; i++) walk(r, node->mChildren[i], &world);
}

static double sample_of(const nav_heights_spec *h, size_t i)
{
    return h->format == NAV_HEIGHTS_16 ? (double)((const uint16_t *)h->samples)[i]
                                       : (double)((const float *)h->samples)[i];
}

static bool heights_triangle(const nav_heights_spec *h, uint32_t tri, float out[9])
{
    const uint32_t cell = tri / 2, c = cell % (h->columns - 1), r = cell / (h->columns - 1);
    const int32_t column = h->first_column + (int32_t)c, row = h->first_row + (int32_t)r;
    float x[2], y[4], z[2], both[18];
    if (h->areas && h->areas[cell] == NAV_AREA_HOLE) return false;
    for (int k = 0; k < 2; k++) {
        x[k] = (float)((column + k) * h->spacing_m);
        z[k] = (float)((row + k) * h->spacing_m);
    }
    for (uint32_t k = 0; k < 4; k++)
        y[k] = (float)(h->offset_m + h->scale_m * sample_of(h, (size_t)(r + (k >> 1)) * h->columns + c + (k & 1)));
    nav_height_triangles(nav_height_is_forward(h->diagonal, column, row, y[0], y[1], y[2], y[3]), x, y, z, both);
    memcpy(out, both + 9 * (size_t)(tri & 1), 9 * sizeof *out);
    return true;
}

bool scene_mesh_triangle(const scene_mesh *m, uint32_t tri, float out[9])
{
    if (m->heights) return heights_triangle(m->heights, tri, out);
    for (size_t k = 0; k < 3; k++)
        memcpy(out + 3 * k, m->verts + 3 * (size_t)m->tris[3 * (size_t)tri + k], 3 * sizeof *out);
    return true;
}

// By the corners of its box.
static void measure_heights(scene *s, const nav_heights_spec *h, const float t[12])
{
    const size_t count = (size_t)h->columns * h->rows;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double v = sample_of(h, i);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    const double x[2] = {h->first_column * h->spacing_m, (h->first_column + (double)h->columns - 1) * h->spacing_m};
    const double z[2] = {h->first_row * h->spacing_m, (h->first_row + (double)h->rows - 1) * h->spacing_m};
    const double y[2] = {h->offset_m + h->scale_m * low, h->offset_m + h->scale_m * high};
    for (int c = 0; c < 8; c++)
        for (int k = 0; k < 3; k++) {
            const float *row = t + 4 * (size_t)k;
            float at = (float)((double)row[0] * x[c & 1] + (double)row[1] * y[c >> 1 & 1] + (double)row[2] * z[c >> 2] +
                               (double)row[3]);
            if (at < s->min[k]) s->min[k] = at;
            if (at > s->max[k]) s->max[k] = at;
        }
}

void scene_measure(scene *s)
{
    s->tri_count = 0;
    for (int k = 0; k < 3; k++) {
        s->min[k] = INFINITY;
        s->max[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        const scene_mesh *mesh = &s->meshes[s->instances[i].mesh];
        const float *t = s->instances[i].transform;
        s->tri_count += mesh->tri_count;
        if (mesh->heights) measure_heights(s, mesh->heights, t);
        for (uint32_t v = 0; v < mesh->vert_count; v++) {
            const float *p = mesh->verts + 3 * (size_t)v;
            for (int k = 0; k < 3; k++) {
                float x = t[4 * k] * p[0] + t[4 * k + 1] * p[1] + t[4 * k + 2] * p[2] + t[4 * k + 3];
                if (x < s->min[k]) s->min[k] = x; // a NaN is never smaller
                if (x > s->max[k]) s->max[k] = x;
            }
        }
    }
}

// Names for the triangles' material numbers, in Assimp's order.
static bool name_materials(reader *r)
{
    scene *out = r->out;
    out->materials = calloc((size_t)r->source->mNumMaterials + 1, sizeof *out->materials);
    for (unsigned i = 0; out->materials && i < r->source->mNumMaterials; i++) {
        struct aiString name;
        bool named = aiGetMaterialString(r->source->mMaterials[i], AI_MATKEY_NAME, &name) == aiReturn_SUCCESS;
        out->materials[i] = strdup(named ? name.data : "");
        if (!out->materials[i]) return false;
        out->material_count++;
    }
    return out->materials != NULL;
}

// Assimp maps or reads the file once more on its own.
static bool read_with_assimp(const char *path, scene *out, char *why, size_t why_bytes)
{
    bool ok = false;
    reader r = {.out = out};
    struct aiPropertyStore *settings = aiCreatePropertyStore();
    if (settings) {
        r.source = aiImportFileExWithProperties(path, 0, NULL, settings);
    }
    // Before Assimp works on the faces itself.
    if (r.source && r.source->mRootNode && !check_faces(r.source, why, why_bytes)) goto done;
    // The global scale turns the units that a file names into metres (FBX counts in centimetres).
    if (r.source) r.source = aiApplyPostProcessing(r.source, aiProcess_Triangulate | aiProcess_GlobalScale);
    if (!r.source || !r.source->mRootNode) {
        const char *words = aiGetErrorString();
        snprintf(why, why_bytes, "%s", words && *words ? words : "not a scene file, or damaged");
        goto done;
    }
    r.no_memory = !make_room(&r) || !name_materials(&r);
    out->frame = frame_of(r.source);
    transform axes = axes_of(&out->frame);
    if (!r.no_memory) walk(&r, r.source->mRootNode, &axes);
    ok = !r.no_memory;
    if (!ok) snprintf(why, why_bytes, "no memory left");
done:
    if (r.source) aiReleaseImport(r.source);
    if (settings) aiReleasePropertyStore(settings);
    free(r.mesh_nodes);
    free(r.mesh_next);
    free(r.mesh_heads);
    malloc_trim(0); // Assimp's many small blocks go back to the system before generation begins
    return ok;
}

static bool read_obj(const scene_file *file, const nav_parallel *parallel, scene *out, char *why, size_t why_bytes)
{
    obj_parts parts;
    if (!obj_parts_check(file, parallel, &parts, why, why_bytes)) return false;
    obj_result result = obj_read(&parts, parallel, out);
    obj_parts_deinit(&parts);
    if (result == OBJ_NO_MEMORY) snprintf(why, why_bytes, "no memory left");
    return result == OBJ_ODD ? read_with_assimp(file->path, out, why, why_bytes) : result == OBJ_READ;
}

static bool read_file(const char *path, const scene_hints *hints, const nav_parallel *parallel, scene *out, char *why,
                      size_t why_bytes)
{
    scene_file file;
    if (!scene_file_open(path, &file, why, why_bytes)) return false;
    scene_format format = scene_format_of(path);
    bool ok = scene_check(format, &file, why, why_bytes);
    if (ok && format == SCENE_OBJ)
        ok = read_obj(&file, parallel, out, why, why_bytes);
    else if (ok && format == SCENE_POINTS)
        ok = points_read(&file, hints->up, out, why, why_bytes);
    else if (ok && format >= SCENE_GEOJSON)
        ok = plan_scene_read((plan_format)(format - SCENE_GEOJSON), &file, hints->unit_m, out, why, why_bytes);
    else if (ok)
        ok = read_with_assimp(path, out, why, why_bytes);
    scene_file_close(&file);
    return ok;
}

static bool is_finite(const scene *s)
{
    for (int k = 0; k < 3; k++)
        if (!(s->min[k] <= s->max[k] && isfinite(s->max[k] - s->min[k]))) return false;
    return true;
}

bool scene_read_in_parallel(const char *path, const scene_hints *hints, const nav_parallel *parallel, scene *out,
                            char *why, size_t why_bytes)
{
    static const scene_hints none = {1, 1};
    *out = (scene){.frame = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .unit_m = 1}};
    bool ok = read_file(path, hints ? hints : &none, parallel, out, why, why_bytes);
    if (ok && !scene_make_names_unique(out)) {
        snprintf(why, why_bytes, "no memory left");
        ok = false;
    }
    if (ok) scene_measure(out);
    if (ok && (out->tri_count == 0 || !is_finite(out))) {
        snprintf(why, why_bytes, out->tri_count ? "its vertices are not finite numbers" : "it holds no triangles");
        ok = false;
    }
    if (!ok) scene_deinit(out);
    return ok;
}

bool scene_read(const char *path, scene *out, char *why, size_t why_bytes)
{
    return scene_read_in_parallel(path, NULL, NULL, out, why, why_bytes);
}

void scene_deinit(scene *s)
{
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        free(s->meshes[i].verts);
        free(s->meshes[i].tris);
        free(s->meshes[i].areas);
        free(s->meshes[i].tri_materials);
        if (!s->meshes[i].heights) continue;
        free((void *)(uintptr_t)s->meshes[i].heights->samples);
        free((void *)(uintptr_t)s->meshes[i].heights->areas);
        free(s->meshes[i].heights);
    }
    for (uint32_t i = 0; i < s->instance_count; i++) free(s->instances[i].name);
    for (uint32_t i = 0; i < s->material_count; i++) free(s->materials[i]);
    free(s->materials);
    free(s->meshes);
    free(s->instances);
    free(s->volumes);
    free(s->links);
    *s = (scene){0};
}
