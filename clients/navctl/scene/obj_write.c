#include "clients/navctl/scene/obj_write.h"

#include "clients/navctl/output/output.h"
#include "clients/navctl/output/text.h"

#include <stdio.h>

// first: vertices before it in the file.
static void write_object(FILE *out, const scene_mesh *m, const scene_instance *instance, uint64_t first)
{
    const float *t = instance->transform;
    fprintf(out, "o %s\n", instance->name);
    for (size_t v = 0; v < m->vert_count; v++) {
        const float *p = m->verts + 3 * v;
        float at[3];
        for (size_t k = 0; k < 3; k++)
            at[k] = t[4 * k] * p[0] + t[4 * k + 1] * p[1] + t[4 * k + 2] * p[2] + t[4 * k + 3];
        fprintf(out, "v %.9g %.9g %.9g\n", (double)at[0], (double)at[1], (double)at[2]);
    }
    for (size_t i = 0; i < m->tri_count; i++) {
        const uint32_t *c = m->tris + 3 * i;
        fprintf(out, "f %llu %llu %llu\n", (unsigned long long)(first + c[0] + 1),
                (unsigned long long)(first + c[1] + 1), (unsigned long long)(first + c[2] + 1));
    }
}

bool obj_write(const char *path, const char *from, const scene *s)
{
    output o;
    char shown[256];
    uint64_t first = 0;
    if (!output_open(&o, path)) return false;
    text_printable(from, shown, sizeof shown, 200);
    fprintf(o.file, "# navctl surface: %s\n", shown);
    for (uint32_t i = 0; i < s->instance_count; i++) {
        const scene_mesh *m = &s->meshes[s->instances[i].mesh];
        write_object(o.file, m, &s->instances[i], first);
        first += m->vert_count;
    }
    return output_commit(&o);
}
