// What path.find and path.watch ask for. Private to the client library.
#ifndef NAVD_PATH_REQUEST_H
#define NAVD_PATH_REQUEST_H

#include "navd.h"
#include "protocol/messages.h"

// A request with all that it refers to, in one block: free(). NULL: no memory.
np_path_find_request *navd_path_request_create(uint64_t world, const char *profile, const navd_path_options *options,
                                               const navd_path_query *queries, uint32_t count);

#endif
