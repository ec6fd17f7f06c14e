#include "clients/navctl/bake/bake_file.h"
#include "clients/navctl/arguments/exit_codes.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PROFILES = 64, WORD_BYTES = 8192 };
#define NAME_RULE "give it a name of 1 to 199 bytes, with no / in it and no dot in front"
#define FILE_MEMBERS "\"output\", \"options\", \"profiles\" and \"scenes\""

static const arg_group option_groups[] = {SCENE_LOAD_GROUPS(bake_values, reading),
                                          AREA_TYPE_GROUP(bake_values, area_types), REACH_GROUP(bake_values, reach),
                                          SETTINGS_GROUP(bake_values, grid)};
static const arg_group profile_groups[] = {SETTINGS_GROUP(bake_values, grid)};

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

__attribute__((format(printf, 2, 3))) static int wrong(const bake_file *f, const char *form, ...)
{
    va_list list;
    va_start(list, form);
    fprintf(stderr, "navctl bake: %s: ", f->path);
    vfprintf(stderr, form, list);
    fputc('\n', stderr);
    va_end(list);
    return NAVCTL_INPUT;
}

// What a value is, for messages: "X is a number: give ...".
static const char *kind_of(const json_t *v)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "text", [JSON_INTEGER] = "a number",
        [JSON_REAL] = "a number",    [JSON_TRUE] = "true",    [JSON_FALSE] = "false", [JSON_NULL] = "null"};
    if (!v) return "missing";
    const bool is_empty = (json_is_string(v) && !json_string_value(v)[0]) ||
                          (json_is_array(v) && !json_array_size(v)) || (json_is_object(v) && !json_object_size(v));
    return is_empty ? "empty" : names[json_typeof(v)];
}

// The first member of an object that is none of `known`, which NULL ends; NULL: there is no such one.
static const char *unknown_member(const json_t *object, const char *const *known)
{
    for (void *at = json_object_iter((json_t *)object); at; at = json_object_iter_next((json_t *)object, at)) {
        const char *const *k = known;
        while (*k && strcmp(*k, json_object_iter_key(at)) != 0) k++;
        if (!*k) return json_object_iter_key(at);
    }
    return NULL;
}

// A path of the file, from where navctl runs. NULL: no memory.
static char *path_from(const bake_file *f, const char *path)
{
    const size_t bytes = strlen(f->folder) + strlen(path) + 1;
    char *out = malloc(bytes);
    if (out) snprintf(out, bytes, "%s%s", path[0] == '/' ? "" : f->folder, path);
    return out;
}

// --- options ---

static void words_deinit(bake_words *w)
{
    for (int i = 0; i < w->count; i++) free(w->words[i]);
    free(w->words);
    *w = (bake_words){0};
}

static int add_word(bake_words *w, const char *word)
{
    char **grown = realloc(w->words, ((size_t)w->count + 1) * sizeof *grown);
    if (!grown) return no_memory();
    w->words = grown;
    w->words[w->count] = strdup(word);
    return w->words[w->count++] ? NAVCTL_OK : no_memory();
}

static const arg_option *find_option(const arg_group *groups, int count, const char *name)
{
    for (int g = 0; g < count; g++)
        for (int i = 0; i < groups[g].count; i++)
            if (!strcmp(groups[g].options[i].name, name)) return &groups[g].options[i];
    return NULL;
}

