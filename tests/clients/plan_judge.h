// What a floor plan's scene promises, looked at without GEOS: places are asked one by one. Any thread.
#ifndef TESTS_CLIENTS_PLAN_JUDGE_H
#define TESTS_CLIENTS_PLAN_JUDGE_H

#include "clients/navctl/scene/plan_faces.h"

#include <stddef.h>
#include <stdint.h>

// Are the triangles sound, and is each of so many places in as many of them as it should: one of the last feature that
// it lies in, an area's before a floor's, or none? All features are of one height and have rings. NULL, or what is
// wrong.
const char *plan_judge_triangles(const plan_features *p, const plan_triangles *t, uint32_t places, uint64_t seed);

// Twice the area of all triangles.
double plan_judge_area2(const plan_triangles *t);

#endif
