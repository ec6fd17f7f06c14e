// WKT with a few words in front of each geometry that say what it is:
//
//     # a comment
//     floor name=hall height=3 POLYGON ((0 0, 20 0, 20 10, 0 10), (4 4, 6 4, 6 6, 4 6))
//     stairs width=2 to_height=3 LINESTRING (20 5, 26 5)
//
// GEOS reads the geometries.
#include "clients/navctl/scene/plan_features.h"

#include "clients/navctl/output/text.h"
#include "clients/navctl/scene/plan_geos.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORD_BYTES = PLAN_NAME_BYTES + 32, MOST_DEPTH = 3 };

typedef struct wkt_reader {
    plan_features *out;
    const char *at, *end;
    size_t line;
    plan_geos geos;
    GEOSWKTReader *reader;
} wkt_reader;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// To the next word that is no comment. False: there is none.
static bool skip_blanks(wkt_reader *r)
{
    for (;;) {
        for (; r->at < r->end && is_blank(*r->at); r->at++) r->line += *r->at == '\n';
        if (r->at == r->end) return false;
        if (*r->at != '#') return true;
        while (r->at < r->end && *r->at != '\n') r->at++;
    }
}

// A word, or key="a value with blanks" without the quotes. False: it is too long, or its quotes do not end; said.
static bool read_word(wkt_reader *r, char word[WORD_BYTES])
{
    size_t length = 0;
    bool quoted = false;
    for (; r->at < r->end && (quoted || (!is_blank(*r->at) && *r->at != '(')); r->at++) {
        if (*r->at == '"') {
            quoted = !quoted;
            continue;
        }
        if (length + 1 == WORD_BYTES || *r->at == '\n' || *r->at == 0)
            return plan_fail(r->out, "line %zu: a word %s", r->line,
                             length + 1 == WORD_BYTES ? "is longer than any may be" : "has a quote that does not end");
        word[length++] = *r->at;
    }
    word[length] = 0;
    return !quoted || plan_fail(r->out, "line %zu: a quote does not end", r->line);
}

// The geometry from `from` to the bracket that closes it.
static GEOSGeometry *read_text(wkt_reader *r, const char *from)
{
    char shown[200];
    long depth = 0;
    const size_t line = r->line;
    const char *word = r->at;
    while (word < r->end && is_blank(*word)) word++;
    if (r->end - word >= 5 && !strncasecmp(word, "EMPTY", 5)) {
        plan_fail(r->out, "line %zu: its geometry is empty", line);
        return NULL;
    }
    for (; r->at < r->end; r->at++) {
        r->line += *r->at == '\n';
        depth += *r->at == '(';
        depth -= *r->at == ')';
        if (depth <= 0 && *r->at == ')') break;
        if (depth > MOST_DEPTH) {
            plan_fail(r->out, "line %zu: more than %d brackets within each other", r->line, MOST_DEPTH);
            return NULL;
        }
    }
    if (r->at == r->end) {
        plan_fail(r->out, "line %zu: a geometry whose brackets do not close: cut short?", line);
        return NULL;
    }
    r->at++;
    char *text = strndup(from, (size_t)(r->at - from));
    GEOSGeometry *g = text ? GEOSWKTReader_read_r(r->geos.handle, r->reader, text) : NULL;
    free(text);
    if (g) return g;
    text_printable(r->geos.words, shown, sizeof shown, 150);
    plan_fail(r->out, "line %zu: not a geometry in WKT: %s", line, *shown ? shown : "no memory left");
    return NULL;
}

static bool add_ring(wkt_reader *r, const GEOSGeometry *ring, bool hole, bool line)
{
    const GEOSContextHandle_t h = r->geos.handle;
    const GEOSCoordSequence *at = GEOSGeom_getCoordSeq_r(h, ring);
    unsigned count = 0, dimensions = 2;
    if (!at || !GEOSCoordSeq_getSize_r(h, at, &count)) return plan_fail(r->out, "no memory left");
    if (GEOSHasZ_r(h, ring) == 1) dimensions = 3;
    bool ok = plan_begin_ring(r->out, hole, line);
    for (unsigned i = 0; i < count && ok; i++) {
        double x = NAN, y = NAN, z = NAN;
        GEOSCoordSeq_getXY_r(h, at, i, &x, &y);
        if (dimensions == 3) GEOSCoordSeq_getZ_r(h, at, i, &z);
        ok = (isnan(z) || plan_add_height(r->out, z)) && plan_add_place(r->out, x, y);
    }
    return ok && plan_end_ring(r->out);
}

