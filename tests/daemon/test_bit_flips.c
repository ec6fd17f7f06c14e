// One bit of the worlds' file changes while no daemon runs. Wherever it is, the next start notices, or has exactly what
// was stored: no difference goes unseen.
#include "core/base/endian.h"
#include "daemon/base/thread.h"
#include "daemon/store/edit_log.h"
#include "daemon/store/world_store.h"
#include "daemon/world/changes.h"
#include "tests/daemon/stored.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { STEP = 11 }; // each takes ten times as long: one of so many
#else
enum { STEP = 1 };
#endif
enum { PAGE = 4096, META_BYTES = 136, MOST_BYTES = 1 << 20, NODE_BIG = 1 };

// --- what each byte of the file is ---

typedef enum class {
    FREE_PAGE,
    OLDER_META,
    NEWER_META,
    META_REST,
    PAGE_HEAD,
    NODE_PLACES,
    NODE_HEAD,
    TABLE_KEY,
    TABLE_ROOT,
    FREE_LIST,
    BRANCH_KEY,
    RECORD_KEY,
    RECORD_VALUE,
    LARGE_VALUE,
    GAP,
    CLASSES,
} class;

// How many bits of these are changed: all, of what holds the file together; one of each byte of what is stored; one of
// each fifth byte of what nothing reads, which is most of the file.
typedef enum density { ALL_BITS, ONE_BIT, FEW_BITS } density;

static const struct {
    const char *name;
    density density;
} classes[CLASSES] = {
    [FREE_PAGE] = {"free pages", FEW_BITS},
    [OLDER_META] = {"older meta page", ALL_BITS},
    [NEWER_META] = {"newer meta page", ALL_BITS},
    [META_REST] = {"rest of meta pages", FEW_BITS},
    [PAGE_HEAD] = {"page headers", ALL_BITS},
    [NODE_PLACES] = {"places of nodes", ALL_BITS},
    [NODE_HEAD] = {"node headers", ALL_BITS},
    [TABLE_KEY] = {"names of tables", ALL_BITS},
    [TABLE_ROOT] = {"roots of tables", ALL_BITS},
    [FREE_LIST] = {"free lists", ALL_BITS},
    [BRANCH_KEY] = {"keys of branches", ALL_BITS},
    [RECORD_KEY] = {"keys of records", ONE_BIT},
    [RECORD_VALUE] = {"values of records", ONE_BIT},
    [LARGE_VALUE] = {"large values", ONE_BIT},
    [GAP] = {"gaps", FEW_BITS},
};

typedef enum role { ROLE_FREE, ROLE_MAIN, ROLE_TABLE } role;

static uint8_t file[MOST_BYTES], class_of[MOST_BYTES];
static size_t file_bytes;
static char file_path[128], worlds_folder[128];

static void mark(size_t from, size_t bytes, class c)
{
    ck_assert_uint_le(from + bytes, file_bytes);
    memset(class_of + from, c, bytes);
}

static void mark_tree(uint64_t root, role r);

static void mark_node(const uint8_t *n, bool branch, role r)
{
    size_t key = nav_load_u16(n + 6), value = nav_load_u32(n), at = (size_t)(n - file) + 8;
    mark(at - 8, 8, NODE_HEAD);
    if (branch) {
        mark(at, key, r == ROLE_FREE ? FREE_LIST : BRANCH_KEY);
        mark_tree(nav_load_u32(n) | (uint64_t)nav_load_u16(n + 4) << 32, r);
        return;
    }
    mark(at, key, r == ROLE_FREE ? FREE_LIST : r == ROLE_MAIN ? TABLE_KEY : RECORD_KEY);
    if (nav_load_u16(n + 4) & NODE_BIG) {
        uint64_t page = nav_load_u64(n + 8 + key);
        mark(at + key, 8, NODE_HEAD);
        mark(page * PAGE, nav_load_u32(file + page * PAGE + 12) * (size_t)PAGE, GAP);
        mark(page * PAGE, 16, PAGE_HEAD);
        mark(page * PAGE + 16, value, LARGE_VALUE);
        return;
    }
    mark(at + key, value, r == ROLE_FREE ? FREE_LIST : r == ROLE_MAIN ? TABLE_ROOT : RECORD_VALUE);
    if (r == ROLE_MAIN) mark_tree(nav_load_u64(n + 8 + key + 40), ROLE_TABLE);
}

