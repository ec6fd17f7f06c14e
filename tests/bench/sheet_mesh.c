#include "tests/bench/sheet_mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *grow(void *p, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) return p;
    *capacity = *capacity ? 2 * *capacity : 1024;
    p = realloc(p, *capacity * size);
    if (!p) {
        fprintf(stderr, "bench: no memory for a scene\n");
        exit(1);
    }
    return p;
}

static uint32_t add_vert(sheet_mesh *m, const double at[3], double steps)
{
    m->verts = grow(m->verts, m->vert_count, &m->vert_capacity, sizeof *m->verts);
    for (int k = 0; k < 3; k++) m->verts[m->vert_count][k] = steps > 0 ? round(at[k] * steps) / steps : at[k];
    return m->vert_count++;
}

uint32_t sheet_mesh_vert(sheet_mesh *m, const double at[3])
{
    return add_vert(m, at, 1000);
}

static struct sheet_between *slot_of(const sheet_mesh *m, uint32_t a, uint32_t b)
{
    const uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B185EBCA87);
    for (uint32_t at = (uint32_t)(h >> 32);; at++) {
        struct sheet_between *s = &m->betweens[at & (m->between_slots - 1)];
        if (s->a == s->b || (s->a == a && s->b == b)) return s;
    }
}

static void grow_betweens(sheet_mesh *m)
{
    struct sheet_between *old = m->betweens;
    const uint32_t old_slots = m->between_slots;
    m->between_slots = old_slots ? 2 * old_slots : 1024;
    m->betweens = calloc(m->between_slots, sizeof *m->betweens);
    if (!m->betweens) {
        fprintf(stderr, "bench: no memory for a scene\n");
        exit(1);
    }
    for (uint32_t i = 0; i < old_slots; i++)
        if (old[i].a != old[i].b) *slot_of(m, old[i].a, old[i].b) = old[i];
    free(old);
}

uint32_t sheet_mesh_vert_between(sheet_mesh *m, uint32_t a, uint32_t b, const double at[3])
{
    if (2 * m->between_count >= m->between_slots) grow_betweens(m);
    struct sheet_between *s = slot_of(m, a < b ? a : b, a < b ? b : a);
    if (s->a == s->b) {
        *s = (struct sheet_between){a < b ? a : b, a < b ? b : a, add_vert(m, at, 0)};
        m->between_count++;
    }
    return s->vert;
}

void sheet_mesh_forget_betweens(sheet_mesh *m)
{
    free(m->betweens);
    m->betweens = NULL;
    m->between_count = m->between_slots = 0;
}

void sheet_mesh_tri(sheet_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    m->tris = grow(m->tris, m->tri_count, &m->tri_capacity, sizeof *m->tris);
    uint32_t *t = m->tris[m->tri_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

void sheet_mesh_quad(sheet_mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    sheet_mesh_tri(m, a, b, c);
    sheet_mesh_tri(m, a, c, d);
}

void sheet_mesh_deinit(sheet_mesh *m)
{
    free(m->verts);
    free(m->tris);
    free(m->betweens);
    *m = (sheet_mesh){0};
}
