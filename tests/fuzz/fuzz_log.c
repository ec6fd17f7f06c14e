// What followers read of the log of worlds, on any bytes: the first byte chooses. Records that are taken give an edit,
// a head and meshes, and may be picked and sent on.
#include "daemon/replica/entry.h"
#include "daemon/replica/plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

enum { ENTRY, LEADER, STATE, LEASE, RECORDS, KINDS };

static void expect_text(const char *text, size_t bytes)
{
    if (strnlen(text, bytes) == bytes) abort();
}

static void read_small(unsigned kind, const uint8_t *bytes, size_t count)
{
    nd_entry e;
    nd_leader_note leader;
    nd_state_head state;
    nd_lease_note lease;
    if (kind == ENTRY && nd_entry_read(bytes, count, &e) == NAV_OK &&
        (e.part >= e.parts || e.bytes < bytes || e.bytes + e.count > bytes + count))
        abort();
    if (kind == LEADER && nd_leader_note_read(bytes, count, &leader) == NAV_OK) {
        expect_text(leader.id, sizeof leader.id);
        expect_text(leader.name, sizeof leader.name);
    }
    if (kind == STATE) (void)!nd_state_head_read(bytes, count, &state);
    if (kind == LEASE && nd_lease_note_read(bytes, count, &lease) == NAV_OK) {
        expect_text(lease.id, sizeof lease.id);
        expect_text(lease.name, sizeof lease.name);
    }
}

static void read_records(const uint8_t *bytes, size_t count)
{
    nav_buffer picked = {0}, copy = {0};
    nd_plan_summary summary;
    nd_plan plan = {0};
    if (nav_buffer_append(&copy, bytes, count) != NAV_OK) return;
    (void)!nd_plan_pick((nd_bytes){bytes, count}, &picked);
    nav_buffer_deinit(&picked);
    if (nd_plan_sum_up((nd_bytes){bytes, count}, &summary) == NAV_OK) free(summary.meshes);
    if (nd_plan_read(&plan, &copy) == NAV_OK)
        for (uint32_t i = 0; i < plan.op_count; i++)
            if (nd_kind_of_op(&plan.ops[i]) >= ND_KIND_COUNT) abort();
    nd_plan_deinit(&plan);
    nav_buffer_deinit(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (!count) return 0;
    const size_t size = count - 1;
    uint8_t *copy = malloc(size + !size); // exactly sized
    if (!copy) return 0;
    if (size) memcpy(copy, bytes + 1, size);
    if (bytes[0] % KINDS == RECORDS)
        read_records(copy, size);
    else
        read_small(bytes[0] % KINDS, copy, size);
    free(copy);
    return 0;
}
