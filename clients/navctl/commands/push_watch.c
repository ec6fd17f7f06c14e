#include "clients/navctl/commands/push_watch.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/follow/follow.h"
#include "clients/navctl/output/json.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/scene/scene_references.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A push is applied whole or not at all, so it may be left at any time.
static void leave(int number)
{
    (void)number;
    _exit(NAVCTL_OK);
}

void push_watch_begin(void)
{
    const struct sigaction action = {.sa_handler = leave};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void say(const push_watch *w, const char *event, const char *words)
{
    if (w->json) {
        json_writer out = {.out = stdout};
        json_open(&out, NULL, '{');
        json_text(&out, "event", event);
        json_text(&out, "scene", w->scene);
        json_close(&out, '}');
        json_end_line(&out);
    } else {
        printf("%s%s\n", w->scene, words);
    }
    fflush(stdout);
}

// The scene, and what it refers to now.
static bool follow_scene(follow *f, const char *scene)
{
    scene_references r;
    bool ok = scene_references_read(scene, &r);
    const char **paths = ok ? malloc((r.count + 1) * sizeof *paths) : NULL;
    ok = paths != NULL;
    if (ok) {
        paths[0] = scene;
        for (size_t i = 0; i < r.count; i++) paths[1 + i] = r.paths[i];
        ok = follow_set(f, paths, r.count + 1);
    }
    free(paths);
    scene_references_deinit(&r);
    return ok;
}

// Reads and sends. Returns an exit code.
static int push_again(const push_watch *w, follow *f)
{
    int code = w->load(w->user);
    bool followed = code != NAVCTL_OK || follow_scene(f, w->scene);
    follow_release(f);
    if (code != NAVCTL_OK) {
        say(w, "unreadable", " cannot be read; the world stays as it is");
        return code;
    }
    if (!followed) fprintf(stderr, "navctl: no memory left\n");
    return followed ? w->send(w->user) : NAVCTL_FAILED;
}

static void wait_for_more(const push_watch *w, const follow *f, int wait_ms)
{
    struct pollfd fds[2] = {{.fd = f->inotify, .events = POLLIN}, {.fd = navd_fd(w->client), .events = POLLIN}};
    int client_ms = navd_wait_ms(w->client);
    if (navd_want_write(w->client)) fds[1].events |= POLLOUT;
    if (client_ms >= 0 && client_ms < wait_ms) wait_ms = client_ms;
    (void)poll(fds, 2, wait_ms);
    (void)navd_process(w->client); // what breaks is mended by itself
}

static bool lost_connection(int code)
{
    return code == NAVCTL_CONNECT || code == NAVCTL_TIMEOUT;
}

int push_watch_run(const push_watch *w)
{
    static const char *const events[] = {
        [FOLLOW_WRITING] = "writing", [FOLLOW_GONE] = "gone", [FOLLOW_SAME] = "watching"};
    static const char *const words[] = {[FOLLOW_WRITING] = ": somebody is writing it",
                                        [FOLLOW_GONE] = " is gone; the world stays as it is until it is back",
                                        [FOLLOW_SAME] = ": watching (Ctrl-C ends it)"};
    follow f;
    follow_state said = FOLLOW_SETTLING;
    bool first = true;
    int wait_ms, code = NAVCTL_OK;
    if (!follow_init(&f) || !follow_set(&f, &w->scene, 1)) {
        fprintf(stderr, "navctl: cannot watch %s: %s\n", w->scene, strerror(errno));
        follow_deinit(&f);
        return NAVCTL_FAILED;
    }
    f.touched = true;
    f.touched_s = -1000;
    for (;;) {
        follow_read_events(&f, now_s());
        follow_state state = follow_look(&f, now_s(), &wait_ms);
        bool retry = state == FOLLOW_SAME && lost_connection(code) && navd_is_connected(w->client);
        if (retry) code = w->send(w->user);
        if (state == FOLLOW_DUE && follow_take(&f) == FOLLOW_DUE) {
            code = push_again(w, &f);
            said = first || w->json ? FOLLOW_SETTLING : FOLLOW_SAME; // a person has read it once
            if (first && code != NAVCTL_OK && code != NAVCTL_TILES) break;
            first = false;
            continue;
        }
        if (state < FOLLOW_DUE && state != FOLLOW_SETTLING && state != said) {
            said = state;
            say(w, events[state], words[state]);
        }
        wait_for_more(w, &f, wait_ms);
    }
    follow_deinit(&f);
    return code;
}