static int add_value(const bake_file *f, const char *where, const arg_option *o, const json_t *value, bake_words *out)
{
    char word[WORD_BYTES];
    int length = -1;
    if (o->kind == ARG_FLAG) {
        if (!json_is_boolean(value))
            return wrong(f, "%s: option \"%s\" is %s: it is a flag, so give true or false", where, o->name,
                         kind_of(value));
        if (json_is_false(value)) return NAVCTL_OK;
        length = snprintf(word, sizeof word, "--%s", o->name);
    } else if (json_is_string(value)) {
        const char *text = json_string_value(value);
        char *path = o->kind == ARG_FILE ? path_from(f, text) : strdup(text);
        if (!path) return no_memory();
        length = snprintf(word, sizeof word, "--%s=%s", o->name, path);
        free(path);
    } else if (json_is_integer(value)) {
        length = snprintf(word, sizeof word, "--%s=%lld", o->name, (long long)json_integer_value(value));
    } else if (json_is_real(value)) {
        length = snprintf(word, sizeof word, "--%s=%.17g", o->name, json_real_value(value));
    }
    if (length < 0) return wrong(f, "%s: option \"%s\" is %s: give text or a number", where, o->name, kind_of(value));
    if ((size_t)length >= sizeof word)
        return wrong(f, "%s: option \"%s\" has %zu bytes: give at most %zu", where, o->name,
                     strlen(json_string_value(value)), sizeof word / 2);
    return add_word(out, word);
}

static int read_options(const bake_file *f, const char *where, const json_t *options, const arg_group *groups,
                        int group_count, bake_words *out)
{
    const char *name;
    json_t *value;
    int code = NAVCTL_OK;
    if (options && !json_is_object(options))
        return wrong(f, "%s: the options are %s: give an object, such as {\"agent-radius\": 0.6}", where,
                     kind_of(options));
    for (void *at = json_object_iter((json_t *)options); at && code == NAVCTL_OK;
         at = json_object_iter_next((json_t *)options, at)) {
        name = json_object_iter_key(at);
        value = json_object_iter_value(at);
        const arg_option *o = find_option(groups, group_count, name);
        const bool elsewhere = find_option(option_groups, ARG_COUNT(option_groups), name);
        if (!o && elsewhere)
            code = wrong(f, "%s: option \"%s\" belongs to scenes: move it to the file's \"options\" or a scene's",
                         where, name);
        else if (!o)
            code =
                wrong(f,
                      "%s: a bake has no option \"%s\": navctl build --help lists the options; those of scene files, "
                      "areas, reach, grid and agent may stand here, without the dashes",
                      where, name);
        else if (groups == profile_groups && !strcmp(name, "origin"))
            code =
                wrong(f,
                      "%s: option \"origin\" belongs to scenes, as all profiles of a scene share one: move it to the "
                      "file's \"options\" or a scene's",
                      where);
        else if (!json_is_array(value))
            code = add_value(f, where, o, value, out);
        else if (o->kind != ARG_STEP)
            code = wrong(f, "%s: option \"%s\" is a list: it may be given only once, so give one value", where, name);
        for (size_t i = 0; code == NAVCTL_OK && json_is_array(value) && i < json_array_size(value); i++)
            code = add_value(f, where, o, json_array_get(value, i), out);
    }
    return code;
}

bool bake_file_values(const bake_file *f, const bake_scene *of, const bake_profile *profile, bake_values *out)
{
    char name[512];
    const bake_words *parts[] = {&f->options, &of->options, &profile->options};
    int count = 0;
    char **words = malloc(((size_t)f->options.count + (size_t)of->options.count + (size_t)profile->options.count + 1) *
                          sizeof *words);
    if (!words) {
        no_memory();
        return false;
    }
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < parts[p]->count; i++) words[count++] = parts[p]->words[i];
    snprintf(name, sizeof name, "bake: %s, scene %s, profile %s", f->path, of->name, profile->name);
    const arg_command command = {.name = name, .groups = option_groups, .group_count = ARG_COUNT(option_groups)};
    nav_area_table areas = {0};
    *out = (bake_values){0};
    settings_values_init(&out->grid);
    reach_values_init(&out->reach);
    bool ok = args_parse(&command, count, words, out) == ARGS_GO && scene_load_check(&out->reading, name) &&
              area_type_values_check(&out->area_types, name) && settings_values_apply(&out->grid, name) &&
              reach_values_apply(&out->reach, name) && area_type_values_apply(&out->area_types, name, &areas);
    if (ok && out->grid.settings.sheets != NAV_SHEETS_UP && out->reach.mode != NAV_UNREACHABLE_KEEP &&
        nav_reach_goal_is_set(&out->reach.goal)) {
        fprintf(stderr,
                "navctl %s: seeds and islands decide what can be reached on floors, not on walls: leave them out, "
                "or say \"unreachable\": \"keep\"\n",
                name);
        ok = false;
    }
    free(words);
    return ok;
}

