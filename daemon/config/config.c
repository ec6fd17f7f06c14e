#include "daemon/config/options.h"
#include "daemon/config/state_folder.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- defaults ---

// /run/navd is the service's: of whom systemd started (STATE_DIRECTORY), root, or who may write there. Everybody else
// has a place of his own, where clients look as well.
static void default_socket(nd_config *c)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR"), *folder = "/run/navd";
    char state[sizeof c->state];
    nd_state_folder_default(state, sizeof state);
    if (runtime && *runtime)
        folder = runtime;
    else if (!getenv("STATE_DIRECTORY") && geteuid() != 0 && access(folder, W_OK) && state[0])
        folder = state;
    int n = snprintf(c->socket, sizeof c->socket, "%s/navd.sock", folder);
    if (n >= (int)sizeof c->socket) memset(c->socket, 0, sizeof c->socket); // too long: --socket must say where
}

void nd_config_default(nd_config *c)
{
    memset(c, 0, sizeof *c);
    for (const nd_option *o = nd_options; o < nd_options + nd_option_count; o++) {
        char *member = (char *)c + o->offset;
        int index = (int)o->value;
        if (o->type == ND_OPTION_NUMBER || o->type == ND_OPTION_BYTES || o->type == ND_OPTION_MODE)
            memcpy(member, &o->value, sizeof o->value);
        else if (o->type == ND_OPTION_CHOICE)
            memcpy(member, &index, sizeof index);
    }
    default_socket(c);
    strcpy(c->farm_name, "navd");
    nd_state_folder_default(c->state, sizeof c->state);
}

// --- the command line ---

static void dashed(const char *name, char out[64])
{
    size_t i = 0;
    for (; name[i] && i < 63; i++) out[i] = name[i] == '_' ? '-' : name[i];
    out[i] = 0;
}

// One argument and its value. *at is its place in argv, and moves on where the value is an argument of its own.
static nav_status parse_one(nd_config *c, int argc, char *const *argv, int *at, char *why, size_t why_bytes)
{
    const char *word = argv[*at], *equals = strchr(word, '='), *value = NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    bool is_option = length > 2 && word[0] == '-' && word[1] == '-';
    const nd_option *o = is_option ? nd_option_find(word + 2, length - 2, true) : NULL;
    char name[64], allowed[256];
    if (!o) {
        o = is_option ? nd_option_nearest(word + 2, length - 2) : NULL;
        if (o) dashed(o->name, name);
        snprintf(why, why_bytes, "unknown option %s; %s%s%snavd --help lists all", nd_log_value(word, length).text,
                 o ? "did you mean --" : "", o ? name : "", o ? "? " : "");
        return NAV_ERR_ARGUMENT;
    }
    dashed(o->name, name);
    if (o->type == ND_OPTION_FLAG) {
        if (equals) {
            snprintf(why, why_bytes, "--%s takes no value", name);
            return NAV_ERR_ARGUMENT;
        }
        const bool on = true;
        memcpy((char *)c + o->offset, &on, sizeof on);
        return NAV_OK;
    }
    value = equals ? equals + 1 : *at + 1 < argc ? argv[++*at] : NULL;
    if (!value) {
        snprintf(why, why_bytes, "--%s requires a value: --%s %s", name, name, o->value_name);
        return NAV_ERR_ARGUMENT;
    }
    nav_status s = nd_option_set(c, o, value, allowed, sizeof allowed);
    if (s == NAV_OK)
        c->source[o - nd_options] = ND_FROM_COMMAND_LINE;
    else
        snprintf(why, why_bytes, "--%s %s: %s", name, nd_log_value(value, strlen(value)).text, allowed);
    return s;
}

nav_status nd_config_parse(nd_config *c, int argc, char *const *argv, char *why, size_t why_bytes)
{
    nav_status s = NAV_OK;
    for (int i = 0; i < argc && s == NAV_OK; i++) s = parse_one(c, argc, argv, &i, why, why_bytes);
    return s;
}

// --- the file ---

typedef struct reading {
    nd_config *config;
    const char *file_name;
    unsigned line;
    unsigned lines[ND_MAX_OPTIONS]; // where each option was set; 0: not yet
    nd_config_say say;
    void *user;
    bool faulty;
} reading;

static void fault(reading *r, const char *fmt, ...) NAV_PRINTF(2, 3);

