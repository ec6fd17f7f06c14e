// A room whose walls and ceiling are known, and what tests of navctl ask about it.
#ifndef NAV_TESTS_SHEETS_ROOM_H
#define NAV_TESTS_SHEETS_ROOM_H

#include "navcore/sheets.h"
#include "tests/clients/run.h"

#include <jansson.h>
#include <stdint.h>

extern const char *const sheet_names[NAV_SHEET_COUNT];

// A closed room of 20 m by 8 m by 12 m around 3, 4, -2, seen from within: six sheets of one rectangle each.
extern const double ROOM_MIDDLE[3], ROOM_HALF[3];

// The room as an OBJ in the test's folder.
const char *room_path(void);
// What is left of a face when the radius is kept from its four inner edges.
double room_face_m2(int sheet);
// As much as wanted, or less by a thousandth at most: edges never lie too near.
void expect_room_m2(double m2, double wanted);

json_t *parse_json(const char *text, size_t length);
int64_t json_count(const json_t *j, const char *key);
// What a navctl that did its work has printed.
json_t *json_report(const outcome *r);

#endif
