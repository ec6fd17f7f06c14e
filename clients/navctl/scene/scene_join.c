#include "clients/navctl/scene/scene_join.h"

#include "core/base/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    const scene_instance *x = *(const scene_instance *const *)a, *y = *(const scene_instance *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y); // both point into one array: file order
}

// One round may meet a name that was in the file already ("a", "a", "a.2"), so rounds go on until all differ.
bool scene_make_names_unique(scene *s)
{
    scene_instance **sorted = malloc(sizeof *sorted * (s->instance_count + 1));
    if (!sorted) return false;
    bool ok = true, changed = true;
    while (ok && changed) {
        changed = false;
        for (uint32_t i = 0; i < s->instance_count; i++) sorted[i] = &s->instances[i];
        qsort(sorted, s->instance_count, sizeof *sorted, compare_names);
        for (uint32_t i = 0; i < s->instance_count && ok;) {
            uint32_t end = i + 1;
            while (end < s->instance_count && !strcmp(sorted[i]->name, sorted[end]->name)) end++;
            for (uint32_t k = end; k-- > i + 1 && ok;) { // backwards: sorted[i] keeps its name
                size_t bytes = strlen(sorted[k]->name) + 16;
                char *name = malloc(bytes);
                ok = name != NULL;
                if (!ok) break;
                snprintf(name, bytes, "%s.%u", sorted[k]->name, k - i + 1);
                free(sorted[k]->name);
                sorted[k]->name = name;
                changed = true;
            }
            i = end;
        }
    }
    free(sorted);
    return ok;
}

// --- two scenes

// Behind the `count` items of an array come `more` of another. False: no memory.
static bool join_arrays(void *array_pointer, uint32_t count, const void *other, uint32_t more, size_t size)
{
    void **array = array_pointer;
    if (more == 0) return true;
    char *both = realloc(*array, ((size_t)count + more) * size);
    if (!both) return false;
    memcpy(both + count * size, other, more * size);
    *array = both;
    return true;
}

static bool has_link(const scene *s, uint32_t id)
{
    for (uint32_t i = 0; i < s->link_count; i++)
        if (s->links[i].id == id) return true;
    return false;
}

// Links are told apart by their ids alone. One that is taken becomes another that follows from it, so that it is the
// same whenever the scenes are read again.
static void give_links_ids(const scene *s, scene *other)
{
    for (uint32_t i = 0; i < other->link_count; i++) {
        uint32_t id = other->links[i].id;
        while (has_link(s, id) || (id != other->links[i].id && has_link(other, id)))
            id = (uint32_t)nav_key_of(&id, sizeof id).low;
        other->links[i].id = id;
    }
}

bool scene_append(scene *s, scene *other)
{
    for (uint32_t i = 0; i < other->instance_count; i++) other->instances[i].mesh += s->mesh_count;
    for (uint32_t m = 0; m < other->mesh_count; m++)
        for (uint32_t t = 0; other->meshes[m].tri_materials && t < other->meshes[m].tri_count; t++)
            if (other->meshes[m].tri_materials[t] != UINT32_MAX) other->meshes[m].tri_materials[t] += s->material_count;
    give_links_ids(s, other);
    // Each list is whole before it is counted.
#define JOIN(list, length)                                                                                             \
    if (!join_arrays(&s->list, s->length, other->list, other->length, sizeof *s->list)) return false;                  \
    s->length += other->length;                                                                                        \
    other->length = 0
    JOIN(meshes, mesh_count);
    JOIN(instances, instance_count);
    JOIN(volumes, volume_count);
    JOIN(links, link_count);
    JOIN(materials, material_count);
#undef JOIN
    scene_deinit(other);
    scene_measure(s);
    return scene_make_names_unique(s);
}
