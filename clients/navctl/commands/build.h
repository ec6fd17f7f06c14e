// What navctl build, plan and surface share: their options, and the way from a scene to tiles, a picture and a report.
#ifndef NAVCTL_BUILD_H
#define NAVCTL_BUILD_H

#include "clients/navctl/arguments/area_args.h"
#include "clients/navctl/arguments/farm_args.h"
#include "clients/navctl/arguments/reach_args.h"
#include "clients/navctl/arguments/settings_args.h"
#include "clients/navctl/bake/farm_work.h"
#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/drawing/picture_sheets.h"
#include "clients/navctl/generate/generate.h"
#include "clients/navctl/scene/scene_load.h"
#include "clients/navctl/scene/scene_look.h"

// Reads the scene. Returns an exit code, with one line on stderr.
typedef int build_reader(void *user, const char *command, const nav_parallel *parallel, scene *out);

typedef struct build_args {
    const char *scene, *out, *picture, *show, *only_tile, *bounds, *profile, *level;
    int32_t threads, reps, picture_size;
    bool json, stages, plain, hashes;
    scene_load_values reading;
    area_type_values area_types;
    picture_values view;
    view_values look;
    settings_values grid;
    reach_values reach;
    farm_values farm;
    build_reader *read; // of what is no file by itself; NULL: scene is read
    void *read_user;
    const char *title; // of the picture; NULL: the scene's file
} build_args;

enum { BUILD_OPTIONS = 14 };
extern const arg_option build_options[BUILD_OPTIONS];
// Rows of arg_command.groups for a command whose values begin with a build_args. BUILD_GROUPS_EXACT: one that reads no
// height maps.
#define BUILD_GROUPS_BEHIND                                                                                            \
    AREA_TYPE_GROUP(build_args, area_types), PICTURE_GROUP(build_args, view), VIEW_GROUP(build_args, look),            \
        REACH_GROUP(build_args, reach), SETTINGS_GROUP(build_args, grid)
#define BUILD_GROUPS                                                                                                   \
    {"Options", build_options, BUILD_OPTIONS, 0}, SCENE_LOAD_GROUPS(build_args, reading), BUILD_GROUPS_BEHIND
#define BUILD_GROUPS_EXACT                                                                                             \
    {"Options", build_options, BUILD_OPTIONS, 0}, SCENE_FRAME_GROUP(build_args, reading.frame),                        \
        SCENE_AREA_GROUP(build_args, reading.areas), BUILD_GROUPS_BEHIND

void build_args_init(build_args *a);
// The defaults of ground that is taken as it is: the surface generator, to the last corner.
void build_args_exact(build_args *a);
// Once the command line is parsed; argc and argv are read again where a world file brings other defaults. Returns an
// exit code.
int build_run(const arg_command *self, build_args *a, int argc, char **argv);

// --- the report ---

typedef struct build_report {
    double read_s, write_s, draw_s;
    uint64_t peak_rss;
    uint32_t seams; // written for Detour
    bool is_scene;  // a scene file, whose axes and unit may be doubted
    scene_doubts doubts;
} build_report;

void build_report_json(const scene *s, const build_args *a, const generated *g, const build_report *r);
void build_report_hashes(const generated *g);
void build_report_words(const scene *s, const build_args *a, const generated *g, const build_report *r);
// Of what a daemon built: what is known of it here.
void build_report_farm(const scene *s, const build_args *a, const generated *g, const build_report *r,
                       const farm_work *work);

#endif
