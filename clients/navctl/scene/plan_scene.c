#include "clients/navctl/scene/plan_scene.h"

#include "clients/navctl/scene/plan_faces.h"
#include "clients/navctl/scene/plan_meshes.h"
#include "clients/navctl/scene/scene_frame.h"
#include "core/base/key.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double OBSTACLE_M = 1;      // height of an obstacle that says none
static const double LINK_RADIUS_M = 0.5; // of a link's ends that says none

typedef struct plan_builder {
    plan_features plan;
    plan_geos geos;
    double unit_m;
    scene *out;
    scene_mesh *meshes; // per feature
    uint32_t *order;    // features as they are cut together, and scratch for triangles
} plan_builder;

static bool no_memory(plan_builder *b)
{
    return plan_fail(&b->plan, "no memory left");
}

static bool is_ground(const plan_feature *f)
{
    return f->kind == PLAN_FLOOR || f->kind == PLAN_AREA;
}

// --- floors ---

// Triangles by owner: their numbers in `to`, those of feature f from first[f] on.
static void sort_triangles(const plan_triangles *t, uint32_t features, uint32_t *first, uint32_t *to)
{
    memset(first, 0, ((size_t)features + 2) * sizeof *first);
    for (uint32_t i = 0; i < t->count; i++) first[t->owners[i] + 2]++;
    for (uint32_t f = 2; f <= features + 1; f++) first[f] += first[f - 1];
    for (uint32_t i = 0; i < t->count; i++) to[first[t->owners[i] + 1]++] = i;
}

static bool make_ground(plan_builder *b, const plan_triangles *t)
{
    const uint32_t features = b->plan.count;
    uint32_t *first = malloc(((size_t)features + 2) * sizeof *first), *numbers = malloc(((size_t)t->count + 1) * 4);
    bool ok = first && numbers;
    if (ok) sort_triangles(t, features, first, numbers);
    for (uint32_t f = 0; f < features && ok; f++) {
        const plan_feature *of = &b->plan.features[f];
        const plan_part part = {t, numbers + first[f], first[f + 1] - first[f], b->unit_m};
        if (part.count > 0) ok = plan_mesh_flat(&part, of->height * b->unit_m, &b->meshes[f]);
    }
    free(first);
    free(numbers);
    return ok || no_memory(b);
}

typedef struct level_place {
    double height;
    uint32_t feature;
} level_place;

static int compare_levels(const void *a, const void *b)
{
    const level_place *x = a, *y = b;
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    return (x->feature > y->feature) - (x->feature < y->feature);
}

// An area lies on a floor, or it has no ground to be of.
static bool check_areas(plan_builder *b)
{
    for (uint32_t i = 0; i < b->plan.count; i++) {
        const plan_feature *f = &b->plan.features[i];
        if (f->kind != PLAN_AREA || b->meshes[i].tri_count > 0) continue;
        bool covered = false; // by a later one
        for (uint32_t k = i + 1; k < b->plan.count && !covered; k++)
            covered = b->plan.features[k].kind == PLAN_AREA && b->plan.features[k].height == f->height;
        if (!covered) return plan_fail_at(&b->plan, f, "no floor at height %g lies under it", f->height);
    }
    return true;
}

// All floors and areas of one height are cut together.
static bool make_levels(plan_builder *b)
{
    const uint32_t features = b->plan.count;
    plan_triangles all = {0};
    level_place *levels = malloc(((size_t)features + 1) * sizeof *levels);
    uint32_t count = 0;
    bool ok = levels != NULL || no_memory(b);
    for (uint32_t i = 0; i < features && ok; i++)
        if (is_ground(&b->plan.features[i])) levels[count++] = (level_place){b->plan.features[i].height, i};
    if (ok) qsort(levels, count, sizeof *levels, compare_levels);
    for (uint32_t i = 0, end; i < count && ok; i = end) {
        for (end = i; end < count && levels[end].height == levels[i].height; end++)
            b->order[end - i] = levels[end].feature;
        ok = plan_faces_cut(&b->plan, &b->geos, b->order, end - i, &all);
    }
    ok = ok && make_ground(b, &all) && check_areas(b);
    plan_triangles_deinit(&all);
    free(levels);
    return ok;
}

// --- all else ---

static bool make_obstacle(plan_builder *b, uint32_t which)
{
    plan_feature *f = &b->plan.features[which];
    plan_triangles t = {0};
    const double bottom_m = f->height * b->unit_m,
                 top_m = isnan(f->to_height) ? bottom_m + OBSTACLE_M : f->to_height * b->unit_m;
    bool ok = plan_faces_widen_lines(&b->plan, &b->geos, f) && plan_faces_cut(&b->plan, &b->geos, &which, 1, &t);
    uint32_t *numbers = ok ? malloc(((size_t)t.count + 1) * sizeof *numbers) : NULL;
    if (numbers) {
        for (uint32_t i = 0; i < t.count; i++) numbers[i] = i;
        const plan_part part = {&t, numbers, t.count, b->unit_m};
        ok = plan_mesh_prism(&part, bottom_m, top_m, &b->meshes[which]) || no_memory(b);
    } else if (ok) {
        ok = no_memory(b);
    }
    if (ok && b->meshes[which].tri_count == 0) ok = plan_fail_at(&b->plan, f, "its rings enclose nothing");
    free(numbers);
    plan_triangles_deinit(&t);
    return ok;
}

// Of its name: the same whenever the plan is read again.
static uint32_t link_id(const char *name)
{
    return (uint32_t)nav_key_of(name, strlen(name)).low;
}

