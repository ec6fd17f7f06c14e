// The options that set a nav_settings, shared by every command that generates.
#ifndef NAVCTL_SETTINGS_ARGS_H
#define NAVCTL_SETTINGS_ARGS_H

#include "clients/navctl/arguments/args.h"
#include "navcore/settings.h"

typedef struct settings_values {
    nav_settings settings;
    const char *partition, *outlines, *triangulation, *generator, *corners;
    const char *generator_default;                                 // what `generator` is until it is given
    const char *sheets, *walkable_areas, *area_flags, *grip_areas; // NULL: not given
    double origin_m[3];                                            // NAN until it is given
} settings_values;

enum { SETTINGS_OPTION_COUNT = 31 };
extern const arg_option settings_options[SETTINGS_OPTION_COUNT];

// A row of arg_command.groups for a command whose values keep a settings_values in `member`.
#define SETTINGS_GROUP(type, member)                                                                                   \
    {                                                                                                                  \
        "Grid, agent and generation", settings_options, SETTINGS_OPTION_COUNT, offsetof(type, member)                  \
    }

void settings_values_init(settings_values *v);
// The same with other defaults.
void settings_values_init_from(settings_values *v, const nav_settings *defaults);

// Takes the names and the origin over and checks all values. False with one line on stderr.
bool settings_values_apply(settings_values *v, const char *command);

// --sheet of commands that want one: one of these words.
#define SHEET_CHOICES "up down x+ x- z+ z-"
nav_sheet settings_sheet(const char *word); // NULL: up

#endif