// --- profiles and scenes ---

static bool is_name(const char *name)
{
    return name[0] && strlen(name) < 200 && !strchr(name, '/') && name[0] != '.';
}

static int read_profiles(bake_file *f, const json_t *root)
{
    const json_t *profiles = json_object_get(root, "profiles");
    char where[256];
    int code = NAVCTL_OK;
    if (!json_is_object(profiles) || json_object_size(profiles) == 0)
        return wrong(f, "\"profiles\" is %s: give an object of at least one profile, such as {\"human\": {}}",
                     kind_of(profiles));
    if (json_object_size(profiles) > MOST_PROFILES)
        return wrong(f, "\"profiles\" has %zu profiles: give at most %d, or make several files",
                     json_object_size(profiles), MOST_PROFILES);
    f->profiles = calloc(json_object_size(profiles), sizeof *f->profiles);
    if (!f->profiles) return no_memory();
    for (void *at = json_object_iter((json_t *)profiles); at && code == NAVCTL_OK;
         at = json_object_iter_next((json_t *)profiles, at)) {
        bake_profile *p = &f->profiles[f->profile_count++];
        p->name = strdup(json_object_iter_key(at));
        if (!p->name) return no_memory();
        snprintf(where, sizeof where, "profile %.200s", p->name);
        if (!is_name(p->name)) return wrong(f, "profile \"%s\": " NAME_RULE, p->name);
        code =
            read_options(f, where, json_object_iter_value(at), profile_groups, ARG_COUNT(profile_groups), &p->options);
    }
    return code;
}

static int read_scene_profiles(const bake_file *f, bake_scene *s, const json_t *names)
{
    s->profiles = calloc(f->profile_count, sizeof *s->profiles);
    if (!s->profiles) return no_memory();
    if (!names) {
        for (uint32_t i = 0; i < f->profile_count; i++) s->profiles[s->profile_count++] = i;
        return NAVCTL_OK;
    }
    if (!json_is_array(names) || json_array_size(names) == 0)
        return wrong(f, "scene %s: \"profiles\" is %s: give a list of names, or leave it out for all profiles", s->name,
                     kind_of(names));
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        uint32_t found = 0;
        while (name && found < f->profile_count && strcmp(f->profiles[found].name, name) != 0) found++;
        if (!name)
            return wrong(f, "scene %s: \"profiles\" has %s in its list: give names of profiles", s->name,
                         kind_of(json_array_get(names, i)));
        if (found == f->profile_count)
            return wrong(
                f, "scene %s: there is no profile \"%s\": add it to the file's \"profiles\", or name one of those",
                s->name, name);
        for (uint32_t k = 0; k < s->profile_count; k++)
            if (s->profiles[k] == found)
                return wrong(f, "scene %s: profile \"%s\" is there twice: name it once", s->name, name);
        s->profiles[s->profile_count++] = found;
    }
    return NAVCTL_OK;
}

