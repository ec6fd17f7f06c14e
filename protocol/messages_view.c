// view.open: where a browser finds the view, and a token for it.
#include "protocol/schema.h"

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

static const np_field view_open_request[] = {
    {.key = "edit", .type = NP_T_BOOL, .offset = offsetof(np_view_open_request, edit)}};
const np_schema np_schema_view_open_request = {.bytes = sizeof(np_view_open_request), NP_FIELDS(view_open_request)};

static const np_field view_open_response[] = {
    R(np_view_open_response, url, NP_T_STR),
    R(np_view_open_response, token, NP_T_STR),
    R(np_view_open_response, role, NP_T_STR),
    {.key = "namespace", .type = NP_T_STR, .flags = NP_REQUIRED, .offset = offsetof(np_view_open_response, space)},
    R(np_view_open_response, valid_s, NP_T_U64),
    {.key = "no_files", .type = NP_T_BOOL, .offset = offsetof(np_view_open_response, no_files)},
};
const np_schema np_schema_view_open_response = {.bytes = sizeof(np_view_open_response), NP_FIELDS(view_open_response)};
