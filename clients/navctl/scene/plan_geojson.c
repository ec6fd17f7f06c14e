// GeoJSON (RFC 7946), in the plan's own coordinates: its members are read, its degrees are not. A feature's properties
// say what it is.
#include "clients/navctl/scene/plan_features.h"

#include "clients/navctl/output/text.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *type_name(const json_t *v)
{
    static const char *const names[] = {"an object", "an array", "a string", "a number",
                                        "a number",  "true",     "false",    "null"};
    return v ? names[json_typeof(v)] : "nothing";
}

static plan_feature *newest(plan_features *p)
{
    return &p->features[p->count - 1];
}

static bool read_place(plan_features *p, const json_t *place, uint32_t ring, size_t number)
{
    const size_t count = json_array_size(place);
    if (!json_is_array(place) || count < 2)
        return plan_fail_at(p, newest(p), "ring %u, position %zu: expected an array of 2 or 3 numbers, found %s", ring,
                            number, count == 1 ? "one of 1" : type_name(place));
    for (size_t i = 0; i < count && i < 3; i++)
        if (!json_is_number(json_array_get(place, i)))
            return plan_fail_at(p, newest(p), "ring %u, position %zu: number %zu is %s; expected a number", ring,
                                number, i + 1, type_name(json_array_get(place, i)));
    if (count > 2 && !plan_add_height(p, json_number_value(json_array_get(place, 2)))) return false;
    return plan_add_place(p, json_number_value(json_array_get(place, 0)), json_number_value(json_array_get(place, 1)));
}

static bool read_ring(plan_features *p, const json_t *places, bool hole, bool line)
{
    size_t i;
    json_t *place;
    const uint32_t number = newest(p)->ring_count + 1;
    if (!json_is_array(places))
        return plan_fail_at(p, newest(p), "ring %u is %s, but must be an array of positions", number,
                            type_name(places));
    if (!plan_begin_ring(p, hole, line)) return false;
    json_array_foreach(places, i, place)
    {
        if (!read_place(p, place, number, i + 1)) return false;
    }
    return plan_end_ring(p);
}

static bool read_polygon(plan_features *p, const json_t *rings)
{
    size_t i;
    json_t *ring;
    if (!json_is_array(rings) || json_array_size(rings) == 0)
        return plan_fail_at(p, newest(p), "a polygon's coordinates are %s, but must be an array of rings",
                            json_is_array(rings) ? "empty" : type_name(rings));
    json_array_foreach(rings, i, ring)
    {
        if (!read_ring(p, ring, i > 0, false)) return false;
    }
    return true;
}

static bool read_geometry(plan_features *p, const json_t *geometry)
{
    char shown[48];
    size_t i;
    json_t *part;
    const char *type = json_string_value(json_object_get(geometry, "type"));
    const json_t *at = json_object_get(geometry, "coordinates");
    if (!type)
        return plan_fail_at(
            p, newest(p), "its geometry %s%s; expected Polygon, MultiPolygon, LineString or MultiLineString",
            json_is_object(geometry) ? "has no type" : "is ", json_is_object(geometry) ? "" : type_name(geometry));
    if (!strcmp(type, "Polygon")) return read_polygon(p, at);
    if (!strcmp(type, "LineString")) return read_ring(p, at, false, true);
    const bool polygons = !strcmp(type, "MultiPolygon");
    if (!polygons && strcmp(type, "MultiLineString") != 0) {
        text_printable(type, shown, sizeof shown, 40);
        return plan_fail_at(
            p, newest(p), "its geometry is a %s; expected Polygon, MultiPolygon, LineString or MultiLineString", shown);
    }
    if (!json_is_array(at))
        return plan_fail_at(p, newest(p), "coordinates are %s, but must be an array", type_name(at));
    json_array_foreach(at, i, part)
    {
        if (!(polygons ? read_polygon(p, part) : read_ring(p, part, false, true))) return false;
    }
    return true;
}

static bool read_property(plan_features *p, const char *key, const json_t *value)
{
    char text[32];
    if (!plan_is_property(key) || json_is_null(value)) return true; // somebody else's
    if (json_is_string(value)) return plan_set(p, newest(p), key, json_string_value(value));
    if (json_is_boolean(value)) return plan_set(p, newest(p), key, json_is_true(value) ? "true" : "false");
    if (!json_is_number(value)) return plan_fail_at(p, newest(p), "property %s is %s", key, type_name(value));
    snprintf(text, sizeof text, "%.17g", json_number_value(value));
    return plan_set(p, newest(p), key, text);
}

// number: of a feature; 0: the file as a whole.
static bool fail_type(plan_features *p, size_t number, const char *type, const char *expected)
{
    char shown[48], whose[48] = "not GeoJSON";
    if (number) snprintf(whose, sizeof whose, "feature %zu", number);
    text_printable(type ? type : "", shown, sizeof shown, 40);
    if (!type) return plan_fail(p, "%s: its type is missing; expected %s", whose, expected);
    return plan_fail(p, "%s: its type is '%s'; expected %s", whose, shown, expected);
}

static bool read_feature(plan_features *p, const json_t *feature, size_t number)
{
    const char *key, *type = json_string_value(json_object_get(feature, "type"));
    json_t *value, *properties = json_object_get(feature, "properties");
    if (!json_is_object(feature))
        return plan_fail(p, "feature %zu is %s; expected an object of the type Feature", number, type_name(feature));
    if (!type || strcmp(type, "Feature") != 0) return fail_type(p, number, type, "Feature");
    const json_t *kind = json_object_get(properties, "kind");
    if (!json_is_string(kind))
        return plan_fail(p, "feature %zu: its property kind is %s; expected floor, area, obstacle, stairs or link",
                         number, kind ? type_name(kind) : "missing");
    const plan_kind k = plan_kind_named(json_string_value(kind), json_string_length(kind));
    if (k == PLAN_KIND_COUNT) {
        char shown[48];
        text_printable(json_string_value(kind), shown, sizeof shown, 40);
        return plan_fail(p, "feature %zu: its kind is '%s'; expected floor, area, obstacle, stairs or link", number,
                         shown);
    }
    plan_feature *f = plan_add_feature(p, k);
    if (!f) return false;
    snprintf(f->where, sizeof f->where, "feature %zu", number);
    json_object_foreach(properties, key, value)
    {
        if (!read_property(p, key, value)) return false;
    }
    return read_geometry(p, json_object_get(feature, "geometry")) && plan_end_feature(p);
}

bool plan_geojson_read(plan_features *p, const scene_file *file)
{
    json_error_t error;
    size_t i;
    json_t *feature;
    json_t *root = json_loadb((const char *)file->bytes, file->count, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!root) {
        char shown[JSON_ERROR_TEXT_LENGTH];
        text_printable(error.text, shown, sizeof shown, sizeof shown - 1);
        return plan_fail(p, "not JSON: line %d: %s", error.line, shown);
    }
    bool ok = true;
    const char *type = json_string_value(json_object_get(root, "type"));
    if (type && !strcmp(type, "Feature")) {
        ok = read_feature(p, root, 1);
    } else if (type && !strcmp(type, "FeatureCollection")) {
        const json_t *features = json_object_get(root, "features");
        if (!json_is_array(features))
            ok = plan_fail(p, "its member features is %s; expected an array of features",
                           features ? type_name(features) : "missing");
        json_array_foreach(features, i, feature)
        {
            ok = ok && read_feature(p, feature, i + 1);
        }
    } else {
        ok = fail_type(p, 0, type, "FeatureCollection or Feature");
    }
    json_decref(root);
    return ok;
}
