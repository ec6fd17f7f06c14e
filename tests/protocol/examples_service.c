// Examples: sessions, access, the cache, errors.
#include "tests/protocol/example_values.h"

static const np_hello_request hello_request = {1, STR("demo 1.0"), STR(""), STR(""), false, NP_PRIORITY_NORMAL};
static const np_hello_request hello_login = {
    1,
    STR("demo 1.0"),
    STR("navd_3f9c05a1d27be684_5b0f2c8e9a7d416305f8c2b1e4d79a60c3b58f1e2d4a69708b5c3e1f9d2a6b47"),
    STR("film"),
    true,
    NP_PRIORITY_LOW};
static const np_hello_response hello_response = {
    STR("navd 0.1.0"), 1, {64u << 20, 16, 1u << 20, 1u << 18, 1u << 20, 256u << 20, 65536, 1024}, 40001, STR("editor"),
    STR("default"),    15};
static const np_bye_note bye = {STR("navd is stopping"), 1000};
static const uint8_t cache_key[NP_CACHE_KEY_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 2};
static const uint8_t cache_record[] = {1, 1, 0, 255, 3, 0, 0, 0};
static const np_cache_gc_request gc_request = {1 << 30};
static const np_cache_gc_response gc_response = {5041, 1 << 29, 120};
static const np_cache_verify_response verify_response = {5041, 1 << 29, 1, 40};
static const np_cache_export_request export_request = {{cache_key, sizeof cache_key}, 1 << 16};
static const np_cache_entry cache_entries[] = {
    {{cache_key, sizeof cache_key}, 0x1122334455667788, {cache_record, sizeof cache_record}}};
static const np_cache_export_response export_response = {1, cache_entries, true};
static const np_cache_import_request import_request = {1, cache_entries};
static const np_cache_import_response import_response = {0, 1, STR("its record makes no sense")};
static const np_counter counters[] = {{STR("cache_hits"), 40}, {STR("tiles_built"), 1200}};
static const np_stats_response stats_response = {COUNT(counters), counters};
static const np_error error_plain = {.code = NAV_ERR_NOT_FOUND, .message = "world: 8, no such world"};
static const np_error error_op = {.code = NAV_ERR_ARGUMENT,
                                  .has_op = true,
                                  .op = 3,
                                  .key = "ops[3].area",
                                  .message = "ops[3].area: 64, expected an integer from 0 to 63"};
static const np_view_open_request view_request = {.edit = true};
static const np_view_open_response view_response = {
    .url = STR("http://127.0.0.1:39827/"),
    .token = STR("navd_39f9d9ba9398ad6c_d2a97e21ca355ee2d90e4e3ea4a482ef331b4ee1c2045f94977c31f39cc2f9b8"),
    .role = STR("editor"),
    .space = STR("default"),
    .valid_s = 900};
static const np_sessions_list_request sessions_request = {.limit = 10};
static const np_session_entry connected[] = {{.id = 7,
                                              .client = STR("editor 2.1"),
                                              .name = STR("mia"),
                                              .role = STR("editor"),
                                              .space = STR("harbour"),
                                              .encrypted = true,
                                              .age_ms = 93000,
                                              .subscriptions = 1,
                                              .bytes_in = 5120,
                                              .bytes_out = 1 << 20}};
static const np_sessions_list_response sessions_response = {
    .total = 1, .session_count = COUNT(connected), .sessions = connected};
static const np_namespace_entry teams[] = {{.name = STR("film"),
                                            .worlds = 3,
                                            .objects = 12000,
                                            .tiles = 5041,
                                            .mesh_bytes = 1 << 20,
                                            .sessions = 4,
                                            .max_worlds = 10,
                                            .max_objects = NP_UNBOUNDED,
                                            .max_tiles = NP_UNBOUNDED,
                                            .max_mesh_bytes = UINT64_C(4) << 30,
                                            .max_sessions = NP_UNBOUNDED,
                                            .max_edits_per_second = 100}};
static const np_farm_checked checked_worlds[] = {{.name = STR("harbour"),
                                                  .state = STR("same"),
                                                  .revision = 72,
                                                  .leader_revision = 72,
                                                  .tiles = 5041,
                                                  .leader_tiles = 5041,
                                                  .sum = {0x1122334455667788, 0x99aabbccddeeff00},
                                                  .leader_sum = {0x1122334455667788, 0x99aabbccddeeff00}}};
static const np_farm_check_response check_response = {
    .answered = true, .world_count = COUNT(checked_worlds), .worlds = checked_worlds};

