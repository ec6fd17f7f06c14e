#include "clients/navctl/scene/surface_values.h"

#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/scene/ground_scene.h"
#include "clients/navctl/scene/height_function.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const diagonals[NAV_DIAGONAL_COUNT] = {"forward", "backward", "alternating", "shorter"};
static const double default_size_m = 100;

const arg_option surface_options[SURFACE_OPTIONS] = {
    {"height", 0, ARG_TEXT, "EXPR", "height in metres at x and z, such as \"4*noise(x/30,z/30)+sin(x/5)\"",
     offsetof(surface_values, height), 0, 0, NULL},
    {"size", 0, ARG_TEXT, "XxZ", "size in metres; default 100x100", offsetof(surface_values, size), 0, 0, NULL},
    {"cells", 0, ARG_TEXT, "XxZ", "cells along x and along z, of two triangles each; default: one for each metre",
     offsetof(surface_values, cells), 0, 0, NULL},
    {"middle", 0, ARG_TEXT, "X,Z", "its middle; default 0,0", offsetof(surface_values, middle), 0, 0, NULL},
    {"diagonal", 0, ARG_CHOICE, "WAY", "which way each cell is cut; default forward",
     offsetof(surface_values, diagonal), 0, 0, "forward backward alternating shorter"},
};

const char *surface_values_given(const surface_values *v)
{
    return v->height     ? "height"
           : v->size     ? "size"
           : v->cells    ? "cells"
           : v->middle   ? "middle"
           : v->diagonal ? "diagonal"
                         : NULL;
}

// "200x100", or "200" for both.
static bool parse_pair(const char *text, double out[2])
{
    char *end;
    out[0] = out[1] = strtod(text, &end);
    if (end == text || !isfinite(out[0])) return false;
    if (!*end) return true;
    if (*end != 'x') return false;
    text = end + 1;
    out[1] = strtod(text, &end);
    return end != text && !*end && isfinite(out[1]);
}

static bool parse_grid(const surface_values *v, const char *command, nav_ground_grid *out)
{
    const double most = NAV_GROUND_MAX_POINTS;
    double size[2] = {default_size_m, default_size_m}, cells[2], middle[2] = {0, 0};
    if (v->size && !(parse_pair(v->size, size) && size[0] > 0 && size[1] > 0)) {
        fprintf(stderr, "navctl %s: --size %s: expected metres above 0, such as 200x100\n", command, v->size);
        return false;
    }
    for (int k = 0; k < 2; k++) cells[k] = fmin(fmax(round(size[k]), 1), most);
    if (v->cells && !(parse_pair(v->cells, cells) && cells[0] == floor(cells[0]) && cells[1] == floor(cells[1]) &&
                      cells[0] >= 1 && cells[1] >= 1 && cells[0] <= most && cells[1] <= most)) {
        fprintf(stderr, "navctl %s: --cells %s: expected whole numbers from 1, such as 200x100\n", command, v->cells);
        return false;
    }
    if (v->middle && !args_parse_numbers(v->middle, middle, 2)) {
        fprintf(stderr, "navctl %s: --middle %s: expected X,Z\n", command, v->middle);
        return false;
    }
    *out = (nav_ground_grid){.min_x = middle[0] - size[0] / 2,
                             .min_z = middle[1] - size[1] / 2,
                             .max_x = middle[0] + size[0] / 2,
                             .max_z = middle[1] + size[1] / 2,
                             .columns = (uint32_t)cells[0],
                             .rows = (uint32_t)cells[1]};
    for (int d = 0; v->diagonal && d < NAV_DIAGONAL_COUNT; d++)
        if (!strcmp(v->diagonal, diagonals[d])) out->diagonal = (nav_diagonal)d;
    return true;
}

int surface_values_make(const surface_values *v, const char *command, scene *out)
{
    char why[256] = "";
    nav_ground_grid grid;
    nav_ground ground = {0};
    *out = (scene){.frame = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .unit_m = 1}};
    if (!parse_grid(v, command, &grid)) return NAVCTL_USAGE;
    height_function *f = height_function_create(v->height, why, sizeof why);
    if (!f) {
        fprintf(stderr, "navctl %s: --height %s: %s\n", command, v->height, why);
        return NAVCTL_USAGE;
    }
    const nav_status s = nav_ground_from_function(&grid, height_function_at, f, &ground, why, sizeof why);
    height_function_destroy(f);
    int code = NAVCTL_OK;
    if (s != NAV_OK) {
        fprintf(stderr, "navctl %s: --height %s: %s\n", command, v->height, why[0] ? why : nav_status_text(s));
        code = s == NAV_ERR_MEMORY ? NAVCTL_FAILED : NAVCTL_USAGE;
    } else if (!ground_scene_make(&ground, "ground", out)) {
        fprintf(stderr, "navctl: no memory left\n");
        code = NAVCTL_FAILED;
    }
    nav_ground_deinit(&ground);
    if (code != NAVCTL_OK) scene_deinit(out);
    return code;
}
