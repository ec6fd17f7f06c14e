// Removes a test's folder with all that is in it. What is not there is no failure.
#ifndef NAV_TESTS_FOLDER_H
#define NAV_TESTS_FOLDER_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static inline void remove_folder(const char *path)
{
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