static const np_farm_member farm_members[] = {{.id = STR("5b0f2c8e9a7d416305f8c2b1e4d79a60"),
                                               .kind = STR("worker"),
                                               .name = STR("mill"),
                                               .version = STR("0.1.0"),
                                               .generator = 4,
                                               .threads = 32,
                                               .jobs = 2,
                                               .tiles = 120000,
                                               .found = 300,
                                               .done = 470,
                                               .set_aside = 1,
                                               .bytes_in = 1 << 20,
                                               .bytes_out = 40 << 20,
                                               .uptime_s = 93000,
                                               .seen_ms = 210}};
static const np_farm_stream farm_streams[] = {
    {.name = STR("jobs"), .messages = 12, .bytes = 36864, .max_bytes = 1 << 30}};
static const np_farm_status_response farm_response = {.name = STR("navd"),
                                                      .id = STR("d79a6047eb7b4d0f8a1f2c3e5a6b7c8d"),
                                                      .up = true,
                                                      .trouble = STR(""),
                                                      .generator = 4,
                                                      .worlds = STR("follow"),
                                                      .role = STR("follows"),
                                                      .live = true,
                                                      .leader = STR("mill at /run/navd/navd.sock"),
                                                      .epoch = 3,
                                                      .behind = 1,
                                                      .lag_p99_us = 4100,
                                                      .has_jobs = true,
                                                      .jobs_waiting = 10,
                                                      .jobs_out = 2,
                                                      .member_count = COUNT(farm_members),
                                                      .members = farm_members,
                                                      .stream_count = COUNT(farm_streams),
                                                      .streams = farm_streams};
static const np_namespaces_list_response namespaces_response = {.namespace_count = COUNT(teams), .namespaces = teams};

static const example rows[] = {
    {"hello.request", NP_REQUEST, NP_HELLO, 1, &hello_request},
    {"hello.login", NP_REQUEST, NP_HELLO, 1, &hello_login},
    {"hello.response", NP_RESPONSE, NP_HELLO, 1, &hello_response},
    {"cache.gc.request", NP_REQUEST, NP_CACHE_GC, 28, &gc_request},
    {"cache.gc.response", NP_RESPONSE, NP_CACHE_GC, 28, &gc_response},
    {"cache.verify.request", NP_REQUEST, NP_CACHE_VERIFY, 29, &none},
    {"cache.verify.response", NP_RESPONSE, NP_CACHE_VERIFY, 29, &verify_response},
    {"cache.export.request", NP_REQUEST, NP_CACHE_EXPORT, 30, &export_request},
    {"cache.export.response", NP_RESPONSE, NP_CACHE_EXPORT, 30, &export_response},
    {"cache.import.request", NP_REQUEST, NP_CACHE_IMPORT, 31, &import_request},
    {"cache.import.response", NP_RESPONSE, NP_CACHE_IMPORT, 31, &import_response},
    {"sessions.list.request", NP_REQUEST, NP_SESSIONS_LIST, 25, &sessions_request},
    {"sessions.list.response", NP_RESPONSE, NP_SESSIONS_LIST, 25, &sessions_response},
    {"namespaces.list.request", NP_REQUEST, NP_NAMESPACES_LIST, 26, &none},
    {"namespaces.list.response", NP_RESPONSE, NP_NAMESPACES_LIST, 26, &namespaces_response},
    {"farm.check.request", NP_REQUEST, NP_FARM_CHECK, 34, &none},
    {"farm.check.response", NP_RESPONSE, NP_FARM_CHECK, 34, &check_response},
    {"farm.status.request", NP_REQUEST, NP_FARM_STATUS, 33, &none},
    {"farm.status.response", NP_RESPONSE, NP_FARM_STATUS, 33, &farm_response},
    {"stats.request", NP_REQUEST, NP_STATS, 16, &none},
    {"stats.response", NP_RESPONSE, NP_STATS, 16, &stats_response},
    {"view.open.request", NP_REQUEST, NP_VIEW_OPEN, 32, &view_request},
    {"view.open.response", NP_RESPONSE, NP_VIEW_OPEN, 32, &view_response},
    {"ping.request", NP_REQUEST, NP_PING, 24, &none},
    {"ping.response", NP_RESPONSE, NP_PING, 24, &none},
    {"alive", NP_NOTIFICATION, NP_ALIVE, 0, &none},
    {"bye", NP_NOTIFICATION, NP_BYE, 0, &bye},
    {"error", NP_RESPONSE, NP_UNKNOWN, 17, &error_plain},
    {"error.op", NP_RESPONSE, NP_UNKNOWN, 18, &error_op},
};
const example_list examples_service = {rows, COUNT(rows)};
