#include "tests/farm/farm_hand.h"

#include "core/base/endian.h"
#include "daemon/farm/mesh_share.h"
#include "daemon/farm/streams.h"
#include "tests/check.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void good(natsStatus s)
{
    ck_assert_msg(s == NATS_OK, "%s: %s", natsStatus_GetText(s), nats_GetLastError(NULL));
}

void hand_open(farm_hand *h, const char *url)
{
    char subject[ND_SUBJECT_BYTES], why[256] = "";
    memset(h, 0, sizeof *h);
    nd_farm_make_id(h->id);
    good(natsConnection_ConnectTo(&h->connection, url));
    good(natsConnection_JetStream(&h->streams, h->connection, NULL));
    const nd_bus_link link = {h->connection, h->streams};
    const nd_stream_limits limits = {.tiles_bytes = 64 << 20, .meshes_bytes = 64 << 20};
    ck_assert_msg(nd_streams_ensure(&link, HAND_FARM, ND_STREAM_JOBS | ND_STREAM_TILES | ND_STREAM_MESHES, &limits, why,
                                    sizeof why) == NAV_OK,
                  "%s", why);
    snprintf(subject, sizeof subject, "%s.*.done.%s", HAND_FARM, h->id);
    good(natsConnection_SubscribeSync(&h->notices, h->connection, subject));
}

void hand_close(farm_hand *h)
{
    natsSubscription_Destroy(h->notices);
    jsCtx_Destroy(h->streams);
    natsConnection_Destroy(h->connection);
}

void hand_tell(farm_hand *h, const char *subject, const void *bytes, size_t count)
{
    good(natsConnection_Publish(h->connection, subject, bytes, (int)count));
}

void hand_store(farm_hand *h, const char *subject, const void *bytes, size_t count)
{
    jsErrCode code = 0;
    good(js_Publish(NULL, h->streams, subject, bytes, (int)count, NULL, &code));
}

void hand_put_mesh(farm_hand *h, nav_key hash, const float *verts, uint32_t vert_count, const uint32_t *tris,
                   uint32_t tri_count)
{
    char text[NAV_KEY_TEXT_BYTES], subject[ND_SUBJECT_BYTES];
    const size_t bytes = 12 * ((size_t)vert_count + tri_count);
    const uint32_t parts =
        bytes <= ND_SHARE_SMALL_BYTES ? 0 : (uint32_t)((bytes + ND_SHARE_PART_BYTES - 1) / ND_SHARE_PART_BYTES);
    uint8_t *all = malloc(16 + bytes), *data = all + 16;
    ck_assert_ptr_nonnull(all);
    memcpy(all, "NM\1\0", 4);
    nav_store_u32(all + 4, vert_count);
    nav_store_u32(all + 8, tri_count);
    nav_store_u32(all + 12, parts);
    for (uint32_t i = 0; i < 3 * vert_count; i++) nav_store_f32(data + 4 * i, verts[i]);
    for (uint32_t i = 0; i < 3 * tri_count; i++) nav_store_u32(data + 12 * (size_t)vert_count + 4 * i, tris[i]);
    nav_key_text(hash, text);
    for (uint32_t i = 1; i <= parts; i++) {
        const size_t from = (size_t)(i - 1) * ND_SHARE_PART_BYTES;
        const size_t size = bytes - from < ND_SHARE_PART_BYTES ? bytes - from : ND_SHARE_PART_BYTES;
        snprintf(subject, sizeof subject, "%s.%s.meshes.%s.%u", HAND_FARM, HAND_SPACE, text, i);
        hand_store(h, subject, data + from, size);
    }
    snprintf(subject, sizeof subject, "%s.%s.meshes.%s.0", HAND_FARM, HAND_SPACE, text);
    hand_store(h, subject, all, 16 + (parts ? 0 : bytes));
    free(all);
}

void hand_send(farm_hand *h, uint32_t generator, const nav_buffer *job)
{
    char subject[ND_SUBJECT_BYTES];
    nd_farm_job_subject(HAND_FARM, HAND_SPACE, generator, h->id, subject);
    hand_store(h, subject, job->data, job->size);
}

void hand_await(farm_hand *h, hand_notice *out)
{
    natsMsg *m = NULL;
    np_message words;
    np_error err = {0};
    memset(out, 0, sizeof *out);
    good(natsSubscription_NextMsg(&m, h->notices, PATIENCE_MS));
    nav_status s = nd_done_read(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m), &words, &out->done, &err);
    ck_assert_msg(s == NAV_OK, "%s", err.message);
    snprintf(out->why, sizeof out->why, "%.*s", (int)out->done.why.size, out->done.why.data);
    if (out->done.mesh_count) memcpy(out->meshes, out->done.meshes, out->done.mesh_count * sizeof *out->meshes);
    np_message_deinit(&words);
    natsMsg_Destroy(m);
}

bool hand_get_pack(farm_hand *h, nav_key area, nav_buffer *out)
{
    char subject[ND_SUBJECT_BYTES];
    natsMsg *m = NULL;
    const nd_bus_link link = {h->connection, h->streams};
    nd_farm_pack_subject(HAND_FARM, HAND_SPACE, area, 0, subject);
    nav_status s = nd_stream_get(&link, HAND_FARM, ND_STREAM_TILES, subject, PATIENCE_MS, &m);
    ck_assert_msg(s == NAV_OK || s == NAV_ERR_NOT_FOUND, "%s", nav_status_text(s));
    if (s != NAV_OK) return false;
    out->size = 0;
    ck_assert_int_eq(nav_buffer_append(out, natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m)), NAV_OK);
    natsMsg_Destroy(m);
    return true;
}

bool hand_find(const nav_buffer *pack, nav_key source, uint8_t encoding, nd_pack_tile *out)
{
    nd_pack p;
    ck_assert_int_eq(nd_pack_open(pack->data, pack->size, &p), NAV_OK);
    while (nd_pack_next(&p, out))
        if (nav_key_equal(out->source, source) && out->encoding == encoding) return true;
    return false;
}

uint64_t hand_jobs_left(farm_hand *h)
{
    jsStreamInfo *info = NULL;
    good(js_GetStreamInfo(&info, h->streams, HAND_FARM "_jobs", NULL, NULL));
    const uint64_t left = info->State.Msgs;
    jsStreamInfo_Destroy(info);
    return left;
}

void hand_await_no_jobs(farm_hand *h)
{
    while (hand_jobs_left(h)) {
    }
}
