#include "tests/bench/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_init(table *t, const char *name, const char *title, const char *columns)
{
    *t = (table){.name = name, .title = title, .columns = 1};
    for (const char *c = columns; *c; c++) t->columns += *c == ',';
    while (*columns) {
        size_t length = strcspn(columns, ",");
        table_add(t, "%.*s", (int)length, columns);
        columns += length + (columns[length] == ',');
    }
}

void table_deinit(table *t)
{
    free(t->cells);
    *t = (table){0};
}

void table_add(table *t, const char *format, ...)
{
    if (t->cell_count == t->cell_capacity) {
        t->cell_capacity = t->cell_capacity ? 2 * t->cell_capacity : 256;
        t->cells = realloc(t->cells, t->cell_capacity * sizeof *t->cells);
        if (!t->cells) abort();
    }
    va_list args;
    va_start(args, format);
    vsnprintf(t->cells[t->cell_count++], sizeof *t->cells, format, args);
    va_end(args);
}

void table_group(table *t)
{
    const size_t row = sizeof *t->cells * (size_t)t->columns, rows = t->cell_count / (size_t)t->columns;
    char *all = (char *)t->cells, *held = malloc(row);
    if (!held) abort();
    for (size_t i = 1; i < rows; i++) {
        size_t next = i + 1; // where the next row of this kind goes
        for (size_t k = next; k < rows; k++) {
            if (strcmp(all + k * row, all + i * row) != 0) continue;
            memcpy(held, all + k * row, row);
            memmove(all + (next + 1) * row, all + next * row, (k - next) * row);
            memcpy(all + next++ * row, held, row);
        }
        i = next - 1;
    }
    free(held);
}

void table_print(const table *t)
{
    printf("\n%s\n", t->title);
    for (size_t i = 0; i < t->cell_count; i++) {
        int column = (int)(i % (size_t)t->columns), width = 0;
        for (size_t k = (size_t)column; k < t->cell_count; k += (size_t)t->columns) {
            int n = (int)strlen(t->cells[k]);
            width = n > width ? n : width;
        }
        // Words to the left, figures to the right; what a column is follows from its first cell.
        size_t first = (size_t)(t->columns + column);
        bool word = first < t->cell_count && !strchr("+-.0123456789", t->cells[first][0]);
        bool last = column + 1 == t->columns;
        printf("  %*s%s", !word ? width : last ? 0 : -width, t->cells[i], last ? "\n" : "");
    }
    fflush(stdout);
}

bool table_write(const table *t, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.csv", folder, t->name);
    FILE *f = fopen(path, "w");
    for (size_t i = 0; f && i < t->cell_count; i++) {
        fprintf(f, "%s%c", t->cells[i], (int)(i % (size_t)t->columns) + 1 == t->columns ? '\n' : ',');
    }
    if (f && fclose(f) == 0) return true;
    fprintf(stderr, "bench: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

void table_add_bar(table *t, const char *what, const char *scene, double figure, bool at_least, double bar)
{
    table_add(t, "%s", what);
    table_add(t, "%s", scene);
    table_add(t, "%.4g", figure);
    table_add(t, "%s %g", at_least ? ">=" : "<=", bar);
    table_add(t, "%s", (at_least ? figure >= bar : figure <= bar) ? "pass" : "MISS");
}

void mean_add(mean *m, double figure)
{
    m->log_sum += log(figure);
    m->count++;
}

double mean_of(const mean *m)
{
    return m->count ? exp(m->log_sum / m->count) : 0;
}

void table_add_mean_bar(table *t, const char *what, const mean *m, double bar)
{
    char scenes[32];
    if (!m->count) return;
    snprintf(scenes, sizeof scenes, "(mean of %d)", m->count);
    table_add_bar(t, what, scenes, mean_of(m), false, bar);
}
