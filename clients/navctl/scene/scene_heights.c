#include "clients/navctl/scene/scene_heights.h"
#include "core/base/endian.h"
#include "core/geometry/heights.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const diagonals[NAV_DIAGONAL_COUNT] = {"forward", "backward", "alternating", "shorter"};
static const double default_spacing_m = 1, default_scale_m = 0.01;

const arg_option scene_heights_options[SCENE_HEIGHTS_OPTIONS] = {
    {"heights-spacing", 0, ARG_TEXT, "M", "metres between samples; default 1", offsetof(scene_heights_values, spacing),
     0, 0, NULL},
    {"heights-scale", 0, ARG_TEXT, "M", "metres that one step of a sample is high; default 0.01",
     offsetof(scene_heights_values, scale), 0, 0, NULL},
    {"heights-offset", 0, ARG_TEXT, "M", "height of a sample of 0, in metres; default 0",
     offsetof(scene_heights_values, offset), 0, 0, NULL},
    {"heights-size", 0, ARG_TEXT, "CxR", "columns and rows of a .r16 file; default: it is a square",
     offsetof(scene_heights_values, size), 0, 0, NULL},
    {"heights-diagonal", 0, ARG_CHOICE, "WAY", "which way each cell is cut; default forward",
     offsetof(scene_heights_values, diagonal), 0, 0, "forward backward alternating shorter"},
};

static const char *ending_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot : "";
}

bool scene_heights_is_map(const char *path)
{
    return !strcasecmp(ending_of(path), ".png") || !strcasecmp(ending_of(path), ".r16");
}

static bool parse_size(const char *text, uint32_t *columns, uint32_t *rows)
{
    char more;
    return sscanf(text, "%9ux%9u%c", columns, rows, &more) == 2;
}

static double number_of(const char *text, double otherwise)
{
    double v;
    return text && args_parse_numbers(text, &v, 1) ? v : otherwise;
}

bool scene_heights_check(const scene_heights_values *v, const char *command)
{
    const struct {
        const char *name, *text;
        double least, most;
    } numbers[] = {
        {"spacing", v->spacing, 0.001, 1e4}, {"scale", v->scale, -1e7, 1e7}, {"offset", v->offset, -1e7, 1e7}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double n;
        if (!numbers[i].text) continue;
        if (args_parse_numbers(numbers[i].text, &n, 1) && n >= numbers[i].least && n <= numbers[i].most) continue;
        fprintf(stderr, "navctl %s: --heights-%s %s: expected metres from %g to %g\n", command, numbers[i].name,
                numbers[i].text, numbers[i].least, numbers[i].most);
        return false;
    }
    uint32_t columns, rows;
    if (!v->size || (parse_size(v->size, &columns, &rows) && columns >= 2 && rows >= 2)) return true;
    fprintf(stderr, "navctl %s: --heights-size %s: expected columns and rows, such as 513x257\n", command, v->size);
    return false;
}

const char *scene_heights_given(const scene_heights_values *v)
{
    return v->spacing    ? "heights-spacing"
           : v->scale    ? "heights-scale"
           : v->offset   ? "heights-offset"
           : v->size     ? "heights-size"
           : v->diagonal ? "heights-diagonal"
                         : NULL;
}

// --- PNG ---

enum { PNG_SIGNATURE = 8 };

typedef struct png_job {
    FILE *file;
    char *why;
    size_t why_bytes;
    uint32_t row, rows; // that is being read, of so many once they are known
    uint16_t *samples;
    uint8_t *line;
} png_job;

static void on_png_error(png_structp png, png_const_charp text)
{
    const png_job *j = png_get_error_ptr(png);
    if (!feof(j->file))
        snprintf(j->why, j->why_bytes, "the PNG is damaged: %s", text);
    else if (j->rows)
        snprintf(j->why, j->why_bytes, "the PNG is cut short: it ends within row %u of %u", j->row + 1, j->rows);
    else
        snprintf(j->why, j->why_bytes, "the PNG is cut short: it ends within its header");
    png_longjmp(png, 1);
}

static void on_png_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static bool is_size(uint64_t columns, uint64_t rows, char *why, size_t why_bytes)
{
    if (columns >= 2 && rows >= 2 && columns <= NAV_HEIGHTS_TERRAIN_MAX && rows <= NAV_HEIGHTS_TERRAIN_MAX &&
        columns * rows <= UINT32_MAX / 2)
        return true;
    snprintf(why, why_bytes,
             "it has %llu by %llu samples; 2 by 2 are the least, and %u along a side or %u in all the most",
             (unsigned long long)columns, (unsigned long long)rows, (unsigned)NAV_HEIGHTS_TERRAIN_MAX, UINT32_MAX / 2);
    return false;
}

