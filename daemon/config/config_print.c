#include "daemon/config/options.h"

#include <string.h>

enum { LINE = 110 };

// Words of a text, broken into lines that begin with `head` from the second on.
static void print_wrapped(FILE *out, const char *text, size_t column, const char *head)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        fprintf(out, "%.*s", (int)n, text);
        column += n;
        text += n;
        if (*text == ' ' && text++) {
            bool fits = column + 1 + strcspn(text, " ") <= LINE;
            fprintf(out, "%s%s", fits ? " " : "\n", fits ? "" : head);
            column = fits ? column + 1 : strlen(head);
        }
    }
    fputc('\n', out);
}

// The words, the default, and what a reload does.
static void describe(const nd_option *o, char *out, size_t size)
{
    char value[ND_OPTION_TEXT_BYTES];
    size_t n = (size_t)snprintf(out, size, "%s", o->help);
    nd_option_default(o, value);
    if (o->type == ND_OPTION_CHOICE) {
        n += (size_t)snprintf(out + n, size - n, ": ");
        nd_option_words(o, out + n, size - n);
        n += strlen(out + n);
    }
    const char *standard = o->default_text ? o->default_text : value;
    if (*standard) snprintf(out + n, size - n, " (default: %s)", standard);
}

void nd_config_print_help(FILE *out)
{
    char head[64], text[1024];
    fprintf(out, "usage: navd [OPTION]...\n"
                 "       navd token --help\n"
                 "Keeps the navigation meshes of worlds up to date, for editors that connect over a socket.\n");
    for (const nd_option *o = nd_options; o < nd_options + nd_option_count; o++) {
        if (o->type == ND_OPTION_SECTION) {
            fprintf(out, "\n%s:\n", o->name);
            continue;
        }
        snprintf(head, sizeof head, "--%s%s%s", o->name, o->value_name ? " " : "", o->value_name ? o->value_name : "");
        for (char *at = head; *at && *at != ' '; at++)
            if (*at == '_') *at = '-';
        describe(o, text, sizeof text);
        int n = fprintf(out, "  %-27s ", head);
        print_wrapped(out, text, (size_t)n, "                              ");
    }
    fprintf(out,
            "\nA SIZE may end in K, M or G. SIGTERM and SIGINT stop navd; SIGHUP reloads the configuration file.\n");
}

static void print_value(const char *value, bool text, FILE *out)
{
    if (!text || (*value && !strpbrk(value, " \t\"#\\"))) {
        fprintf(out, "%s\n", value);
        return;
    }
    fputc('"', out);
    for (; *value; value++) fprintf(out, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
    fputs("\"\n", out);
}

void nd_config_print_file(const nd_config *c, FILE *out)
{
    static const char *const from[] = {"", "", " (command line)"};
    char text[1024], value[ND_OPTION_TEXT_BYTES];
    fprintf(out,
            "# Configuration of navd. `navd --check-config --config FILE` checks it. Options marked * change with a\n"
            "# reload (SIGHUP), the others with a restart. The command line overrides this file.\n");
    for (const nd_option *o = nd_options; o < nd_options + nd_option_count; o++) {
        if (o->command_line_only) continue;
        if (o->type == ND_OPTION_SECTION) {
            if (o + 1 < nd_options + nd_option_count && !o[1].command_line_only)
                fprintf(out, "\n# --- %s ---\n", o->name);
            continue;
        }
        nd_config_source source = c->source[o - nd_options];
        describe(o, text, sizeof text);
        fprintf(out, "\n#%s ", o->reload ? "*" : "");
        print_wrapped(out, text, o->reload ? 3 : 2, "# ");
        if (source == ND_FROM_COMMAND_LINE) fprintf(out, "#%s\n", from[source]);
        nd_option_get(c, o, value);
        fprintf(out, "%s%s = ", source == ND_FROM_DEFAULT ? "#" : "", o->name);
        print_value(value, o->type == ND_OPTION_TEXT, out);
    }
}
