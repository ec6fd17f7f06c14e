// Height maps that are wrong: what is said of them.
#include "tests/check.h"
#include "tests/clients/run.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40 };

// Grey, of 16 or 8 bits, or coloured; hills of noise, so that it does not compress to nothing.
static const char *write_png(const char *name, png_uint_32 format)
{
    static uint16_t samples[SIDE * SIDE * 4];
    uint32_t random = 7;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        random = random * 1664525u + 1013904223u;
        samples[i] = (uint16_t)(random >> 20);
    }
    png_image image = {.version = PNG_IMAGE_VERSION, .width = SIDE, .height = SIDE, .format = format};
    const char *path = temp_path(name);
    ck_assert_msg(png_image_write_to_file(&image, path, 0, samples, 0, NULL), "%s", image.message);
    return path;
}

static const char *cut(const char *name, const char *from, size_t bytes)
{
    size_t count;
    uint8_t *all = read_file(from, &count);
    const char *path = temp_path(name);
    ck_assert_uint_gt(count, bytes);
    write_file(path, all, bytes);
    free(all);
    return path;
}

START_TEST(a_png_that_is_cut_short_or_none_is_said_to_be)
{
    const char *whole = write_png("whole.png", PNG_FORMAT_LINEAR_Y);
    outcome r = run_navctl("build", whole, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(!strstr(r.err, "bits"), "%s", r.err);
    r = run_navctl("build", cut("rows.png", whole, 2000), NULL);
    expect_error(&r, 4, "the PNG is cut short: it ends within row ");
    ck_assert_msg(strstr(r.err, " of 40\n") != NULL, "%s", r.err);
    r = run_navctl("build", cut("head.png", whole, 20), NULL);
    expect_error(&r, 4, "the PNG is cut short: it ends within its header");
    r = run_navctl("build", cut("none.png", whole, 0), NULL);
    expect_error(&r, 4, "none.png: the file is empty");
    write_text(temp_path("text.png"), "this is no picture");
    r = run_navctl("build", temp_path("text.png"), NULL);
    expect_error(&r, 4, "text.png: it is no PNG, whatever its name says");
    size_t count;
    uint8_t *bytes = read_file(whole, &count);
    bytes[count / 2] ^= 0x55;
    write_file(temp_path("damaged.png"), bytes, count);
    free(bytes);
    r = run_navctl("build", temp_path("damaged.png"), NULL);
    expect_error(&r, 4, "the PNG is damaged: ");
}
END_TEST

START_TEST(eight_bits_are_read_with_a_warning_and_colours_are_not)
{
    outcome r = run_navctl("build", write_png("grey.png", PNG_FORMAT_GRAY), NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.err, "grey.png has 8 bits, so there are 256 heights at the most, and slopes are stairs"),
                  "%s", r.err);
    r = run_navctl("build", write_png("red.png", PNG_FORMAT_RGB), NULL);
    expect_error(&r, 4, "a height map is grey: save it so, best with 16 bits");
    r = run_navctl("build", write_png("alpha.png", PNG_FORMAT_LINEAR_Y_ALPHA), NULL);
    expect_error(&r, 4, "colours or an alpha channel");
}
END_TEST

START_TEST(raw_files_of_an_odd_size_are_said_to_be)
{
    static const uint8_t zeros[2000];
    const char *path = temp_path("map.r16");
    write_file(path, zeros, 1001);
    outcome r = run_navctl("build", path, NULL);
    expect_error(&r, 4, "its 1001 bytes are no whole number of samples of 16 bits: is it cut short?");
    write_file(path, zeros, 1000);
    r = run_navctl("build", path, NULL);
    expect_error(&r, 4, "its 500 samples of 16 bits are no square: give --heights-size, such as 513x257");
    r = run_navctl("build", path, "--heights-size", "20x20", NULL);
    expect_error(&r, 4, "it has 1000 bytes, expected 800 for 20 by 20 samples of 16 bits");
    write_file(path, zeros, 0);
    r = run_navctl("build", path, NULL);
    expect_error(&r, 4, "the file is empty");
    write_file(path, zeros, 2);
    r = run_navctl("build", path, NULL);
    expect_error(&r, 4, "it has 1 by 1 samples; 2 by 2 are the least");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("scene_heights");
    TCase *t = tcase_create("heights");
    tcase_add_test(t, a_png_that_is_cut_short_or_none_is_said_to_be);
    tcase_add_test(t, eight_bits_are_read_with_a_warning_and_colours_are_not);
    tcase_add_test(t, raw_files_of_an_odd_size_are_said_to_be);
    suite_add_tcase(s, t);
    return run_suite_in_folder(s);
}
