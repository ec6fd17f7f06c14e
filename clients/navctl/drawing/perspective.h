// Looking at a world from outside: places become places of a page, and how near they are.
//
//       eye o . . . . . . .        A place lies on the page where the straight line from it to the eye passes the plane
//             .  page |    x       through the middle of what is looked at. There a metre is a metre; what is nearer is
//               .     | .          larger.
//                  . .o middle
#ifndef NAVCTL_PERSPECTIVE_H
#define NAVCTL_PERSPECTIVE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct perspective {
    double eye[3], right[3], up[3], ahead[3]; // ahead: from the eye; all of length 1 but eye
    double distance;                          // of the eye from the middle
} perspective;

// from: the direction, from the middle of the box, in which the eye is. False where it is 0, 0, 0.
bool perspective_init(perspective *p, const float min[3], const float max[3], const double from[3]);
// out: metres to the right and downwards, and 1 / distance along `ahead`. Everything of the box lies ahead.
void perspective_place(const perspective *p, const float at[3], double out[3]);
// Does a triangle show the side from which its corners run counter-clockwise?
bool perspective_faces(const perspective *p, const float triangle[9]);

// An image that knows how near each of its pixels is.
typedef struct depth_image {
    int width, height;
    uint32_t *pixels; // as cairo keeps CAIRO_FORMAT_RGB24
    float *near;      // 1 / distance; 0: nothing there
} depth_image;

// False: no memory.
bool depth_image_init(depth_image *d, int width, int height, uint32_t paper);
void depth_image_deinit(depth_image *d); // accepts a zeroed one
// corners: pixels right and down, and 1 / distance, which is multiplied by `lift` first: over 1 it covers what is
// about as near.
void depth_image_triangle(depth_image *d, const double corners[3][3], double lift, uint32_t colour);
// A line of so many pixels' width. It covers only what is behind it, and hides nothing that comes later.
void depth_image_line(depth_image *d, const double a[3], const double b[3], double width, double lift, uint32_t colour);

#endif
