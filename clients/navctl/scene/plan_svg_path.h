// Outlines of an SVG: path data, points and basic shapes as rings, through a transform. Curves become chords. Any
// thread.
#ifndef NAVCTL_PLAN_SVG_PATH_H
#define NAVCTL_PLAN_SVG_PATH_H

#include "clients/navctl/scene/plan_features.h"

// x' = a x + c y + e, y' = b x + d y + f, as in SVG. y points down the sheet.
typedef struct svg_matrix {
    double a, b, c, d, e, f;
} svg_matrix;

svg_matrix svg_matrix_join(const svg_matrix *outer, const svg_matrix *inner);
// Reads the value of a transform attribute. False: it is none, and `why` says what is wrong.
bool svg_matrix_parse(const char *text, svg_matrix *out, char *why, size_t why_bytes);

// How the last feature takes what is drawn: subpaths become lines, if they do not close and lines are wanted.
typedef struct svg_pen {
    plan_features *out;
    svg_matrix matrix; // to the sheet
    bool lines;        // what is not closed stays a line
} svg_pen;

// False: said, with the feature's name and the place in the data.
bool svg_draw_path(const svg_pen *pen, const char *data);
bool svg_draw_points(const svg_pen *pen, const char *data, bool closed); // of polygon and polyline
bool svg_draw_line(const svg_pen *pen, double x1, double y1, double x2, double y2);
bool svg_draw_rect(const svg_pen *pen, double x, double y, double width, double height, double rx, double ry);
bool svg_draw_ellipse(const svg_pen *pen, double cx, double cy, double rx, double ry);

// A number at *at, which is moved behind it and a comma or blanks. False: there is none.
bool svg_number(const char **at, double *out);

#endif
