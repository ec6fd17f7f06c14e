#include "clients/navctl/arguments/args.h"
#include "clients/navctl/arguments/exit_codes.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const arg_option *find_option(const arg_command *c, const char *name, size_t length, char letter, size_t *base)
{
    for (int g = 0; g < c->group_count; g++) {
        for (int i = 0; i < c->groups[g].count; i++) {
            const arg_option *o = &c->groups[g].options[i];
            bool same = letter ? o->letter == letter : strlen(o->name) == length && !memcmp(o->name, name, length);
            if (same) {
                *base = c->groups[g].base;
                return o;
            }
        }
    }
    return NULL;
}

bool args_parse_numbers(const char *text, double *out, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !isfinite(out[i])) return false;
        if (*end != (i + 1 < count ? ',' : '\0')) return false;
        text = end + 1;
    }
    return true;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = choices; *p;) {
        size_t n = strcspn(p, " ");
        if (n == length && length > 0 && !memcmp(p, word, n)) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static bool wrong(const arg_command *c, const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "navctl %s: --%s %s: expected %s\n", c->name, option, value, expected);
    return false;
}

bool args_parse_whole(const arg_command *c, const char *name, const char *text, int32_t *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    *out = (int32_t)value;
    if (end != text && *end == '\0' && value == (long)*out) return true;
    fprintf(stderr, "navctl %s: %s %s: expected a whole number\n", c->name, name, text);
    return false;
}

bool args_parse_tile(const arg_command *c, const char *option, const char *text, int32_t out[2])
{
    const double farthest = 1 << 24; // as core/geometry has it
    double at[2];
    bool ok = args_parse_numbers(text, at, 2);
    for (int k = 0; k < 2 && ok; k++) {
        ok = at[k] == floor(at[k]) && fabs(at[k]) <= farthest;
        if (ok) out[k] = (int32_t)at[k];
    }
    return ok || wrong(c, option, text, "X,Z, the place of a tile: two whole numbers up to 16777216");
}

static bool set_number(const arg_command *c, const arg_option *o, const char *value, char *slot)
{
    char expected[96];
    double number;
    const char *what = o->kind == ARG_INT ? "a whole number" : "a number";
    if (o->min == o->max) {
        snprintf(expected, sizeof expected, "%s", what);
    } else {
        snprintf(expected, sizeof expected, "%s from %.10g to %.10g", what, o->min, o->max);
    }
    if (!args_parse_numbers(value, &number, 1)) return wrong(c, o->name, value, expected);
    if (o->kind == ARG_INT && (number != floor(number) || fabs(number) > INT32_MAX)) {
        return wrong(c, o->name, value, expected);
    }
    if (o->min != o->max && (number < o->min || number > o->max)) return wrong(c, o->name, value, expected);
    if (o->kind == ARG_INT) *(int32_t *)(void *)slot = (int32_t)number;
    if (o->kind == ARG_FLOAT) *(float *)(void *)slot = (float)number;
    if (o->kind == ARG_DOUBLE) *(double *)(void *)slot = number;
    return true;
}

static bool set_value(const arg_command *c, const arg_option *o, const char *value, char *slot)
{
    switch (o->kind) {
    case ARG_INT:
    case ARG_FLOAT:
    case ARG_DOUBLE:
        return set_number(c, o, value, slot);
    case ARG_VEC3:
        return args_parse_numbers(value, (double *)(void *)slot, 3) || wrong(c, o->name, value, "X,Y,Z");
    case ARG_CHOICE: {
        char expected[160];
        snprintf(expected, sizeof expected, "one of: %s", o->choices);
        if (!is_choice(o->choices, value)) return wrong(c, o->name, value, expected);
        *(const char **)(void *)slot = value;
        return true;
    }
    case ARG_STEP: {
        arg_steps *steps = (arg_steps *)(void *)slot;
        if (steps->count == ARG_STEPS_MAX) return wrong(c, o->name, value, "at most 1024 of these options");
        steps->items[steps->count].option = o;
        steps->items[steps->count++].value = value;
        return true;
    }
    default:
        *(const char **)(void *)slot = value;
        return true;
    }
}

