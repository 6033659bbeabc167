/* main.c: runs a fuzz target over the files of a directory, and over every prefix of the short ones. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MOST (1 << 20)

/* In a block of exactly its size, so that a sanitizer detects a read past the end. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    for (size_t i = 0; i < size; i++)
        exact[i] = data[i];
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    static uint8_t data[MOST];
    int files = 0;
    DIR *dir = argc > 1 ? opendir(argv[1]) : NULL;
    if (!dir) {
        fprintf(stderr, "%s: cannot be opened\n", argc > 1 ? argv[1] : "no directory");
        return 1;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        size_t size = fread(data, 1, sizeof data, file);
        fclose(file);
        printf("%s\n", entry->d_name);      /* the last printed name is the one that failed */
        fflush(stdout);
        run(data, size);
        for (size_t part = 0; part < size && size <= 4096; part++)
            run(data, part);
        files++;
    }
    closedir(dir);
    printf("%d files\n", files);
    return files ? 0 : 1;
}
