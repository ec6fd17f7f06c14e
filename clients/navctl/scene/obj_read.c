// Four steps, each on all threads: the statements of each part, polygons into triangles, equal positions joined, and
// the objects put together. Between the first two, one thread goes through the parts' statements and says which faces
// belong to which object.
#include "clients/navctl/scene/obj_read.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/scene/name_table.h"
#include "clients/navctl/scene/obj_parse.h"
#include "clients/navctl/scene/polygon.h"
#include "clients/navctl/scene/weld.h"
#include "core/base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

typedef enum mark_kind { MARK_OBJECT, MARK_GROUP, MARK_MATERIAL } mark_kind;

// A statement that says whose the faces behind it are.
typedef struct mark {
    mark_kind kind;
    uint32_t first_tri; // of the part
    char *name;
} mark;

// A polygon of more than three corners; its triangles stand as a fan from the first corner.
typedef struct polygon_at {
    uint32_t first_tri, corners;
} polygon_at;

// What one part says.
typedef struct part_reader {
    const obj_part *part;
    float *verts; // of the whole file
    int64_t all_verts, vert_count, face_count;
    uint32_t *tris; // corners are vertices of the file
    uint32_t tri_count, tri_capacity;
    polygon_at *polygons;
    uint32_t polygon_count, polygon_capacity;
    mark *marks;
    uint32_t mark_count, mark_capacity;
    obj_result result;
} part_reader;

// Triangles that stand together and belong to one object and one material.
typedef struct segment {
    const part_reader *part;
    uint32_t first_tri, tri_count;
    uint32_t material; // of the scene; NONE: none was named
    uint32_t next;     // of the same object; NONE: the last
} segment;

typedef struct object {
    char *name;
    uint32_t first, last; // segments
    uint32_t tri_count;
} object;

typedef struct reader {
    const obj_parts *text;
    part_reader *parts;
    float *verts;
    uint32_t *same; // the first vertex at the same position, per vertex
    segment *segments;
    uint32_t segment_count, segment_capacity;
    object *objects;
    uint32_t object_count, object_capacity;
    name_table materials;
    scene *out;
    _Atomic uint32_t next; // object to be put together
    atomic_bool no_memory;
} reader;

static void take_vertex(void *user, const float position[3])
{
    part_reader *r = user;
    if (r->vert_count < r->part->verts) {
        float *to = r->verts + 3 * (r->part->verts_before + r->vert_count);
        for (int k = 0; k < 3; k++) to[k] = position[k] + 0.0f; // -0 is 0
    }
    r->vert_count++;
}

static void take_face(void *user, const int *corners, int count)
{
    part_reader *r = user;
    r->face_count++;
    if (count < 3 || r->result != OBJ_READ) return;
    uint32_t more = (uint32_t)count - 2;
    if (r->tri_count > UINT32_MAX / 4 - more ||
        !heap_array_grow(&r->tris, &r->tri_capacity, r->tri_count + more, 3 * sizeof *r->tris) ||
        !heap_array_grow(&r->polygons, &r->polygon_capacity, r->polygon_count + 1, sizeof *r->polygons)) {
        r->result = OBJ_NO_MEMORY;
        return;
    }
    uint32_t *tri = r->tris + 3 * (size_t)r->tri_count, fan[3] = {0};
    for (int k = 0; k < count; k++) {
        int64_t v = corners[k] < 0 ? r->part->verts_before + r->vert_count + corners[k] : (int64_t)corners[k] - 1;
        if (v < 0 || v >= r->all_verts) {
            r->result = OBJ_ODD; // read otherwise than it was checked
            return;
        }
        fan[k < 2 ? k : 2] = (uint32_t)v;
        if (k < 2) continue;
        memcpy(tri, fan, sizeof fan);
        tri += 3;
        fan[1] = fan[2];
    }
    if (count > 3) r->polygons[r->polygon_count++] = (polygon_at){r->tri_count, (uint32_t)count};
    r->tri_count += more;
}

