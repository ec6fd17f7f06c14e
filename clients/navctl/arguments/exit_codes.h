// What navctl's exit code tells a script. Printed by every --help.
#ifndef NAVCTL_EXIT_CODES_H
#define NAVCTL_EXIT_CODES_H

enum {
    NAVCTL_OK = 0,
    NAVCTL_FAILED =
        1, // the work could not be done: memory, an output that cannot be written, a request that the daemon refused
    NAVCTL_USAGE = 2,     // unknown command or option, a value out of range
    NAVCTL_CONNECT = 3,   // no daemon at that address, or it is gone
    NAVCTL_INPUT = 4,     // an input file is missing, empty, truncated or of the wrong kind
    NAVCTL_TILES = 5,     // done, but at least one tile failed
    NAVCTL_TIMEOUT = 6,   // timed out
    NAVCTL_REFUSED = 7,   // the daemon refused the login: the token, the protocol's version, too many connections
    NAVCTL_UNTRUSTED = 8, // TLS: the daemon's certificate is not trusted, or the client's is missing or refused
    NAVCTL_FORBIDDEN = 9, // the role, the namespace or the socket's mode does not allow it
    NAVCTL_EXCEEDED = 10, // an audit found more than it was told to allow; farm --check: tiles differ
};

#define NAVCTL_EXIT_CODES_TEXT                                                                                         \
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon, 4 unusable input file,\n"                               \
    "            5 done but tiles failed, 6 timed out, 7 login refused, 8 certificate not trusted,\n"                  \
    "            9 forbidden, 10 an audit found more than allowed, or farm --check tiles that differ.\n"

#endif
