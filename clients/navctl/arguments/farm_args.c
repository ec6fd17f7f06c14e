#include "clients/navctl/arguments/farm_args.h"

#include <stdio.h>

#define AT(member) offsetof(farm_values, member)

const arg_option farm_options[FARM_OPTION_COUNT] = {
    {"farm", 0, ARG_TEXT, "URL,...",
     "start a navd here, and use the farm at these NATS servers, its workers and its cache: nats://HOST:PORT or "
     "tls://HOST:PORT",
     AT(url), 0, 0, NULL},
    {"farm-name", 0, ARG_TEXT, "NAME", "name of the farm; default: navd", AT(name), 0, 0, NULL},
    {"farm-credentials", 0, ARG_FILE, "FILE", "credentials for the NATS server (a .creds file)", AT(credentials), 0, 0,
     NULL},
    {"farm-nkey", 0, ARG_FILE, "FILE", "seed of the nkey for the NATS server", AT(nkey), 0, 0, NULL},
    {"farm-ca", 0, ARG_FILE, "FILE", "authorities that may have signed the NATS server's certificate, PEM", AT(ca), 0,
     0, NULL},
    {"farm-cert", 0, ARG_FILE, "FILE", "certificate for the NATS server, PEM", AT(certificate), 0, 0, NULL},
    {"farm-key", 0, ARG_FILE, "FILE", "private key of that certificate, PEM", AT(key), 0, 0, NULL},
    {"navd", 0, ARG_FILE, "FILE", "the navd to start; default: the one beside navctl, or in PATH", AT(program), 0, 0,
     NULL},
};

static const struct {
    const char *navctl, *navd;
    size_t at;
} passed[] = {
    {"farm", "--farm", AT(url)},
    {"farm-name", "--farm-name", AT(name)},
    {"farm-credentials", "--farm-credentials", AT(credentials)},
    {"farm-nkey", "--farm-nkey", AT(nkey)},
    {"farm-ca", "--farm-ca", AT(ca)},
    {"farm-cert", "--farm-certificate", AT(certificate)},
    {"farm-key", "--farm-key", AT(key)},
};

static const char *value_of(const farm_values *v, int i)
{
    return *(const char *const *)(const void *)((const char *)v + passed[i].at);
}

bool farm_values_check(const farm_values *v, const char *command)
{
    for (int i = 1; i < ARG_COUNT(passed) && !v->url; i++) {
        if (!value_of(v, i)) continue;
        fprintf(stderr, "navctl %s: --%s goes with --farm URL\n", command, passed[i].navctl);
        return false;
    }
    if (v->url && !v->url[0]) {
        fprintf(stderr, "navctl %s: --farm is empty: give nats://HOST:PORT or tls://HOST:PORT, or leave it out\n",
                command);
        return false;
    }
    if (!v->certificate != !v->key) {
        fprintf(stderr, "navctl %s: --%s needs --%s as well\n", command, v->key ? "farm-key" : "farm-cert",
                v->key ? "farm-cert" : "farm-key");
        return false;
    }
    return true;
}

void farm_values_words(const farm_values *v, const char *threads, const char *words[FARM_WORDS])
{
    int count = 0;
    if (threads) {
        words[count++] = "--threads";
        words[count++] = threads;
    }
    for (int i = 0; i < ARG_COUNT(passed) && v->url; i++) {
        if (!value_of(v, i)) continue;
        words[count++] = passed[i].navd;
        words[count++] = value_of(v, i);
    }
    if (v->url) { // who counts on a farm hears that it is away; and all is background work, which it is asked for
        words[count++] = "--log-level";
        words[count++] = "warn";
        words[count++] = "--interactive-tiles";
        words[count++] = "0";
    }
    words[count] = NULL;
}
