// navctl top: a running daemon at a glance, again every second. navctl sessions: who is connected.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/commands/commands.h"
#include "clients/navctl/commands/top_view.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/remote.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

typedef struct top_args {
    bool once, json;
    float interval_s;
    remote_values remote;
} top_args;

static const arg_option top_options[] = {
    {"once", 0, ARG_FLAG, NULL, "print one view and exit; rates are averages since the daemon's start",
     offsetof(top_args, once), 0, 0, NULL},
    {"interval", 'i', ARG_FLOAT, "SECONDS", "time between two views", offsetof(top_args, interval_s), 0.1, 3600, NULL},
};
static const arg_group top_groups[] = {{"Options", top_options, ARG_COUNT(top_options), 0},
                                       REMOTE_GROUP(top_args, remote)};

typedef struct top {
    const top_args *args;
    char address[256];
    navd_client *client;
    top_sample now, before;
    bool has_before;
} top;

// --- the terminal ---

static struct termios cooked;
static volatile sig_atomic_t ended;

static void on_end(int number)
{
    (void)number;
    ended = 1;
}

static void on_resize(int number)
{
    (void)number; // it is enough that poll() returns
}

static bool take_terminal(void)
{
    if (tcgetattr(STDIN_FILENO, &cooked)) return false;
    struct termios raw = cooked;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(STDIN_FILENO, TCSANOW, &raw)) return false;
    struct sigaction end = {.sa_handler = on_end}, resize = {.sa_handler = on_resize};
    sigaction(SIGINT, &end, NULL);
    sigaction(SIGTERM, &end, NULL);
    sigaction(SIGHUP, &end, NULL);
    sigaction(SIGWINCH, &resize, NULL);
    printf("\033[?1049h\033[?25l"); // another screen, no cursor
    return true;
}

static void give_terminal_back(void)
{
    printf("\033[?25h\033[?1049l");
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
}

static top_frame frame_of(const top *t)
{
    struct winsize size = {0};
    top_frame f = {.address = t->address, .server = t->client ? navd_server_name(t->client) : "navd", .columns = 120};
    bool terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20;
    if (terminal) f.columns = size.ws_col;
    if (terminal && !t->args->once) {
        f.rows = size.ws_row;
        f.color = true;
    }
    return f;
}

// --- the loop ---

static void next_sample(top *t)
{
    top_sample_free(&t->before);
    t->before = t->now;
    t->has_before = t->before.counter_count > 0;
    t->now = (top_sample){.at_s = 0};
}

// The whole text is ready before the terminal is touched: nothing flickers.
static void draw(const top *t, const char *trouble)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) return;
    top_frame frame = frame_of(t);
    if (frame.rows > 1) frame.rows--; // the last one says how to leave
    if (trouble)
        fprintf(f, "%s\n\ntrying again every %g s; q quits\n", trouble, (double)t->args->interval_s);
    else
        top_print(f, &frame, &t->now, t->has_before ? &t->before : NULL);
    fclose(f);
    printf("\033[H");
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool last = !line[length] || !line[length + 1];
        printf("%.*s\033[K%s", (int)length, line, last ? "" : "\r\n");
        line += length + (line[length] == '\n');
    }
    printf("\033[J");
    if (frame.rows > 1 && !trouble) printf("\033[%d;1Hq quits", frame.rows + 1);
    fflush(stdout);
    free(text);
}

// q was typed.
static bool typed_q(void)
{
    char keys[64];
    ssize_t n = read(STDIN_FILENO, keys, sizeof keys);
    return n > 0 && (memchr(keys, 'q', (size_t)n) || memchr(keys, 'Q', (size_t)n));
}

// Waits until the next view is due; a change of the terminal's size draws the one that is there again. False: end.
static bool wait_for_next(const top *t, double due_s, const char *trouble)
{
    while (!ended) {
        double left = due_s - now_s();
        if (left <= 0) return true;
        struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
        int ready = poll(&p, 1, (int)(left * 1e3) + 1);
        if (ready > 0 && ((p.revents & (POLLHUP | POLLERR)) || typed_q())) return false;
        if (ready < 0) draw(t, trouble);
    }
    return false;
}

static void run_terminal(top *t)
{
    char trouble[512];
    do {
        trouble[0] = 0;
        double began_s = now_s();
        if (!t->client &&
            navd_connect(t->args->remote.address, "navctl top", 2000, &t->client, trouble, sizeof trouble) == NAVD_OK)
            navd_set_timeout(t->client, 5000);
        if (t->client) {
            next_sample(t);
            if (top_sample_take(t->client, &t->now) != NAVD_OK) {
                snprintf(trouble, sizeof trouble, "%s", navd_error_text(t->client));
                navd_close(t->client);
                t->client = NULL;
            }
        }
        draw(t, trouble[0] ? trouble : NULL);
        if (!wait_for_next(t, began_s + (double)t->args->interval_s, trouble[0] ? trouble : NULL)) break;
    } while (!ended);
}

