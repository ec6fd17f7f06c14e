// Areas as text: those of an agent's settings, and the types of a world's table.
#ifndef NAVCTL_AREA_ARGS_H
#define NAVCTL_AREA_ARGS_H

#include "clients/navctl/arguments/args.h"
#include "navcore/areas.h"

// "1-5,63": those areas, 1 to 63. False where it is anything else.
bool area_args_walkable(const char *text, uint64_t *out);
// "1-5,63,water": areas by number, 0 to 63, or by their names in a table. NULL: none. False and a sentence, which says
// which names there are, where it is anything else.
bool area_args_named(const char *text, const nav_area_table *t, uint64_t *out, char *why, size_t why_bytes);
// Is there a name among them, so that the table is needed? NULL: none.
bool area_args_has_name(const char *text);
// "7=6,8=0x10": areas 1 to 63 and their flags, 0 to 65535; the others stay. False likewise.
bool area_args_flags(const char *text, uint16_t flags[64]);

// "7,name=water,cost=10,color=3366cc": changes what is given of an area of the table, or adds it. False and a sentence
// where it is anything else; then the table is as it was.
bool area_args_type(const char *text, nav_area_table *t, char *why, size_t why_bytes);

// --area-type: the table of areas of commands that make tiles or push scenes.
typedef struct area_type_values {
    arg_steps changes; // in order
} area_type_values;

enum { AREA_TYPE_OPTIONS = 1 };
extern const arg_option area_type_options[AREA_TYPE_OPTIONS];
#define AREA_TYPE_GROUP(type, member)                                                                                  \
    {                                                                                                                  \
        "Table of areas", area_type_options, AREA_TYPE_OPTIONS, offsetof(type, member)                                 \
    }

// The metavar and the keys of an area type, for --help.
#define AREA_TYPE_METAVAR "ID,KEY=VALUE,..."
#define AREA_TYPE_KEYS                                                                                                 \
    "1 to 63; keys: name, cost, flags (or none), color (rrggbb or none), walkable (yes or no); may be repeated"

// Does each change something of an area? False with one line on stderr.
bool area_type_values_check(const area_type_values *v, const char *command);
// Changes the table. False with one line on stderr that names the command.
bool area_type_values_apply(const area_type_values *v, const char *command, nav_area_table *t);

#endif
