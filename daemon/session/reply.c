#include "daemon/session/reply.h"

#include "daemon/base/thread.h"

enum { KEPT_BYTES = 1 << 20 };

void nd_reply(nd_session *s, uint32_t request, np_method method, const void *response)
{
    ND_ASSERT_LOOP_THREAD();
    nav_buffer *out = &s->sessions->scratch;
    out->size = 0;
    nav_status status = np_response_encode(out, method, request, response);
    if (status == NAV_OK) {
        nd_session_send(s, out->data, out->size, NULL);
        if (out->capacity > KEPT_BYTES) nav_buffer_deinit(out); // the next answer is hardly as large
        return;
    }
    np_error e;
    np_error_set(&e, status, "the response cannot be encoded: %s", nav_status_text(status));
    nd_reply_error(s, request, &e);
}

void nd_reply_error(nd_session *s, uint32_t request, const np_error *e)
{
    nav_buffer *out = &s->sessions->scratch;
    out->size = 0;
    s->sessions->stats.errors++;
    if (np_error_encode(out, request, e) == NAV_OK)
        nd_session_send(s, out->data, out->size, NULL);
    else
        nd_session_close(s, "memory");
}
