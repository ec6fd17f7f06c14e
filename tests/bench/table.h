// Figures as an aligned table for a person and as CSV for a program: the same cells, written once.
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { TABLE_CELL_BYTES = 80 };

typedef struct table {
    const char *name, *title; // name: of the CSV file, without ending
    int columns;
    char (*cells)[TABLE_CELL_BYTES]; // row by row; the first row holds the column names
    size_t cell_count, cell_capacity;
} table;

// columns: names with commas between them.
void table_init(table *t, const char *name, const char *title, const char *columns);
void table_deinit(table *t);

// The next cell, left to right and row by row. Cells with a comma are not for this table.
__attribute__((format(printf, 2, 3))) void table_add(table *t, const char *format, ...);

// Brings rows with the same first cell together, where the first of them stands.
void table_group(table *t);
void table_print(const table *t);
// Writes FOLDER/NAME.csv. False with one line on stderr.
bool table_write(const table *t, const char *folder);

// A row of a table with the columns "what,scene,figure,bar,verdict".
void table_add_bar(table *t, const char *what, const char *scene, double figure, bool at_least, double bar);

// A geometric mean.
typedef struct mean {
    double log_sum;
    int count;
} mean;

void mean_add(mean *m, double figure); // above 0
double mean_of(const mean *m);         // 0 of none

// A row for the mean, where there is one.
void table_add_mean_bar(table *t, const char *what, const mean *m, double bar);

#endif
