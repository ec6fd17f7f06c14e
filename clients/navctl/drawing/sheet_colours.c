#include "clients/navctl/drawing/sheet_colours.h"

const float SHEET_COLOURS[NAV_SHEET_COUNT][3] = {
    [NAV_SHEET_UP] = {0.42f, 0.70f, 0.36f},    [NAV_SHEET_DOWN] = {0.60f, 0.45f, 0.78f},
    [NAV_SHEET_XPLUS] = {0.86f, 0.40f, 0.34f}, [NAV_SHEET_XMINUS] = {0.93f, 0.71f, 0.30f},
    [NAV_SHEET_ZPLUS] = {0.32f, 0.55f, 0.86f}, [NAV_SHEET_ZMINUS] = {0.30f, 0.73f, 0.74f},
};
