#include "clients/navctl/scene/scene_references.h"
#include "core/base/endian.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// A name in a file stands beside that file.
static bool add(scene_references *r, const char *path, const char *name)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0, length = strlen(name);
    if (!length || r->count == SCENE_MAX_REFERENCES) return true;
    char *full = malloc(folder + length + 1);
    char **grown = full ? realloc(r->paths, (r->count + 1) * sizeof(char *)) : NULL;
    if (!grown) {
        free(full);
        return false;
    }
    memcpy(full, path, folder);
    memcpy(full + folder, name, length + 1);
    r->paths = grown;
    r->paths[r->count++] = full;
    return true;
}

static bool read_obj(const char *path, scene_references *out)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    bool ok = true;
    while (ok && f && getline(&line, &room, f) > 0) {
        char *name = line;
        if (strncmp(name, "mtllib", 6) != 0 || (name[6] != ' ' && name[6] != '\t')) continue;
        name += 6 + strspn(name + 6, " \t");
        name[strcspn(name, "\r\n")] = '\0';
        ok = add(out, path, name);
    }
    free(line);
    if (f) fclose(f);
    return ok;
}

static bool add_uris(const json_t *root, const char *list, const char *path, scene_references *out)
{
    const json_t *all = json_object_get(root, list);
    bool ok = true;
    for (size_t i = 0; ok && i < json_array_size(all); i++) {
        const char *uri = json_string_value(json_object_get(json_array_get(all, i), "uri"));
        if (uri && strncmp(uri, "data:", 5) != 0) ok = add(out, path, uri);
    }
    return ok;
}

// In a GLB the document is the first chunk, behind 12 bytes and its own head of 8.
static bool read_gltf(const char *path, bool binary, scene_references *out)
{
    uint8_t head[20];
    FILE *f = fopen(path, "rb");
    json_t *root = NULL;
    if (f && !binary) root = json_loadf(f, 0, NULL);
    if (f && binary && fread(head, 1, sizeof head, f) == sizeof head && !memcmp(head, "glTF", 4)) {
        size_t size = nav_load_u32(head + 12);
        char *text = size <= (size_t)1 << 30 ? malloc(size + 1) : NULL;
        if (text && fread(text, 1, size, f) == size) root = json_loadb(text, size, 0, NULL);
        free(text);
    }
    if (f) fclose(f);
    bool ok = add_uris(root, "buffers", path, out) && add_uris(root, "images", path, out);
    json_decref(root);
    return ok;
}

bool scene_references_read(const char *path, scene_references *out)
{
    const char *dot = strrchr(path, '.');
    *out = (scene_references){0};
    if (!dot) return true;
    if (!strcasecmp(dot, ".obj")) return read_obj(path, out);
    if (!strcasecmp(dot, ".gltf") || !strcasecmp(dot, ".glb"))
        return read_gltf(path, dot[3] == 'b' || dot[3] == 'B', out);
    return true;
}

void scene_references_deinit(scene_references *r)
{
    for (size_t i = 0; i < r->count; i++) free(r->paths[i]);
    free(r->paths);
    *r = (scene_references){0};
}
