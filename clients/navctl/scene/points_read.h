// Points as text, .xyz and .csv: x, y and z on a line of their own, between blanks, commas or semicolons. What follows
// them on the line is left alone, as long as all lines have as many numbers. '#' begins a comment, and the first line
// may name the columns. Where a line has a semicolon, commas part nothing. The ground is their Delaunay triangulation.
#ifndef NAVCTL_POINTS_READ_H
#define NAVCTL_POINTS_READ_H

#include "clients/navctl/scene/scene.h"
#include "clients/navctl/scene/scene_file.h"

// up: the axis of the file that points up, as scene_frame_with_up() takes it. `out` is an empty scene, whose frame is
// set. False and a sentence in `why` that names the line; `out` has to be freed all the same.
bool points_read(const scene_file *file, int up, scene *out, char *why, size_t why_bytes);

#endif