static void fault(reading *r, const char *fmt, ...)
{
    char why[1024];
    int n = r->line ? snprintf(why, sizeof why, "%.300s:%u: ", r->file_name, r->line)
                    : snprintf(why, sizeof why, "%.300s: ", r->file_name);
    va_list args;
    va_start(args, fmt);
    vsnprintf(why + n, sizeof why - (size_t)n, fmt, args);
    va_end(args);
    r->faulty = true;
    r->say(r->user, why);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

// The value from `at` to `end`, without quotes and comment. value has room for all of it and a zero.
static bool take_value(reading *r, const char *at, const char *end, char *value)
{
    size_t n = 0;
    if (at < end && *at == '"') {
        for (at++; at < end && *at != '"'; at++) {
            if (*at == '\\' && at + 1 < end && (at[1] == '"' || at[1] == '\\')) at++;
            value[n++] = *at;
        }
        if (at == end) {
            fault(r, "the quote is not closed");
            return false;
        }
        for (at++; at < end && is_space(*at); at++) continue;
        if (at < end && *at != '#') {
            fault(r, "only a comment may follow the closing quote");
            return false;
        }
    } else {
        for (; at < end && !(*at == '#' && n && is_space(value[n - 1])); at++) value[n++] = *at;
        while (n && is_space(value[n - 1])) n--;
    }
    value[n] = 0;
    return true;
}

static void unknown_name(reading *r, const char *name, size_t length)
{
    const nd_option *near = nd_option_nearest(name, length);
    if (near)
        fault(r, "unknown option %s; did you mean %s?", nd_log_value(name, length).text, near->name);
    else
        fault(r, "unknown option %s; navd --print-config lists all", nd_log_value(name, length).text);
}

enum { LONGEST_LINE = 4096 };

static void read_line(reading *r, const char *at, const char *end)
{
    char value[LONGEST_LINE + 1], allowed[256];
    if (end > at && end[-1] == '\r') end--;
    while (at < end && is_space(*at)) at++;
    if (at == end || *at == '#') return;
    if (end - at > LONGEST_LINE) {
        fault(r, "the line is longer than %d bytes", LONGEST_LINE);
        return;
    }
    if (memchr(at, 0, (size_t)(end - at))) {
        fault(r, "the line contains a zero byte");
        return;
    }
    const char *name = at;
    while (at < end && *at != '=' && !is_space(*at)) at++;
    size_t length = (size_t)(at - name);
    while (at < end && is_space(*at)) at++;
    if (at < end && !length) {
        fault(r, "there is no name before the =");
        return;
    }
    if (at == end || *at != '=') {
        fault(r, "%s is not followed by \"= VALUE\"", nd_log_value(name, length).text);
        return;
    }
    for (at++; at < end && is_space(*at); at++) continue;
    const nd_option *o = nd_option_find(name, length, false);
    if (!o) {
        unknown_name(r, name, length);
        return;
    }
    if (o->command_line_only) {
        fault(r, "%s is for the command line only", o->name);
        return;
    }
    unsigned *line = &r->lines[o - nd_options];
    if (*line) {
        fault(r, "%s was already set on line %u", o->name, *line);
        return;
    }
    *line = r->line;
    if (!take_value(r, at, end, value)) return;
    if (nd_option_set(r->config, o, value, allowed, sizeof allowed) == NAV_OK)
        r->config->source[o - nd_options] = ND_FROM_FILE;
    else
        fault(r, "%s = %s: %s", o->name, nd_log_value(value, strlen(value)).text, allowed);
}

nav_status nd_config_read(nd_config *c, const char *file_name, const char *text, size_t size, nd_config_say say,
                          void *user)
{
    reading r = {.config = c, .file_name = file_name, .line = 1, .say = say, .user = user};
    const char *at = text, *end = text + size;
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) at += 3; // some editors begin a file with it
    for (; at < end; r.line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        read_line(&r, at, newline ? newline : end);
        at = newline ? newline + 1 : end;
    }
    return r.faulty ? NAV_ERR_ARGUMENT : NAV_OK;
}

// --- all of it ---

enum { LARGEST_FILE = 1 << 20 };

static nav_status read_file(nd_config *c, nd_config_say say, void *user)
{
    reading r = {.file_name = c->config, .say = say, .user = user};
    nav_status s = NAV_ERR_ARGUMENT;
    char *text = malloc(LARGEST_FILE + 1);
    FILE *f = fopen(c->config, "re");
    if (!f || !text) {
        fault(&r, "it cannot be read: %m");
        goto done;
    }
    size_t size = fread(text, 1, LARGEST_FILE + 1, f);
    if (ferror(f))
        fault(&r, "it cannot be read: %m");
    else if (size > LARGEST_FILE)
        fault(&r, "it is longer than %d bytes, which is not a configuration file", LARGEST_FILE);
    else
        s = nd_config_read(c, c->config, text, size, say, user);
done:
    if (f) fclose(f);
    free(text);
    return s;
}

nav_status nd_config_load(nd_config *c, int argc, char *const *argv, nd_config_say say, void *user)
{
    char why[512], file[ND_FILE_NAME_BYTES];
    nd_config_default(c);
    nav_status s = nd_config_parse(c, argc, argv, why, sizeof why), t = NAV_OK;
    if (s != NAV_OK) say(user, why);
    if (c->config[0] && !c->help && !c->version) {
        memcpy(file, c->config, sizeof file);
        nd_config_default(c);
        memcpy(c->config, file, sizeof file);
        t = read_file(c, say, user);
        if (s == NAV_OK) s = nd_config_parse(c, argc, argv, why, sizeof why); // once more: it goes before the file
    }
    return s != NAV_OK ? s : t;
}

void nd_config_reload(nd_config *c, const nd_config *next,
                      void (*changed)(void *user, const char *name, const char *value, bool applied), void *user)
{
    char value[ND_OPTION_TEXT_BYTES];
    for (const nd_option *o = nd_options; o < nd_options + nd_option_count; o++) {
        char *mine = (char *)c + o->offset;
        const char *its = (const char *)next + o->offset;
        if (o->command_line_only || o->type == ND_OPTION_SECTION || !memcmp(mine, its, o->size)) continue;
        if (o->reload) {
            memcpy(mine, its, o->size);
            c->source[o - nd_options] = next->source[o - nd_options];
        }
        nd_option_get(next, o, value);
        changed(user, o->name, value, o->reload);
    }
}

nav_build *nd_config_pipeline(const nd_config *c, char *why, size_t why_bytes)
{
    nav_level level = c->level ? (nav_level)(c->level - 1) : nav_level_best();
    if (nav_level_parse(nav_level_name(level), &level, why, why_bytes) != NAV_OK) return NULL;
    return nav_build_at(level);
}
