// What lies on disk, on any bytes: the walk over a database file, which hands out records, and the readers of records.
// The first byte chooses: 0 a file, else a record of table (byte - 1), whose key has as many bytes as the second says.
#include "daemon/disk/pages.h"
#include "daemon/store/records.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void read_record(unsigned table, nd_bytes key, nd_bytes value)
{
    uint64_t number;
    char space[ND_NAMESPACE_BYTES];
    np_message m = {0};
    np_world_open_request request;
    np_op op;
    nd_tile_place at;
    nd_tile_result result;
    nav_key hash;
    nd_mesh_head head;
    nd_store_info info;
    nav_status s = NAV_OK;
    switch (table) {
    case ND_HEADS:
        s = nd_read_world_key(key, &number);
        s = nd_read_head(value, space, &m, &request);
        np_message_deinit(&m);
        break;
    case ND_REVISIONS:
        s = nd_read_revision(value, &number, &number);
        break;
    case ND_INFO:
        s = nd_read_info(value, &info);
        break;
    case ND_MESH_HEADS:
        s = nd_read_mesh_head(key, value, &hash, &head);
        break;
    case ND_MESH_SPACES:
        s = nd_read_mesh_space(key, &hash, space);
        break;
    case ND_OBJECTS:
        s = nd_read_object(key, value, &number, &op);
        break;
    default:
        s = nd_read_tile(key, value, &at, &result);
        if (s == NAV_OK && result.status > NP_TILE_REMOVED) abort();
    }
    if (s >= NAV_STATUS_COUNT) abort();
}

// Looks at each byte, so that one outside of the file is found.
static void look(void *user, nd_bytes table, nd_bytes key, nd_bytes value)
{
    const nd_bytes all[] = {table, key, value};
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < all[i].size; k++) *(uint64_t *)user += ((const uint8_t *)all[i].data)[k];
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (count < 2) return 0;
    size_t begin = bytes[0] ? 2 : 1, size = count - begin, key_bytes = bytes[1] < size ? bytes[1] : size;
    uint8_t *copy = malloc(size + !size), *key = malloc(key_bytes + !key_bytes); // exactly sized
    if (copy && key && !bytes[0]) {
        nd_pages_report report;
        uint64_t sum = 0;
        memcpy(copy, bytes + 1, size);
        nav_status s = nd_pages_walk(copy, size, NULL, look, &sum, &report);
        if (s == NAV_OK && report.damaged) abort();
    } else if (copy && key) {
        memcpy(key, bytes + 2, key_bytes);
        uint8_t *value = realloc(copy, size - key_bytes + (size == key_bytes));
        if (value) {
            copy = value;
            memcpy(copy, bytes + 2 + key_bytes, size - key_bytes);
            read_record(bytes[0] - 1u, (nd_bytes){key, key_bytes}, (nd_bytes){copy, size - key_bytes});
        }
    }
    free(copy);
    free(key);
    return 0;
}