static int run_top(const arg_command *self, int argc, char **argv)
{
    top_args a = {.interval_s = 1, .remote = REMOTE_DEFAULTS};
    top t = {.args = &a};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)) a.once = true;
    if (a.remote.address)
        snprintf(t.address, sizeof t.address, "%s", a.remote.address);
    else
        navd_default_address(t.address, sizeof t.address);
    int code = remote_open(&a.remote, &t.client);
    if (code != NAVCTL_OK) return code;
    if (a.once) {
        top_frame frame = frame_of(&t);
        navd_status s = top_sample_take(t.client, &t.now);
        if (s == NAVD_OK)
            top_print(stdout, &frame, &t.now, NULL);
        else
            code = remote_failed(t.client, s, self->name);
    } else if (take_terminal()) {
        run_terminal(&t);
        give_terminal_back();
    } else {
        fprintf(stderr, "navctl top: this terminal cannot be used; --once prints one view\n");
        code = NAVCTL_FAILED;
    }
    navd_close(t.client);
    top_sample_free(&t.now);
    top_sample_free(&t.before);
    return code;
}

const arg_command top_command = {
    .name = "top",
    .summary = "Show a live overview of a running daemon",
    .details =
        "Press q to quit. Sessions need the role admin. Times are since the daemon's start, rates since the previous\n"
        "view.\n",
    .groups = top_groups,
    .group_count = ARG_COUNT(top_groups),
    .run = run_top,
};

// --- sessions ---

static const arg_option sessions_options[] = {
    {"json", 0, ARG_FLAG, NULL, "one line of JSON on standard output", offsetof(top_args, json), 0, 0, NULL}};
static const arg_group sessions_groups[] = {{"Options", sessions_options, ARG_COUNT(sessions_options), 0},
                                            REMOTE_GROUP(top_args, remote)};

static void print_session(const navd_session_entry *e)
{
    char client[NAVD_NAME_BYTES], who[NAVD_NAME_BYTES], age[32], in[32], out[32], queued[32];
    text_printable(e->client[0] ? e->client : "(no hello yet)", client, sizeof client, 40);
    text_printable(e->name, who, sizeof who, 40);
    text_duration(e->age_ms / 1000, age, sizeof age);
    text_bytes((double)e->bytes_in, in, sizeof in);
    text_bytes((double)e->bytes_out, out, sizeof out);
    text_bytes((double)e->bytes_queued, queued, sizeof queued);
    printf("%-6llu %-24s %s, %s of %s%s, %s, %u subscriptions, received %s, sent %s, unread %s\n",
           (unsigned long long)e->id, client, who, e->role, e->space[0] ? e->space : "no namespace",
           e->encrypted ? ", TLS" : "", age, e->subscriptions, in, out, queued);
}

static void print_json(const navd_session_entry *list, size_t count)
{
    json_writer w = {.out = stdout};
    json_open(&w, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&w, NULL, '{');
        json_int(&w, "id", (int64_t)list[i].id);
        json_text(&w, "client", list[i].client);
        json_text(&w, "name", list[i].name);
        json_text(&w, "role", list[i].role);
        json_text(&w, "namespace", list[i].space);
        json_bool(&w, "encrypted", list[i].encrypted);
        json_int(&w, "age_ms", (int64_t)list[i].age_ms);
        json_int(&w, "subscriptions", list[i].subscriptions);
        json_int(&w, "bytes_in", (int64_t)list[i].bytes_in);
        json_int(&w, "bytes_out", (int64_t)list[i].bytes_out);
        json_int(&w, "bytes_queued", (int64_t)list[i].bytes_queued);
        json_close(&w, '}');
    }
    json_close(&w, ']');
    json_end_line(&w);
}

static int run_sessions(const arg_command *self, int argc, char **argv)
{
    top_args a = {.interval_s = 1, .remote = REMOTE_DEFAULTS};
    arg_result parsed = args_parse(self, argc, argv, &a);
    if (parsed != ARGS_GO) return parsed == ARGS_HELP ? NAVCTL_OK : NAVCTL_USAGE;
    navd_client *c;
    navd_session_entry *list;
    size_t count;
    uint64_t total;
    int code = remote_open(&a.remote, &c);
    if (code != NAVCTL_OK) return code;
    navd_status s = navd_sessions(c, &list, &count, &total);
    if (s != NAVD_OK) {
        code = remote_failed(c, s, self->name);
    } else if (a.json) {
        print_json(list, count);
    } else {
        for (size_t i = 0; i < count; i++) print_session(&list[i]);
        if (total > count) printf("and %llu more\n", (unsigned long long)(total - count));
    }
    free(list);
    navd_close(c);
    return code;
}

const arg_command sessions_command = {
    .name = "sessions",
    .summary = "List who is connected to a running daemon (role admin)",
    .groups = sessions_groups,
    .group_count = ARG_COUNT(sessions_groups),
    .run = run_sessions,
};