static void add_mark(part_reader *r, mark_kind kind, const char *name, size_t length)
{
    if (r->result != OBJ_READ) return;
    char *copy = strndup(name, length);
    if (!copy || !heap_array_grow(&r->marks, &r->mark_capacity, r->mark_count + 1, sizeof *r->marks)) {
        free(copy);
        r->result = OBJ_NO_MEMORY;
        return;
    }
    r->marks[r->mark_count++] = (mark){kind, r->tri_count, copy};
}

// Without the blanks around it.
static void add_line_mark(part_reader *r, mark_kind kind, const char *name)
{
    name += strspn(name, " \t");
    size_t length = strlen(name);
    while (length > 0 && strchr(" \t", name[length - 1])) length--;
    add_mark(r, kind, name, length);
}

// An object's name is one word.
static void take_object(void *user, const char *name)
{
    name += strspn(name, " \t");
    add_mark(user, MARK_OBJECT, name, strcspn(name, " \t"));
}

static void take_group(void *user, const char *name)
{
    add_line_mark(user, MARK_GROUP, name);
}

static void take_material(void *user, const char *name)
{
    add_line_mark(user, MARK_MATERIAL, name);
}

static void read_part(void *user, int which)
{
    static const obj_statements told = {take_vertex, take_face, take_object, take_group, take_material};
    part_reader *r = &((reader *)user)->parts[which];
    size_t bytes = (size_t)(r->part->end - r->part->begin);
    if (!obj_parse((const char *)r->part->begin, bytes, &told, r)) r->result = OBJ_NO_MEMORY;
    if (r->result == OBJ_READ && (r->vert_count != r->part->verts || r->face_count != r->part->faces))
        r->result = OBJ_ODD; // read otherwise than it was checked
}

static void cut_polygons(void *user, int which)
{
    part_reader *r = &((reader *)user)->parts[which];
    for (uint32_t i = 0; i < r->polygon_count && r->result == OBJ_READ; i++) {
        const polygon_at *p = &r->polygons[i];
        if (!polygon_fan(r->tris + 3 * (size_t)p->first_tri, p->corners, r->verts)) r->result = OBJ_ODD;
    }
}

// The worst that a part came to.
static obj_result result_of(const reader *r)
{
    obj_result worst = OBJ_READ;
    for (int i = 0; i < r->text->count; i++) worst = r->parts[i].result > worst ? r->parts[i].result : worst;
    return worst;
}

// Where the parts' statements are gone through: the object and the material that faces get at this moment.
typedef struct place {
    uint32_t object, material; // NONE: not said yet
    name_table names;          // of objects
    uint32_t *first;           // the first object of a name
    uint32_t first_capacity;
    const char *group; // the active one
} place;

// An object of a name that is there already goes on, a group never does.
static bool begin_object(reader *r, place *at, const char *name, bool may_go_on)
{
    uint32_t names = at->names.count, number = name_table_add(&at->names, name);
    if (number == NONE) return false;
    if (may_go_on && number < names) {
        at->object = at->first[number];
        return true;
    }
    if (!heap_array_grow(&at->first, &at->first_capacity, number + 1, sizeof *at->first) ||
        !heap_array_grow(&r->objects, &r->object_capacity, r->object_count + 1, sizeof *r->objects))
        return false;
    char *copy = strdup(*name ? name : "object");
    if (!copy) return false;
    if (number == names) at->first[number] = r->object_count;
    at->object = r->object_count++;
    r->objects[at->object] = (object){.name = copy, .first = NONE, .last = NONE};
    return true;
}

static bool heed(reader *r, place *at, const mark *m)
{
    switch (m->kind) {
    case MARK_OBJECT:
        return begin_object(r, at, m->name, true);
    case MARK_GROUP: {
        bool same = !strcmp(at->group, m->name);
        at->group = m->name;
        return same || begin_object(r, at, m->name, false);
    }
    case MARK_MATERIAL:
        at->material = name_table_add(&r->materials, m->name);
        return at->material != NONE;
    }
    return true;
}