arg_result args_parse(const arg_command *c, int argc, char **argv, void *values)
{
    int seen = 0;
    bool only_positionals = false;
    for (int i = 0; i < argc; i++) {
        char *arg = argv[i];
        bool is_number = arg[0] == '-' && ((arg[1] >= '0' && arg[1] <= '9') || arg[1] == '.');
        bool is_option = !only_positionals && arg[0] == '-' && arg[1] && !is_number;
        if (!is_option) {
            if (seen == c->positional_count && c->has_more) {
                arg_list *more = (arg_list *)(void *)((char *)values + c->more_offset);
                if (more->count == ARG_LIST_MAX) {
                    fprintf(stderr, "navctl %s: more than %d of %s\n", c->name, ARG_LIST_MAX + 1,
                            c->positionals[seen - 1].name);
                    return ARGS_WRONG;
                }
                more->items[more->count++] = arg;
                continue;
            }
            if (seen == c->positional_count) {
                fprintf(stderr, "navctl %s: unexpected argument '%s' (see navctl %s --help)\n", c->name, arg, c->name);
                return ARGS_WRONG;
            }
            *(const char **)(void *)((char *)values + c->positionals[seen++].offset) = arg;
            continue;
        }
        if (!strcmp(arg, "--")) {
            only_positionals = true;
            continue;
        }
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
            args_help(c, values, stdout);
            return ARGS_HELP;
        }
        bool is_long = arg[1] == '-';
        char *name = is_long ? arg + 2 : arg + 1, *value = NULL;
        size_t length = is_long ? strcspn(name, "=") : 1, base = 0;
        if (is_long && name[length] == '=') value = name + length + 1;
        if (!is_long && name[1] != '\0') value = name + 1;
        const arg_option *o = find_option(c, name, length, is_long ? 0 : name[0], &base);
        if (!o) {
            fprintf(stderr, "navctl %s: unknown option '%s' (see navctl %s --help)\n", c->name, arg, c->name);
            return ARGS_WRONG;
        }
        if (o->kind == ARG_FLAG && value) {
            fprintf(stderr, "navctl %s: %s: --%s takes no value\n", c->name, arg, o->name);
            return ARGS_WRONG;
        }
        char *slot = (char *)values + base + o->offset;
        if (o->kind == ARG_FLAG) {
            *(bool *)(void *)slot = true;
            continue;
        }
        if (!value && i + 1 < argc) value = argv[++i];
        if (!value) {
            fprintf(stderr, "navctl %s: --%s needs a value: %s\n", c->name, o->name, o->metavar);
            return ARGS_WRONG;
        }
        if (!set_value(c, o, value, slot)) return ARGS_WRONG;
    }
    if (seen < c->positional_count && c->positionals[seen].required) {
        fprintf(stderr, "navctl %s: %s is missing (see navctl %s --help)\n", c->name, c->positionals[seen].name,
                c->name);
        return ARGS_WRONG;
    }
    return ARGS_GO;
}

// What lies outside of the option's own range stands for "not given".
static bool is_given(const arg_option *o, double value)
{
    return !isnan(value) && (o->min == o->max || (value >= o->min && value <= o->max));
}

static void print_default(const arg_option *o, const char *slot, FILE *out)
{
    switch (o->kind) {
    case ARG_INT:
        if (is_given(o, *(const int32_t *)(const void *)slot))
            fprintf(out, " [%d]", *(const int32_t *)(const void *)slot);
        break;
    case ARG_FLOAT:
        if (is_given(o, (double)*(const float *)(const void *)slot))
            fprintf(out, " [%g]", (double)*(const float *)(const void *)slot);
        break;
    case ARG_DOUBLE:
        if (is_given(o, *(const double *)(const void *)slot))
            fprintf(out, " [%g]", *(const double *)(const void *)slot);
        break;
    case ARG_TEXT:
    case ARG_FILE:
    case ARG_CHOICE: {
        const char *text = *(const char *const *)(const void *)slot;
        if (text && *text) fprintf(out, " [%s]", text);
        break;
    }
    default:
        break;
    }
}

void args_help(const arg_command *c, const void *values, FILE *out)
{
    fprintf(out, "Usage: navctl %s", c->name);
    if (c->usage) fprintf(out, " %s", c->usage);
    for (int i = 0; i < c->positional_count && !c->usage; i++) {
        fprintf(out, c->positionals[i].required ? " %s" : " [%s]", c->positionals[i].name);
    }
    if (c->has_more && !c->usage) fprintf(out, " [%s ...]", c->positionals[c->positional_count - 1].name);
    fprintf(out, " [options]\n\n%s\n", c->summary);
    if (c->details) fprintf(out, "\n%s", c->details);
    if (c->positional_count) fprintf(out, "\n");
    for (int i = 0; i < c->positional_count; i++) {
        fprintf(out, "  %-24s %s\n", c->positionals[i].name, c->positionals[i].help);
    }
    for (int g = 0; g < c->group_count; g++) {
        fprintf(out, "\n%s:\n", c->groups[g].title);
        for (int i = 0; i < c->groups[g].count; i++) {
            const arg_option *o = &c->groups[g].options[i];
            char left[64], letter[8] = "";
            if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
            snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->metavar ? " " : "",
                     o->metavar ? o->metavar : "");
            if (strlen(left) > 24)
                fprintf(out, "  %s\n  %-24s %s", left, "", o->help);
            else
                fprintf(out, "  %-24s %s", left, o->help);
            if (o->choices) fprintf(out, " (%s)", o->choices);
            print_default(o, (const char *)values + c->groups[g].base + o->offset, out);
            fprintf(out, "\n");
        }
    }
    fprintf(out, "\n" NAVCTL_EXIT_CODES_TEXT);
}

void args_complete(const arg_command *c, FILE *out)
{
    static const char *const kinds[] = {[ARG_FLAG] = "flag", [ARG_FILE] = "file", [ARG_CHOICE] = "choice"};
    for (int i = 0; i < c->positional_count; i++) {
        fprintf(out, "%s %s\n", c->positionals[i].name, c->positionals[i].is_file ? "file" : "value");
    }
    for (int g = 0; g < c->group_count; g++) {
        for (int i = 0; i < c->groups[g].count; i++) {
            const arg_option *o = &c->groups[g].options[i];
            bool named = o->kind == ARG_FLAG || o->kind == ARG_FILE || o->kind == ARG_CHOICE;
            fprintf(out, "--%s %s%s%s\n", o->name, named ? kinds[o->kind] : "value", o->choices ? " " : "",
                    o->choices ? o->choices : "");
            if (o->letter) fprintf(out, "-%c %s\n", o->letter, named ? kinds[o->kind] : "value");
        }
    }
    fprintf(out, "--help flag\n");
}
