// SVG: shapes whose class or id says what they are, or that of a group around them. libxml2 reads the elements.
#include "clients/navctl/scene/plan_features.h"

#include "clients/navctl/output/text.h"
#include "clients/navctl/scene/plan_svg_path.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What groups hand down.
typedef struct svg_state {
    svg_matrix matrix;
    plan_kind kind; // PLAN_KIND_COUNT: not said
    bool even_odd;
} svg_state;

enum { MOST_DEPTH = 200, DATA = 5 }; // DATA: length of "data-"

static char *attribute(const xmlNode *node, const char *name)
{
    return (char *)xmlGetNoNsProp(node, (const xmlChar *)name);
}

static bool is_element(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && !strcmp((const char *)node->name, name);
}

// The kind that a text begins with, followed by nothing or by what is no letter: "obstacle", "obstacle-12".
static plan_kind kind_of_prefix(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return plan_kind_named(text, length);
}

// One of the words of a class.
static plan_kind kind_of_class(const char *text)
{
    for (plan_kind found; *text; text += strcspn(text, " \t\r\n")) {
        text += strspn(text, " \t\r\n");
        found = plan_kind_named(text, strcspn(text, " \t\r\n"));
        if (found != PLAN_KIND_COUNT) return found;
    }
    return PLAN_KIND_COUNT;
}

// What the element itself says: data-kind, else its class, else its id, else Inkscape's name of a layer. False:
// data-kind is no kind; said.
static bool kind_of_element(plan_features *p, const xmlNode *node, plan_kind *kind)
{
    char *value = attribute(node, "data-kind"), shown[48];
    *kind = PLAN_KIND_COUNT;
    if (value) {
        *kind = plan_kind_named(value, strlen(value));
        if (*kind == PLAN_KIND_COUNT) {
            text_printable(value, shown, sizeof shown, 40);
            plan_fail(p, "line %ld: data-kind is '%s'; expected floor, area, obstacle, stairs or link",
                      xmlGetLineNo(node), shown);
        }
        xmlFree(value);
        return *kind != PLAN_KIND_COUNT;
    }
    value = attribute(node, "class");
    if (value) *kind = kind_of_class(value);
    xmlFree(value);
    if (*kind != PLAN_KIND_COUNT) return true;
    value = attribute(node, "id");
    if (value) *kind = kind_of_prefix(value);
    xmlFree(value);
    if (*kind != PLAN_KIND_COUNT) return true;
    value = (char *)xmlGetNsProp(node, (const xmlChar *)"label",
                                 (const xmlChar *)"http://www.inkscape.org/namespaces/inkscape");
    if (value) *kind = kind_of_prefix(value);
    xmlFree(value);
    return true;
}

// fill-rule, as an attribute or in style.
static void read_fill_rule(const xmlNode *node, bool *even_odd)
{
    char *rule = attribute(node, "fill-rule"), *style = attribute(node, "style");
    const char *from = style ? strstr(style, "fill-rule") : NULL;
    if (from) {
        from += strlen("fill-rule");
        from += strspn(from, " \t:");
        *even_odd = !strncmp(from, "evenodd", 7);
    } else if (rule) {
        *even_odd = !strcmp(rule, "evenodd");
    }
    xmlFree(rule);
    xmlFree(style);
}

// Of data-height and so on: the element's own, then those of the groups around it, as far as they are not there yet.
static bool read_properties(plan_features *p, plan_feature *f, const xmlNode *node)
{
    char *seen[16] = {NULL};
    int count = 0;
    bool ok = true;
    for (; ok && node && node->type == XML_ELEMENT_NODE; node = node->parent)
        for (const xmlAttr *a = node->properties; ok && a; a = a->next) {
            const char *key = (const char *)a->name;
            if (strncmp(key, "data-", DATA) != 0) continue;
            char *name = strdup(key + DATA);
            if (!name) return plan_fail(p, "no memory left");
            for (char *dash = name; (dash = strchr(dash, '-'));) *dash = '_';
            bool known = !plan_is_property(name) || !strcmp(name, "name");
            for (int i = 0; i < count && !known; i++) known = !strcmp(seen[i], name);
            if (known || count == 16) {
                free(name);
                continue;
            }
            seen[count++] = name;
            char *value = attribute(node, key);
            ok = value ? plan_set(p, f, name, value) : plan_fail(p, "no memory left");
            xmlFree(value);
        }
    while (count > 0) free(seen[--count]);
    return ok;
}

