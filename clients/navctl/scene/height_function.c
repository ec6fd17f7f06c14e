#include "clients/navctl/scene/height_function.h"

#include "clients/navctl/output/text.h"

#include <math.h>
#include <muParserDLL.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct height_function {
    muParserHandle_t parser;
    double x, z;
};

static uint32_t mix(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

// The slope of one of eight directions at a corner of the lattice, at a place away from it.
static double slope_at(int64_t column, int64_t row, double dx, double dz)
{
    static const double directions[8][2] = {{1, 0},  {M_SQRT1_2, M_SQRT1_2},   {0, 1},  {-M_SQRT1_2, M_SQRT1_2},
                                            {-1, 0}, {-M_SQRT1_2, -M_SQRT1_2}, {0, -1}, {M_SQRT1_2, -M_SQRT1_2}};
    const double *d = directions[mix((uint32_t)column + mix((uint32_t)row)) & 7];
    return d[0] * dx + d[1] * dz;
}

static double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

double height_noise(double x, double z)
{
    if (!(fabs(x) < 1e15 && fabs(z) < 1e15)) return NAN;
    const double column = floor(x), row = floor(z), dx = x - column, dz = z - row;
    const int64_t c = (int64_t)column, r = (int64_t)row;
    const double u = fade(dx), v = fade(dz);
    const double low = slope_at(c, r, dx, dz) * (1 - u) + slope_at(c + 1, r, dx - 1, dz) * u;
    const double high = slope_at(c, r + 1, dx, dz - 1) * (1 - u) + slope_at(c + 1, r + 1, dx - 1, dz - 1) * u;
    return (low * (1 - v) + high * v) * M_SQRT2; // a sum of slopes is at most half of that in the middle
}

static void say_error(muParserHandle_t parser, char *why, size_t why_bytes)
{
    char shown[200];
    text_printable(mupGetErrorMsg(parser), shown, sizeof shown, 160);
    snprintf(why, why_bytes, "%s", shown);
}

height_function *height_function_create(const char *expression, char *why, size_t why_bytes)
{
    height_function *f = calloc(1, sizeof *f);
    if (f) f->parser = mupCreate(muBASETYPE_FLOAT);
    if (!f || !f->parser) {
        snprintf(why, why_bytes, "no memory left");
        height_function_destroy(f);
        return NULL;
    }
    int values = 0;
    mupDefineVar(f->parser, "x", &f->x);
    mupDefineVar(f->parser, "z", &f->z);
    mupDefineConst(f->parser, "pi", M_PI);
    mupDefineFun2(f->parser, "noise", height_noise, 1);
    mupSetExpr(f->parser, expression);
    bool wrong = mupError(f->parser);
    if (!wrong) {
        (void)mupEvalMulti(f->parser, &values);
        wrong = mupError(f->parser);
    }
    if (wrong)
        say_error(f->parser, why, why_bytes);
    else if (values != 1)
        snprintf(why, why_bytes, "it has %d values, parted by commas; expected one, the height", values);
    if (!wrong && values == 1) return f;
    height_function_destroy(f);
    return NULL;
}

void height_function_destroy(height_function *f)
{
    if (f && f->parser) mupRelease(f->parser);
    free(f);
}

float height_function_at(void *function, double x, double z)
{
    height_function *f = function;
    f->x = x;
    f->z = z;
    return (float)mupEval(f->parser);
}
