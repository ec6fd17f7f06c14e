#include "daemon/service/check.h"

#include "daemon/farm/farm_options.h"
#include "daemon/session/sessions.h"

#include <grp.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LEAST_MEMORY = 64 << 20 };

typedef struct check {
    const nd_config *config;
    nd_config_say say;
    void *user;
    nav_status status;
} check;

static void complain(check *k, const char *why)
{
    k->say(k->user, why);
    k->status = NAV_ERR_ARGUMENT;
}

// The option, the value that it has, and what is wrong or to be done.
static void fault(check *k, const char *option, const char *value, const char *words)
{
    char why[1024];
    snprintf(why, sizeof why, "%s = %s: %s", option, nd_log_value(value, strlen(value)).text, words);
    complain(k, why);
}

static void check_files(check *k)
{
    const nd_config *c = k->config;
    char why[512]; // names the option and the file
    nd_tokens tokens = {0};
    nd_quotas quotas = {0};
    nd_tls_context *tls = NULL;
    if (c->tokens[0] && nd_tokens_load(c->tokens, &tokens, why, sizeof why) != NAV_OK) complain(k, why);
    if (c->namespaces[0] && nd_quotas_load(c->namespaces, &quotas, why, sizeof why) != NAV_OK) complain(k, why);
    if (c->tls_certificate[0] && !c->tls_key[0])
        fault(k, "tls_certificate", c->tls_certificate, "its key is missing: set tls_key");
    else if (c->tls_key[0] && !c->tls_certificate[0])
        fault(k, "tls_key", c->tls_key, "its certificate is missing: set tls_certificate");
    else if (c->tls_certificate[0] &&
             nd_tls_context_create(c->tls_certificate, c->tls_key, c->tls_client_ca, why, sizeof why, &tls) != NAV_OK)
        complain(k, why);
    if (tls && nd_tls_context_warns(tls, why, sizeof why)) {
        char warning[1280];
        snprintf(warning, sizeof warning, "warning: tls_certificate = %s: %s",
                 nd_log_value(c->tls_certificate, strlen(c->tls_certificate)).text, why);
        k->say(k->user, warning); // the daemon starts all the same
    }
    nd_tokens_deinit(&tokens);
    nd_quotas_deinit(&quotas);
    nd_tls_context_destroy(tls);
}

static void check_address(check *k, const char *option, const char *address)
{
    char host[256], words[300];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    if (!address[0]) return;
    if (!nd_split_address(address, host, &port)) {
        fault(k, option, address, "expected HOST:PORT, [HOST]:PORT or PORT, with a port up to 65535");
        return;
    }
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed) {
        snprintf(words, sizeof words, "unknown host (%s); use an address of this machine", gai_strerror(failed));
        fault(k, option, address, words);
        return;
    }
    bool guarded = k->config->tls_certificate[0] && k->config->tokens[0];
    if (!guarded && !nd_access_is_loopback(found->ai_addr))
        fault(k, option, address,
              "other machines can reach it: set tls_certificate, tls_key and tokens, or use 127.0.0.1");
    freeaddrinfo(found);
}

static bool is_folder(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

// Its folder may be made as the service starts.
static void check_socket(check *k)
{
    const nd_config *c = k->config;
    if (!c->socket[0]) return;
    if (strlen(c->socket) >= sizeof((struct sockaddr_un *)0)->sun_path)
        fault(k, "socket", c->socket, "the path of a socket may have at most 107 bytes");
    if (c->socket_group[0] && !getgrnam(c->socket_group))
        fault(k, "socket_group", c->socket_group, "there is no such group on this system");
}

static void check_sizes(check *k)
{
    const nd_config *c = k->config;
    char value[32], words[128];
    if (c->output_bytes > c->max_output_bytes) {
        snprintf(value, sizeof value, "%" PRIu64, c->output_bytes);
        snprintf(words, sizeof words, "it is greater than max_output_bytes, which is %" PRIu64, c->max_output_bytes);
        fault(k, "output_bytes", value, words);
    }
    if (c->max_memory_bytes && c->max_memory_bytes < LEAST_MEMORY) {
        snprintf(value, sizeof value, "%" PRIu64, c->max_memory_bytes);
        fault(k, "max_memory_bytes", value, "below 64M all edits are refused; 0 lets navd choose");
    }
}

static void check_level(check *k)
{
    char why[96];
    if (!nd_config_pipeline(k->config, why, sizeof why)) complain(k, why);
}

static void check_farm(check *k)
{
    char why[512];
    if (nd_farm_check_options(k->config, why, sizeof why) != NAV_OK) complain(k, why);
}

nav_status nd_config_check(const nd_config *c, nd_config_say say, void *user)
{
    check k = {.config = c, .say = say, .user = user};
    if (!c->socket[0] && !c->listen[0] && !c->worker)
        fault(&k, "socket", "", "there is nothing to listen on: set socket or listen");
    if (c->state[0] && !access(c->state, F_OK) && !is_folder(c->state))
        fault(&k, "state", c->state, "it is a file: choose another path");
    check_socket(&k);
    check_sizes(&k);
    check_level(&k);
    check_farm(&k);
    check_files(&k);
    check_address(&k, "listen", c->listen);
    check_address(&k, "http_listen", c->http_listen);
    if (strcmp(c->view, ND_NO_VIEW) != 0) check_address(&k, "view", c->view);
    return k.status;
}
