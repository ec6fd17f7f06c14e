#include "clients/navctl/scene/scene_frame.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/elapsed.h"
#include "clients/navctl/scene/scene_check.h"
#include "clients/navctl/scene/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const arg_option scene_frame_options[SCENE_FRAME_OPTIONS] = {
    {"up", 0, ARG_CHOICE, "AXIS", "axis of the file that points up; auto: as the file says, else y",
     offsetof(scene_frame_values, up), 0, 0, "auto x y z -x -y -z"},
    {"scale", 0, ARG_TEXT, "UNIT",
     "length of the file's unit: metres, or m cm mm inch foot; auto: as the file says, else m",
     offsetof(scene_frame_values, scale), 0, 0, NULL},
    {"raise", 0, ARG_TEXT, "M", "metres to add to all heights, once they are in metres; default 0",
     offsetof(scene_frame_values, raise), 0, 0, NULL},
};

static const char *const up_names[6] = {"x", "y", "z", "-x", "-y", "-z"};

static const struct {
    const char *name;
    const char *words[3]; // how exporters write it
    double metres;
} units[] = {
    {"m", {"meter", "metre", "meters"}, 1},
    {"cm", {"centimeter", "centimetre", "centimeters"}, 0.01},
    {"mm", {"millimeter", "millimetre", "millimeters"}, 0.001},
    {"inch", {"inch", "inches", "in"}, 0.0254},
    {"foot", {"foot", "feet", "ft"}, 0.3048},
};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

const char *scene_frame_unit_name(double unit_m)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (fabs(unit_m / units[i].metres - 1) < 1e-6) return units[i].name;
    }
    return NULL;
}

// 0: neither a number of metres nor a unit.
static double parse_scale(const char *text)
{
    double number;
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (!strcmp(text, units[i].name)) return units[i].metres;
    }
    return args_parse_numbers(text, &number, 1) && number >= 1e-9 && number <= 1e9 ? number : 0;
}

bool scene_frame_check(const scene_frame_values *v, const char *command)
{
    double metres;
    if (v->raise && !(args_parse_numbers(v->raise, &metres, 1) && fabs(metres) <= 1e7)) {
        fprintf(stderr, "navctl %s: --raise %s: expected metres from -1e7 to 1e7\n", command, v->raise);
        return false;
    }
    if (!v->scale || !strcmp(v->scale, "auto") || parse_scale(v->scale) > 0) return true;
    fprintf(stderr, "navctl %s: --scale %s: expected auto, m, cm, mm, inch, foot, or metres from 1e-9 to 1e9\n",
            command, v->scale);
    return false;
}

// Rows: what becomes X, Y and Z. Rotations all, so nothing is mirrored.
static const int8_t turns[6][9] = {
    {0, -1, 0, 1, 0, 0, 0, 0, 1}, // x up
    {1, 0, 0, 0, 1, 0, 0, 0, 1},  // y
    {1, 0, 0, 0, 0, 1, 0, -1, 0}, // z
    {0, 1, 0, -1, 0, 0, 0, 0, 1}, // -x
    {1, 0, 0, 0, -1, 0, 0, 0, -1}, {1, 0, 0, 0, 0, -1, 0, 1, 0},
};

scene_frame scene_frame_with_up(int up, double unit_m)
{
    scene_frame f = {.unit_m = unit_m};
    memcpy(f.axes, turns[up], sizeof f.axes);
    return f;
}

const char *scene_frame_up_name(const scene_frame *f)
{
    for (int axis = 0; axis < 3; axis++) {
        if (f->axes[3 + axis]) return up_names[f->axes[3 + axis] > 0 ? axis : axis + 3];
    }
    return "y";
}

static void change_place(const double g[9], double scale, float p[3])
{
    const double q[3] = {(double)p[0], (double)p[1], (double)p[2]};
    for (int k = 0; k < 3; k++) // + 0: a zero has no sign
        p[k] = (float)(scale * (g[3 * k] * q[0] + g[3 * k + 1] * q[1] + g[3 * k + 2] * q[2])) + 0.0f;
}

void scene_frame_change(scene *s, const scene_frame *to)
{
    double g[9], scale = to->unit_m / s->frame.unit_m; // from the frame the scene has to the other
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            int sum = 0;
            for (int k = 0; k < 3; k++) sum += to->axes[3 * row + k] * s->frame.axes[3 * column + k];
            g[3 * row + column] = sum;
        }
    }
    for (uint32_t m = 0; m < s->mesh_count; m++) {
        for (uint32_t v = 0; v < s->meshes[m].vert_count; v++) {
            change_place(g, scale, s->meshes[m].verts + 3 * (size_t)v);
        }
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        float *t = s->instances[i].transform;
        double turned[12];
        for (int row = 0; row < 3; row++) { // turn * transform
            for (int column = 0; column < 4; column++) {
                turned[4 * row + column] = g[3 * row] * (double)t[column] + g[3 * row + 1] * (double)t[4 + column] +
                                           g[3 * row + 2] * (double)t[8 + column];
            }
        }
        for (int row = 0; row < 3; row++) { // ... * turned back
            for (int column = 0; column < 3; column++) {
                double sum = 0;
                for (int k = 0; k < 3; k++) sum += turned[4 * row + k] * g[3 * column + k];
                t[4 * row + column] = (float)sum + 0.0f;
            }
            t[4 * row + 3] = (float)(scale * turned[4 * row + 3]) + 0.0f;
        }
    }
    for (uint32_t i = 0; i < s->link_count; i++) {
        nav_link *l = &s->links[i];
        change_place(g, scale, l->start);
        change_place(g, scale, l->end);
        l->radius_m = (float)(scale * (double)l->radius_m);
    }
    s->frame = *to;
    scene_measure(s);
}

