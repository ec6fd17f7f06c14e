// The library is built without OpenSSL: tls:// is refused when it is asked for, so that nothing else here is called.
#include "clients/c/tls.h"

#include <stdio.h>

nav_status navd_client_tls_create(const char *host, const char *ca, const char *certificate, const char *key, char *why,
                                  size_t why_bytes, client_tls **out)
{
    (void)ca, (void)certificate, (void)key;
    *out = NULL;
    snprintf(why, why_bytes,
             "tls://%s: this navdclient was built without TLS: reach the daemon by host:port through a tunnel that "
             "encrypts, or build navdclient with OpenSSL",
             host);
    return NAV_ERR_ARGUMENT;
}

void navd_client_tls_destroy(client_tls *t)
{
    (void)t;
}

nav_status navd_client_tls_feed(client_tls *t, const void *bytes, size_t count)
{
    (void)t, (void)bytes, (void)count;
    return NAV_ERR_STATE;
}

nav_status navd_client_tls_read(client_tls *t, void *out, size_t room, size_t *count)
{
    (void)t, (void)out, (void)room;
    *count = 0;
    return NAV_ERR_STATE;
}

nav_status navd_client_tls_shake(client_tls *t)
{
    (void)t;
    return NAV_ERR_STATE;
}

nav_status navd_client_tls_write(client_tls *t, const void *bytes, size_t count)
{
    (void)t, (void)bytes, (void)count;
    return NAV_ERR_STATE;
}

nav_status navd_client_tls_take(client_tls *t, nav_buffer *out)
{
    (void)t, (void)out;
    return NAV_ERR_STATE;
}

const char *navd_client_tls_why(const client_tls *t)
{
    (void)t;
    return "";
}
