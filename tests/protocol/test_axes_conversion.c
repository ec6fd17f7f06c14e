// Axes and units: every number that is a place is converted, there and back, and nothing else is.
#include "protocol/schema.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

static const np_axes centimetres = {.up = NP_UP_Z, .has_unit = true, .unit_m = 0.01};
static const np_axes inches = {.up = NP_UP_Y, .has_unit = true, .unit_m = 0.0254};

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

// By its name it is metres, or no length at all; a normal is turned where it is made.
static bool says_its_unit(const np_field *f)
{
    static const char *const ends[] = {"_m",   "_m2", "_deg",        "_cells", "_voxels", "to_metres",
                                       "cost", "gap", "lower_bound", "ratio",  "normal",  "mitre_limit"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(f->key, ends[i])) return true;
    return false;
}

static uint32_t places;

static void check_schema(const np_schema *s, const char *message, int depth)
{
    ck_assert_int_lt(depth, 8);
    for (uint32_t i = 0; i < s->field_count; i++) {
        const np_field *f = &s->fields[i];
        bool number = f->type == NP_T_F32 || f->type == NP_T_F64 || f->type == NP_T_F32S || f->type == NP_T_F64S ||
                      f->type == NP_T_PACKED || f->type == NP_T_POINTS;
        places += f->place != NP_PLACE_NONE;
        // max stands behind min, and the two are converted together.
        bool with_min = !strcmp(f->key, "max") && i && s->fields[i - 1].place == NP_PLACE_BOUNDS;
        if (number && !with_min)
            ck_assert_msg((f->place != NP_PLACE_NONE) != says_its_unit(f), "%s: %s is %s", message, f->key,
                          f->place == NP_PLACE_NONE ? "not converted, and does not say its unit" : "converted");
        if (f->item) check_schema(f->item, message, depth + 1);
    }
    for (uint32_t v = 0; s->variants && v <= NP_OP_SET_AREAS; v++) check_schema(s->variants[v], message, depth + 1);
}