void scene_frame_raise(scene *s, double metres)
{
    for (uint32_t i = 0; i < s->instance_count; i++)
        s->instances[i].transform[7] = (float)((double)s->instances[i].transform[7] + metres);
    for (uint32_t i = 0; i < s->link_count; i++) {
        s->links[i].start[1] = (float)((double)s->links[i].start[1] + metres);
        s->links[i].end[1] = (float)((double)s->links[i].end[1] + metres);
    }
    scene_measure(s);
}

static double unit_of_word(const char *word, size_t length)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (length == strlen(units[i].name) && !strncasecmp(word, units[i].name, length)) return units[i].metres;
        for (int k = 0; k < 3; k++) {
            size_t whole = strlen(units[i].words[k]);
            bool plural = length == whole + 1 && (word[whole] | 32) == 's';
            if ((length == whole || plural) && !strncasecmp(word, units[i].words[k], whole)) return units[i].metres;
        }
    }
    return 0;
}

static bool is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

// A comment names the file's unit when it speaks of units and holds exactly one word that is a unit's.
static double unit_of_comment(const char *line, size_t length)
{
    bool speaks = false;
    double found = 0;
    for (size_t at = 0; at < length;) {
        size_t end = at;
        while (end < length && is_letter(line[end])) end++;
        if (end == at) {
            at++;
            continue;
        }
        size_t letters = end - at;
        double unit = unit_of_word(line + at, letters);
        // "in" and "m" are words of a language and letters as well
        if (unit > 0 && (letters > 2 || (letters == 2 && strncasecmp(line + at, "in", 2) != 0))) {
            if (found > 0 && found != unit) return 0;
            found = unit;
        }
        speaks |= (letters == 4 || letters == 5) && !strncasecmp(line + at, "units", letters);
        at = end;
    }
    return speaks ? found : 0;
}

double scene_frame_comment_unit(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        const char *line_end = memchr(text + at, '\n', length - at);
        size_t end = line_end ? (size_t)(line_end - text) : length;
        if (text[at] == '#') {
            double unit = unit_of_comment(text + at, end - at);
            if (unit > 0) return unit;
        }
        at = end + 1;
    }
    return 0;
}

// What an OBJ says of its unit; the importer does not look.
static double comment_unit(const char *path)
{
    enum { HEADER = 4096 };
    char why[64];
    scene_file file;
    if (scene_format_of(path) != SCENE_OBJ || !scene_file_open(path, &file, why, sizeof why)) return 0;
    double unit =
        file.bytes ? scene_frame_comment_unit((const char *)file.bytes, file.count < HEADER ? file.count : HEADER) : 0;
    scene_file_close(&file);
    return unit;
}

int scene_frame_read(const char *path, const scene_frame_values *v, const nav_parallel *parallel, scene *out)
{
    char why[512];
    elapsed line;
    elapsed_begin(&line, "Reading", path);
    double unit_m = v->scale && strcmp(v->scale, "auto") != 0 ? parse_scale(v->scale) : 0;
    scene_hints hints = {unit_m > 0 ? unit_m : 1, 1};
    for (int up = 0; up < 6 && v->up; up++)
        if (!strcmp(v->up, up_names[up])) hints.up = up;
    bool ok = scene_read_in_parallel(path, &hints, parallel, out, why, sizeof why);
    elapsed_end(&line);
    if (!ok) {
        fprintf(stderr, "navctl: %s: %s\n", path, why);
        return NAVCTL_INPUT;
    }
    scene_frame wanted = out->frame;
    double said = comment_unit(path);
    if (said > 0) wanted.unit_m = said;
    if (unit_m > 0) wanted.unit_m = unit_m;
    for (int up = 0; up < 6 && v->up; up++) {
        if (!strcmp(v->up, up_names[up])) wanted = scene_frame_with_up(up, wanted.unit_m);
    }
    if (memcmp(wanted.axes, out->frame.axes, sizeof wanted.axes) || wanted.unit_m != out->frame.unit_m)
        scene_frame_change(out, &wanted);
    double metres;
    if (v->raise && args_parse_numbers(v->raise, &metres, 1)) scene_frame_raise(out, metres);
    if (isfinite(out->max[0] - out->min[0]) && isfinite(out->max[1] - out->min[1]) &&
        isfinite(out->max[2] - out->min[2]))
        return NAVCTL_OK;
    fprintf(stderr, "navctl: %s: --scale %s makes it too large for single precision\n", path, v->scale);
    scene_deinit(out);
    return NAVCTL_INPUT;
}
