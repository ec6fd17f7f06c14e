#include "clients/navctl/scene/scene_look.h"
#include "clients/navctl/scene/scene_frame.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 16384 };

typedef struct measure {
    double value, area;
} measure;

typedef struct sample {
    measure *walls[3], *edges; // walls: were X, Y or Z up
    uint32_t wall_count[3], edge_count;
    double facing[6], area;
} sample;

static void look_at_triangle(sample *out, double p[3][3])
{
    double a[3], b[3], n[3], longest = 0;
    for (int k = 0; k < 3; k++) {
        a[k] = p[1][k] - p[0][k];
        b[k] = p[2][k] - p[0][k];
    }
    for (int k = 0; k < 3; k++) n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), area = length / 2;
    if (!(length > 0) || !isfinite(length)) return;
    for (int k = 0; k < 3; k++) {
        if (n[k] > 0.7071 * length) out->facing[k] += area;
        if (n[k] < -0.7071 * length) out->facing[3 + k] += area;
        const double *u = p[k], *v = p[(k + 1) % 3];
        longest = fmax(longest, sqrt((u[0] - v[0]) * (u[0] - v[0]) + (u[1] - v[1]) * (u[1] - v[1]) +
                                     (u[2] - v[2]) * (u[2] - v[2])));
    }
    out->area += area;
    out->edges[out->edge_count++] = (measure){longest, area};
    for (int up = 0; up < 3; up++) {
        if (fabs(n[up]) > 0.17 * length) continue; // further than 10 degrees from upright
        double low = fmin(p[0][up], fmin(p[1][up], p[2][up])), high = fmax(p[0][up], fmax(p[1][up], p[2][up]));
        out->walls[up][out->wall_count[up]++] = (measure){high - low, area};
    }
}

