// A navd of the test's own, on a socket in the test's folder. Waiting is for what it says, never for time: a thread
// reads its log as it comes.
#ifndef TESTS_E2E_DAEMON_H
#define TESTS_E2E_DAEMON_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Counts and sizes of a test: the first, or the second where a sanitizer makes all ten times slower.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif
#define FULL_OR_SANITIZED(full, sanitized) (IS_SANITIZED ? (sanitized) : (full))

// The longest wait for one event, and for a whole test: a machine may be busy with other things, and a sanitizer slow.
// A wait ends with its event, so that they cost nothing.
enum { PATIENCE_MS = 240000, TEST_S = 900 };

typedef struct daemon_process {
    pid_t pid;
    char socket[200]; // path
    int port;         // TCP on the loopback address; 0: none
    // its log; all but the first two: under the mutex
    pthread_t reader;
    int log_end;
    pthread_mutex_t mutex;
    pthread_cond_t grew;
    char *log;
    size_t log_bytes, log_capacity;
    bool log_ended;
    size_t seen; // of the log, by daemon_await()
} daemon_process;

typedef struct daemon_options {
    const char *const *arguments;   // more of them, NULL at the end; NULL: none
    const char *state;              // state folder; NULL: it keeps nothing on disk
    const char *const *environment; // NAME=VALUE, NULL at the end; NULL: none
    const char *socket;             // path; NULL: navd.sock in the test's folder
    bool no_tcp;
    bool worker;       // of the farm that the arguments name: it listens for nobody, and is awaited until it takes jobs
    const char *ready; // what it says when it has started; NULL: as above
    // Called in the child just before it becomes navd: limits, namespaces. Nothing that needs the heap.
    void (*prepare)(void *user);
    void *user;
} daemon_options;

// Starts it and waits until it listens. options may be NULL.
void daemon_launch(daemon_process *d, const daemon_options *options);
// The same with one more argument, or NULL.
void daemon_start(daemon_process *d, const char *option);
// SIGKILL so long after its start, however far it has come.
void daemon_launch_and_kill(const daemon_options *options, double after_ms);
// Starts one that shall refuse to run. Its exit code, and what it said in text.
int daemon_refused(const daemon_options *options, char *text, size_t text_bytes);
// Waits for a line with all of these words (NULL at the end) behind the last one found; that line, cut, until the next
// call of the same thread. Fails the test when the log ends, or nothing came for so long.
const char *daemon_await(daemon_process *d, const char *first, ...);
// Is there such a line in all that it has said up to now?
bool daemon_said(daemon_process *d, const char *text);
// How many such lines?
int daemon_count(daemon_process *d, const char *text);
// A connection without words that does not wait; -1: turned away.
int daemon_knock(const daemon_process *d);
// What is answered to GET over plain HTTP at the port of event=http.opened, with its head, up to the end.
void daemon_ask_page(int port, const char *path, char *out, size_t out_bytes);
// SIGTERM, and its exit code.
int daemon_stop(daemon_process *d);
// SIGKILL.
void daemon_kill(daemon_process *d);

// From /proc: bytes of memory in use, those of them that no file is behind, open descriptors.
uint64_t daemon_rss(const daemon_process *d);
uint64_t daemon_own_memory(const daemon_process *d);
uint64_t daemon_mapped_databases(const daemon_process *d); // resident pages of their files
int daemon_descriptors(const daemon_process *d);

// A counter of the method stats. Fails the test where there is none of this name.
uint64_t daemon_stat(const daemon_process *d, const char *name);

// A path in the test's folder, in memory of the caller's: valid as long as that.
enum { PATH_BYTES = 256 };
const char *path_into(char out[PATH_BYTES], const char *name);

double clock_ms(void);
// An environment variable's number, or the default.
uint64_t wanted_count(const char *variable, uint64_t otherwise);

#endif