// Between setjmp() and here nothing but the job changes.
static bool read_rows(png_structp png, png_infop info, png_job *j, uint32_t *columns, uint32_t *rows, unsigned *bits)
{
    png_read_info(png, info);
    *columns = png_get_image_width(png, info);
    *rows = png_get_image_height(png, info);
    if (png_get_color_type(png, info) != PNG_COLOR_TYPE_GRAY) {
        snprintf(j->why, j->why_bytes,
                 "the PNG has colours or an alpha channel; a height map is grey: save it so, best with 16 bits");
        return false;
    }
    if (!is_size(*columns, *rows, j->why, j->why_bytes)) return false;
    if (png_get_interlace_type(png, info) != PNG_INTERLACE_NONE) {
        snprintf(j->why, j->why_bytes, "the PNG is interlaced; save it without");
        return false;
    }
    const bool wide = png_get_bit_depth(png, info) == 16;
    *bits = png_get_bit_depth(png, info);
    j->rows = *rows;
    if (!wide) png_set_packing(png);
    j->samples = malloc((size_t)*columns * *rows * sizeof *j->samples);
    j->line = malloc((size_t)*columns * 2);
    if (!j->samples || !j->line) {
        snprintf(j->why, j->why_bytes, "no memory left");
        return false;
    }
    for (uint32_t r = 0; r < *rows; r++) {
        j->row = r;
        png_read_row(png, j->line, NULL);
        for (uint32_t c = 0; c < *columns; c++)
            j->samples[(size_t)r * *columns + c] =
                wide ? (uint16_t)(j->line[2 * (size_t)c] << 8 | j->line[2 * (size_t)c + 1]) : j->line[c];
    }
    return true;
}

static bool read_png(FILE *file, uint16_t **out, uint32_t *columns, uint32_t *rows, unsigned *bits, char *why,
                     size_t why_bytes)
{
    png_job j = {.file = file, .why = why, .why_bytes = why_bytes};
    png_byte signature[PNG_SIGNATURE];
    const size_t got = fread(signature, 1, sizeof signature, file);
    if (got == 0 || png_sig_cmp(signature, 0, got) != 0) {
        snprintf(why, why_bytes, got ? "it is no PNG, whatever its name says" : "the file is empty");
        return false;
    }
    rewind(file);
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &j, on_png_error, on_png_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile bool ok = false;
    if (!info) snprintf(why, why_bytes, "no memory left");
    if (info && !setjmp(png_jmpbuf(png))) {
        png_init_io(png, file);
        ok = read_rows(png, info, &j, columns, rows, bits);
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(j.line);
    *out = j.samples;
    if (ok) return true;
    free(j.samples);
    *out = NULL;
    return false;
}

// --- raw ---

static bool square_of(uint64_t samples, uint32_t *side)
{
    uint64_t low = 0, high = 1 << 20;
    while (low < high) {
        uint64_t mid = (low + high + 1) / 2;
        if (mid * mid <= samples)
            low = mid;
        else
            high = mid - 1;
    }
    *side = (uint32_t)low;
    return low * low == samples;
}

static bool read_raw(FILE *file, const char *size, uint16_t **out, uint32_t *columns, uint32_t *rows, char *why,
                     size_t why_bytes)
{
    if (fseek(file, 0, SEEK_END)) {
        snprintf(why, why_bytes, "%s", strerror(errno));
        return false;
    }
    const long bytes = ftell(file);
    rewind(file);
    if (bytes == 0 || bytes % 2) {
        snprintf(why, why_bytes,
                 bytes ? "its %ld bytes are no whole number of samples of 16 bits: is it cut short?"
                       : "the file is empty",
                 bytes);
        return false;
    }
    if (!size && !square_of((uint64_t)bytes / 2, columns)) {
        snprintf(why, why_bytes, "its %ld samples of 16 bits are no square: give --heights-size, such as 513x257",
                 bytes / 2);
        return false;
    }
    if (!size) *rows = *columns;
    if (size && !parse_size(size, columns, rows)) return false; // checked before
    if (!is_size(*columns, *rows, why, why_bytes)) return false;
    if ((uint64_t)bytes != 2 * (uint64_t)*columns * *rows) {
        snprintf(why, why_bytes, "it has %ld bytes, expected %llu for %u by %u samples of 16 bits", bytes,
                 2 * (unsigned long long)*columns * *rows, *columns, *rows);
        return false;
    }
    const size_t count = (size_t)*columns * *rows;
    *out = malloc(2 * count);
    if (!*out || fread(*out, 2, count, file) != count) {
        snprintf(why, why_bytes, "%s", *out ? "it was cut short while it was read" : "no memory left");
        free(*out);
        *out = NULL;
        return false;
    }
    for (size_t i = 0; i < count; i++) (*out)[i] = nav_load_u16(&(*out)[i]);
    return true;
}

bool scene_heights_samples(const char *path, const char *size, uint16_t **out, uint32_t *columns, uint32_t *rows,
                           char *why, size_t why_bytes)
{
    FILE *file = fopen(path, "rb");
    unsigned bits = 16;
    *out = NULL;
    if (!file) {
        snprintf(why, why_bytes, "%s", strerror(errno));
        return false;
    }
    bool ok = strcasecmp(ending_of(path), ".png") ? read_raw(file, size, out, columns, rows, why, why_bytes)
                                                  : read_png(file, out, columns, rows, &bits, why, why_bytes);
    fclose(file);
    if (ok && bits < 16)
        fprintf(stderr,
                "navctl: warning: %s has %u bits, so there are %u heights at the most, and slopes are stairs: 16 are "
                "better\n",
                path, bits, 1u << bits);
    return ok;
}

// --- the scene ---

static char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strndup(name, (size_t)(ending_of(name) - name));
}