static bool add_segment(reader *r, place *at, const part_reader *part, uint32_t first_tri, uint32_t end)
{
    if (first_tri == end) return true;
    if (at->object == NONE && !begin_object(r, at, "defaultobject", false)) return false;
    if (!heap_array_grow(&r->segments, &r->segment_capacity, r->segment_count + 1, sizeof *r->segments)) return false;
    object *o = &r->objects[at->object];
    if (o->tri_count > UINT32_MAX / 4 - (end - first_tri)) return false;
    r->segments[r->segment_count] = (segment){part, first_tri, end - first_tri, at->material, NONE};
    if (o->last == NONE)
        o->first = r->segment_count;
    else
        r->segments[o->last].next = r->segment_count;
    o->last = r->segment_count++;
    o->tri_count += end - first_tri;
    return true;
}

static bool share_out(reader *r)
{
    place at = {.object = NONE, .material = NONE, .group = ""};
    bool ok = true;
    for (int i = 0; i < r->text->count && ok; i++) {
        const part_reader *part = &r->parts[i];
        uint32_t tri = 0;
        for (uint32_t m = 0; m < part->mark_count && ok; m++) {
            ok = add_segment(r, &at, part, tri, part->marks[m].first_tri) && heed(r, &at, &part->marks[m]);
            tri = part->marks[m].first_tri;
        }
        ok = ok && add_segment(r, &at, part, tri, part->tri_count);
    }
    name_table_deinit(&at.names);
    free(at.first);
    return ok;
}

// What a thread needs to number the vertices of an object after another.
typedef struct numbering {
    uint32_t *number;   // 1 + the object's vertex, per vertex of the file; 0: none yet
    uint32_t *vertices; // of the file, in order of first sight
    uint32_t count, capacity;
} numbering;

static bool number_corners(numbering *n, const reader *r, const segment *s, uint32_t *out)
{
    const uint32_t *corners = s->part->tris + 3 * (size_t)s->first_tri;
    for (size_t k = 0; k < 3 * (size_t)s->tri_count; k++) {
        uint32_t vertex = r->same[corners[k]];
        if (!n->number[vertex]) {
            if (!heap_array_grow(&n->vertices, &n->capacity, n->count + 1, sizeof *n->vertices)) return false;
            n->vertices[n->count++] = vertex;
            n->number[vertex] = n->count;
        }
        out[k] = n->number[vertex] - 1;
    }
    return true;
}

static bool put_together(numbering *n, const reader *r, const object *o, scene_mesh *out)
{
    out->tris = malloc(3 * sizeof *out->tris * o->tri_count);
    if (r->out->material_count) out->tri_materials = malloc(sizeof *out->tri_materials * o->tri_count);
    if (!out->tris || (r->out->material_count && !out->tri_materials)) return false;
    n->count = 0;
    for (uint32_t i = o->first; i != NONE; i = r->segments[i].next) {
        const segment *s = &r->segments[i];
        if (!number_corners(n, r, s, out->tris + 3 * (size_t)out->tri_count)) return false;
        for (uint32_t t = 0; t < s->tri_count && out->tri_materials; t++)
            out->tri_materials[out->tri_count + t] = s->material;
        out->tri_count += s->tri_count;
    }
    out->verts = malloc(3 * sizeof *out->verts * n->count);
    if (!out->verts) return false;
    out->vert_count = n->count;
    for (uint32_t v = 0; v < n->count; v++) {
        memcpy(out->verts + 3 * (size_t)v, r->verts + 3 * (size_t)n->vertices[v], 3 * sizeof *out->verts);
        n->number[n->vertices[v]] = 0;
    }
    return true;
}

