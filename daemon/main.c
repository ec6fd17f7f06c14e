#include "daemon/server.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct signals {
    uv_signal_t handles[2];
    nd_server *server;
} signals;

static void on_signal(uv_signal_t *handle, int number)
{
    signals *s = handle->data;
    nd_log(ND_LOG_INFO, "daemon.stopping", "signal=%d", number);
    nd_server_stop(s->server);
    for (int i = 0; i < 2; i++) uv_close((uv_handle_t *)&s->handles[i], NULL);
}

static void watch_signals(uv_loop_t *loop, signals *s)
{
    const int numbers[2] = {SIGTERM, SIGINT};
    for (int i = 0; i < 2; i++) {
        uv_signal_init(loop, &s->handles[i]);
        s->handles[i].data = s;
        uv_signal_start_oneshot(&s->handles[i], on_signal, numbers[i]);
    }
}

static int fail(const char *why)
{
    fprintf(stderr, "navd: %s\n", why);
    return 1;
}

int main(int argc, char **argv)
{
    nd_config config;
    char why[512];
    nd_config_default(&config);
    if (nd_config_parse(&config, argc - 1, argv + 1, why, sizeof why) != NAV_OK) {
        fprintf(stderr, "navd: %s\n", why);
        return 2;
    }
    if (config.help) {
        nd_config_print_help(stdout);
        return 0;
    }
    if (config.version) {
        printf("navd %s (protocol %d)\n", NAVD_VERSION, NP_PROTOCOL_VERSION);
        return 0;
    }
    nd_log_set_level(config.log_level);
    signal(SIGPIPE, SIG_IGN);

    uv_loop_t loop;
    signals watched = {0};
    if (uv_loop_init(&loop)) return fail("cannot make an event loop: the system has no more file descriptors");
    if (nd_server_create(&loop, &config, why, sizeof why, &watched.server) != NAV_OK) {
        uv_loop_close(&loop);
        return fail(why);
    }
    watch_signals(&loop, &watched);
    uv_run(&loop, UV_RUN_DEFAULT);
    nd_server_destroy(watched.server);
    uv_loop_close(&loop);
    nd_log(ND_LOG_INFO, "daemon.stopped", "%s", "");
    return 0;
}