static bool make_link(plan_builder *b, const plan_feature *f, const char *name)
{
    char why[200];
    const plan_place *at = b->plan.places + b->plan.rings[f->first_ring].first;
    const double to = isnan(f->to_height) ? f->height : f->to_height;
    const nav_link link = {
        .id = link_id(name),
        .start = {(float)(at[0].x * b->unit_m), (float)(f->height * b->unit_m), (float)(-at[0].y * b->unit_m)},
        .end = {(float)(at[1].x * b->unit_m), (float)(to * b->unit_m), (float)(-at[1].y * b->unit_m)},
        .radius_m = (float)(isnan(f->radius) ? LINK_RADIUS_M : f->radius * b->unit_m),
        .area = f->area < 0 ? NAV_AREA_DEFAULT : (uint8_t)f->area,
        .both_ways = !f->one_way,
        .flags = 1,
    };
    if (nav_link_check(&link, why, sizeof why) != NAV_OK) return plan_fail_at(&b->plan, f, "%s", why);
    b->out->links[b->out->link_count++] = link;
    return true;
}

static uint8_t area_of(const plan_feature *f)
{
    if (f->kind == PLAN_OBSTACLE) return NAV_AREA_NONE;
    return f->area < 0 ? NAV_AREA_DEFAULT : (uint8_t)f->area;
}

// Instances and links in the order of the file.
static bool put_together(plan_builder *b)
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    uint32_t numbers[PLAN_KIND_COUNT] = {0};
    scene *out = b->out;
    out->meshes = calloc((size_t)b->plan.count + 1, sizeof *out->meshes);
    out->instances = calloc((size_t)b->plan.count + 1, sizeof *out->instances);
    out->links = calloc((size_t)b->plan.count + 1, sizeof *out->links);
    if (!out->meshes || !out->instances || !out->links) return no_memory(b);
    for (uint32_t i = 0; i < b->plan.count; i++) {
        const plan_feature *f = &b->plan.features[i];
        char name[PLAN_NAME_BYTES + 32];
        snprintf(name, sizeof name, "%s_%u", plan_kind_name(f->kind), ++numbers[f->kind]);
        if (f->name) snprintf(name, sizeof name, "%s", f->name);
        if (f->kind == PLAN_LINK && !make_link(b, f, name)) return false;
        if (b->meshes[i].tri_count == 0) continue; // a link, or all of it belongs to others
        scene_instance *instance = &out->instances[out->instance_count];
        *instance = (scene_instance){.name = strdup(name), .mesh = out->mesh_count, .area = area_of(f)};
        if (!instance->name) return no_memory(b);
        memcpy(instance->transform, identity, sizeof identity);
        out->meshes[out->mesh_count++] = b->meshes[i];
        b->meshes[i] = (scene_mesh){0};
        out->instance_count++;
    }
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    const nav_link *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// Links are told apart by their ids alone.
static bool check_links(plan_builder *b)
{
    scene *out = b->out;
    qsort(out->links, out->link_count, sizeof *out->links, compare_ids);
    for (uint32_t i = 1; i < out->link_count; i++)
        if (out->links[i].id == out->links[i - 1].id)
            return plan_fail(&b->plan,
                             "two links have the same name, or names of the same number, %u: give one another",
                             out->links[i].id);
    return true;
}

static bool build(plan_builder *b)
{
    b->meshes = calloc((size_t)b->plan.count + 1, sizeof *b->meshes);
    b->order = malloc(((size_t)b->plan.count + 1) * sizeof *b->order);
    if (!b->meshes || !b->order) return no_memory(b);
    if (!make_levels(b)) return false;
    for (uint32_t i = 0; i < b->plan.count; i++) {
        const plan_feature *f = &b->plan.features[i];
        if (f->kind == PLAN_OBSTACLE && !make_obstacle(b, i)) return false;
        if (f->kind == PLAN_STAIRS && !plan_mesh_stairs(&b->plan, f, b->unit_m, &b->meshes[i])) return false;
    }
    return put_together(b) && check_links(b);
}

bool plan_scene_read(plan_format format, const scene_file *file, double unit_m, scene *out, char *why, size_t why_bytes)
{
    static bool (*const readers[])(plan_features *, const scene_file *) = {plan_geojson_read, plan_wkt_read,
                                                                           plan_svg_read};
    enum { UP_Z = 2, DOWN_Z = 5 };
    plan_builder b = {.plan = {.why = why, .why_bytes = why_bytes}, .unit_m = unit_m, .out = out};
    out->frame = scene_frame_with_up(format == PLAN_SVG ? DOWN_Z : UP_Z, unit_m); // an SVG's y points down
    bool ok = file->count <= PLAN_MOST_BYTES ||
              plan_fail(&b.plan, "%zu bytes; a plan may have %d", file->count, PLAN_MOST_BYTES);
    if (ok) ok = plan_geos_init(&b.geos) || no_memory(&b);
    ok = ok && readers[format](&b.plan, file);
    if (ok && b.plan.count == 0) ok = plan_fail(&b.plan, "it has no features");
    ok = ok && build(&b);
    for (uint32_t i = 0; b.meshes && i < b.plan.count; i++) {
        free(b.meshes[i].verts);
        free(b.meshes[i].tris);
    }
    free(b.meshes);
    free(b.order);
    plan_geos_deinit(&b.geos);
    plan_features_deinit(&b.plan);
    return ok;
}