// One block, copied out of the whole.
static bool add_block(scene *out, const nav_heights_spec *whole, uint32_t x, uint32_t z, uint32_t block,
                      const char *path)
{
    const uint32_t column = x * NAV_HEIGHTS_BLOCK, row = z * NAV_HEIGHTS_BLOCK;
    scene_mesh *m = &out->meshes[out->mesh_count];
    scene_instance *in = &out->instances[out->instance_count];
    nav_heights_spec *h = malloc(sizeof *h);
    if (!h) return false;
    *h = *whole;
    h->first_column = (int32_t)column;
    h->first_row = (int32_t)row;
    h->columns = whole->columns - column < NAV_HEIGHTS_BLOCK + 1 ? whole->columns - column : NAV_HEIGHTS_BLOCK + 1;
    h->rows = whole->rows - row < NAV_HEIGHTS_BLOCK + 1 ? whole->rows - row : NAV_HEIGHTS_BLOCK + 1;
    uint16_t *samples = malloc((size_t)h->columns * h->rows * sizeof *samples);
    h->samples = samples;
    *m = (scene_mesh){.heights = h, .tri_count = 2 * (h->columns - 1) * (h->rows - 1)};
    out->mesh_count++;
    *in = (scene_instance){.name = name_of(path),
                           .mesh = out->mesh_count - 1,
                           .block = block,
                           .transform = NAV_TRANSFORM_IDENTITY,
                           .area = NAV_AREA_DEFAULT};
    if (!samples || !in->name) return false;
    out->instance_count++;
    for (uint32_t r = 0; r < h->rows; r++)
        memcpy(samples + (size_t)r * h->columns,
               (const uint16_t *)whole->samples + (size_t)(row + r) * whole->columns + column,
               h->columns * sizeof *samples);
    return true;
}

bool scene_heights_read(const char *path, const scene_heights_values *v, scene *out, char *why, size_t why_bytes)
{
    nav_heights_spec whole = {.spacing_m = number_of(v->spacing, default_spacing_m),
                              .scale_m = number_of(v->scale, default_scale_m),
                              .offset_m = number_of(v->offset, 0)};
    uint16_t *samples;
    *out = (scene){.frame = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .unit_m = 1}};
    for (int d = 0; v->diagonal && d < NAV_DIAGONAL_COUNT; d++)
        if (!strcmp(v->diagonal, diagonals[d])) whole.diagonal = (nav_diagonal)d;
    if (!scene_heights_samples(path, v->size, &samples, &whole.columns, &whole.rows, why, why_bytes)) return false;
    whole.samples = samples;
    const uint32_t across = (whole.columns - 2) / NAV_HEIGHTS_BLOCK + 1,
                   down = (whole.rows - 2) / NAV_HEIGHTS_BLOCK + 1;
    out->meshes = calloc((size_t)across * down, sizeof *out->meshes);
    out->instances = calloc((size_t)across * down, sizeof *out->instances);
    bool ok = out->meshes && out->instances;
    for (uint32_t i = 0; i < across * down && ok; i++) ok = add_block(out, &whole, i % across, i / across, i, path);
    free(samples);
    if (ok) {
        scene_measure(out);
        return true;
    }
    snprintf(why, why_bytes, "no memory left");
    scene_deinit(out);
    return false;
}
