// A table of areas for people and for scripts.
#ifndef NAVCTL_AREA_LIST_H
#define NAVCTL_AREA_LIST_H

#include "clients/navctl/output/json.h"
#include "navcore/areas.h"

// A line for each area, each with the indent before it.
void area_list_print(const nav_area_table *t, const char *indent, FILE *out);
// An array of objects with that key.
void area_list_json(const nav_area_table *t, const char *key, json_writer *w);

#endif
