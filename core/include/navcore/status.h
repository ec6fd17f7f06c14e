// The one result type of navd: every function that can fail returns a nav_status.
// Codes are listed once, here, with the words a person reads. Any thread.
#ifndef NAVCORE_STATUS_H
#define NAVCORE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// X(code, wire name, words). Order is part of the ABI: append only.
#define NAV_STATUS_LIST(X)                                                                                             \
    X(NAV_OK, "ok", "success")                                                                                         \
    X(NAV_ERR_ARGUMENT, "argument", "a value is missing or out of range")                                              \
    X(NAV_ERR_MEMORY, "memory", "the system has no memory left")                                                       \
    X(NAV_ERR_LIMIT, "limit", "a configured limit was reached")                                                        \
    X(NAV_ERR_FORMAT, "format", "the bytes do not have the required format")                                           \
    X(NAV_ERR_TRUNCATED, "truncated", "the bytes end too early")                                                       \
    X(NAV_ERR_VERSION, "version", "the version is not supported")                                                      \
    X(NAV_ERR_NOT_FOUND, "not_found", "not found")                                                                     \
    X(NAV_ERR_EXISTS, "exists", "it already exists")                                                                   \
    X(NAV_ERR_STATE, "state", "the call is not allowed now")                                                           \
    X(NAV_ERR_CANCELLED, "cancelled", "the work was cancelled")                                                        \
    X(NAV_ERR_AGAIN, "again", "not ready yet, or more bytes are needed")                                               \
    X(NAV_ERR_CLOSED, "closed", "the connection is closed")                                                            \
    X(NAV_ERR_IO, "io", "the operating system reported an error")                                                      \
    X(NAV_ERR_TIMEOUT, "timeout", "the time limit has passed")                                                         \
    X(NAV_ERR_INTERNAL, "internal", "a defect in navd")                                                                \
    X(NAV_ERR_UNAUTHENTICATED, "unauthenticated", "a valid token or client certificate is required")                   \
    X(NAV_ERR_FORBIDDEN, "forbidden", "the role does not allow it")                                                    \
    X(NAV_ERR_UNTRUSTED, "untrusted", "a certificate is missing or is not trusted")                                    \
    X(NAV_ERR_CRASHED, "crashed", "a defect in navd's generator ended it")

typedef enum nav_status {
#define NAV_STATUS_ENUM(code, name, words) code,
    NAV_STATUS_LIST(NAV_STATUS_ENUM)
#undef NAV_STATUS_ENUM
        NAV_STATUS_COUNT
} nav_status;

#if defined(__GNUC__) || defined(__clang__)
#define NAV_MUST_USE __attribute__((warn_unused_result))
#else
#define NAV_MUST_USE
#endif

// Short machine-readable name ("limit"); "unknown" for a value outside of the list. Never NULL.
const char *nav_status_name(nav_status s);

// Words for a person. Never NULL.
const char *nav_status_text(nav_status s);

#ifdef __cplusplus
}
#endif

#endif
