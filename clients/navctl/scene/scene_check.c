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
    } endings[] = {{".obj", SCENE_OBJ}, {".gltf", SCENE_GLTF}, {".glb", SCENE_GLB},
                   {".fbx", SCENE_FBX}, {".ply", SCENE_PLY},   {".stl", SCENE_STL}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
        if (!strcasecmp(dot, endings[i].ending)) return endings[i].format;
    }
    return SCENE_UNKNOWN;
}

bool scene_check(scene_format format, const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    static bool (*const checks[])(const uint8_t *, size_t, char *, size_t) = {
        [SCENE_OBJ] = scene_check_obj, [SCENE_GLTF] = scene_check_gltf, [SCENE_GLB] = scene_check_glb,
        [SCENE_FBX] = scene_check_fbx, [SCENE_PLY] = scene_check_ply,   [SCENE_STL] = scene_check_stl,
    };
    if (format == SCENE_UNKNOWN) {
        snprintf(why, why_bytes,
                 "not a scene format that navctl reads: the name must end in .obj, .gltf, .glb, .fbx, "
                 ".ply or .stl");
        return false;
    }
    if (count == 0) {
        snprintf(why, why_bytes, "the file is empty");
        return false;
    }
    return checks[format](bytes, count, why, why_bytes);
}

// Binary: 80 bytes of anything, a count, 50 bytes a triangle. Text: "solid" ... "endsolid".
bool scene_check_stl(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    enum { HEADER = 84, TRIANGLE = 50 };
    uint64_t claimed = count >= HEADER ? nav_load_u32(bytes + 80) : 0;
    if (count >= HEADER && count == HEADER + claimed * TRIANGLE) return true;
    if (count > 5 && !memcmp(bytes, "solid", 5) && !memchr(bytes, 0, count < 512 ? count : 512)) {
        size_t tail = count < 512 ? count : 512;
        if (memmem(bytes + count - tail, tail, "endsolid", 8)) return true;
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

// JSON: brackets that match outside of strings. Assimp's parser finds what else is wrong, but cannot say it.
bool scene_check_gltf(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    int64_t depth = 0;
    size_t line = 1;
    bool in_string = false, any = false;
    for (size_t i = 0; i < count; i++) {
        uint8_t c = bytes[i];
        line += c == '\n';
        if (in_string && c == '\\') {
            i++;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (!in_string && (c == '{' || c == '[')) {
            depth++;
            any = true;
        } else if (!in_string && (c == '}' || c == ']')) {
            depth--;
        } else if (!any && c > ' ' && c != 0xEF && c != 0xBB && c != 0xBF) { // a byte order mark may stand in front
            break;
        }
    }
    if (any && depth == 0 && !in_string) return true;
    if (any) {
        snprintf(why, why_bytes, "the file is cut short or damaged: its brackets do not match at line %zu", line);
    } else {
        snprintf(why, why_bytes, "not a glTF file: it does not begin with '{'");
    }
    return false;
}

// Header: magic, version, length of the whole; then chunks of length, type, content.
bool scene_check_glb(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    if (count < 12 || memcmp(bytes, "glTF", 4) != 0) {
        snprintf(why, why_bytes, "not a GLB file: it does not begin with 'glTF'");
        return false;
    }
    uint32_t version = nav_load_u32(bytes + 4), length = nav_load_u32(bytes + 8);
    if (version != 2) {
        snprintf(why, why_bytes, "GLB version %u at byte 4; navctl reads version 2", version);
        return false;
    }
    if (length > count) {
        snprintf(why, why_bytes, "the file is cut short: its header promises %u bytes, it has %zu", length, count);
        return false;
    }
    for (size_t at = 12; at < length;) {
        if (length - at < 8 || nav_load_u32(bytes + at) > length - at - 8) {
            snprintf(why, why_bytes, "the chunk at byte %zu reaches beyond the end of the file", at);
            return false;
        }
        at += 8 + nav_load_u32(bytes + at);
    }
    return true;
}

// Text: braces that match outside of strings and comments.
static bool check_fbx_text(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    int64_t depth = 0;
    size_t line = 1;
    bool in_string = false, in_comment = false, any = false;
    if (memchr(bytes, 0, count < 512 ? count : 512)) {
        snprintf(why, why_bytes, "not an FBX file: neither its binary nor its text form");
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint8_t c = bytes[i];
        if (c == '\n') {
            line++;
            in_comment = false;
        } else if (in_comment) {
            continue;
        } else if (c == '"') {
            in_string = !in_string;
        } else if (in_string) {
            continue;
        } else if (c == ';') {
            in_comment = true;
        } else if (c == '{') {
            depth++;
            any = true;
        } else if (c == '}' && --depth < 0) {
            snprintf(why, why_bytes, "line %zu: a '}' that closes nothing", line);
            return false;
        }
    }
    if (any && depth == 0 && !in_string) return true;
    snprintf(why, why_bytes, any ? "the file is cut short: %lld blocks are still open at line %zu" : "not an FBX file",
             (long long)depth, line);
    return false;
}

// Binary: a chain of top-level records, each naming the offset of its end, closed by a record of zeros.
bool scene_check_fbx(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    enum { HEADER = 27 };
    static const char magic[] = "Kaydara FBX Binary  ";
    if (count < HEADER || memcmp(bytes, magic, sizeof magic) != 0) {
        return check_fbx_text(bytes, count, why, why_bytes);
    }
    size_t field = nav_load_u32(bytes + 23) >= 7500 ? 8 : 4;
    for (uint64_t at = HEADER;;) {
        if (count - at < field) {
            snprintf(why, why_bytes, "the file is cut short: no closing record at byte %llu", (unsigned long long)at);
            return false;
        }
        uint64_t end = field == 8 ? nav_load_u64(bytes + at) : nav_load_u32(bytes + at);
        if (end == 0) return true;
        if (end <= at || end > count) {
            snprintf(why, why_bytes,
                     "the file is cut short: the record at byte %llu ends at %llu, the file has %zu bytes",
                     (unsigned long long)at, (unsigned long long)end, count);
            return false;
        }
        at = end;
    }
}
