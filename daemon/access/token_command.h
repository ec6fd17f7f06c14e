// `navd token new`: creates a token. The secret is written once, to standard output, and is in no argument, log or
// process list; the file gets what is needed to check it.
#ifndef ND_TOKEN_COMMAND_H
#define ND_TOKEN_COMMAND_H

// Arguments after "token". The process's exit code: 0, 1 (it failed), 2 (the arguments are wrong).
int nd_token_command(int argc, char *const *argv);

#endif
