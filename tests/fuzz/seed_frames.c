// Writes the seeds of fuzz_frames, one file for each example of the protocol.
#include "tests/protocol/examples.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seed_frames FOLDER\n");
        return 2;
    }
    for (uint32_t i = 0; i < example_count(); i++) {
        nav_buffer out = {0};
        char path[512];
        uint8_t head[2] = {15, 0};
        if (example_at(i)->kind == NP_RESPONSE && example_at(i)->method != NP_UNKNOWN)
            head[1] = (uint8_t)(example_at(i)->method - 1);
        if (nav_buffer_append(&out, head, sizeof head) != NAV_OK || example_encode(example_at(i), &out) != NAV_OK)
            return 1;
        snprintf(path, sizeof path, "%s/%s", argv[1], example_at(i)->name);
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(out.data, 1, out.size, f) != out.size || fclose(f) != 0) {
            fprintf(stderr, "%s cannot be written\n", path);
            return 1;
        }
        nav_buffer_deinit(&out);
    }
    return 0;
}
