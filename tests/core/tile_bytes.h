// Tiles made by hand, encoded and opened again: what the tests of the format and of its reader share.
#ifndef TESTS_CORE_TILE_BYTES_H
#define TESTS_CORE_TILE_BYTES_H

#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"

// The tile's bytes; the caller frees them.
static inline nav_buffer encoded(const fixture *f)
{
    nav_buffer b = {0};
    ck_assert_int_eq(nav_tile_encode(&f->tile, &b), NAV_OK);
    return b;
}

// A view of bytes that must be a tile.
static inline nav_tile_view opened(const nav_buffer *b)
{
    nav_tile_view v;
    char why[256];
    nav_status s = nav_tile_open(b->data, b->size, &v, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s: %s", nav_status_name(s), why);
    return v;
}

// A link that has a value in every field.
static inline nav_link jump(void)
{
    return (nav_link){
        .id = 77, .start = {1, 0, 1}, .end = {20, 3, -4}, .radius_m = 0.5f, .area = 9, .both_ways = 1, .flags = 0x8001};
}

#endif
