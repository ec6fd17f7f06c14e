#include "daemon/disk/pages.h"

#include "core/base/endian.h"
#include "daemon/disk/page_format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PAGES_BEYOND = 1 << 20, // a file may end before pages that are free
    LINE = 64,                  // bytes that the processor gets at a time
};

typedef enum role { ROLE_FREE, ROLE_MAIN, ROLE_TABLE } role;

typedef struct walk {
    const uint8_t *bytes;
    uint64_t file_pages, page_count; // in the file; as the meta page says
    uint32_t page_bytes;
    uint8_t *used;               // a bit for each page; NULL: single records are looked up
    uint8_t *sound;              // the same of pages whose nodes have been looked at, where single records are
    const nd_pages_known *known; // NULL: any
    nd_pages_visit *visit;
    void *user;
    nd_pages_report *report;
    uint16_t size_at[ND_PAGE_MAX_BYTES / 2]; // of the node at twice the index; zero between pages
} walk;

// Of the tree that is walked.
typedef struct walk_tree {
    role role;
    nd_bytes name;
    unsigned depth;
    uint64_t branch_pages, leaf_pages, overflow_pages, entries;
    nd_bytes before, least; // the last key; the next must not be less than this one
    bool has_before, has_least;
} walk_tree;

static bool damage(walk *w, const char *format, ...) NAV_PRINTF(2, 3);

static bool damage(walk *w, const char *format, ...)
{
    if (!w->report->damaged++) {
        va_list args;
        va_start(args, format);
        vsnprintf(w->report->first, sizeof w->report->first, format, args);
        va_end(args);
    }
    return false;
}

static bool use_page(walk *w, uint64_t page)
{
    if (page < 2 || page >= w->page_count) return damage(w, "page %" PRIu64 " is outside the file", page);
    if (!w->used) return true;
    if (w->used[page / 8] >> page % 8 & 1) return damage(w, "page %" PRIu64 " is used twice", page);
    w->used[page / 8] |= (uint8_t)(1u << page % 8);
    return true;
}

// Its bytes, where the page is inside the file, used for the first time, and at its place.
static const uint8_t *take_page(walk *w, uint64_t page)
{
    if (!use_page(w, page)) return NULL;
    const uint8_t *p = w->bytes + page * w->page_bytes;
    if (page >= w->file_pages)
        damage(w, "page %" PRIu64 " is beyond the end of the file", page);
    else if (nav_load_u64(p) != page)
        damage(w, "page %" PRIu64 " says that it is page %" PRIu64, page, nav_load_u64(p));
    else
        return p;
    return NULL;
}

// Do the nodes fill the page from `upper` to its end, each once?
static bool check_layout(walk *w, uint64_t number, const uint8_t *p)
{
    uint32_t lower = nav_load_u16(p + 12), upper = nav_load_u16(p + 14), count = (lower - ND_PAGE_HEAD) / 2, at = upper,
             found = 0;
    bool branch = nav_load_u16(p + 10) == ND_PAGE_BRANCH, good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        uint32_t place = nav_load_u16(p + ND_PAGE_HEAD + 2 * i);
        good = place >= upper && place % 2 == 0 && place + ND_NODE_HEAD <= w->page_bytes && !w->size_at[place / 2];
        if (!good) break;
        const uint8_t *n = p + place;
        uint64_t size = ND_NODE_HEAD + (uint64_t)nav_load_u16(n + 6);
        if (!branch) size += nav_load_u16(n + 4) & ND_NODE_BIG ? 8 : nav_load_u32(n);
        size += size & 1;
        good = nav_load_u16(n + 6) <= ND_NODE_MAX_KEY && place + size <= w->page_bytes;
        if (good) w->size_at[place / 2] = (uint16_t)size;
    }
    for (; good && at < w->page_bytes && w->size_at[at / 2]; at += w->size_at[at / 2]) found++;
    good = good && at == w->page_bytes && found == count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = nav_load_u16(p + ND_PAGE_HEAD + 2 * i);
        if (place < w->page_bytes) w->size_at[place / 2] = 0;
    }
    return good || damage(w, "page %" PRIu64 ": its nodes do not fill it", number);
}

