/*
 * save.c: files of saved games: their places, writing them whole or not at all, and locking them while a window has
 * them open; see save.h. A file is written under another name, synced and renamed, so a crash leaves the old or the
 * new one. The lock is a file beside it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "save.h"

/* Missing folders are created; a read-only home is not an error here, since reading may still work. */
bool save_path(char *to, size_t size, const char *folder, const char *name)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length = -1;
    if (data && data[0] == '/')              /* the XDG specification requires that other values be ignored */
        length = snprintf(to, size, "%s/pyramids/%s/%s", data, folder, name);
    else if (home && home[0] == '/')
        length = snprintf(to, size, "%s/.local/share/pyramids/%s/%s", home, folder, name);
    if (length < 0 || (size_t)length >= size) {
        errno = length < 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    for (char *slash = to + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        if (mkdir(to, 0700) && errno != EEXIST && errno != EROFS && errno != EACCES) {
            *slash = '/';
            return false;
        }
    }
    return true;
}

/* Readable only by the owner (0600): cookies are keys. errno of the first failure is kept during the clean-up. */
bool save_write(const char *path, const char *text, size_t size)
{
    char draft[PATH_MAX + 32];
    snprintf(draft, sizeof draft, "%s.%ld.new", path, (long)getpid());
    int file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return false;
    size_t done = 0;
    while (done < size) {
        ssize_t wrote = write(file, text + done, size - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            break;
        done += (size_t)wrote;
    }
    bool good = done == size && !fsync(file);
    int error = errno;
    if (close(file) && good) {
        good = false;
        error = errno;
    }
    if (good && rename(draft, path)) {
        good = false;
        error = errno;
    }
    if (!good)
        unlink(draft);
    errno = error;
    return good;
}

/* At most `most` bytes, with a terminator after them, to be freed by the caller. NULL with errno. */
char *save_read(const char *path, size_t most, size_t *size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *text = file >= 0 ? malloc(most + 1) : NULL;
    *size = 0;
    while (text && *size < most) {
        ssize_t got = read(file, text + *size, most - *size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            free(text);
            text = NULL;
        }
        if (got <= 0)
            break;
        *size += (size_t)got;
    }
    int error = errno;
    if (text)
        text[*size] = '\0';
    if (file >= 0)
        close(file);
    errno = error;
    return text;
}

/* The lock is a file beside the game, since the game's own file is replaced again and again. flock is used because the
 * kernel releases it when the program crashes. It does not wait: EWOULDBLOCK means that another window has the game. */
static int lock_for(const char *path)
{
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s.lock", path);
    int lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB)) {
        int error = errno;
        close(lock);
        errno = error;
        return -1;
    }
    return lock;
}

/* path NULL: a new game, named after the time. Its lock is taken before its file exists, so no other window takes the
 * name. */
bool save_open(struct save *save, const char *path)
{
    save->lock = -1;
    if (path) {
        snprintf(save->path, sizeof save->path, "%s", path);
        save->lock = lock_for(path);
        return save->lock >= 0;
    }
    time_t now = time(NULL);
    struct tm day;
    char name[64], date[32];
    localtime_r(&now, &day);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &day);
    for (unsigned i = 0; i < 100; i++) {     /* another window may begin in the same second */
        snprintf(name, sizeof name, i ? "%s-%u.pyr" : "%s.pyr", date, i);
        if (!save_path(save->path, sizeof save->path, SAVE_GAMES, name))
            return false;
        if (!access(save->path, F_OK))
            continue;
        save->lock = lock_for(save->path);
        if (save->lock >= 0 || errno != EWOULDBLOCK)
            return save->lock >= 0;
    }
    return false;
}

/* The lock file is removed before the lock is released: a program that opens the name afterwards creates a new one. */
void save_close(struct save *save)
{
    char name[PATH_MAX + 8];
    if (save->lock < 0)
        return;
    snprintf(name, sizeof name, "%s.lock", save->path);
    unlink(name);
    close(save->lock);
    save->lock = -1;
}

void save_remove(const struct save *save)
{
    unlink(save->path);
}

/* Newest first; equals are ordered by name, so that the order is always the same. */
static int by_age(const void *a, const void *b)
{
    const struct save_entry *x = a, *y = b;
    if (x->changed.tv_sec != y->changed.tv_sec)
        return x->changed.tv_sec < y->changed.tv_sec ? 1 : -1;
    if (x->changed.tv_nsec != y->changed.tv_nsec)
        return x->changed.tv_nsec < y->changed.tv_nsec ? 1 : -1;
    return strcmp(y->name, x->name);
}

/* Without memory, those found so far. */
size_t save_entries(struct save_entry **entries)
{
    char path[PATH_MAX];
    struct save_entry *list = NULL;
    size_t count = 0, room = 0;
    *entries = NULL;
    if (!save_path(path, sizeof path, SAVE_GAMES, ""))
        return 0;
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        size_t length = strlen(entry->d_name);
        struct stat about;
        if (length < 5 || length >= sizeof list->name || strcmp(entry->d_name + length - 4, ".pyr") ||
            entry->d_name[0] == '.')
            continue;
        if (count == room) {
            struct save_entry *larger = realloc(list, (room = room ? room * 2 : 64) * sizeof *list);
            if (!larger)
                break;
            list = larger;
        }
        if (!save_path(path, sizeof path, SAVE_GAMES, entry->d_name) || stat(path, &about) || !S_ISREG(about.st_mode))
            continue;
        snprintf(list[count].name, sizeof list->name, "%s", entry->d_name);
        list[count++].changed = about.st_mtim;
    }
    if (folder)
        closedir(folder);
    if (count)
        qsort(list, count, sizeof *list, by_age);
    *entries = list;
    return count;
}

bool save_exists(const char *path)
{
    struct stat about;
    return !stat(path, &about) && S_ISREG(about.st_mode);
}

/* Taking the lock and releasing it again is the only certain way to find out. */
bool save_is_free(const char *path)
{
    char name[PATH_MAX + 8];
    snprintf(name, sizeof name, "%s.lock", path);
    int lock = open(name, O_RDWR | O_CLOEXEC);
    if (lock < 0)
        return errno == ENOENT;
    bool is_free = !flock(lock, LOCK_EX | LOCK_NB);
    close(lock);
    return is_free;
}