static bool read_name(plan_features *p, plan_feature *f, const xmlNode *node)
{
    char *value = attribute(node, "data-name");
    if (!value) value = attribute(node, "id");
    const bool ok = !value || plan_set(p, f, "name", value);
    xmlFree(value);
    return ok;
}

// A length without a unit, or in px, which is the same. False: it is none; said.
static bool read_length(plan_features *p, const xmlNode *node, const char *key, double fallback, bool negative,
                        double *out)
{
    char *value = attribute(node, key), shown[48];
    const char *at = value;
    *out = fallback;
    if (!value) return true;
    at += strspn(at, " \t\r\n");
    bool ok = svg_number(&at, out) && (!*at || !strcmp(at, "px")) && (negative || *out >= 0);
    if (!ok) {
        text_printable(value, shown, sizeof shown, 40);
        plan_fail_at(p, &p->features[p->count - 1], "%s is '%s', but must be a number%s", key, shown,
                     negative ? "" : ", 0 or more");
    }
    xmlFree(value);
    return ok;
}

static bool draw_data(const svg_pen *pen, const xmlNode *node, const char *key, bool closed)
{
    char *value = attribute(node, key);
    bool ok = true; // without data there is nothing to draw
    if (value) ok = *key == 'd' ? svg_draw_path(pen, value) : svg_draw_points(pen, value, closed);
    xmlFree(value);
    return ok;
}

static bool draw_rect(const svg_pen *pen, const xmlNode *node)
{
    double x, y, width, height, rx, ry;
    plan_features *p = pen->out;
    if (!read_length(p, node, "x", 0, true, &x) || !read_length(p, node, "y", 0, true, &y) ||
        !read_length(p, node, "width", 0, false, &width) || !read_length(p, node, "height", 0, false, &height) ||
        !read_length(p, node, "rx", -1, false, &rx) || !read_length(p, node, "ry", -1, false, &ry))
        return false;
    if (!(width > 0 && height > 0))
        return plan_fail_at(p, &p->features[p->count - 1], "it is %g wide and %g high; both must be above 0", width,
                            height);
    if (rx < 0) rx = ry < 0 ? 0 : ry; // one stands for both
    if (ry < 0) ry = rx;
    return svg_draw_rect(pen, x, y, width, height, rx, ry);
}

static bool draw_ellipse(const svg_pen *pen, const xmlNode *node, bool circle)
{
    double cx, cy, rx, ry;
    plan_features *p = pen->out;
    if (!read_length(p, node, "cx", 0, true, &cx) || !read_length(p, node, "cy", 0, true, &cy) ||
        !read_length(p, node, circle ? "r" : "rx", 0, false, &rx) ||
        !read_length(p, node, circle ? "r" : "ry", 0, false, &ry))
        return false;
    return svg_draw_ellipse(pen, cx, cy, rx, ry);
}

static bool draw_line(const svg_pen *pen, const xmlNode *node)
{
    double n[4];
    static const char *const keys[] = {"x1", "y1", "x2", "y2"};
    for (int i = 0; i < 4; i++)
        if (!read_length(pen->out, node, keys[i], 0, true, &n[i])) return false;
    return svg_draw_line(pen, n[0], n[1], n[2], n[3]);
}

static const char *const shapes[] = {"path", "polygon", "polyline", "line", "rect", "circle", "ellipse"};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool draw_shape(const svg_pen *pen, const xmlNode *node)
{
    if (is_element(node, "path")) return draw_data(pen, node, "d", false);
    if (is_element(node, "polygon")) return draw_data(pen, node, "points", true);
    if (is_element(node, "polyline")) return draw_data(pen, node, "points", false);
    if (is_element(node, "line")) return draw_line(pen, node);
    if (is_element(node, "rect")) return draw_rect(pen, node);
    return draw_ellipse(pen, node, is_element(node, "circle"));
}

