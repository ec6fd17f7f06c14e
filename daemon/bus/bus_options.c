// What the library is told of the server and of who we are.
#include "daemon/bus/bus_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_SERVERS = 16, CONNECT_MS = 2000, AGAIN_MS = 250, JITTER_MS = 100, WRITE_MS = 5000, PING_MS = 5000 };

static nav_status refuse(char *why, size_t why_bytes, const char *what)
{
    snprintf(why, why_bytes, "%s", what);
    return NAV_ERR_ARGUMENT;
}

// Of a server behind its scheme, USER:PASSWORD@HOST:PORT: is there a host, and is the port one, where it is given?
static bool place_is_possible(const char *server)
{
    const char *at = strrchr(server, '@'), *host = at ? at + 1 : server, *bracket = strchr(host, ']');
    const char *colon = strchr(bracket ? bracket : host, ':');
    if (!host[0] || colon == host) return false;
    if (!colon) return true;
    char *end;
    const unsigned long port = strtoul(colon + 1, &end, 10);
    return colon[1] >= '0' && colon[1] <= '9' && (!*end || *end == '/') && port >= 1 && port <= 65535;
}

// Not the URL itself: it may hold a password.
static nav_status set_servers(natsOptions *out, const char *url, char *why, size_t why_bytes)
{
    char *copy = strdup(url), *rest = copy;
    const char *servers[MAX_SERVERS];
    int count = 0;
    if (!copy) return NAV_ERR_MEMORY;
    natsStatus s = NATS_OK;
    for (char *one; s == NATS_OK && (one = strsep(&rest, ",")) != NULL;) {
        const bool known = !strncmp(one, "nats://", 7) || !strncmp(one, "tls://", 6);
        if (!known || !place_is_possible(strstr(one, "://") + 3) || count == MAX_SERVERS ||
            !strpbrk(one + 6, "abcdefghijklmnopqrstuvwxyz0123456789["))
            s = NATS_INVALID_ARG;
        else
            servers[count++] = one;
    }
    if (s == NATS_OK) s = natsOptions_SetServers(out, servers, count);
    free(copy);
    if (s == NATS_OK) return NAV_OK;
    return refuse(
        why, why_bytes,
        "--farm is not a list of NATS servers: give nats://HOST:PORT or tls://HOST:PORT, up to 16 of them with commas "
        "between, and ports from 1 to 65535");
}

static nav_status check_file(const char *file, const char *option, char *why, size_t why_bytes)
{
    if (!access(file, R_OK)) return NAV_OK;
    snprintf(why, why_bytes, "cannot read %s (%s): %s", file, option, strerror(errno));
    return NAV_ERR_ARGUMENT;
}

static nav_status set_identity(natsOptions *out, const nd_bus_options *o, char *why, size_t why_bytes)
{
    if (o->credentials[0] && o->nkey[0])
        return refuse(why, why_bytes, "give --farm-credentials or --farm-nkey, not both");
    nav_status s = NAV_OK;
    if (o->credentials[0]) {
        s = check_file(o->credentials, "--farm-credentials", why, why_bytes);
        if (s == NAV_OK && natsOptions_SetUserCredentialsFromFiles(out, o->credentials, NULL) != NATS_OK)
            s = NAV_ERR_MEMORY;
    } else if (o->nkey[0]) {
        char public_key[ND_NKEY_BYTES];
        s = nd_nkey_public(o->nkey, public_key, why, why_bytes);
        if (s == NAV_OK && natsOptions_SetNKeyFromSeed(out, public_key, o->nkey) != NATS_OK) s = NAV_ERR_MEMORY;
    }
    return s;
}

static nav_status set_encryption(natsOptions *out, const nd_bus_options *o, char *why, size_t why_bytes)
{
    const bool wanted = o->ca[0] || o->certificate[0] || strstr(o->url, "tls://");
    if (!wanted) return NAV_OK;
    if (!o->certificate[0] != !o->key[0])
        return refuse(why, why_bytes, "--farm-certificate and --farm-key go together: give both");
    nav_status s = o->ca[0] ? check_file(o->ca, "--farm-ca", why, why_bytes) : NAV_OK;
    if (s == NAV_OK && o->certificate[0]) s = check_file(o->certificate, "--farm-certificate", why, why_bytes);
    if (s == NAV_OK && o->key[0]) s = check_file(o->key, "--farm-key", why, why_bytes);
    if (s != NAV_OK) return s;
    natsStatus n = natsOptions_SetSecure(out, true);
    if (n != NATS_OK) return NAV_ERR_MEMORY;
    if (o->ca[0] && natsOptions_LoadCATrustedCertificates(out, o->ca) != NATS_OK)
        return refuse(why, why_bytes, "the file of --farm-ca holds no certificate: give one as PEM");
    if (o->certificate[0] && natsOptions_LoadCertificatesChain(out, o->certificate, o->key) != NATS_OK)
        return refuse(why, why_bytes,
                      "--farm-certificate and --farm-key are not a certificate and its private key, both as PEM");
    return NAV_OK;
}

static natsStatus set_patience(natsOptions *out, const char *name)
{
    natsStatus s = natsOptions_SetName(out, name);
    if (s == NATS_OK) s = natsOptions_SetTimeout(out, CONNECT_MS);
    if (s == NATS_OK) s = natsOptions_SetMaxReconnect(out, -1);
    if (s == NATS_OK) s = natsOptions_SetReconnectWait(out, AGAIN_MS);
    if (s == NATS_OK) s = natsOptions_SetReconnectJitter(out, JITTER_MS, JITTER_MS);
    if (s == NATS_OK) s = natsOptions_SetWriteDeadline(out, WRITE_MS);
    if (s == NATS_OK) s = natsOptions_SetPingInterval(out, PING_MS);
    if (s == NATS_OK) s = natsOptions_SetFailRequestsOnDisconnect(out, true);
    if (s == NATS_OK) s = natsOptions_UseGlobalMessageDelivery(out, true);
    // What is said while there is no server is not said later: whoever says it asks again.
    if (s == NATS_OK) s = natsOptions_SetReconnectBufSize(out, 0);
    return s;
}

nav_status nd_bus_options_make(const nd_bus_options *o, natsOptions **out, char *why, size_t why_bytes)
{
    natsOptions *made = NULL;
    if (natsOptions_Create(&made) != NATS_OK) return NAV_ERR_MEMORY;
    nav_status s = set_servers(made, o->url, why, why_bytes);
    if (s == NAV_OK) s = set_identity(made, o, why, why_bytes);
    if (s == NAV_OK) s = set_encryption(made, o, why, why_bytes);
    if (s == NAV_OK && set_patience(made, o->name) != NATS_OK) s = NAV_ERR_MEMORY;
    if (s == NAV_OK)
        *out = made;
    else
        natsOptions_Destroy(made);
    return s;
}

nav_status nd_bus_check(const nd_bus_options *o, char *why, size_t why_bytes)
{
    natsOptions *made = NULL;
    snprintf(why, why_bytes, "there is no memory to check the farm's options");
    nav_status s = nd_bus_options_make(o, &made, why, why_bytes);
    natsOptions_Destroy(made);
    return s;
}
