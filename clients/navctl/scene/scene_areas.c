#include "clients/navctl/scene/scene_areas.h"

#include "navcore/settings.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const arg_option scene_area_options[SCENE_AREA_OPTIONS] = {
    {"area", 0, ARG_STEP, "PATTERN=ID",
     "area of the materials and objects whose names match, 1 to 63; 0 or none: an obstacle; may be repeated",
     offsetof(scene_area_values, rules), 0, 0, NULL},
};

enum { PATTERN_BYTES = 256 };

static bool parse(const char *rule, char pattern[PATTERN_BYTES], uint8_t *area)
{
    const char *equals = strrchr(rule, '=');
    if (!equals || equals == rule || equals - rule >= PATTERN_BYTES) return false;
    memcpy(pattern, rule, (size_t)(equals - rule));
    pattern[equals - rule] = 0;
    char *end;
    unsigned long id = strtoul(equals + 1, &end, 10);
    if (!strcmp(equals + 1, "none")) {
        id = NAV_AREA_NONE;
    } else if (equals[1] < '0' || equals[1] > '9' || *end || id >= NAV_AREA_COUNT) {
        return false;
    }
    *area = (uint8_t)id;
    return true;
}

bool scene_areas_check(const scene_area_values *v, const char *command)
{
    char pattern[PATTERN_BYTES];
    uint8_t area;
    for (int i = 0; i < v->rules.count; i++) {
        if (parse(v->rules.items[i].value, pattern, &area)) continue;
        fprintf(stderr, "navctl %s: --area %s: expected PATTERN=ID with an ID from 0 to 63, as in 'water*=7'\n",
                command, v->rules.items[i].value);
        return false;
    }
    return true;
}

// The area of a name, or NAV_AREA_INHERIT where no rule fits. used: of the rules, which of them fit something.
static uint8_t area_of(const scene_area_values *v, const char *name, bool *used)
{
    char pattern[PATTERN_BYTES];
    uint8_t found = NAV_AREA_INHERIT, area;
    for (int i = 0; name && i < v->rules.count; i++) {
        if (!parse(v->rules.items[i].value, pattern, &area) || fnmatch(pattern, name, 0) != 0) continue;
        found = area;
        used[i] = true;
    }
    return found;
}

static bool apply_to_mesh(scene_mesh *m, const uint8_t *of_material, uint32_t material_count)
{
    bool any = false;
    for (uint32_t i = 0; m->tri_materials && i < m->tri_count && !any; i++)
        any = m->tri_materials[i] < material_count && of_material[m->tri_materials[i]] != NAV_AREA_INHERIT;
    if (!any) return true;
    if (!m->areas) {
        m->areas = malloc(m->tri_count);
        if (!m->areas) return false;
        memset(m->areas, NAV_AREA_INHERIT, m->tri_count);
    }
    for (uint32_t i = 0; i < m->tri_count; i++)
        if (m->tri_materials[i] < material_count) m->areas[i] = of_material[m->tri_materials[i]];
    return true;
}

bool scene_areas_apply(const scene_area_values *v, const char *command, scene *s)
{
    bool used[ARG_STEPS_MAX] = {false};
    if (!v->rules.count) return true;
    uint8_t *of_material = malloc(s->material_count + (size_t)1);
    bool ok = of_material != NULL;
    for (uint32_t i = 0; ok && i < s->material_count; i++) of_material[i] = area_of(v, s->materials[i], used);
    for (uint32_t i = 0; ok && i < s->mesh_count; i++)
        ok = apply_to_mesh(&s->meshes[i], of_material, s->material_count);
    free(of_material);
    if (!ok) {
        fprintf(stderr, "navctl: no memory left\n");
        return false;
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        uint8_t area = area_of(v, s->instances[i].name, used);
        if (area != NAV_AREA_INHERIT) s->instances[i].area = area;
    }
    for (int i = 0; i < v->rules.count; i++)
        if (!used[i])
            fprintf(stderr, "navctl %s: --area %s: no material or object of the scene has such a name\n", command,
                    v->rules.items[i].value);
    return true;
}