static bool add_geometry(wkt_reader *r, const GEOSGeometry *g)
{
    const GEOSContextHandle_t h = r->geos.handle;
    const int type = GEOSGeomTypeId_r(h, g);
    plan_feature *f = &r->out->features[r->out->count - 1];
    if (GEOSisEmpty_r(h, g) != 0) return plan_fail_at(r->out, f, "its geometry is empty");
    if (type == GEOS_LINESTRING) return add_ring(r, g, false, true);
    if (type == GEOS_POLYGON) {
        bool ok = add_ring(r, GEOSGetExteriorRing_r(h, g), false, false);
        for (int i = 0; ok && i < GEOSGetNumInteriorRings_r(h, g); i++)
            ok = add_ring(r, GEOSGetInteriorRingN_r(h, g, i), true, false);
        return ok;
    }
    bool ok = type == GEOS_MULTIPOLYGON || type == GEOS_MULTILINESTRING;
    for (int i = 0; ok && i < GEOSGetNumGeometries_r(h, g); i++) ok = add_geometry(r, GEOSGetGeometryN_r(h, g, i));
    return ok;
}

static bool read_property(wkt_reader *r, char *word)
{
    char shown[48];
    plan_feature *f = &r->out->features[r->out->count - 1];
    char *equals = strchr(word, '=');
    *equals = 0;
    if (plan_is_property(word)) return plan_set(r->out, f, word, equals + 1);
    text_printable(word, shown, sizeof shown, 40);
    return plan_fail_at(r->out, f,
                        "there is no property '%s'; there are name, height, to_height, area, width, radius and one_way",
                        shown);
}

static bool is_geometry(const char *word)
{
    static const char *const types[] = {"POLYGON", "MULTIPOLYGON", "LINESTRING", "MULTILINESTRING"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcasecmp(word, types[i])) return true;
    return false;
}

static bool read_feature(wkt_reader *r)
{
    char word[WORD_BYTES], shown[48];
    if (!read_word(r, word)) return false;
    const plan_kind kind = plan_kind_named(word, strlen(word));
    if (kind == PLAN_KIND_COUNT && is_geometry(word))
        return plan_fail(r->out, "line %zu: no kind in front of %s; expected floor, area, obstacle, stairs or link",
                         r->line, word);
    if (kind == PLAN_KIND_COUNT) {
        text_printable(word, shown, sizeof shown, 40);
        return plan_fail(r->out,
                         "line %zu: '%s' in front of a geometry; expected floor, area, obstacle, stairs or link",
                         r->line, shown);
    }
    plan_feature *f = plan_add_feature(r->out, kind);
    if (!f) return false;
    snprintf(f->where, sizeof f->where, "line %zu", r->line);
    for (;;) {
        if (!skip_blanks(r)) return plan_fail_at(r->out, f, "its geometry is missing");
        const char *from = r->at;
        if (!read_word(r, word)) return false;
        if (strchr(word, '=')) {
            if (!read_property(r, word)) return false;
            continue;
        }
        if (!is_geometry(word)) {
            text_printable(word, shown, sizeof shown, 40);
            return plan_fail_at(r->out, f,
                                "found '%s'; expected a property, as in height=3, or POLYGON, MULTIPOLYGON, LINESTRING "
                                "or MULTILINESTRING",
                                shown);
        }
        GEOSGeometry *g = read_text(r, from);
        const bool ok = g && add_geometry(r, g) && plan_end_feature(r->out);
        if (g) GEOSGeom_destroy_r(r->geos.handle, g);
        return ok;
    }
}

bool plan_wkt_read(plan_features *p, const scene_file *file)
{
    wkt_reader r = {.out = p, .at = (const char *)file->bytes, .line = 1};
    r.end = r.at + file->count;
    if (memchr(r.at, 0, file->count)) return plan_fail(p, "not WKT: it is binary");
    bool ok = plan_geos_init(&r.geos);
    r.reader = ok ? GEOSWKTReader_create_r(r.geos.handle) : NULL;
    if (r.reader) {
        GEOSWKTReader_setFixStructure_r(r.geos.handle, r.reader, 1); // rings that do not close are closed
        while (ok && skip_blanks(&r)) ok = read_feature(&r);
        GEOSWKTReader_destroy_r(r.geos.handle, r.reader);
    } else {
        ok = plan_fail(p, "no memory left");
    }
    plan_geos_deinit(&r.geos);
    return ok;
}
