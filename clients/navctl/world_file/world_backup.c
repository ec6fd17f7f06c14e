#include "clients/navctl/world_file/world_backup.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/remote.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define ENDING ".navdworld"

enum { PATH_BYTES = 4096 };

static int fail_at(const char *path)
{
    fprintf(stderr, "navctl: %s: %s\n", path, strerror(errno));
    return NAVCTL_FAILED;
}

// A file's name for a world's: what a file's name may not hold, and '%', becomes %XX.
static void file_path(const char *folder, const char *world, char out[PATH_BYTES])
{
    size_t n = (size_t)snprintf(out, PATH_BYTES, "%s/", folder);
    for (const char *p = world; *p && n + 4 + sizeof ENDING < PATH_BYTES; p++) {
        unsigned char c = (unsigned char)*p;
        bool plain = c > ' ' && c != '/' && c != '%' && c != 127 && !(p == world && c == '.');
        n += (size_t)snprintf(out + n, PATH_BYTES - n, plain ? "%c" : "%%%02X", c);
    }
    snprintf(out + n, PATH_BYTES - n, "%s", ENDING);
}

static int is_world_file(const struct dirent *e)
{
    size_t length = strlen(e->d_name);
    return length > sizeof ENDING - 1 && !strcmp(e->d_name + length - (sizeof ENDING - 1), ENDING);
}

static bool is_gone(navd_client *c, const char *name)
{
    navd_world_entry *worlds;
    size_t count;
    bool gone = true;
    if (navd_world_list(c, &worlds, &count) != NAVD_OK) return false;
    for (size_t i = 0; i < count; i++) gone &= strcmp(worlds[i].name, name) != 0;
    free(worlds);
    return gone;
}

static int prepare_folder(const char *folder)
{
    struct dirent **files;
    if (mkdir(folder, 0777) && errno != EEXIST) return fail_at(folder);
    int count = scandir(folder, &files, is_world_file, alphasort);
    if (count < 0) return fail_at(folder);
    if (count > 0)
        fprintf(stderr, "navctl: %s holds %d world%s already, such as %s; name a new or empty folder\n", folder, count,
                count == 1 ? "" : "s", files[0]->d_name);
    for (int i = 0; i < count; i++) free(files[i]);
    free(files);
    return count ? NAVCTL_FAILED : NAVCTL_OK;
}

int world_export_all(navd_client *c, const char *folder, world_copied copied, void *user)
{
    char path[PATH_BYTES];
    navd_world_entry *worlds;
    size_t count;
    int code = prepare_folder(folder);
    if (code != NAVCTL_OK) return code;
    navd_status s = navd_world_list(c, &worlds, &count);
    if (s != NAVD_OK) return remote_failed(c, s, folder);
    for (size_t i = 0; i < count; i++) {
        world_copy copy;
        file_path(folder, worlds[i].name, path);
        int one = world_export(c, worlds[i].name, path, &copy);
        if (one == NAVCTL_OK) {
            copied(user, path, &copy);
        } else if (one == NAVCTL_FAILED && is_gone(c, worlds[i].name)) {
            fprintf(stderr, "navctl: world %s was deleted meanwhile and is passed over\n", worlds[i].name);
            one = NAVCTL_OK;
        }
        if (code == NAVCTL_OK) code = one;
        if (one == NAVCTL_CONNECT) break;
    }
    free(worlds);
    return code;
}

int world_import_all(navd_client *c, const char *folder, uint64_t max_bytes, world_copied copied, void *user)
{
    char path[PATH_BYTES];
    struct dirent **files;
    int code = NAVCTL_OK, count = scandir(folder, &files, is_world_file, alphasort);
    if (count < 0) {
        (void)fail_at(folder);
        return NAVCTL_INPUT;
    }
    if (count == 0) {
        fprintf(stderr, "navctl: %s holds no file that ends in " ENDING "\n", folder);
        code = NAVCTL_INPUT;
    }
    for (int i = 0; i < count; i++) {
        world_copy copy;
        int one = NAVCTL_OK;
        if (snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name) >= (int)sizeof path) {
            errno = ENAMETOOLONG;
            one = fail_at(files[i]->d_name);
        } else {
            one = world_import(c, path, NULL, max_bytes, &copy);
            if (one == NAVCTL_OK) copied(user, path, &copy);
        }
        if (code == NAVCTL_OK) code = one;
        if (one == NAVCTL_CONNECT) break;
    }
    for (int i = 0; i < count; i++) free(files[i]);
    free(files);
    return code;
}
