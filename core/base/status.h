// The one result type of navd: every function that can fail returns a nav_status.
// Codes are listed once, here, with the words a person reads. Any thread.
#ifndef NAV_BASE_STATUS_H
#define NAV_BASE_STATUS_H

// X(code, wire name, words). Order is part of the ABI: append only.
#define NAV_STATUS_LIST(X)                                                                                             \
    X(NAV_OK, "ok", "success")                                                                                         \
    X(NAV_ERR_ARGUMENT, "argument", "a value is missing or outside of its range")                                      \
    X(NAV_ERR_MEMORY, "memory", "the system has no memory left")                                                       \
    X(NAV_ERR_LIMIT, "limit", "a configured limit was reached")                                                        \
    X(NAV_ERR_FORMAT, "format", "the bytes are not what the format demands")                                           \
    X(NAV_ERR_TRUNCATED, "truncated", "the bytes end too early")                                                       \
    X(NAV_ERR_VERSION, "version", "the version is not supported")                                                      \
    X(NAV_ERR_NOT_FOUND, "not_found", "no such thing")                                                                 \
    X(NAV_ERR_EXISTS, "exists", "it exists already")                                                                   \
    X(NAV_ERR_STATE, "state", "the call is not allowed at this moment")                                                \
    X(NAV_ERR_CANCELLED, "cancelled", "the work was cancelled")                                                        \
    X(NAV_ERR_AGAIN, "again", "more bytes are needed")                                                                 \
    X(NAV_ERR_CLOSED, "closed", "the connection is closed")                                                            \
    X(NAV_ERR_IO, "io", "the operating system reported an error")                                                      \
    X(NAV_ERR_TIMEOUT, "timeout", "the time allowed has passed")                                                       \
    X(NAV_ERR_INTERNAL, "internal", "a defect in navd")                                                                \
    X(NAV_ERR_UNAUTHENTICATED, "unauthenticated", "a valid token or client certificate is needed")                     \
    X(NAV_ERR_FORBIDDEN, "forbidden", "the role does not allow it")

typedef enum nav_status {
#define NAV_STATUS_ENUM(code, name, words) code,
    NAV_STATUS_LIST(NAV_STATUS_ENUM)
#undef NAV_STATUS_ENUM
        NAV_STATUS_COUNT
} nav_status;

#if defined(__GNUC__) || defined(__clang__)
#define NAV_MUST_USE __attribute__((warn_unused_result))
#define NAV_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define NAV_MUST_USE
#define NAV_PRINTF(fmt, args)
#endif

// Short machine-readable name ("limit"); "unknown" for a value outside of the list. Never NULL.
const char *nav_status_name(nav_status s);

// Words for a person. Never NULL.
const char *nav_status_text(nav_status s);

#endif