static bool read_shape(plan_features *p, const xmlNode *node, const svg_state *state)
{
    plan_feature *f = plan_add_feature(p, state->kind);
    if (!f) return false;
    snprintf(f->where, sizeof f->where, "line %ld, %s", xmlGetLineNo(node), (const char *)node->name);
    f->rule = state->even_odd ? PLAN_EVEN_ODD : PLAN_NONZERO;
    if (!read_name(p, f, node) || !read_properties(p, f, node)) return false;
    // Stairs and links are lines; an obstacle with a width is a wall along its line.
    const bool lines = f->kind == PLAN_STAIRS || f->kind == PLAN_LINK || (f->kind == PLAN_OBSTACLE && !isnan(f->width));
    const svg_pen pen = {.out = p, .matrix = state->matrix, .lines = lines};
    return draw_shape(&pen, node) && plan_end_feature(p);
}

// Its transform, kind and fill rule beside those that it is given.
static bool enter(plan_features *p, const xmlNode *node, svg_state *state)
{
    plan_kind kind;
    char why[160];
    if (!kind_of_element(p, node, &kind)) return false;
    if (kind != PLAN_KIND_COUNT) state->kind = kind;
    read_fill_rule(node, &state->even_odd);
    char *transform = attribute(node, "transform");
    if (!transform) return true;
    svg_matrix own;
    bool ok = svg_matrix_parse(transform, &own, why, sizeof why);
    if (ok)
        state->matrix = svg_matrix_join(&state->matrix, &own);
    else
        plan_fail(p, "line %ld, %s: %s", xmlGetLineNo(node), (const char *)node->name, why);
    xmlFree(transform);
    return ok;
}

static bool is_shape(const xmlNode *node)
{
    for (int i = 0; i < SHAPES; i++)
        if (is_element(node, shapes[i])) return true;
    return false;
}

static bool walk(plan_features *p, const xmlNode *node, svg_state state, int depth)
{
    if (depth > MOST_DEPTH)
        return plan_fail(p, "line %ld: more than %d groups within each other", xmlGetLineNo(node), MOST_DEPTH);
    for (const xmlNode *child = node->children; child; child = child->next) {
        svg_state own = state;
        const bool group = is_element(child, "g") || is_element(child, "a") || is_element(child, "svg");
        if (is_element(child, "use")) {
            plan_kind kind;
            if (!kind_of_element(p, child, &kind)) return false;
            if (kind != PLAN_KIND_COUNT || state.kind != PLAN_KIND_COUNT)
                return plan_fail(p, "line %ld: use is not read: put a copy of the shape in its place",
                                 xmlGetLineNo(child));
        }
        if (!group && !is_shape(child)) continue; // texts, definitions, pictures
        if (!enter(p, child, &own)) return false;
        if (group && !walk(p, child, own, depth + 1)) return false;
        if (!group && own.kind != PLAN_KIND_COUNT && !read_shape(p, child, &own)) return false;
    }
    return true;
}

bool plan_svg_read(plan_features *p, const scene_file *file)
{
    char shown[120];
    svg_state state = {.matrix = {1, 0, 0, 1, 0, 0}, .kind = PLAN_KIND_COUNT};
    xmlParserCtxt *parser = xmlNewParserCtxt();
    xmlDoc *doc = parser ? xmlCtxtReadMemory(parser, (const char *)file->bytes, (int)file->count, NULL, NULL,
                                             XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)
                         : NULL;
    bool ok = false;
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    if (!doc) {
        const xmlError *e = parser ? xmlCtxtGetLastError(parser) : NULL;
        text_printable(e && e->message ? e->message : "no memory left?", shown, sizeof shown, sizeof shown - 1);
        const size_t length = strlen(shown);
        if (length > 0 && shown[length - 1] == '?') shown[length - 1] = 0; // the message's line end
        plan_fail(p, "not XML: line %d: %s", e ? e->line : 0, shown);
    } else if (!root || !is_element(root, "svg")) {
        plan_fail(p, "not an SVG: its first element is no svg");
    } else {
        ok = enter(p, root, &state) && walk(p, root, state, 0);
        if (ok && p->count == 0)
            ok =
                plan_fail(p, "no shape's class or id, or that of a group around it, begins with floor, area, obstacle, "
                             "stairs or link");
    }
    xmlFreeDoc(doc);
    xmlFreeParserCtxt(parser);
    return ok;
}