START_TEST(every_place_of_every_message_is_converted)
{
#define CHECK_METHOD(ID, name, wire, role)                                                                             \
    check_schema(&np_schema_##name##_request, wire, 0);                                                                \
    check_schema(&np_schema_##name##_response, wire, 0);
#define CHECK_NOTE(ID, name, wire) check_schema(&np_schema_##name##_note, wire, 0);
    NP_METHOD_LIST(CHECK_METHOD)
    NP_NOTE_LIST(CHECK_NOTE)
    ck_assert_uint_gt(places, 20);
}
END_TEST

START_TEST(z_up_is_turned_and_scaled)
{
    float point[3] = {100, 200, 300}, height = 250, ground[4] = {100, 200, -300, 0};
    ck_assert(np_axes_floats_to_metres(&centimetres, NP_PLACE_POINT, point, 1));
    ck_assert(point[0] == 1 && point[1] == 3 && point[2] == -2);
    ck_assert(np_axes_floats_to_metres(&centimetres, NP_PLACE_HEIGHT, &height, 1));
    ck_assert(height == 2.5f);
    ck_assert(np_axes_floats_to_metres(&centimetres, NP_PLACE_GROUND, ground, 2));
    ck_assert(ground[0] == 1 && ground[1] == -2 && ground[2] == -3 && ground[3] == 0 && !signbit(ground[3]));

    double bounds[4] = {100, 200, 300, 700}, focus[2] = {100, -200};
    np_axes_doubles_to_metres(&centimetres, NP_PLACE_BOUNDS, bounds);
    ck_assert(bounds[0] == 1 && bounds[1] == -7 && bounds[2] == 3 && bounds[3] == -2);
    np_axes_doubles_to_metres(&centimetres, NP_PLACE_GROUND, focus);
    ck_assert(focus[0] == 1 && focus[1] == 2);

    // The client's x, y and z, in the rows and with the scale of navd's.
    float transform[12] = {1, 2, 3, 100, 4, 5, 6, 200, 7, 8, 9, 300};
    const float wanted[12] = {0.01f, 0.02f, 0.03f, 1, 0.07f, 0.08f, 0.09f, 3, -0.04f, -0.05f, -0.06f, -2};
    ck_assert(np_axes_floats_to_metres(&centimetres, NP_PLACE_TRANSFORM, transform, 1));
    ck_assert_mem_eq(transform, wanted, sizeof wanted);
}
END_TEST

START_TEST(the_matrix_says_the_same)
{
    const np_axes all[] = {centimetres, inches, {.up = NP_UP_Z}, {.up = NP_UP_Y}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        float p[3] = {7, -11, 13};
        double m[12];
        np_axes_to_metres(&all[i], m);
        double by_matrix[3];
        for (size_t r = 0; r < 3; r++)
            by_matrix[r] = m[4 * r] * 7 - m[4 * r + 1] * 11 + m[4 * r + 2] * 13 + m[4 * r + 3];
        ck_assert(np_axes_floats_to_metres(&all[i], NP_PLACE_POINT, p, 1));
        for (size_t r = 0; r < 3; r++) ck_assert(p[r] == (float)by_matrix[r]);
    }
    ck_assert(np_axes_is_plain(&all[3]) && !np_axes_is_plain(&all[2]));
    ck_assert(np_axes_is_plain(&(np_axes){.has_unit = true, .unit_m = 1}));
}
END_TEST

START_TEST(what_is_answered_converts_back_to_what_is_kept)
{
    const double units[] = {0.001, 0.01, 0.0254, 0.3048, 1, 3, 10, 1609.344, 1.0 / 3};
    uint32_t random = 1;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        for (int up = NP_UP_Y; up <= NP_UP_Z; up++) {
            const np_axes axes = {.up = (np_up)up, .has_unit = true, .unit_m = units[u]};
            for (int n = 0; n < 4000; n++) {
                float sent[12], kept[12], again[12];
                for (int k = 0; k < 12; k++) {
                    random = random * 1664525 + 1013904223;
                    sent[k] = (float)(int32_t)random / (float)(1 << (random >> 8 & 15));
                }
                memcpy(kept, sent, sizeof kept);
                ck_assert(np_axes_floats_to_metres(&axes, NP_PLACE_TRANSFORM, kept, 1));
                memcpy(again, kept, sizeof again);
                np_axes_floats_from_metres(&axes, NP_PLACE_TRANSFORM, again, 1);
                ck_assert(np_axes_floats_to_metres(&axes, NP_PLACE_TRANSFORM, again, 1));
                ck_assert_mem_eq(again, kept, sizeof kept);
            }
        }
    }
}
END_TEST

START_TEST(a_unit_that_is_none_is_refused_with_what_to_do)
{
    const double bad[] = {0, -1, 1e-5, 1e5, INFINITY, NAN};
    char why[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const np_axes axes = {.has_unit = true, .unit_m = bad[i]};
        ck_assert_int_eq(np_axes_check(&axes, why, sizeof why), NAV_ERR_ARGUMENT);
        ck_assert_msg(strstr(why, "unit_m") && strstr(why, "0.01 for centimetres"), "%s", why);
    }
    ck_assert_int_eq(np_axes_check(&(np_axes){.up = NP_UP_Z}, why, sizeof why), NAV_OK);
    float far[1] = {3e38f};
    const np_axes kilometres = {.has_unit = true, .unit_m = 1000};
    ck_assert(!np_axes_floats_to_metres(&kilometres, NP_PLACE_HEIGHT, far, 1));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("axes");
    TCase *c = tcase_create("axes");
    tcase_add_test(c, every_place_of_every_message_is_converted);
    tcase_add_test(c, z_up_is_turned_and_scaled);
    tcase_add_test(c, the_matrix_says_the_same);
    tcase_add_test(c, what_is_answered_converts_back_to_what_is_kept);
    tcase_add_test(c, a_unit_that_is_none_is_refused_with_what_to_do);
    suite_add_tcase(s, c);
    return run_suite(s);
}