static char *name_of_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int read_scene(bake_file *f, const json_t *in, size_t number)
{
    bake_scene *s = &f->scenes[f->scene_count++];
    const json_t *options = NULL, *profiles = NULL, *file = in, *name = NULL;
    char where[256];
    if (json_is_object(in)) {
        static const char *const known[] = {"file", "name", "options", "profiles", NULL};
        const char *unknown = unknown_member(in, known);
        if (unknown)
            return wrong(
                f, "scene %zu: a scene has no \"%s\": it may have \"file\", \"name\", \"options\" and \"profiles\"",
                number, unknown);
        file = json_object_get(in, "file");
        name = json_object_get(in, "name");
        options = json_object_get(in, "options");
        profiles = json_object_get(in, "profiles");
    }
    if (!json_is_string(file) || !json_string_value(file)[0])
        return file == in ? wrong(f, "scene %zu is %s: give the path of a scene file, or an object with \"file\"",
                                  number, kind_of(in))
                          : wrong(f, "scene %zu: \"file\" is %s: give the path of a scene file", number, kind_of(file));
    if (name && !json_is_string(name)) return wrong(f, "scene %zu: \"name\" is %s: give text", number, kind_of(name));
    s->path = path_from(f, json_string_value(file));
    s->name = name ? strdup(json_string_value(name)) : name_of_path(json_string_value(file));
    if (!s->path || !s->name) return no_memory();
    if (!is_name(s->name)) return wrong(f, "scene %zu, \"%s\": " NAME_RULE, number, s->name);
    snprintf(where, sizeof where, "scene %.200s", s->name);
    int code = read_options(f, where, options, option_groups, ARG_COUNT(option_groups), &s->options);
    return code == NAVCTL_OK ? read_scene_profiles(f, s, profiles) : code;
}

static int read_scenes(bake_file *f, const json_t *root)
{
    const json_t *scenes = json_object_get(root, "scenes");
    int code = NAVCTL_OK;
    if (!json_is_array(scenes) || json_array_size(scenes) == 0)
        return wrong(f, "\"scenes\" is %s: give a list of at least one scene", kind_of(scenes));
    f->scenes = calloc(json_array_size(scenes), sizeof *f->scenes);
    if (!f->scenes) return no_memory();
    for (size_t i = 0; i < json_array_size(scenes) && code == NAVCTL_OK; i++)
        code = read_scene(f, json_array_get(scenes, i), i + 1);
    return code;
}

// --- outputs ---

