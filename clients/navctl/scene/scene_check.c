#include "clients/navctl/scene/scene_check.h"
#include "core/base/endian.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

scene_format scene_format_of(const char *path)
{
    static const struct {
        const char *ending;
        scene_format format;
    } endings[] = {{".obj", SCENE_OBJ}, {".gltf", SCENE_GLTF},  {".glb", SCENE_GLB},         {".fbx", SCENE_FBX},
                   {".ply", SCENE_PLY}, {".stl", SCENE_STL},    {".geojson", SCENE_GEOJSON}, {".wkt", SCENE_WKT},
                   {".svg", SCENE_SVG}, {".xyz", SCENE_POINTS}, {".csv", SCENE_POINTS}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (!strcasecmp(dot, endings[i].ending)) return endings[i].format;
    }
    return SCENE_UNKNOWN;
}

static size_t skip_digits(const uint8_t *word, size_t at, size_t length)
{
    while (at < length && word[at] >= '0' && word[at] <= '9') at++;
    return at;
}

bool scene_is_number(const uint8_t *word, size_t length)
{
    static const char *const names[] = {"nan", "inf", "infinity"};
    size_t at = length > 0 && (word[0] == '-' || word[0] == '+');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (length - at == strlen(names[i]) && !strncasecmp((const char *)word + at, names[i], length - at))
            return true;
    }
    size_t first = at, digits;
    at = skip_digits(word, at, length);
    digits = at - first;
    if (at < length && word[at] == '.') {
        first = ++at;
        at = skip_digits(word, at, length);
        digits += at - first;
    }
    if (digits > 0 && at < length && (word[at] == 'e' || word[at] == 'E')) {
        at++;
        at += at < length && (word[at] == '-' || word[at] == '+');
        first = at;
        at = skip_digits(word, at, length);
        if (at == first) return false;
    }
    return digits > 0 && at == length;
}

bool scene_check(scene_format format, const scene_file *file, char *why, size_t why_bytes)
{
    static bool (*const checks[])(const scene_file *, char *, size_t) = {
        [SCENE_GLTF] = scene_check_gltf, [SCENE_GLB] = scene_check_glb, [SCENE_FBX] = scene_check_fbx,
        [SCENE_PLY] = scene_check_ply,   [SCENE_STL] = scene_check_stl,
    };
    if (format == SCENE_UNKNOWN) {
        snprintf(why, why_bytes,
                 "not a scene format that navctl reads: the name must end in .obj, .gltf, .glb, .fbx, "
                 ".ply or .stl, of a floor plan in .geojson, .wkt or .svg, or of points in .xyz or .csv");
        return false;
    }
    if (file->count == 0) {
        snprintf(why, why_bytes, "the file is empty");
        return false;
    }
    return format >= sizeof checks / sizeof *checks || !checks[format] || checks[format](file, why, why_bytes);
}

// The numbers behind each "vertex" of a text STL.
static bool check_stl_text(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    size_t line = 1;
    int wanted = 0;
    for (size_t at = 0; at < count;) {
        if (bytes[at] <= ' ') {
            line += bytes[at++] == '\n';
            continue;
        }
        size_t end = at;
        while (end < count && bytes[end] > ' ') end++;
        if (wanted > 0 && !scene_is_number(bytes + at, end - at)) {
            snprintf(why, why_bytes, "line %zu: '%.*s' is not a number", line, end - at < 32 ? (int)(end - at) : 32,
                     bytes + at);
            return false;
        }
        wanted = wanted > 0 ? wanted - 1 : end - at == 6 && !memcmp(bytes + at, "vertex", 6) ? 3 : 0;
        at = end;
    }
    return true;
}

// Binary: 80 bytes of anything, a count, 50 bytes a triangle. Text: "solid" ... "endsolid".
bool scene_check_stl(const scene_file *file, char *why, size_t why_bytes)
{
    const uint8_t *bytes = file->bytes;
    size_t count = file->count;
    enum { HEADER = 84, TRIANGLE = 50 };
    uint64_t claimed = count >= HEADER ? nav_load_u32(bytes + 80) : 0;
    if (count >= HEADER && count == HEADER + claimed * TRIANGLE) return true;
    if (count > 5 && !memcmp(bytes, "solid", 5) && !memchr(bytes, 0, count < 512 ? count : 512)) {
        size_t tail = count < 512 ? count : 512;
        if (memmem(bytes + count - tail, tail, "endsolid", 8)) return check_stl_text(bytes, count, why, why_bytes);
        snprintf(why, why_bytes, "the file is cut short: no 'endsolid' within its last bytes");
        return false;
    }
    if (count < HEADER) {
        snprintf(why, why_bytes, "not an STL file: %zu bytes, and the header alone has 84", count);
        return false;
    }
    if (count > HEADER + claimed * TRIANGLE) return true; // further bytes behind the triangles do no harm
    snprintf(why, why_bytes, "the file is cut short: its header promises %llu triangles (%llu bytes), it has %zu bytes",
             (unsigned long long)claimed, (unsigned long long)(HEADER + claimed * TRIANGLE), count);
    return false;
}