static int compare_measures(const void *a, const void *b)
{
    const measure *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

// Sorts. 0 where there is nothing.
static double median(measure *m, uint32_t count, double *by_area)
{
    *by_area = 0;
    if (count == 0) return 0;
    qsort(m, count, sizeof *m, compare_measures);
    double total = 0, sum = 0;
    for (uint32_t i = 0; i < count; i++) total += m[i].area;
    for (uint32_t i = 0; i < count && sum * 2 < total; i++) {
        sum += m[i].area;
        *by_area = m[i].value;
    }
    return m[count / 2].value;
}

static void look_at_instance(sample *out, const scene *s, const scene_instance *instance, uint64_t first, uint64_t step)
{
    const scene_mesh *mesh = &s->meshes[instance->mesh];
    const float *t = instance->transform;
    for (uint64_t i = first; i < mesh->tri_count; i += step) {
        double p[3][3];
        float corners[9];
        if (!scene_mesh_triangle(mesh, (uint32_t)i, corners)) continue;
        for (int corner = 0; corner < 3; corner++) {
            const float *v = corners + 3 * (size_t)corner;
            for (int k = 0; k < 3; k++)
                p[corner][k] = (double)t[4 * k] * (double)v[0] + (double)t[4 * k + 1] * (double)v[1] +
                               (double)t[4 * k + 2] * (double)v[2] + (double)t[4 * k + 3];
        }
        look_at_triangle(out, p);
    }
}

bool scene_look_at(const scene *s, scene_look *out)
{
    *out = (scene_look){.has_edges = s->tri_count >= 100};
    uint64_t step = s->tri_count / SAMPLE + 1, next = 0; // the next triangle of the sample, counted in the instance
    measure *room = malloc(sizeof *room * 4 * (SAMPLE + 1));
    if (!room) return false;
    sample at = {.edges = room + 3 * (SAMPLE + 1)};
    for (int k = 0; k < 3; k++) at.walls[k] = room + k * (SAMPLE + 1);
    for (uint32_t i = 0; i < s->instance_count; i++) {
        uint64_t count = s->meshes[s->instances[i].mesh].tri_count;
        look_at_instance(&at, s, &s->instances[i], next, step);
        while (next < count) next += (count - next + step - 1) / step * step;
        next -= count;
    }
    for (int k = 0; k < 3; k++) out->size[k] = s->max[k] - s->min[k];
    for (int k = 0; k < 6 && at.area > 0; k++) out->faces[k] = at.facing[k] / at.area;
    for (int k = 0; k < 3; k++) out->wall_m[k] = median(at.walls[k], at.wall_count[k], &out->tall_wall_m[k]);
    out->edge_m = median(at.edges, at.edge_count, &out->long_edge_m);
    free(room);
    return true;
}

static void print_length(double metres, char *out, size_t bytes)
{
    if (metres >= 10000)
        snprintf(out, bytes, "%.3g km", metres / 1000);
    else
        snprintf(out, bytes, metres >= 100 ? "%.0f m" : "%.3g m", metres);
}

void scene_look_size(const float size[3], char *out, size_t bytes)
{
    char text[3][24];
    for (int k = 0; k < 3; k++) print_length((double)size[k], text[k], sizeof text[k]);
    snprintf(out, bytes, "%s x %s, %s high", text[0], text[2], text[1]);
}

// --- which way is up ---

// Which way the floors face, as 0 to 5 for +X +Y +Z -X -Y -Z, where it is plain; else 1.
static int up_of(const scene_look *look)
{
    int best = 1;
    double net[3], both[3]; // how much more faces one way than the other: open floors; what faces either way
    for (int k = 0; k < 3; k++) {
        net[k] = look->faces[k] - look->faces[3 + k];
        both[k] = look->faces[k] + look->faces[3 + k];
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double most = fmax(both[a], both[b]), least = fmin(both[a], both[b]);
        float level = fminf(look->size[a], look->size[b]);
        // Walls stand both ways. What has them one way only is a corridor or a stage, on whichever side it lies.
        bool walls_all_round = most < 0.1 || least > 0.4 * most;
        bool is_open = fabs(net[k]) > 0.1 && fabs(net[k]) > 3 * fmax(fabs(net[a]), fabs(net[b]));
        bool is_closed = both[k] > 1.4 * most && look->size[k] < 0.7f * level;
        bool is_flat = look->size[k] < 0.12f * level && level > 30;
        if (!walls_all_round || (!is_open && !is_closed && !is_flat)) continue;
        if (k == 1 && net[1] > -0.3) return 1;
        // Were it so, there would be much less to walk on as it was read.
        double floors = is_open ? fmax(look->faces[k], look->faces[3 + k]) : both[k] / 2;
        if (k != 1 && !is_flat && floors < 1.3 * look->faces[1]) continue;
        best = net[k] < -0.02 ? 3 + k : k;
    }
    return best;
}

// --- the unit ---

static double log_of(double value)
{
    return log10(fmax(value, 1e-12));
}

typedef struct proportions {
    double widest, wall, edge, tall_wall, long_edge, height; // metres; wall: 0 where there are none
    bool has_edges;
} proportions;

static proportions proportions_of(const scene_look *look, int up)
{
    const float *size = look->size;
    return (proportions){.widest = (double)fmaxf(size[0], fmaxf(size[1], size[2])),
                         .height = (double)size[up],
                         .wall = sqrt(look->wall_m[up] * look->tall_wall_m[up]),
                         .edge = sqrt(look->edge_m * look->long_edge_m),
                         .tall_wall = look->tall_wall_m[up],
                         .long_edge = look->long_edge_m,
                         .has_edges = look->has_edges || look->wall_m[up] > 0};
}

// How much likelier the scene is with a hundredth of its size than as it is: logarithms of three ratios of normal
// distributions, of scenes' widths (around 125 m), walls (3 m) and edges (1.5 m), added up.
static double score_too_large(const proportions *p, double scale)
{
    double score = (log_of(p->widest * scale) - 3.1) * 3.1;
    if (p->wall > 0) score += (log_of(p->wall * scale) - 1.5) * 8;
    if (p->has_edges) score += (log_of(p->edge * scale) - 1.17) * 5.6;
    return score;
}

// The same for a hundred times its size. Small details prove nothing here, so the large ones are taken.
static double score_too_small(const proportions *p)
{
    double score = (1.1 - log_of(p->widest)) * 3.1;
    if (p->wall > 0) score += (-0.5 - log_of(p->tall_wall)) * 8;
    if (p->has_edges) score += (-0.83 - log_of(p->long_edge)) * 5.6;
    return score;
}

static bool is_too_large(const proportions *p, double scale)
{
    return score_too_large(p, scale) > 11.5 || p->widest * scale > 100e3;
}

static bool is_too_small(const proportions *p, double agent_height_m)
{
    if (p->widest < agent_height_m) return true;
    // Nothing in it would be in anybody's way.
    bool is_toy = p->wall > 0 && p->has_edges && p->height < agent_height_m / 4 && p->widest < 30;
    return score_too_small(p) > 3 || (is_toy && p->long_edge < 15 && score_too_small(p) > -8);
}

// How far it is from the usual level at that scale.
static double strangeness(const proportions *p, double scale)
{
    double width = log_of(p->widest * scale) - 2.1, wall = log_of(p->wall * scale) - 0.5;
    double edge = log_of(p->edge * scale) - 0.2;
    return width * width / 0.64 + (p->wall > 0 ? wall * wall / 0.25 : 0) + (p->has_edges ? edge * edge / 0.36 : 0);
}

// "--scale cm makes it 40 m x 30 m, 3 m high"
static int propose_scale(const scene_look *look, int up, const scene_frame *frame, double scale, char *out,
                         size_t bytes)
{
    double unit_m = frame->unit_m * scale;
    const char *name = scene_frame_unit_name(unit_m);
    char size[80];
    int a = up == 0 ? 1 : 0, b = up == 2 ? 1 : 2;
    const float scaled[3] = {look->size[a] * (float)scale, look->size[up] * (float)scale, look->size[b] * (float)scale};
    scene_look_size(scaled, size, sizeof size);
    return name ? snprintf(out, bytes, "--scale %s makes it %s", name, size)
                : snprintf(out, bytes, "--scale %.6g makes it %s", unit_m, size);
}

static void doubt_unit(const scene_look *look, int up, const scene_frame *frame, double agent_height_m, char *out,
                       size_t bytes)
{
    proportions p = proportions_of(look, up);
    char now[80];
    scene_look_size(look->size, now, sizeof now);
    bool large = is_too_large(&p, 1);
    if (!large && !is_too_small(&p, agent_height_m)) return;
    double near = large ? 0.01 : 100, far = large ? 0.001 : 1000;
    // The commoner one leads, unless it would not do; the other where it fits better.
    bool near_fits = large ? !is_too_large(&p, near) : p.widest * near > agent_height_m;
    bool far_fits = strangeness(&p, far) + 2 < strangeness(&p, near) || !near_fits;
    int n =
        snprintf(out, bytes, "the scene looks too %s: %s. Is its unit another one? ", large ? "large" : "small", now);
    if (near_fits) n += propose_scale(look, up, frame, near, out + n, bytes - (size_t)n);
    if (near_fits && far_fits) n += snprintf(out + n, bytes - (size_t)n, "; ");
    if (far_fits) (void)propose_scale(look, up, frame, far, out + n, bytes - (size_t)n);
}

void scene_look_doubt(const scene_look *look, const scene_frame *frame, double agent_height_m, scene_doubts *out)
{
    *out = (scene_doubts){0};
    int up = up_of(look);
    if (up != 1) {
        scene_frame turned = {0}; // the file's axis that the floors face
        for (int k = 0; k < 3; k++)
            turned.axes[3 + k] = (int8_t)(up < 3 ? frame->axes[3 * up + k] : -frame->axes[3 * (up - 3) + k]);
        const char *axis = scene_frame_up_name(&turned);
        if (up == 4)
            snprintf(out->text[out->count++], SCENE_DOUBT_BYTES,
                     "most of its floors face down: is the scene upside down (--up %s), or are its triangles wound the "
                     "wrong way round?",
                     axis);
        else
            snprintf(out->text[out->count++], SCENE_DOUBT_BYTES,
                     "most of its floors face the file's %s axis, but its %s axis was taken for up: try --up %s", axis,
                     scene_frame_up_name(frame), axis);
    }
    char *text = out->text[out->count];
    doubt_unit(look, up % 3, frame, agent_height_m, text, SCENE_DOUBT_BYTES);
    out->count += *text != '\0';
}

void scene_look_warn(const scene *s, const nav_settings *agent, scene_doubts *out)
{
    scene_look look;
    *out = (scene_doubts){0};
    if (!scene_look_at(s, &look)) return; // no memory: the work itself says so
    scene_look_doubt(&look, &s->frame, (double)agent->agent_height_m, out);
    for (int i = 0; i < out->count; i++) fprintf(stderr, "navctl: warning: %s\n", out->text[i]);
}

static void size_of(const scene *s, char *out, size_t bytes)
{
    float size[3];
    for (int k = 0; k < 3; k++) size[k] = s->max[k] - s->min[k];
    scene_look_size(size, out, bytes);
}

void scene_look_say_nothing(const scene *s, const nav_settings *agent)
{
    char size[80];
    size_of(s, size, sizeof size);
    fprintf(stderr,
            "navctl: warning: nothing to walk on: the scene is %s; the agent needs floors that face up, at least %g m "
            "wide, at most %g degrees steep, with %g m above them\n",
            size, 2 * (double)agent->agent_radius_m, (double)agent->agent_slope_deg, (double)agent->agent_height_m);
}

void scene_look_report(const scene *s, const scene_doubts *doubts, json_writer *json)
{
    const char *up = scene_frame_up_name(&s->frame);
    if (json) {
        json_vec(json, "min", s->min, 3);
        json_vec(json, "max", s->max, 3);
        json_text(json, "up", up);
        json_number(json, "unit_m", s->frame.unit_m);
        json_open(json, "warnings", '[');
        for (int i = 0; i < doubts->count; i++) json_text(json, NULL, doubts->text[i]);
        json_close(json, ']');
        return;
    }
    char size[80];
    size_of(s, size, sizeof size);
    printf("size: %s, from %g,%g,%g to %g,%g,%g", size, (double)s->min[0], (double)s->min[1], (double)s->min[2],
           (double)s->max[0], (double)s->max[1], (double)s->max[2]);
    if (strcmp(up, "y") != 0) printf("; the file's %s axis is up", up);
    if (s->frame.unit_m != 1) printf("; the file's unit is %g m", s->frame.unit_m);
    printf("\n");
}