static void mark_tree(uint64_t root, role r)
{
    if (root == UINT64_MAX) return;
    const uint8_t *p = file + root * PAGE;
    size_t lower = nav_load_u16(p + 12);
    mark(root * PAGE, PAGE, GAP);
    mark(root * PAGE, 16, PAGE_HEAD);
    mark(root * PAGE + 16, lower - 16, NODE_PLACES);
    for (size_t at = 16; at < lower; at += 2) mark_node(p + nav_load_u16(p + at), nav_load_u16(p + 10) == 1, r);
}

static void mark_file(void)
{
    enum { TREES_AT = 40, TREE_BYTES = 48, ROOT_AT = 40, TRANSACTION_AT = 144 };
    size_t newer = nav_load_u64(file + TRANSACTION_AT) < nav_load_u64(file + PAGE + TRANSACTION_AT) ? PAGE : 0;
    mark(0, file_bytes, FREE_PAGE);
    mark(0, 2 * (size_t)PAGE, META_REST);
    mark(newer, 16 + META_BYTES, NEWER_META);
    mark(PAGE - newer, 16 + META_BYTES, OLDER_META);
    mark_tree(nav_load_u64(file + newer + TREES_AT + ROOT_AT), ROLE_FREE);
    mark_tree(nav_load_u64(file + newer + TREES_AT + TREE_BYTES + ROOT_AT), ROLE_MAIN);
}

// --- a state ---

static nav_key put_grid(client *c, uint32_t side)
{
    uint32_t across = side + 1, vertices = across * across, triangles = 2 * side * side;
    nav_buffer bytes = {0};
    for (uint32_t i = 0; i < vertices; i++) {
        const float at[3] = {(float)(i % across) / 4, 0.1f * (float)(i % 3), (float)(i / across) / 4};
        ck_assert_int_eq(nav_buffer_append(&bytes, at, sizeof at), NAV_OK);
    }
    for (uint32_t i = 0; i < triangles; i++) {
        uint32_t a = i / 2 / side * across + i / 2 % side;
        const uint32_t low[3] = {a, a + across, a + 1}, high[3] = {a + 1, a + across, a + across + 1};
        ck_assert_int_eq(nav_buffer_append(&bytes, i % 2 ? high : low, sizeof low), NAV_OK);
    }
    const np_mesh_put_request put = {
        .hash = nav_mesh_hash((const float *)(const void *)bytes.data, vertices,
                              (const uint32_t *)(const void *)(bytes.data + 12 * (size_t)vertices), triangles),
        .vertices = vertices,
        .triangles = triangles,
        .data = {bytes.data, bytes.size}};
    np_mesh_put_response r;
    ck_assert_int_eq(client_call(c, NP_MESH_PUT, &put, &r, NULL), NAV_OK);
    nav_buffer_deinit(&bytes);
    return put.hash;
}

