// Pages of LMDB's files as bytes: format version 1, little-endian, 64 bit (LMDB 0.9.24, H. Chu, mdb.c). What reads them
// here looks nowhere but where it is told, and checks nothing but a meta page; pages.c does. Numbers of pages are 64
// bits wide, places in a page 16 bits.
//
//     0 number  8 pad  10 flags  12 lower  14 upper  16 places of the nodes ... free ... nodes
//                                12 count of pages (overflow)
//     node: 0 size or page low (32)  4 flags or page high (16)  6 key bytes (16)  8 key, then data
//
// Private to pages.c.
#ifndef ND_PAGE_FORMAT_H
#define ND_PAGE_FORMAT_H

#include "core/base/endian.h"
#include "daemon/disk/pages.h"

#include <stdbool.h>

enum {
    ND_PAGE_HEAD = 16,
    ND_PAGE_BRANCH = 1,
    ND_PAGE_LEAF = 2,
    ND_PAGE_OVERFLOW = 4,
    ND_PAGE_IS_META = 8,
    ND_PAGE_MIN_BYTES = 512,
    ND_PAGE_MAX_BYTES = 32768,
    ND_NODE_HEAD = 8,
    ND_NODE_BIG = 1,
    ND_NODE_TREE = 2,
    ND_NODE_MAX_KEY = 511,
    ND_TREE_BYTES = 48,
    ND_TREE_INTEGER_KEYS = 8,
    ND_TREE_MAX_DEPTH = 32,
    ND_META_BYTES = 24 + 2 * ND_TREE_BYTES + 16,
};

static const uint64_t ND_PAGE_NONE = UINT64_MAX;

// Where a tree begins, and what it says of itself.
typedef struct nd_page_root {
    uint16_t flags, depth;
    uint64_t branch_pages, leaf_pages, overflow_pages, entries, root;
} nd_page_root;

static inline nd_page_root nd_page_load_root(const uint8_t *p)
{
    return (nd_page_root){nav_load_u16(p + 4),  nav_load_u16(p + 6),  nav_load_u64(p + 8), nav_load_u64(p + 16),
                          nav_load_u64(p + 24), nav_load_u64(p + 32), nav_load_u64(p + 40)};
}

typedef struct nd_page_meta {
    uint32_t page_bytes;
    nd_page_root trees[2]; // free list, main
    uint64_t last_page, transaction;
} nd_page_meta;

// Of the page at this place in a file of `size` bytes. False: it is none.
static inline bool nd_page_load_meta(const uint8_t *bytes, size_t size, uint64_t at, nd_page_meta *out)
{
    if (at > size || size - at < ND_PAGE_HEAD + ND_META_BYTES) return false;
    const uint8_t *p = bytes + at, *m = p + ND_PAGE_HEAD;
    if (nav_load_u16(p + 10) != ND_PAGE_IS_META || nav_load_u32(m) != 0xBEEFC0DE || nav_load_u32(m + 4) != 1)
        return false;
    out->page_bytes = nav_load_u32(m + 24);
    for (int i = 0; i < 2; i++) out->trees[i] = nd_page_load_root(m + 24 + ND_TREE_BYTES * i);
    out->last_page = nav_load_u64(m + 24 + 2 * ND_TREE_BYTES);
    out->transaction = nav_load_u64(m + 32 + 2 * ND_TREE_BYTES);
    return out->page_bytes >= ND_PAGE_MIN_BYTES && out->page_bytes <= ND_PAGE_MAX_BYTES &&
           !(out->page_bytes & (out->page_bytes - 1));
}

// Of a branch or leaf whose head is right.
static inline uint32_t nd_page_node_count(const uint8_t *page)
{
    return (nav_load_u16(page + 12) - ND_PAGE_HEAD) / 2u;
}

static inline const uint8_t *nd_page_node(const uint8_t *page, uint32_t i)
{
    return page + nav_load_u16(page + ND_PAGE_HEAD + 2 * i);
}

static inline nd_bytes nd_page_key(const uint8_t *page, uint32_t i)
{
    const uint8_t *n = nd_page_node(page, i);
    return (nd_bytes){n + ND_NODE_HEAD, nav_load_u16(n + 6)};
}

// The page that a branch's node leads to.
static inline uint64_t nd_page_child(const uint8_t *n)
{
    return nav_load_u32(n) | (uint64_t)nav_load_u16(n + 4) << 32;
}

#endif
