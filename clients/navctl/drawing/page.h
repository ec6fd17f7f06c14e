// A page with a headline, a drawing to scale and a foot, as PNG or SVG: what the pictures of meshes share. X points
// right, Z down.
#ifndef NAVCTL_PAGE_H
#define NAVCTL_PAGE_H

#include "navcore/parallel.h"

#include <cairo/cairo.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct colour {
    double r, g, b;
} colour;

extern const colour PAGE_PAPER, PAGE_INK, PAGE_FAINT, PAGE_WALL, PAGE_LINK;

typedef struct page {
    cairo_t *cr;
    double unit;          // 1 at a picture 1600 wide; all lengths below scale with it
    double margin, foot;  // pixels
    double width, height; // pixels
    double scale;         // pixels a metre
    double left, top;     // pixels, where min x and min z fall
    double min[2];        // metres: x, z
} page;

colour page_mix(colour a, colour b, double t);
// The colour at t, 0 to 1, of a ramp of at least two, spread evenly; beyond its ends the end.
colour page_ramp(const colour *ramp, size_t count, double t);
// Lines with round ends and corners, which a page begins with.
void page_lines(const page *p);
void page_colour(const page *p, colour c, double alpha);
// Pixels of a place in metres.
double page_x(const page *p, double x);
double page_z(const page *p, double z);

// align: 0 begins at x, 1 ends there.
void page_text(const page *p, double x, double y, double size, colour c, bool bold, double align, const char *text);
// The same, so that what is below shows through.
void page_pale_text(const page *p, double x, double y, double size, colour c, double alpha, bool bold, double align,
                    const char *text);
double page_text_width(const page *p, double size, const char *text);
void page_headline(const page *p, const char *title, const char *line);
void page_scale_bar(const page *p);

// By the name's ending, .png or .svg.
bool page_name_ok(const char *path);

// What is drawn on a page. False: no memory left.
typedef struct page_drawing {
    float min[3], max[3]; // metres; min > max where there is nothing
    double foot;          // units of height kept free below
    bool (*paint)(const page *p, const void *user);
    const void *user;
    const nav_parallel *parallel; // for what is done of a whole page; NULL: the calling thread alone
} page_drawing;

// How wide the page will be, in units.
double page_width(const page_drawing *drawing);

// size: pixels of the longer side. The whole file or none; false with one line on stderr.
bool page_write(const char *path, const page_drawing *drawing, int size);

#endif