// Two starts and some edits, so that pages are free and tiles removed.
static void make_state(void)
{
    daemon_fixture f;
    client c;
    stored_start(&f, &c);
    stored_make_scene(&c);
    const np_op grid = op_put(9, put_grid(&c, 14), 6, 1, 6);
    ck_assert_int_eq(client_edit(&c, &grid, 1, NULL, NULL), NAV_OK);
    const np_op far = op_put(10, grid.u.instance.mesh, 30, 1, 30);
    ck_assert_int_eq(client_edit(&c, &far, 1, NULL, NULL), NAV_OK);
    const np_op wide = op_put(11, client_put_box(&c, 10, 0.5f, 10), 50, 0, 50); // its tiles fill another leaf
    ck_assert_int_eq(client_edit(&c, &wide, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    stored_stop(&f, &c);
    stored_start(&f, &c);
    client_greet(&c);
    stored_open(&c, "w");
    const np_op gone = op_remove(10);
    ck_assert_int_eq(client_edit(&c, &gone, 1, NULL, NULL), NAV_OK);
    client_settle(&c);
    stored_stop(&f, &c);
}

static void read_state(void)
{
    snprintf(worlds_folder, sizeof worlds_folder, "%s/worlds", stored_state);
    snprintf(file_path, sizeof file_path, "%s/worlds/data.mdb", stored_state);
    int fd = open(file_path, O_RDONLY);
    ssize_t n = read(fd, file, sizeof file);
    ck_assert(n > 0 && (size_t)n < sizeof file && n % PAGE == 0);
    file_bytes = (size_t)n;
    close(fd);
}

// --- what a start has of it ---

typedef struct start {
    nd_worlds worlds;
    nd_mesh_store meshes;
    nd_namespaces spaces;
    nd_world_store store;
    nav_buffer *out; // all of it, as records
    const nd_world *world;
    nd_peek *peek;
    uint64_t lost; // meshes
    nav_status status;
} start;

static void add(start *s, nav_status status)
{
    if (s->status == NAV_OK) s->status = status;
}

static void add_object(void *user, nd_node *n)
{
    start *s = user;
    const np_op op = nd_object_to_op(ND_HOLDER(n, nd_object, node));
    add(s, nd_change_object(s->out, s->world->id, &op));
}

static void add_tile(void *user, nd_node *n)
{
    start *s = user;
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    const nd_tile_place at = {s->world->id, t->profile, t->x, t->z};
    add(s, nd_change_tile(s->out, &at, &t->result));
}

static void add_mesh(void *user, nd_node *n)
{
    start *s = user;
    const nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
    const nav_key hash = m->mesh->hash;
    const nd_mesh_head head = nd_mesh_head_of(m);
    add(s, nd_change_mesh(s->out, hash, &head));
    for (uint32_t i = 0; i < m->space_count; i++) add(s, nd_change_mesh_space(s->out, hash, m->spaces[i]->name));
}

static void add_world(start *s, const nd_world *w)
{
    s->world = w;
    add(s, nd_change_head(s->out, w));
    add(s, nd_change_revision(s->out, w->id, w->revision, w->removed.horizon));
    for (int k = 0; k < ND_KIND_COUNT; k++) nd_table_each((nd_table *)&w->objects[k], add_object, s);
    nd_table_each((nd_table *)&w->scheduler.tiles, add_tile, s);
    for (const nd_removed *r = nd_changes_newest_removed(w); r; r = r->older) {
        const nd_tile_place at = {w->id, r->profile, r->x, r->z};
        const nd_tile_result result = {.status = NP_TILE_REMOVED, .revision = r->changed, .changed = r->changed};
        add(s, nd_change_tile(s->out, &at, &result));
    }
}

// A mesh's bytes are read later than the rest, each by its key (store/mesh_loader.h).
static void check_mesh(void *user, nd_node *n)
{
    start *s = user;
    const nd_mesh *m = ND_HOLDER(n, nd_mesh, node);
    uint8_t key[NAV_KEY_BYTES];
    nd_bytes value;
    nav_key_store(m->mesh->hash, key);
    nav_status status = nd_peek_get(s->peek, (nd_bytes){key, sizeof key}, &value);
    if (status == NAV_OK)
        add(s, nd_change_put(s->out, ND_MESHES, (nd_bytes){key, sizeof key}, value));
    else
        s->lost++; // the loader logs mesh.lost
}

// Reads the file as a daemon does that starts. Has it noticed something? That is what it logs as worlds.damaged, or as
// mesh.lost.
static bool start_notices(uv_loop_t *loop, nav_buffer *out)
{
    start s = {.out = out};
    out->size = 0;
    nd_worlds_init(&s.worlds, loop);
    nd_mesh_store_init(&s.meshes, 1 << 30);
    s.store = (nd_world_store){
        .folder = worlds_folder, .worlds = &s.worlds, .meshes = &s.meshes, .spaces = &s.spaces, .next_world = 1};
    nav_status status = nd_world_load(&s.store);
    ck_assert(status == NAV_OK || status == NAV_ERR_FORMAT);
    bool noticed = s.store.stats.damaged_records || s.store.stats.damaged_pages;
    if (!noticed) {
        ck_assert_int_eq(nd_peek_open(worlds_folder, nd_record_tables[ND_MESHES], &s.peek), NAV_OK);
        nd_table_each(&s.meshes.table, check_mesh, &s);
        nd_peek_close(s.peek);
        noticed = s.lost;
    }
    ck_assert(noticed || status == NAV_OK);
    if (!noticed) {
        const nd_store_info info = {.clean = s.store.was_clean, .next_world = s.store.next_world};
        add(&s, nd_change_info(out, &info));
        nd_table_each(&s.meshes.table, add_mesh, &s);
        for (size_t i = 0; i < s.worlds.count; i++) add_world(&s, s.worlds.list[i]);
        ck_assert_int_eq(s.status, NAV_OK);
    }
    nav_buffer_deinit(&s.store.tiles); // what a daemon would write behind
    nd_worlds_close(&s.worlds);
    nd_worlds_deinit(&s.worlds);
    nd_mesh_store_deinit(&s.meshes);
    nd_namespaces_deinit(&s.spaces);
    uv_run(loop, UV_RUN_DEFAULT);
    return noticed;
}

// The same file as LMDB sees it: every record, with its checksum. What that may have written is taken back.
static nav_status read_with_lmdb(int fd, nav_buffer *out)
{
    const nd_database_options o = {.folder = worlds_folder,
                                   .tables = nd_record_tables,
                                   .table_count = ND_RECORD_TABLES,
                                   .map_bytes = 1 << 26,
                                   .checked = true};
    char why[ND_DATABASE_WHY_BYTES] = "";
    nd_database_opening opening;
    nd_database *d;
    nd_txn *t;
    out->size = 0;
    nav_status s = nd_database_open(&o, &d, &opening, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    ck_assert_int_eq(nd_database_begin_read(d, &t), NAV_OK);
    for (unsigned table = 0; table < ND_RECORD_TABLES; table++) {
        nd_cursor *c;
        nd_bytes key, value;
        ck_assert_int_eq(nd_cursor_open(t, table, &c), NAV_OK);
        for (s = nd_cursor_seek(c, (nd_bytes){0}, &key, &value); s == NAV_OK; s = nd_cursor_next(c, &key, &value))
            ck_assert_int_eq(nd_change_put(out, table, key, value), NAV_OK);
        nd_cursor_close(c);
        if (s != NAV_ERR_NOT_FOUND) break;
    }
    nd_txn_end(t);
    nd_database_close(d);
    ck_assert_int_eq(pwrite(fd, file, file_bytes, 0), (ssize_t)file_bytes);
    ck_assert_int_eq(ftruncate(fd, (off_t)file_bytes), 0);
    return s == NAV_ERR_NOT_FOUND ? NAV_OK : s;
}

static bool equal(const nav_buffer *a, const nav_buffer *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

START_TEST(one_bit_is_noticed_or_hits_nothing)
{
    nav_buffer stored = {0}, records = {0}, now = {0};
    uint64_t noticed[CLASSES] = {0}, nothing[CLASSES] = {0}, silent = 0, turn = 0;
    uv_loop_t loop;
    make_state();
    read_state();
    mark_file();
    nd_thread_set_loop(true);
    ck_assert_int_eq(uv_loop_init(&loop), 0);
    ck_assert(!start_notices(&loop, &stored));
    int fd = open(file_path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read_with_lmdb(fd, &records), NAV_OK);
    for (size_t at = 0; at < file_bytes; at++) {
        class c = class_of[at];
        density d = classes[c].density;
        if (d == FEW_BITS && at % 5) continue;
        for (unsigned bit = d == ALL_BITS ? 0 : at * 5 % 8, end = d == ALL_BITS ? 8 : bit + 1; bit < end; bit++) {
            if (turn++ % STEP) continue;
            const uint8_t changed = file[at] ^ (uint8_t)(1 << bit);
            ck_assert_int_eq(pwrite(fd, &changed, 1, (off_t)at), 1);
            bool seen = start_notices(&loop, &now), same = seen || equal(&now, &stored);
            *(seen ? &noticed[c] : &nothing[c]) += 1;
            if (!seen && same && (d == ALL_BITS || nothing[c] % 64 == 0))
                same = read_with_lmdb(fd, &now) == NAV_OK && equal(&now, &records);
            if (!same) {
                silent++;
                printf("silent: %s, page %zu, byte %zu, bit %u\n", classes[c].name, at / PAGE, at % PAGE, bit);
            }
            ck_assert_int_eq(pwrite(fd, file + at, 1, (off_t)at), 1);
        }
    }
    for (int c = 0; c < CLASSES; c++)
        printf("%-20s noticed %6" PRIu64 "  hits nothing %6" PRIu64 "\n", classes[c].name, noticed[c], nothing[c]);
    close(fd);
    ck_assert_uint_eq(silent, 0);
    // What is read is watched whole, and what nothing reads is no damage.
    const class watched[] = {NODE_PLACES, NODE_HEAD, TABLE_KEY, RECORD_KEY, RECORD_VALUE, LARGE_VALUE};
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        ck_assert_uint_gt(noticed[watched[i]], 0);
        ck_assert_msg(!nothing[watched[i]], "%s", classes[watched[i]].name);
    }
    const class unread[] = {FREE_PAGE, META_REST, GAP};
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++) {
        ck_assert_uint_gt(nothing[unread[i]], 0);
        ck_assert_msg(!noticed[unread[i]], "%s", classes[unread[i]].name);
    }
    ck_assert_int_eq(uv_loop_close(&loop), 0);
    nav_buffer_deinit(&stored);
    nav_buffer_deinit(&records);
    nav_buffer_deinit(&now);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("bit_flips");
    TCase *t = tcase_create("bit_flips");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, stored_setup, stored_teardown);
    suite_add_tcase(s, t);
    tcase_add_test(t, one_bit_is_noticed_or_hits_nothing);
    return run_suite(s);
}
