#include "core/base/status.h"

const char *nav_status_name(nav_status s)
{
    static const char *const names[] = {
#define NAV_STATUS_NAME(code, name, words) name,
        NAV_STATUS_LIST(NAV_STATUS_NAME)
#undef NAV_STATUS_NAME
    };
    return (unsigned)s < NAV_STATUS_COUNT ? names[s] : "unknown";
}

const char *nav_status_text(nav_status s)
{
    static const char *const texts[] = {
#define NAV_STATUS_TEXT(code, name, words) words,
        NAV_STATUS_LIST(NAV_STATUS_TEXT)
#undef NAV_STATUS_TEXT
    };
    return (unsigned)s < NAV_STATUS_COUNT ? texts[s] : "unknown status";
}
