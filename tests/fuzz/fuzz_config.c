// The configuration file, any bytes: faults are said in one printable line each; what was taken is within its bounds,
// and comes back the same through the file that the program itself would write.
#include "daemon/config/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void say(void *user, const char *why)
{
    unsigned *faults = user;
    ++*faults;
    if (!*why || strlen(why) > 1023) abort();
    for (const char *at = why; *at; at++)
        if (iscntrl((unsigned char)*at)) abort();
}

static void refuse(void *user, const char *why)
{
    (void)user;
    (void)why;
    abort();
}

static void check_bounds(const nd_config *c)
{
    char text[ND_OPTION_TEXT_BYTES], why[256];
    nd_config copy = *c;
    for (int i = 0; i < nd_option_count; i++) {
        const nd_option *o = &nd_options[i];
        if (o->type == ND_OPTION_SECTION || o->type == ND_OPTION_FLAG) continue;
        nd_option_get(c, o, text);
        if (nd_option_set(&copy, o, text, why, sizeof why) != NAV_OK) abort();
    }
    if (memcmp(&copy, c, sizeof copy) != 0) abort();
}

static void check_print(const nd_config *c)
{
    static nd_config again;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f) abort();
    nd_config_print_file(c, f);
    fclose(f);
    nd_config_default(&again);
    if (nd_config_read(&again, "printed", text, size, refuse, NULL) != NAV_OK) abort();
    char one[ND_OPTION_TEXT_BYTES], two[ND_OPTION_TEXT_BYTES];
    for (int i = 0; i < nd_option_count; i++) {
        nd_option_get(c, &nd_options[i], one);
        nd_option_get(&again, &nd_options[i], two);
        if (strcmp(one, two) != 0) abort();
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static nd_config c;
    unsigned faults = 0;
    char *exact = malloc(count ? count : 1);
    if (!exact) return 0;
    if (count) memcpy(exact, bytes, count);
    nd_config_default(&c);
    nav_status s = nd_config_read(&c, "fuzzed", exact, count, say, &faults);
    free(exact);
    if ((s == NAV_OK) != (faults == 0)) abort();
    check_bounds(&c);
    if (s == NAV_OK || count % 8 == 0) check_print(&c); // it takes most of the time
    return 0;
}
