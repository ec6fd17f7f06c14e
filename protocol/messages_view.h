// view.open: where a browser finds the view, and a token for it. Part of messages.h, which says how it is read and
// written.
#ifndef NP_MESSAGES_VIEW_H
#define NP_MESSAGES_VIEW_H

#include "protocol/envelope.h"

typedef struct np_view_open_request {
    bool edit; // the token may change worlds: only for one who may
} np_view_open_request;
typedef struct np_view_open_response {
    np_str url;       // of the page, with "/" at the end
    np_str token;     // for hello; for nobody's eyes but the caller's
    np_str role;      // of the token
    np_str space;     // on the wire `namespace`: of the token
    uint64_t valid_s; // until somebody logs in with it, and again after the last who did has left
    bool no_files;    // the daemon was built without the page
} np_view_open_response;

#endif