char *bake_file_output(const bake_file *f, const bake_scene *of, const bake_profile *profile)
{
    const size_t bytes = strlen(f->folder) + strlen(f->output) * (strlen(of->name) + strlen(profile->name) + 1) + 1;
    char *path = malloc(bytes), *to = path;
    if (!path) return NULL;
    if (f->output[0] != '/') to = stpcpy(to, f->folder);
    for (const char *from = f->output; *from;) {
        if (!strncmp(from, "{scene}", 7)) {
            to = stpcpy(to, of->name);
            from += 7;
        } else if (!strncmp(from, "{profile}", 9)) {
            to = stpcpy(to, profile->name);
            from += 9;
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
    return path;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// Nothing is written over a scene, by whatever path it is named.
static int check_overwriting(const bake_file *f, char *const *outputs, size_t count)
{
    struct stat *scenes = calloc(f->scene_count + (size_t)1, sizeof *scenes), output;
    int code = scenes ? NAVCTL_OK : no_memory();
    for (uint32_t i = 0; scenes && i < f->scene_count; i++)
        if (stat(f->scenes[i].path, &scenes[i])) scenes[i] = (struct stat){.st_ino = 0}; // reading it says why
    for (size_t i = 0; i < count && code == NAVCTL_OK; i++) {
        if (stat(outputs[i], &output)) continue;
        for (uint32_t k = 0; k < f->scene_count && code == NAVCTL_OK; k++)
            if (scenes[k].st_ino == output.st_ino && scenes[k].st_dev == output.st_dev)
                code = wrong(f, "the output %s would replace the scene %s: give another name in \"output\"", outputs[i],
                             f->scenes[k].path);
    }
    free(scenes);
    return code;
}

static int check_outputs(const bake_file *f)
{
    size_t count = 0, room = 0;
    for (uint32_t i = 0; i < f->scene_count; i++) room += f->scenes[i].profile_count;
    char **all = calloc(room + 1, sizeof *all);
    int code = all ? NAVCTL_OK : no_memory();
    for (uint32_t i = 0; i < f->scene_count && code == NAVCTL_OK; i++)
        for (uint32_t k = 0; k < f->scenes[i].profile_count && code == NAVCTL_OK; k++) {
            all[count] = bake_file_output(f, &f->scenes[i], &f->profiles[f->scenes[i].profiles[k]]);
            code = all[count++] ? NAVCTL_OK : no_memory();
        }
    if (code == NAVCTL_OK) qsort(all, count, sizeof *all, compare_texts);
    for (size_t i = 1; i < count && code == NAVCTL_OK; i++)
        if (!strcmp(all[i - 1], all[i]))
            code =
                wrong(f,
                      "two outputs would both be %s: put {scene} and {profile} into \"output\", or give scenes of one "
                      "file name a \"name\"",
                      all[i]);
    if (code == NAVCTL_OK) code = check_overwriting(f, all, count);
    for (size_t i = 0; i < count; i++) free(all[i]);
    free(all);
    return code;
}

static int check_values(const bake_file *f)
{
    bake_values *values = malloc(sizeof *values); // large
    int code = values ? NAVCTL_OK : no_memory();
    for (uint32_t i = 0; i < f->scene_count && code == NAVCTL_OK; i++)
        for (uint32_t k = 0; k < f->scenes[i].profile_count && code == NAVCTL_OK; k++)
            if (!bake_file_values(f, &f->scenes[i], &f->profiles[f->scenes[i].profiles[k]], values))
                code = NAVCTL_INPUT;
    free(values);
    return code;
}

static int read_root(bake_file *f, const json_t *root)
{
    static const char *const known[] = {"output", "options", "profiles", "scenes", NULL};
    const json_t *output = json_object_get(root, "output");
    if (!json_is_object(root)) return wrong(f, "it is %s: give an object with " FILE_MEMBERS, kind_of(root));
    const char *unknown = unknown_member(root, known);
    if (unknown) return wrong(f, "a bake file has no \"%s\": it may have " FILE_MEMBERS, unknown);
    if (!json_is_string(output) || !json_string_value(output)[0])
        return wrong(f, "\"output\" is %s: give a file's name, such as \"{scene}.{profile}.bin\"", kind_of(output));
    if (!mesh_file_kind_of(json_string_value(output), &f->kind))
        return wrong(f, "\"output\" is \"%s\": the name must end in " MESH_FILE_ENDINGS, json_string_value(output));
    f->output = strdup(json_string_value(output));
    if (!f->output) return no_memory();
    int code = read_options(f, "options", json_object_get(root, "options"), option_groups, ARG_COUNT(option_groups),
                            &f->options);
    if (code == NAVCTL_OK) code = read_profiles(f, root);
    if (code == NAVCTL_OK) code = read_scenes(f, root);
    if (code == NAVCTL_OK) code = check_outputs(f);
    return code == NAVCTL_OK ? check_values(f) : code;
}

int bake_file_read(const char *path, bake_file *out)
{
    json_error_t why;
    *out = (bake_file){.path = path};
    const char *slash = strrchr(path, '/');
    out->folder = strndup(path, slash ? (size_t)(slash - path) + 1 : 0);
    if (!out->folder) return no_memory();
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    int code;
    if (!root && why.line > 0)
        code = wrong(out, "line %d: %s", why.line, why.text);
    else if (!root)
        code = wrong(out, "%s", why.text);
    else
        code = read_root(out, root);
    json_decref(root);
    return code;
}

void bake_file_deinit(bake_file *f)
{
    for (uint32_t i = 0; i < f->profile_count; i++) {
        free(f->profiles[i].name);
        words_deinit(&f->profiles[i].options);
    }
    for (uint32_t i = 0; i < f->scene_count; i++) {
        free(f->scenes[i].name);
        free(f->scenes[i].path);
        free(f->scenes[i].profiles);
        words_deinit(&f->scenes[i].options);
    }
    words_deinit(&f->options);
    free(f->profiles);
    free(f->scenes);
    free(f->output);
    free(f->folder);
    *f = (bake_file){0};
}
