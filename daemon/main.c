// The program: command line, signals, exit codes. 0: it ended as it was told to. 1: it could not start, or (with
// --check-config) the configuration is wrong. 2: the command line or the configuration file is wrong.
#include "daemon/access/token_command.h"
#include "daemon/base/thread.h"
#include "daemon/farm/farm_options.h"
#include "daemon/server.h"
#include "daemon/service/check.h"
#include "daemon/service/systemd.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct program {
    int argc;
    char **argv;
    uv_signal_t term, interrupt, hangup;
    nd_systemd manager;
    nd_server *server;
    bool ending;
} program;

// One that comes before there is anything to reload waits until there is, instead of ending the program.
static void hold_hangup(int how)
{
    sigset_t hangup;
    sigemptyset(&hangup);
    sigaddset(&hangup, SIGHUP);
    pthread_sigmask(how, &hangup, NULL);
}

// None that comes from now on changes how it ends.
static void close_signals(program *p)
{
    sigset_t all_of_them;
    sigfillset(&all_of_them);
    pthread_sigmask(SIG_BLOCK, &all_of_them, NULL);
    uv_signal_t *all[] = {&p->term, &p->interrupt, &p->hangup};
    for (int i = 0; i < 3; i++) uv_close((uv_handle_t *)all[i], NULL);
}

static void on_end(uv_signal_t *handle, int number)
{
    program *p = handle->data;
    if (!p->server) return; // it does not start, and says why
    nd_log(ND_LOG_INFO, "daemon.stopping", "signal=%d at_once=%s", number, p->ending ? "yes" : "no");
    if (!p->ending) nd_systemd_stopping();
    (p->ending ? nd_server_stop : nd_server_drain)(p->server);
    p->ending = true;
}

static void log_fault(void *user, const char *why)
{
    (void)user;
    nd_log(ND_LOG_ERROR, "config.refused", "why=%s", nd_log_quote_sentence(why).text);
}

static void on_hangup(uv_signal_t *handle, int number)
{
    program *p = handle->data;
    nd_config next;
    (void)number;
    if (!p->server) return;
    nd_systemd_reloading();
    if (nd_config_load(&next, p->argc - 1, p->argv + 1, log_fault, NULL) == NAV_OK) nd_server_reload(p->server, &next);
    nd_systemd_reloaded();
}

static void watch_signals(uv_loop_t *loop, program *p)
{
    const struct {
        uv_signal_t *handle;
        uv_signal_cb call;
        int number;
    } watched[] = {{&p->term, on_end, SIGTERM}, {&p->interrupt, on_end, SIGINT}, {&p->hangup, on_hangup, SIGHUP}};
    for (int i = 0; i < 3; i++) {
        uv_signal_init(loop, watched[i].handle);
        watched[i].handle->data = p;
        uv_signal_start(watched[i].handle, watched[i].call, watched[i].number);
        uv_unref((uv_handle_t *)watched[i].handle); // the loop ends with the server
    }
    hold_hangup(SIG_UNBLOCK);
}

static int fail(const char *why)
{
    fprintf(stderr, "navd: %s\n", why);
    return 1;
}

// What was printed is where it should be, or the exit code says so.
static int end_printing(void)
{
    if (!ferror(stdout) && !fflush(stdout)) return 0;
    fprintf(stderr, "navd: cannot write to standard output: %m\n");
    return 1;
}

static void print_fault(void *user, const char *why)
{
    (void)user;
    (void)fail(why);
}

static int run(program *p, nd_config *config)
{
    char why[512];
    uv_loop_t loop;
    nd_log_set_level(config->log_level);
    nd_log_set_format(config->log_format);
    signal(SIGPIPE, SIG_IGN);
    nd_memory_init_heap();
    if (nd_systemd_sockets(config, why, sizeof why) != NAV_OK) return fail(why);
    nd_admission_raise_descriptors();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a full disk
    if (uv_loop_init(&loop)) return fail("cannot create an event loop: the system has no more file descriptors");
    watch_signals(&loop, p); // first: one that comes before the loop runs waits for it
    if (nd_server_create(&loop, config, why, sizeof why, &p->server) != NAV_OK) {
        close_signals(p);
        uv_run(&loop, UV_RUN_DEFAULT);
        uv_loop_close(&loop);
        return fail(why);
    }
    nd_systemd_init(&p->manager, &loop, nd_server_service(p->server));
    nd_thread_take_short_turns();
    uv_run(&loop, UV_RUN_DEFAULT);
    nd_systemd_close(&p->manager);
    close_signals(p);
    uv_run(&loop, UV_RUN_DEFAULT);
    nd_server_destroy(p->server);
    uv_loop_close(&loop);
    nd_log(ND_LOG_INFO, "daemon.stopped", "%s", "");
    return 0;
}

// Somebody may start it with these closed: the log must not go to the file that is opened next.
static void keep_standard_streams(void)
{
    int fd;
    do fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

int main(int argc, char **argv)
{
    keep_standard_streams();
    if (argc > 1 && !strcmp(argv[1], "token")) return nd_token_command(argc - 2, argv + 2);
    hold_hangup(SIG_BLOCK);
    program p = {.argc = argc, .argv = argv};
    nd_config config;
    char why[512];
    nav_status s = nd_config_load(&config, argc - 1, argv + 1, print_fault, NULL);
    if (s != NAV_OK) return config.check_config ? 1 : 2;
    if (config.help) {
        nd_config_print_help(stdout);
    } else if (config.version) {
        printf("navd %s (protocol %d)\n", NAVD_VERSION, NP_PROTOCOL_VERSION);
    } else if (config.print_config) {
        nd_config_print_file(&config, stdout);
    } else if (config.check_config) {
        if (nd_config_check(&config, print_fault, NULL) != NAV_OK) return 1;
        printf("navd: the configuration is valid%s%s\n", config.config[0] ? ": " : "", config.config);
    } else if (nd_farm_check_options(&config, why, sizeof why) != NAV_OK) {
        (void)fail(why);
        return 2;
    } else {
        return run(&p, &config);
    }
    return end_printing();
}
