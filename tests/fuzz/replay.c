// Runs a fuzz target once on every file of the folders and files named: a corpus as a test, with any compiler.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1); // exactly sized: a byte too far is seen
    size_t got = bytes && size > 0 ? fread(bytes, 1, (size_t)size, f) : 0;
    fclose(f);
    if (size < 0 || got != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(bytes);
        return 1;
    }
    LLVMFuzzerTestOneInput(bytes, got);
    free(bytes);
    return 0;
}

static int replay_folder(const char *path, int *count)
{
    DIR *dir = opendir(path);
    if (!dir) {
        perror(path);
        return 1;
    }
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        struct stat st;
        if (stat(file, &st) != 0 || !S_ISREG(st.st_mode)) continue;
        failed |= replay_file(file);
        ++*count;
    }
    closedir(dir);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0, count = 0;
    for (int i = 1; i < argc; i++) failed |= replay_folder(argv[i], &count);
    printf("%d inputs\n", count);
    return failed || count == 0;
}
