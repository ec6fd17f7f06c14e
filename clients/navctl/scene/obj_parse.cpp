// The only C++ of navctl: tinyobjloader is a C++ header.
#include "clients/navctl/scene/obj_parse.h"

#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>

#include <istream>
#include <streambuf>
#include <string>
#include <vector>

namespace
{

class text_buffer : public std::streambuf
{
  public:
    text_buffer(const char *text, size_t bytes)
    {
        char *first = const_cast<char *>(text); // only read
        setg(first, first, first + bytes);
    }
};

struct listener {
    const obj_statements *told;
    void *user;
    std::vector<int> corners;
};

void vertex(void *user, float x, float y, float z, float)
{
    const listener *l = static_cast<listener *>(user);
    const float position[3] = {x, y, z};
    l->told->vertex(l->user, position);
}

void face(void *user, tinyobj::index_t *indices, int count)
{
    listener *l = static_cast<listener *>(user);
    l->corners.clear();
    for (int k = 0; k < count; k++) l->corners.push_back(indices[k].vertex_index);
    l->told->face(l->user, l->corners.data(), count);
}

void material(void *user, const char *name, int)
{
    const listener *l = static_cast<listener *>(user);
    l->told->material(l->user, name);
}

void group(void *user, const char **names, int count)
{
    const listener *l = static_cast<listener *>(user);
    std::string joined;
    for (int i = 0; i < count; i++) joined += (i ? " " : "") + std::string(names[i]);
    l->told->group(l->user, joined.c_str());
}

void object(void *user, const char *name)
{
    const listener *l = static_cast<listener *>(user);
    l->told->object(l->user, name);
}

} // namespace

bool obj_parse(const char *text, size_t bytes, const obj_statements *told, void *user)
{
    try {
        listener l = {told, user, {}};
        text_buffer buffer(text, bytes);
        std::istream stream(&buffer);
        tinyobj::callback_t calls;
        calls.vertex_cb = vertex;
        calls.index_cb = face;
        calls.usemtl_cb = material;
        calls.group_cb = group;
        calls.object_cb = object;
        return tinyobj::LoadObjWithCallback(stream, calls, &l);
    } catch (...) { // std::bad_alloc is all that it throws
        return false;
    }
}
