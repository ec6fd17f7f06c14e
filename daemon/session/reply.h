// Answers to calls. Loop thread only.
#ifndef ND_REPLY_H
#define ND_REPLY_H

#include "daemon/session/session.h"

// response: the np_*_response of the method.
void nd_reply(nd_session *s, uint32_t request, np_method method, const void *response);
void nd_reply_error(nd_session *s, uint32_t request, const np_error *e);

#endif
