// What navctl's exit code tells a script. Printed by every --help.
#ifndef NAVCTL_EXIT_CODES_H
#define NAVCTL_EXIT_CODES_H

enum {
    NAVCTL_OK = 0,
    NAVCTL_FAILED = 1,  // the work could not be done: memory, an output that cannot be written, a refusal of the daemon
    NAVCTL_USAGE = 2,   // unknown command or option, a value out of range
    NAVCTL_CONNECT = 3, // no daemon at that address, or the connection broke
    NAVCTL_INPUT = 4,   // an input file is missing, empty, truncated or not what it should be
    NAVCTL_TILES = 5,   // done, but at least one tile failed
    NAVCTL_TIMEOUT = 6, // the time allowed passed
};

#define NAVCTL_EXIT_CODES_TEXT                                                                                         \
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 no daemon there, 4 unusable input file,\n"                         \
    "            5 done but tiles failed, 6 out of time.\n"

#endif
