// A scene as an OBJ file, as obj_read.h and all others read it.
#ifndef NAVCTL_OBJ_WRITE_H
#define NAVCTL_OBJ_WRITE_H

#include "clients/navctl/scene/scene.h"

// Each instance is an object of its name, in metres, Y up; numbers are exact. from: what the first line says it was
// made of. The whole file or none; false with one line on stderr.
bool obj_write(const char *path, const char *from, const scene *s);

#endif
