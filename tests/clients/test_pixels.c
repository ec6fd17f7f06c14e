// Pixels that are drawn without cairo, and the PNG files that they end in.
#include "clients/navctl/drawing/pixels.h"
#include "clients/navctl/drawing/png_file.h"
#include "clients/navctl/generate/thread_pool.h"
#include "tests/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 40, HEIGHT = 30, ROWS = HEIGHT + 2 };
static const uint32_t PAPER = 0xff112233, INK = 0xffeeddcc;
static uint32_t canvas[ROWS][WIDTH]; // a row before and one behind, which nothing may touch
static uint64_t seed;

static double random_in(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

// A band that does not begin at the page's first row.
static pixels begin(void)
{
    for (int i = 0; i < ROWS * WIDTH; i++) canvas[i / WIDTH][i % WIDTH] = PAPER;
    return (pixels){(uint8_t *)canvas[1], sizeof canvas[0], WIDTH, 7, 7 + HEIGHT};
}

static void expect_guards(void)
{
    for (int x = 0; x < WIDTH; x++) ck_assert(canvas[0][x] == PAPER && canvas[ROWS - 1][x] == PAPER);
}

// Is a point inside, by the signs of the three sides?
static bool is_inside(const double t[3][2], double x, double y)
{
    bool left = false, right = false;
    for (int k = 0; k < 3; k++) {
        const double *a = t[k], *b = t[(k + 1) % 3];
        double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        left |= side > 0;
        right |= side < 0;
    }
    return !(left && right);
}

START_TEST(a_triangle_fills_the_pixels_whose_centres_it_holds)
{
    seed = (uint64_t)_i;
    const pixels p = begin();
    double t[3][2];
    for (int k = 0; k < 6; k++) t[k / 2][k % 2] = random_in(-20, 60);
    pixels_fill(&p, (const double(*)[2])t, 3, INK);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            ck_assert_uint_eq(canvas[1 + y][x], is_inside((const double(*)[2])t, x + 0.5, y + 7.5) ? INK : PAPER);
    expect_guards();
}
END_TEST

START_TEST(neighbours_leave_no_gap_and_do_not_overlap)
{
    static const double around[4][2] = {{3, 9}, {35, 9}, {35, 33}, {3, 33}}; // on whole pixels
    seed = (uint64_t)_i;
    pixels p = begin();
    const double middle[2] = {floor(random_in(4, 34)) + 0.5, floor(random_in(10, 32)) + 0.5}; // on a centre
    int filled = 0;
    for (int k = 0; k < 4; k++) {
        double t[3][2];
        memcpy(t[0], middle, sizeof middle);
        memcpy(t[1], around[k], sizeof t[1]);
        memcpy(t[2], around[(k + 1) % 4], sizeof t[2]);
        p = begin();
        pixels_fill(&p, (const double(*)[2])t, 3, INK);
        for (int i = 0; i < ROWS * WIDTH; i++) filled += canvas[i / WIDTH][i % WIDTH] == INK;
    }
    ck_assert_int_eq(filled, 32 * 24);
}
END_TEST

START_TEST(lines_do_not_darken_where_they_meet)
{
    const pixels p = begin();
    pixels_lines l;
    const double at[3][2] = {{10.5, 12.5}, {20.5, 12.5}, {20.5, 22.5}};
    pixels_lines_begin(&l, 8, 10);
    pixels_lines_add(&l, at[0], at[1], 1);
    pixels_lines_add(&l, at[1], at[2], 1);
    pixels_lines_add(&l, at[0], at[1], 1); // once more
    pixels_lines_draw(&l, &p, INK, 0.5);
    const uint32_t line = canvas[1 + 12 - 7][15], corner = canvas[1 + 12 - 7][20];
    ck_assert_uint_eq(line, corner);
    for (int shift = 0; shift < 32; shift += 8)
        ck_assert_int_le(abs((int)(line >> shift & 255) - (int)((PAPER >> shift & 255) + (INK >> shift & 255)) / 2), 1);
    ck_assert_uint_eq(canvas[1 + 15 - 7][15], PAPER);
    pixels_lines_draw(&l, &p, INK, 1); // forgotten
    ck_assert_uint_eq(canvas[1 + 12 - 7][15], line);
}
END_TEST

START_TEST(lines_stay_on_their_page)
{
    const pixels p = begin();
    pixels_lines l;
    for (int i = 0; i < 500; i++) {
        double a[2], b[2];
        for (int k = 0; k < 2; k++) {
            a[k] = random_in(-30, 70);
            b[k] = random_in(-30, 70);
        }
        pixels_lines_begin(&l, random_in(-40, 50), random_in(-40, 50));
        pixels_lines_add(&l, a, b, random_in(0.1, 5));
        pixels_lines_draw(&l, &p, INK, 1);
    }
    expect_guards();
}
END_TEST

static uint8_t *read_all(FILE *f, size_t *count)
{
    ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
    *count = (size_t)ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(*count + 1);
    ck_assert_uint_eq(fread(bytes, 1, *count, f), *count);
    rewind(f);
    return bytes;
}

static cairo_status_t read_bytes(void *file, unsigned char *out, unsigned count)
{
    return fread(out, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_READ_ERROR;
}

// cairo reads what is written; one thread and several write the same bytes.
START_TEST(a_png_file_holds_the_image)
{
    static const int sizes[][2] = {{1, 1}, {7, 63}, {33, 64}, {5, 65}, {300, 200}};
    const int width = sizes[_i][0], height = sizes[_i][1];
    uint32_t *image = calloc((size_t)width * (size_t)height, sizeof *image);
    for (int i = 0; i < width * height; i++) image[i] = (uint32_t)random_in(0, 1 << 24) >> (i / 50 % 3 * 8);
    const png_image png = {(const uint8_t *)image, width * 4, width, height};
    thread_pool *pool = thread_pool_create(3);
    const nav_parallel parallel = thread_pool_parallel(pool);
    FILE *alone = tmpfile(), *shared = tmpfile();
    ck_assert(png_file_write(&png, NULL, alone) && png_file_write(&png, &parallel, shared));
    size_t n, m;
    uint8_t *x = read_all(alone, &n), *y = read_all(shared, &m);
    ck_assert(n == m && memcmp(x, y, n) == 0);
    cairo_surface_t *back = cairo_image_surface_create_from_png_stream(read_bytes, alone);
    ck_assert_int_eq(cairo_surface_status(back), CAIRO_STATUS_SUCCESS);
    ck_assert_int_eq(cairo_image_surface_get_width(back), width);
    ck_assert_int_eq(cairo_image_surface_get_height(back), height);
    const unsigned char *rows = cairo_image_surface_get_data(back);
    for (int i = 0; i < width * height; i++) {
        uint32_t pixel;
        memcpy(&pixel, rows + cairo_image_surface_get_stride(back) * (i / width) + i % width * 4, sizeof pixel);
        ck_assert_uint_eq(pixel & 0xffffff, image[i]);
    }
    cairo_surface_destroy(back);
    fclose(alone);
    fclose(shared);
    thread_pool_destroy(pool);
    free(image);
    free(x);
    free(y);
}
END_TEST

START_TEST(a_full_disk_is_an_error)
{
    const uint32_t pixel = 0;
    const png_image png = {(const uint8_t *)&pixel, 4, 1, 1};
    FILE *full = fopen("/dev/full", "wb");
    if (!full) return;
    setvbuf(full, NULL, _IONBF, 0);
    ck_assert(!png_file_write(&png, NULL, full));
    fclose(full);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pixels");
    TCase *t = tcase_create("pixels");
    suite_add_tcase(s, t);
    tcase_add_loop_test(t, a_triangle_fills_the_pixels_whose_centres_it_holds, 0, 200);
    tcase_add_loop_test(t, neighbours_leave_no_gap_and_do_not_overlap, 0, 50);
    tcase_add_test(t, lines_do_not_darken_where_they_meet);
    tcase_add_test(t, lines_stay_on_their_page);
    tcase_add_loop_test(t, a_png_file_holds_the_image, 0, 5);
    tcase_add_test(t, a_full_disk_is_an_error);
    return run_suite(s);
}
