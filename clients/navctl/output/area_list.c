#include "clients/navctl/output/area_list.h"
#include "clients/navctl/output/text.h"

void area_list_print(const nav_area_table *t, const char *indent, FILE *out)
{
    for (uint32_t i = 0; i < t->count; i++) {
        const nav_area_type *a = &t->types[i];
        char name[NAV_AREA_NAME_BYTES];
        text_printable(a->name, name, sizeof name, sizeof name);
        fprintf(out, "%s%2u  %-20s cost %g", indent, a->id, name, (double)a->cost);
        if (a->has_flags) fprintf(out, ", flags 0x%x", a->flags);
        if (a->has_color) fprintf(out, ", color %06x", a->color);
        fprintf(out, "%s\n", a->walkable ? "" : ", not walkable");
    }
}

void area_list_json(const nav_area_table *t, const char *key, json_writer *w)
{
    json_open(w, key, '[');
    for (uint32_t i = 0; i < t->count; i++) {
        const nav_area_type *a = &t->types[i];
        json_open(w, NULL, '{');
        json_int(w, "id", a->id);
        json_text(w, "name", a->name);
        json_number(w, "cost", (double)a->cost);
        if (a->has_flags) json_int(w, "flags", a->flags);
        if (a->has_color) json_int(w, "color", a->color);
        json_bool(w, "walkable", a->walkable);
        json_close(w, '}');
    }
    json_close(w, ']');
}
