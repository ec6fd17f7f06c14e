// navctl plan: floor plans in 2D to a navigation mesh.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/build.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/scene/scene_check.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 32, TITLE_BYTES = 200 };

typedef struct plan_args {
    build_args build;         // first: its groups are those of build
    const char *first;        // plan
    arg_list more;            // plans
    scene_frame_values frame; // of all of them
    char title[TITLE_BYTES];
} plan_args;

static const arg_group groups[] = {BUILD_GROUPS_EXACT};
static const arg_positional positionals[] = {{"PLAN", "floor plan: GeoJSON, WKT or SVG; several are built together",
                                              true, true, offsetof(plan_args, build.scene)}};

static bool is_plan(const char *path)
{
    const scene_format format = scene_format_of(path);
    if (format == SCENE_GEOJSON || format == SCENE_WKT || format == SCENE_SVG) return true;
    fprintf(stderr,
            "navctl plan: %s: a plan's name must end in .geojson, .wkt or .svg; navctl build takes other scenes\n",
            path);
    return false;
}

static const char *plan_at(const plan_args *a, int i)
{
    return i > 0 ? a->more.items[i - 1] : a->first;
}

// --- values for each plan: one for all, or as many as there are, parted by commas

static int count_values(const char *list)
{
    int count = 1;
    for (; *list; list++) count += *list == ',';
    return count;
}

static bool check_list(const plan_args *a, const char *option, const char *list)
{
    const int plans = 1 + a->more.count, values = list ? count_values(list) : 1;
    if (values == 1 || values == plans) return true;
    fprintf(stderr, "navctl plan: --%s %s: it has %d values for %d plan%s; expected one for all, or one for each\n",
            option, list, values, plans, plans == 1 ? "" : "s");
    return false;
}

// The i-th value of a list, or its only one; too long a word is cut, and is no value then.
static const char *value_at(const char *list, int i, char word[WORD_BYTES])
{
    if (!list || !strchr(list, ',')) return list;
    for (; i > 0; i--) list = strchr(list, ',') + 1;
    snprintf(word, WORD_BYTES, "%.*s", (int)strcspn(list, ","), list);
    return word;
}

typedef struct plan_words {
    char up[WORD_BYTES], scale[WORD_BYTES], raise[WORD_BYTES];
} plan_words;

static scene_frame_values frame_at(const plan_args *a, int i, plan_words *words)
{
    return (scene_frame_values){value_at(a->frame.up, i, words->up), value_at(a->frame.scale, i, words->scale),
                                value_at(a->frame.raise, i, words->raise)};
}

static bool check_frames(const plan_args *a)
{
    plan_words words;
    if (!check_list(a, "scale", a->frame.scale) || !check_list(a, "raise", a->frame.raise)) return false;
    for (int i = 0; i <= a->more.count; i++) {
        const scene_frame_values v = frame_at(a, i, &words);
        if (!scene_frame_check(&v, "plan")) return false;
    }
    return true;
}

// --- reading

static int read_plans(void *user, const char *command, const nav_parallel *parallel, scene *out)
{
    const plan_args *a = user;
    plan_words words;
    int code = NAVCTL_OK;
    *out = (scene){0};
    for (int i = 0; i <= a->more.count && code == NAVCTL_OK; i++) {
        scene one;
        const scene_frame_values v = frame_at(a, i, &words);
        code = scene_frame_read(plan_at(a, i), &v, parallel, &one);
        if (code != NAVCTL_OK) break;
        if (i == 0) {
            *out = one;
        } else if (!scene_append(out, &one)) {
            fprintf(stderr, "navctl: no memory left\n");
            scene_deinit(&one);
            code = NAVCTL_FAILED;
        }
    }
    if (code == NAVCTL_OK && !scene_areas_apply(&a->build.reading.areas, command, out)) code = NAVCTL_FAILED;
    if (code != NAVCTL_OK) scene_deinit(out);
    return code;
}

// "ground.svg + first.svg": what the report and the picture call them.
static void make_title(plan_args *a)
{
    int at = 0;
    for (int i = 0; i <= a->more.count && at < TITLE_BYTES; i++) {
        const char *path = plan_at(a, i), *slash = strrchr(path, '/');
        at += snprintf(a->title + at, (size_t)(TITLE_BYTES - at), "%s%s", i > 0 ? " + " : "", slash ? slash + 1 : path);
    }
}

static int run(const arg_command *self, int argc, char **argv)
{
    plan_args a = {.more = {.count = 0}};
    build_args_init(&a.build);
    build_args_exact(&a.build);
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    a.first = a.build.scene;
    for (int i = 0; i <= a.more.count; i++)
        if (!is_plan(plan_at(&a, i))) return NAVCTL_USAGE;
    a.frame = a.build.reading.frame;
    a.build.reading.frame = (scene_frame_values){0};
    if (!check_frames(&a)) return NAVCTL_USAGE;
    make_title(&a);
    a.build.read = read_plans;
    a.build.read_user = &a;
    if (a.more.count > 0) a.build.scene = a.title;
    return build_run(self, &a.build, argc, argv);
}

const arg_command plan_command = {
    .name = "plan",
    .summary = "Generate the navigation mesh of floor plans, exactly, without a daemon",
    .details = "As navctl build does, but with the surface generator and without leaving out corners. Floors, areas,\n"
               "obstacles, stairs and links are features with a kind; docs/plans.md shows them in each format.\n"
               "Several plans are built together. --scale and --raise have a value for all of them, or one for each:\n"
               "  navctl plan ground.svg first.svg --scale cm --raise 0,3.2 -o house.navd\n",
    .positionals = positionals,
    .positional_count = ARG_COUNT(positionals),
    .has_more = true,
    .more_offset = offsetof(plan_args, more),
    .groups = groups,
    .group_count = ARG_COUNT(groups),
    .run = run,
};