static void put_objects_together(void *user, int part)
{
    reader *r = user;
    numbering n = {.number = calloc((size_t)r->text->verts, sizeof *n.number)};
    (void)part;
    if (!n.number) atomic_store(&r->no_memory, true);
    for (uint32_t i; !atomic_load(&r->no_memory) && (i = atomic_fetch_add(&r->next, 1)) < r->object_count;)
        if (!put_together(&n, r, &r->objects[i], &r->out->meshes[i])) atomic_store(&r->no_memory, true);
    free(n.number);
    free(n.vertices);
}

// Objects without faces do not count. The scene takes the names.
static bool begin_scene(reader *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->object_count; i++) {
        if (r->objects[i].tri_count == 0)
            free(r->objects[i].name);
        else
            r->objects[count++] = r->objects[i];
    }
    r->object_count = count;
    scene *out = r->out;
    out->meshes = calloc((size_t)count + 1, sizeof *out->meshes);
    out->instances = calloc((size_t)count + 1, sizeof *out->instances);
    if (!out->meshes || !out->instances) return false;
    out->mesh_count = out->instance_count = count;
    for (uint32_t i = 0; i < count; i++) {
        out->instances[i] = (scene_instance){.name = r->objects[i].name,
                                             .mesh = i,
                                             .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                             .area = NAV_AREA_DEFAULT};
        r->objects[i].name = NULL;
    }
    out->materials = r->materials.names;
    out->material_count = r->materials.count;
    r->materials.names = NULL; // the scene's from here on
    r->materials.count = 0;
    return true;
}

static bool make_room(reader *r)
{
    const obj_parts *p = r->text;
    if (p->verts >= UINT32_MAX) return false;
    r->parts = calloc((size_t)p->count, sizeof *r->parts);
    r->verts = malloc(3 * sizeof *r->verts * (size_t)p->verts);
    r->same = malloc(sizeof *r->same * (size_t)p->verts);
    if (!r->parts || !r->verts || !r->same) return false;
    for (int i = 0; i < p->count; i++) {
        part_reader *part = &r->parts[i];
        *part = (part_reader){.part = &p->parts[i], .verts = r->verts, .all_verts = p->verts};
        if (!heap_array_grow(&part->tris, &part->tri_capacity, (uint32_t)part->part->faces, 3 * sizeof *part->tris))
            return false;
    }
    return true;
}

static void reader_deinit(reader *r)
{
    for (int i = 0; r->parts && i < r->text->count; i++) {
        part_reader *part = &r->parts[i];
        for (uint32_t m = 0; m < part->mark_count; m++) free(part->marks[m].name);
        free(part->marks);
        free(part->polygons);
        free(part->tris);
    }
    for (uint32_t i = 0; i < r->object_count; i++) free(r->objects[i].name);
    name_table_deinit(&r->materials);
    free(r->objects);
    free(r->segments);
    free(r->parts);
    free(r->verts);
    free(r->same);
}

obj_result obj_read(const obj_parts *p, const nav_parallel *parallel, scene *out)
{
    if (p->odd) return OBJ_ODD;
    reader r = {.text = p, .out = out};
    obj_result result = make_room(&r) ? OBJ_READ : OBJ_NO_MEMORY;
    if (result == OBJ_READ) {
        nav_parallel_run(parallel, read_part, &r, p->count);
        result = result_of(&r);
    }
    if (result == OBJ_READ) {
        nav_parallel_run(parallel, cut_polygons, &r, p->count);
        result = result_of(&r);
    }
    if (result == OBJ_READ &&
        !(share_out(&r) && begin_scene(&r) && weld_all(r.verts, (uint32_t)p->verts, parallel, r.same)))
        result = OBJ_NO_MEMORY;
    if (result == OBJ_READ) {
        nav_parallel_run(parallel, put_objects_together, &r, parallel ? parallel->threads : 1);
        if (r.no_memory) result = OBJ_NO_MEMORY;
    }
    reader_deinit(&r);
    if (result != OBJ_READ) scene_deinit(out);
    return result;
}