static bool check_head(walk *w, uint64_t number, const uint8_t *p, const walk_tree *t, unsigned level)
{
    uint16_t flags = nav_load_u16(p + 10), lower = nav_load_u16(p + 12), upper = nav_load_u16(p + 14);
    if (flags != (level < t->depth ? ND_PAGE_BRANCH : ND_PAGE_LEAF))
        return damage(w, "page %" PRIu64 " is not of the kind that belongs there", number);
    uint32_t least = flags == ND_PAGE_BRANCH && t->role != ROLE_FREE ? 2 : 1;
    if (lower < ND_PAGE_HEAD + 2 * least || lower % 2 || lower > upper || upper > w->page_bytes || upper % 2)
        return damage(w, "page %" PRIu64 ": the bounds of its nodes are wrong", number);
    if (w->sound && w->sound[number / 8] >> number % 8 & 1) return true;
    if (!check_layout(w, number, p)) return false;
    if (w->sound) w->sound[number / 8] |= (uint8_t)(1u << number % 8);
    return true;
}

static int compare(const walk_tree *t, nd_bytes a, nd_bytes b)
{
    if (t->role == ROLE_FREE) {
        uint64_t x = nav_load_u64(a.data), y = nav_load_u64(b.data);
        return (x > y) - (x < y);
    }
    if (a.size >= 8 && b.size >= 8) { // mostly that is enough
        uint64_t x = __builtin_bswap64(nav_load_u64(a.data)), y = __builtin_bswap64(nav_load_u64(b.data));
        if (x != y) return x < y ? -1 : 1;
    }
    int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static bool check_key(walk *w, walk_tree *t, uint64_t page, nd_bytes key)
{
    if (!key.size || (t->role == ROLE_FREE && key.size != 8))
        return damage(w, "page %" PRIu64 ": a key of %zu bytes", page, key.size);
    bool ordered =
        (!t->has_before || compare(t, t->before, key) < 0) && (!t->has_least || compare(t, t->least, key) <= 0);
    t->before = key;
    t->has_before = true;
    t->has_least = false;
    return ordered || damage(w, "page %" PRIu64 ": its keys are not in order", page);
}

// The pages of a value that does not fit into a leaf. Its place is in *out.
static bool take_overflow(walk *w, walk_tree *t, uint64_t first, uint32_t size, nd_bytes *out)
{
    const uint8_t *p = take_page(w, first);
    if (!p) return false;
    uint64_t pages = nav_load_u32(p + 12), need = ((uint64_t)size + ND_PAGE_HEAD - 1) / w->page_bytes + 1;
    if (nav_load_u16(p + 10) != ND_PAGE_OVERFLOW || pages < need || pages > w->file_pages - first)
        return damage(w, "page %" PRIu64 ": a value of %u bytes is not where it should be", first, size);
    for (uint64_t i = 1; i < pages; i++)
        if (!use_page(w, first + i)) return false;
    t->overflow_pages += pages;
    *out = (nd_bytes){p + ND_PAGE_HEAD, size};
    return true;
}

// A list of free pages: its length, then their numbers, the largest first.
static bool check_free_list(walk *w, nd_bytes value)
{
    const uint8_t *p = value.data;
    uint64_t count = value.size >= 8 ? nav_load_u64(p) : 0;
    if (value.size < 8 || value.size % 8 || count != value.size / 8 - 1)
        return damage(w, "a list of free pages is cut");
    for (uint64_t i = 1; i <= count; i++) {
        if (i > 1 && nav_load_u64(p + 8 * i) >= nav_load_u64(p + 8 * (i - 1)))
            return damage(w, "a list of free pages is not in order");
        if (!use_page(w, nav_load_u64(p + 8 * i))) return false;
    }
    return true;
}

static void walk_one_tree(walk *w, role r, nd_bytes name, const nd_page_root *in);

static bool is_known(const walk *w, nd_bytes name)
{
    if (!w->known) return true;
    for (unsigned i = 0; i < w->known->count; i++) {
        const char *known = w->known->names[i];
        if (strlen(known) == name.size && !memcmp(known, name.data, name.size)) return true;
    }
    return false;
}

static void take_record(walk *w, walk_tree *t, nd_bytes key, nd_bytes value, uint16_t flags)
{
    w->report->records++;
    switch (t->role) {
    case ROLE_FREE:
        (void)check_free_list(w, value);
        break;
    case ROLE_MAIN:
        if (!is_known(w, key)) damage(w, "a table has an unknown name");
        if (flags == ND_NODE_TREE && value.size == ND_TREE_BYTES) {
            nd_page_root table = nd_page_load_root(value.data);
            walk_one_tree(w, ROLE_TABLE, key, &table);
        } else {
            damage(w, "something that should be a table is not");
        }
        break;
    case ROLE_TABLE:
        if (w->visit) w->visit(w->user, t->name, key, value);
        break;
    }
}

static void walk_leaf(walk *w, walk_tree *t, uint64_t number, const uint8_t *p)
{
    t->leaf_pages++;
    for (uint32_t i = 0, count = nd_page_node_count(p); i < count; i++) {
        const uint8_t *n = nd_page_node(p, i);
        uint16_t flags = nav_load_u16(n + 4), wanted = t->role == ROLE_MAIN ? ND_NODE_TREE : 0;
        nd_bytes key = {n + ND_NODE_HEAD, nav_load_u16(n + 6)}, value = {n + ND_NODE_HEAD + key.size, nav_load_u32(n)};
        t->entries++;
        if (!check_key(w, t, number, key)) continue;
        if (flags != wanted && !(flags == ND_NODE_BIG && t->role != ROLE_MAIN)) {
            damage(w, "page %" PRIu64 ": a node of an unknown kind", number);
            continue;
        }
        if (flags == ND_NODE_BIG && !take_overflow(w, t, nav_load_u64(value.data), nav_load_u32(n), &value)) continue;
        take_record(w, t, key, value, flags);
    }
}

static void walk_page(walk *w, walk_tree *t, uint64_t number, unsigned level)
{
    const uint8_t *p = take_page(w, number);
    if (!p || !check_head(w, number, p, t, level)) return;
    w->report->pages++;
    if (level == t->depth) {
        walk_leaf(w, t, number, p);
        return;
    }
    t->branch_pages++;
    for (uint32_t i = 0, count = nd_page_node_count(p); i < count; i++) {
        const uint8_t *n = nd_page_node(p, i);
        uint64_t child = nd_page_child(n);
        nd_bytes key = {n + ND_NODE_HEAD, nav_load_u16(n + 6)};
        if (i && (t->role != ROLE_FREE || key.size == 8)) { // the first key of a branch says nothing
            if (t->has_before && compare(t, t->before, key) >= 0)
                damage(w, "page %" PRIu64 ": its keys are not in order", number);
            t->least = key;
            t->has_least = true;
        } else if (i) {
            damage(w, "page %" PRIu64 ": a key of %zu bytes", number, key.size);
        }
        uint64_t damaged = w->report->damaged;
        walk_page(w, t, child, level + 1);
        if (w->report->damaged != damaged) t->has_before = t->has_least = false; // the rest is read for itself
    }
}

static void walk_one_tree(walk *w, role r, nd_bytes name, const nd_page_root *in)
{
    walk_tree t = {.role = r, .name = name, .depth = in->depth};
    uint64_t damaged = w->report->damaged;
    if (in->flags != (r == ROLE_FREE ? ND_TREE_INTEGER_KEYS : 0)) {
        damage(w, "a tree of an unknown kind");
        return;
    }
    if (in->root == ND_PAGE_NONE ? in->depth != 0 : in->depth < 1 || in->depth > ND_TREE_MAX_DEPTH) {
        damage(w, "a tree of depth %u", in->depth);
        return;
    }
    if (in->root != ND_PAGE_NONE) walk_page(w, &t, in->root, 1);
    bool counts = t.branch_pages == in->branch_pages && t.leaf_pages == in->leaf_pages &&
                  t.overflow_pages == in->overflow_pages && t.entries == in->entries;
    if (!counts && w->report->damaged == damaged)
        damage(w, "a tree does not have the pages and records that it states");
}

// --- meta pages ---

// Transactions take turns: the even ones have the first page, the odd ones the second. So a number that changed on
// disk, which would bring back what stood before the last change, is mostly seen by the other one; check_transactions()
// sees the rest.
static bool follow_each_other(uint64_t first, uint64_t second)
{
    if (!first && !second) return true; // a new file
    return !(first & 1) && (second & 1) && (first + 1 == second || second + 1 == first);
}

// LMDB wants both to be whole, though only the newer one counts. Returns that, or NULL.
static const nd_page_meta *choose_meta(walk *w, size_t size, nd_page_meta both[2])
{
    bool first = nd_page_load_meta(w->bytes, size, 0, &both[0]), second = false;
    if (first) {
        second = nd_page_load_meta(w->bytes, size, both[0].page_bytes, &both[1]);
    } else { // where the second one stands is not known then
        for (uint32_t at = ND_PAGE_MIN_BYTES; at <= ND_PAGE_MAX_BYTES && !second; at *= 2)
            second = nd_page_load_meta(w->bytes, size, at, &both[1]) && both[1].page_bytes == at;
    }
    if (!first || !second || both[0].page_bytes != both[1].page_bytes) {
        damage(w, "meta page %d is damaged", first ? 1 : 0);
        return first ? &both[0] : second ? &both[1] : NULL;
    }
    uint64_t t[2] = {both[0].transaction, both[1].transaction};
    if (!follow_each_other(t[0], t[1]))
        damage(w, "the meta pages are of transactions %" PRIu64 " and %" PRIu64, t[0], t[1]);
    return &both[t[0] < t[1]];
}

// The last transaction that freed pages: the last key of the free list. 0: none has. ND_PAGE_NONE: the list cannot be
// read.
static uint64_t last_freeing(walk *w, const nd_page_root *in)
{
    nd_pages_report unused = {0}, *report = w->report;
    walk_tree t = {.role = ROLE_FREE, .depth = in->depth};
    uint64_t number = in->root, last = number == ND_PAGE_NONE ? 0 : ND_PAGE_NONE, page_count = w->page_count;
    w->report = &unused;           // the walk itself tells of damage
    w->page_count = w->file_pages; // each meta page has its own count
    for (unsigned level = 1; level <= t.depth && t.depth <= ND_TREE_MAX_DEPTH; level++) {
        const uint8_t *p = take_page(w, number);
        if (!p || !check_head(w, number, p, &t, level)) break;
        const uint8_t *n = nd_page_node(p, nd_page_node_count(p) - 1);
        number = nd_page_child(n);
        if (level == t.depth && nav_load_u16(n + 6) == 8) last = nav_load_u64(n + ND_NODE_HEAD);
    }
    w->report = report;
    w->page_count = page_count;
    return last;
}

// One bit makes a number two higher or lower, which follows the other one just as well. But every transaction after the
// first frees pages, under its number. So the older page that looks like the newest has too old a free list, and the
// newest that looks like the older one has too new a list.
static void check_transactions(walk *w, const nd_page_meta *newest, const nd_page_meta *older)
{
    uint64_t t[2] = {newest->transaction, older->transaction};
    uint64_t freeing = last_freeing(w, &newest->trees[0]);
    if (t[0] > 1 && freeing != ND_PAGE_NONE && freeing != t[0])
        damage(w, "the newest meta page is of transaction %" PRIu64 ", its free list of %" PRIu64, t[0], freeing);
    else if (last_freeing(w, &older->trees[0]) == t[1] + 2)
        damage(w, "the older meta page is of transaction %" PRIu64 ", its free list of %" PRIu64, t[1], t[1] + 2);
}

static const nd_page_meta *start_walk(walk *w, const uint8_t *bytes, size_t size, nd_pages_report *report,
                                      nd_page_meta both[2])
{
    *report = (nd_pages_report){0};
    w->bytes = bytes;
    w->report = report;
    if (!size) damage(w, "the file is empty");
    const nd_page_meta *m = size ? choose_meta(w, size, both) : NULL;
    if (!m) return NULL;
    w->page_bytes = m->page_bytes;
    w->file_pages = size / m->page_bytes;
    if (m->last_page < 1 || m->last_page >= w->file_pages + MAX_PAGES_BEYOND) {
        damage(w, "the file should have %" PRIu64 " pages and has %" PRIu64, m->last_page + 1, w->file_pages);
        w->page_count = w->file_pages;
    } else {
        w->page_count = m->last_page + 1;
    }
    report->last_page = m->last_page;
    if (!report->damaged) check_transactions(w, m, m == both ? &both[1] : &both[0]);
    return m;
}

nav_status nd_pages_walk(const uint8_t *bytes, size_t size, const nd_pages_known *known, nd_pages_visit *visit,
                         void *user, nd_pages_report *report)
{
    walk *w = calloc(1, sizeof *w);
    if (!w) return NAV_ERR_MEMORY;
    nav_status s = NAV_OK;
    nd_page_meta both[2];
    w->known = known;
    w->visit = visit;
    w->user = user;
    const nd_page_meta *m = start_walk(w, bytes, size, report, both);
    if (!m) goto done;
    w->used = calloc(1, w->page_count / 8 + 1);
    if (!w->used) {
        s = NAV_ERR_MEMORY;
        goto done;
    }
    walk_one_tree(w, ROLE_MAIN, (nd_bytes){0}, &m->trees[1]); // first, so that wrong free lists hide no record
    walk_one_tree(w, ROLE_FREE, (nd_bytes){0}, &m->trees[0]);
done:
    if (s == NAV_OK && report->damaged) s = NAV_ERR_FORMAT;
    free(w->used);
    free(w);
    return s;
}

// --- single records ---

// The branch above the leaf that was looked into last, and between which keys it has everything: who asks in the order
// of the keys mostly goes on there.
typedef struct last_branch {
    const uint8_t *page; // NULL: none
    nd_bytes from, to;   // without data: there is no such bound
} last_branch;

typedef struct node {
    nd_bytes key, value; // in the page; the value of a large one is where it is
    uint16_t flags;
} node;

struct nd_pages_table {
    walk walk;
    nd_pages_report report;
    nd_page_root tree;
    last_branch last;
    // Those that were announced and are there, in the order in which they will be asked for, and how many were.
    node expected[ND_PAGES_EXPECTED];
    size_t expected_count, expected_at;
};

// How many of the nodes from `first` on come before the key, or are it (`equal`); the first ones that are left out
// count.
static uint32_t count_before(const walk_tree *t, const uint8_t *page, uint32_t first, nd_bytes key, bool equal)
{
    uint32_t low = first, high = nd_page_node_count(page);
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (compare(t, nd_page_key(page, middle), key) < equal)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Goes down by one level, and makes the bounds narrower.
static uint64_t child_of(const walk_tree *t, const uint8_t *page, nd_bytes key, nd_bytes *from, nd_bytes *to)
{
    uint32_t i = count_before(t, page, 1, key, true) - 1; // the first key of a branch says nothing
    const uint8_t *n = nd_page_node(page, i);
    if (i) *from = nd_page_key(page, i);
    if (i + 1 < nd_page_node_count(page)) *to = nd_page_key(page, i + 1);
    return nd_page_child(n);
}

// The number of the leaf that would have the key.
static nav_status find_leaf(walk *w, const walk_tree *t, const nd_page_root *in, nd_bytes key, last_branch *last,
                            uint64_t *number)
{
    nd_bytes from = {0}, to = {0};
    *number = in->root;
    if (last->page && !(last->from.data && compare(t, key, last->from) < 0) &&
        !(last->to.data && compare(t, key, last->to) >= 0)) {
        *number = child_of(t, last->page, key, &from, &to);
        return NAV_OK;
    }
    for (unsigned level = 1; level < t->depth; level++) {
        const uint8_t *p = take_page(w, *number);
        if (!p || !check_head(w, *number, p, t, level)) return NAV_ERR_FORMAT;
        if (level + 1 == t->depth) *last = (last_branch){p, from, to};
        *number = child_of(t, p, key, &from, &to);
    }
    return NAV_OK;
}

static nav_status find_in_leaf(walk *w, const walk_tree *t, uint64_t number, nd_bytes key, node *out)
{
    const uint8_t *p = take_page(w, number);
    if (!p || !check_head(w, number, p, t, t->depth)) return NAV_ERR_FORMAT;
    uint32_t i = count_before(t, p, 0, key, false);
    if (i == nd_page_node_count(p) || compare(t, nd_page_key(p, i), key)) return NAV_ERR_NOT_FOUND;
    const uint8_t *n = nd_page_node(p, i);
    out->key = nd_page_key(p, i);
    out->value = (nd_bytes){n + ND_NODE_HEAD + key.size, nav_load_u32(n)};
    out->flags = nav_load_u16(n + 4);
    return NAV_OK;
}

static bool has_leaves(const nd_page_root *t)
{
    return !t->flags && t->depth >= 1 && t->depth <= ND_TREE_MAX_DEPTH;
}

static nav_status find_node(walk *w, role r, const nd_page_root *in, nd_bytes key, last_branch *last, node *out)
{
    walk_tree t = {.role = r, .depth = in->depth};
    uint64_t leaf;
    if (in->root == ND_PAGE_NONE) return NAV_ERR_NOT_FOUND;
    if (!has_leaves(in)) return NAV_ERR_FORMAT;
    nav_status s = find_leaf(w, &t, in, key, last, &leaf);
    return s == NAV_OK ? find_in_leaf(w, &t, leaf, key, out) : s;
}

static nav_status value_of(walk *w, const node *n, nd_bytes *value)
{
    walk_tree unused = {0};
    *value = n->value;
    if (n->flags != ND_NODE_BIG) return NAV_OK;
    bool good = take_overflow(w, &unused, nav_load_u64(n->value.data), (uint32_t)n->value.size, value);
    return good ? NAV_OK : NAV_ERR_FORMAT;
}

nav_status nd_pages_open(const uint8_t *bytes, size_t size, nd_bytes table, nd_pages_table **out)
{
    nd_page_meta both[2];
    last_branch unused = {0};
    node n;
    nd_pages_table *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    const nd_page_meta *m = start_walk(&t->walk, bytes, size, &t->report, both);
    nav_status s = !m || t->report.damaged ? NAV_ERR_FORMAT : NAV_OK;
    if (s == NAV_OK) s = find_node(&t->walk, ROLE_MAIN, &m->trees[1], table, &unused, &n);
    if (s == NAV_OK && (n.flags != ND_NODE_TREE || n.value.size != ND_TREE_BYTES)) s = NAV_ERR_FORMAT;
    if (s == NAV_OK) t->walk.sound = calloc(1, t->walk.page_count / 8 + 1);
    if (s == NAV_OK && !t->walk.sound) s = NAV_ERR_MEMORY;
    if (s != NAV_OK) {
        free(t);
        return s;
    }
    t->tree = nd_page_load_root(n.value.data);
    *out = t;
    return NAV_OK;
}

static bool is_key(const node *n, nd_bytes key)
{
    return n->key.size == key.size && !memcmp(n->key.data, key.data, key.size);
}

nav_status nd_pages_get(nd_pages_table *t, nd_bytes key, nd_bytes *value)
{
    node n;
    nav_status s = NAV_OK;
    bool expected = t->expected_at < t->expected_count && is_key(&t->expected[t->expected_at], key);
    if (expected)
        n = t->expected[t->expected_at++];
    else
        s = find_node(&t->walk, ROLE_TABLE, &t->tree, key, &t->last, &n);
    if (s != NAV_OK) return s;
    return n.flags & ~(unsigned)ND_NODE_BIG ? NAV_ERR_FORMAT : value_of(&t->walk, &n, value);
}

// The page has not been looked at: places may be anywhere, but only the processor hears of them.
static void fetch_nodes(const walk *w, const uint8_t *page)
{
    for (uint32_t at = ND_PAGE_HEAD; at < LINE && at < nav_load_u16(page + 12); at += 2)
        __builtin_prefetch(page + (nav_load_u16(page + at) & (w->page_bytes - 1)));
}

static void fetch_value(const walk *w, const node *n)
{
    const uint8_t *p = n->value.data;
    if (n->flags != ND_NODE_BIG)
        for (size_t at = 0; at < n->value.size; at += LINE) __builtin_prefetch(p + at);
    else if (nav_load_u64(p) < w->file_pages)
        __builtin_prefetch(w->bytes + nav_load_u64(p) * w->page_bytes);
}

void nd_pages_expect(nd_pages_table *t, const nd_bytes *keys, size_t count)
{
    walk_tree in = {.role = ROLE_TABLE, .depth = t->tree.depth};
    walk *w = &t->walk;
    uint64_t leaves[ND_PAGES_EXPECTED];
    if (t->tree.root == ND_PAGE_NONE || !has_leaves(&t->tree)) return;
    for (size_t i = 0; i < count; i++) {
        if (find_leaf(w, &in, &t->tree, keys[i], &t->last, &leaves[i]) != NAV_OK) leaves[i] = ND_PAGE_NONE;
        if (leaves[i] < w->file_pages) __builtin_prefetch(w->bytes + leaves[i] * w->page_bytes);
    }
    for (size_t i = 0; i < count; i++)
        if (leaves[i] < w->file_pages) fetch_nodes(w, w->bytes + leaves[i] * w->page_bytes);
    t->expected_count = t->expected_at = 0;
    for (size_t i = 0; i < count; i++) {
        node *n = &t->expected[t->expected_count];
        if (leaves[i] == ND_PAGE_NONE || find_in_leaf(w, &in, leaves[i], keys[i], n) != NAV_OK) continue;
        fetch_value(w, n);
        t->expected_count++;
    }
}

void nd_pages_close(nd_pages_table *t)
{
    if (t) free(t->walk.sound);
    free(t);
}
