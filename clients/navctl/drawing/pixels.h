// Pixels drawn straight into an image, without cairo: of a large scene most polygons and lines are a few pixels long,
// and there cairo's care for each of them costs far more than the pixels do.
#ifndef NAVCTL_PIXELS_H
#define NAVCTL_PIXELS_H

#include "clients/navctl/drawing/page.h"

#include <stddef.h>
#include <stdint.h>

// Rows of a page, as cairo keeps CAIRO_FORMAT_RGB24 and ARGB32 (premultiplied): alpha, red, green, blue from the
// highest byte down. Places are pixels of the page.
typedef struct pixels {
    uint8_t *bytes; // of row `top`
    ptrdiff_t stride;
    int width, top, end; // rows top to end - 1
} pixels;

enum { PIXELS_MAX_CORNERS = 64, PIXELS_MAX_SIDE = 48 };

uint32_t pixels_colour(colour c);

// Fills the pixels whose centres lie in the polygon, by the even-odd rule. count: PIXELS_MAX_CORNERS at most.
void pixels_fill(const pixels *p, const double (*corners)[2], uint32_t count, uint32_t value);

// Lines that are drawn as one: where they meet or cross they are no darker than elsewhere.
typedef struct pixels_lines {
    int left, top, right, bottom;                    // of what is covered; right and bottom lie outside
    int from[2];                                     // the pixel of cover[0][0]
    uint8_t cover[PIXELS_MAX_SIDE][PIXELS_MAX_SIDE]; // 255: all of the pixel; zero outside of left to bottom
} pixels_lines;

// Lines that begin at this corner of a square of PIXELS_MAX_SIDE; what leaves it is not drawn.
void pixels_lines_begin(pixels_lines *l, double left, double top);
void pixels_lines_add(pixels_lines *l, const double a[2], const double b[2], double width);
// Draws them, and forgets them.
void pixels_lines_draw(pixels_lines *l, const pixels *p, uint32_t value, double alpha);

#endif
