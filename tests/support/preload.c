/* Fails, tears or kills the N-th call that changes a file below some folders; or records all.
 *
 * Loaded with LD_PRELOAD into a command and every program that it starts. They share one page of
 * memory: the number of calls so far, and the ids of all processes, so that a kill takes the whole
 * tree at one moment, as a power switch would. Calls outside of FAULT_UNDER are not counted.
 *
 *   FAULT_PAGE   a file of at least sizeof(struct page) zero bytes
 *   FAULT_UNDER  folders, separated by ':'
 *   FAULT_KIND   count, kill, tear, full, full-for-good, broken, read-only, save
 *   FAULT_AT     the number of the call, from 1
 *   FAULT_ONLY   a pattern (fnmatch) of the paths whose calls FAULT_AT counts; all without it
 *   FAULT_SAVE   what `save` gives the name in FAULT_TO, as an editor does at this very moment
 *   FAULT_LOG    a file to which every call is written (see injector.py)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define MOST 4096 /* processes of one command */

struct page {
    atomic_int calls, dead, hits, processes;
    atomic_int pid[MOST];
    atomic_int matches, reached; /* calls that FAULT_ONLY names; whether FAULT_AT was */
};

/* What a call would do to the disk: it decides which faults make sense for it. */
enum what { GROWS, SHRINKS, SYNCS, WRITES };

static struct page *page;
static const char *under, *only, *kind = "count";
static int at, log_fd = -1;

static void die(void) {
    atomic_store(&page->dead, 1);
    int mine = getpid(), count = atomic_load(&page->processes);
    for (int i = 0; i < count && i < MOST; i++) {
        int pid = atomic_load(&page->pid[i]);
        if (pid && pid != mine) kill(pid, SIGKILL);
    }
    kill(mine, SIGKILL);
    for (;;) pause();
}

static void enrol(void) {
    if (!page) return;
    int place = atomic_fetch_add(&page->processes, 1);
    if (place < MOST) atomic_store(&page->pid[place], getpid());
    if (atomic_load(&page->dead)) die();
}

static void leave(void) {
    if (!page) return;
    int mine = getpid(), count = atomic_load(&page->processes);
    for (int i = 0; i < count && i < MOST; i++)
        if (atomic_load(&page->pid[i]) == mine) atomic_store(&page->pid[i], 0);
}

/* At the start of each program; a fork that wants faults from now on calls it too. */
__attribute__((constructor)) void begin_faults(void) {
    if (page) return;
    const char *path = getenv("FAULT_PAGE");
    under = getenv("FAULT_UNDER");
    if (!path || !under) return;
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *mapped = mmap(NULL, sizeof(struct page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (mapped == MAP_FAILED) return;
    page = mapped;
    if (getenv("FAULT_KIND")) kind = getenv("FAULT_KIND");
    if (getenv("FAULT_AT")) at = atoi(getenv("FAULT_AT"));
    only = getenv("FAULT_ONLY");
    if (getenv("FAULT_LOG"))
        log_fd = syscall(SYS_openat, AT_FDCWD, getenv("FAULT_LOG"),
                         O_WRONLY | O_APPEND | O_CLOEXEC);
    pthread_atfork(NULL, NULL, enrol);
    enrol();
}

__attribute__((destructor)) void end_faults(void) { leave(); }

static int is_under(const char *path) {
    for (const char *one = under; one && *one;) {
        const char *stop = strchrnul(one, ':');
        size_t length = stop - one;
        if (!strncmp(path, one, length) && (path[length] == '/' || !path[length])) return 1;
        one = *stop ? stop + 1 : stop;
    }
    return 0;
}

/* The absolute path of a name relative to an open folder; empty if it cannot be told. */
static void whole(int folder, const char *name, char out[PATH_MAX]) {
    out[0] = 0;
    if (!name) return;
    if (name[0] == '/') {
        snprintf(out, PATH_MAX, "%s", name);
        return;
    }
    char base[PATH_MAX], link[64];
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length <= 0) return;
    base[length] = 0;
    while (!strncmp(name, "./", 2)) name += 2;
    if (snprintf(out, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) out[0] = 0;
}

static void of_fd(int fd, char out[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, out, PATH_MAX - 1);
    out[length > 0 ? length : 0] = 0;
}

/* One record: a line of facts, then the bytes that were written. One write, so that the records
 * of several processes do not mix. */
static void note(const char *call, unsigned long inode, long place, const char *one,
                 const char *two, const void *data, size_t size) {
    if (log_fd < 0) return;
    char facts[2 * PATH_MAX + 128];
    int length = snprintf(facts, sizeof facts, "%s\t%lu\t%ld\t%zu\t%s\t%s\n", call, inode, place,
                          size, one ? one : "", two ? two : "");
    struct iovec parts[3] = {{facts, length}, {(void *)data, size}, {"\n", 1}};
    int saved = errno;
    syscall(SYS_writev, log_fd, parts, 3);
    errno = saved;
}

/* A full disk still lets files go, and what is read-only can be flushed. */
static int makes_a_difference(enum what what) {
    if (!strcmp(kind, "tear")) return what == WRITES;
    if (!strncmp(kind, "full", 4)) return what != SHRINKS;
    if (!strcmp(kind, "read-only")) return what != SYNCS;
    return 1;
}

/* Counts a call; gives the error that it shall fail with, or 0. A torn write gets -1. */
static int meet(enum what what, const char *path) {
    if (!page || !path[0] || !is_under(path)) return 0;
    if (atomic_load(&page->dead)) die();
    int number = atomic_fetch_add(&page->calls, 1) + 1;
    note("point", number, what, path, NULL, NULL, 0);
    if (only) {
        int counts = makes_a_difference(what) && !fnmatch(only, path, 0);
        number = counts ? atomic_fetch_add(&page->matches, 1) + 1 : 0;
    }
    int now = at && number == at, error = 0;
    if (now) atomic_store(&page->reached, 1);
    if (!strcmp(kind, "kill") && now) die();
    int later = atomic_load(&page->reached) && makes_a_difference(what);
    now = now && makes_a_difference(what);
    if (!strcmp(kind, "tear") && now) error = -1;
    if (!strcmp(kind, "full") && now) error = ENOSPC;
    if (!strcmp(kind, "full-for-good") && later) error = ENOSPC;
    if (!strcmp(kind, "broken") && now) error = EIO;
    if (!strcmp(kind, "read-only") && later) error = EROFS;
    int saves = !strcmp(kind, "save") && now;
    if (saves)
        syscall(SYS_renameat2, AT_FDCWD, getenv("FAULT_SAVE"), AT_FDCWD, getenv("FAULT_TO"), 0);
    if (error || saves) atomic_fetch_add(&page->hits, 1);
    return error;
}

#define REAL(type, name, ...)                                            \
    static type (*real)(__VA_ARGS__);                                    \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)
#define FAIL(what, path)                                                 \
    do {                                                                 \
        int error_ = meet(what, path);                                   \
        if (error_) { errno = error_; return -1; }                       \
    } while (0)

static unsigned long inode_of(int fd) {
    struct stat status;
    return fstat(fd, &status) ? 0 : status.st_ino;
}

static int changes(int flags) { return flags & (O_CREAT | O_TRUNC); }

static int opened(int fd, int flags, int was_there, const char *path) {
    if (fd >= 0 && changes(flags) && page && is_under(path)) {
        if (!was_there) note("create", inode_of(fd), 0, path, NULL, NULL, 0);
        else if (flags & O_TRUNC) note("truncate", inode_of(fd), 0, path, NULL, NULL, 0);
    }
    return fd;
}

static int is_there(const char *path) {
    struct stat status;
    return !lstat(path, &status);
}

#define MODE                                                             \
    mode_t mode = 0;                                                     \
    if (flags & (O_CREAT | __O_TMPFILE)) {                               \
        va_list rest;                                                    \
        va_start(rest, flags);                                           \
        mode = va_arg(rest, mode_t);                                     \
        va_end(rest);                                                    \
    }

/* Opening an existing file for writing changes nothing yet: the writes are counted. */
#define OPENS(name, folder, parameters, call)                            \
    int name parameters {                                                \
        MODE;                                                            \
        char path[PATH_MAX];                                             \
        whole(folder, file, path);                                       \
        int was_there = !changes(flags) || is_there(path);               \
        if (!was_there || flags & O_TRUNC) FAIL(GROWS, path);            \
        return opened(call, flags, was_there, path);                     \
    }

OPENS(open, AT_FDCWD, (const char *file, int flags, ...),
      syscall(SYS_openat, AT_FDCWD, file, flags, mode))
OPENS(open64, AT_FDCWD, (const char *file, int flags, ...),
      syscall(SYS_openat, AT_FDCWD, file, flags, mode))
OPENS(openat, folder, (int folder, const char *file, int flags, ...),
      syscall(SYS_openat, folder, file, flags, mode))
OPENS(openat64, folder, (int folder, const char *file, int flags, ...),
      syscall(SYS_openat, folder, file, flags, mode))

int creat(const char *file, mode_t mode) {
    return open(file, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

static FILE *stream(FILE *(*real)(const char *, const char *), const char *file,
                    const char *mode) {
    char path[PATH_MAX];
    whole(AT_FDCWD, file, path);
    int was_there = is_there(path);
    int flags = *mode == 'w' ? O_CREAT | O_TRUNC : *mode == 'a' ? O_CREAT : 0;
    if (flags && (!was_there || flags & O_TRUNC)) {
        int error = meet(GROWS, path);
        if (error) return errno = error, NULL;
    }
    FILE *found = real(file, mode);
    if (found) opened(fileno(found), flags, was_there, path);
    return found;
}

FILE *fopen(const char *file, const char *mode) {
    REAL(FILE *, fopen, const char *, const char *);
    return stream(real, file, mode);
}

FILE *fopen64(const char *file, const char *mode) {
    REAL(FILE *, fopen64, const char *, const char *);
    return stream(real, file, mode);
}

/* A write of which half arrives before everything stops. */
static void tear(int fd, const void *data, size_t size, off_t place) {
    if (place < 0) syscall(SYS_write, fd, data, size / 2);
    else syscall(SYS_pwrite64, fd, data, size / 2, place);
    die();
}

static ssize_t put(int fd, const void *data, size_t size, off_t place) {
    char path[PATH_MAX];
    if (!page) goto plain;
    of_fd(fd, path);
    int error = meet(WRITES, path);
    if (error == -1) tear(fd, data, size, place);
    if (error) return errno = error, -1;
    if (log_fd >= 0 && is_under(path)) {
        off_t where = place;
        if (place < 0) {
            struct stat status;
            int append = fcntl(fd, F_GETFL) & O_APPEND;
            where = append && !fstat(fd, &status) ? status.st_size : lseek(fd, 0, SEEK_CUR);
        }
        note("write", inode_of(fd), where, path, NULL, data, size);
    }
plain:
    return place < 0 ? syscall(SYS_write, fd, data, size)
                     : syscall(SYS_pwrite64, fd, data, size, place);
}

ssize_t write(int fd, const void *data, size_t size) { return put(fd, data, size, -1); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t place) {
    return put(fd, data, size, place);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t place) {
    return put(fd, data, size, place);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    ssize_t all = 0;
    for (int i = 0; i < count; i++) {
        ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0) return all ? all : -1;
        all += done;
        if ((size_t)done < parts[i].iov_len) break;
    }
    return all;
}

static int settle(int fd, long number) {
    char path[PATH_MAX];
    if (page) {
        of_fd(fd, path);
        FAIL(SYNCS, path);
        if (is_under(path)) note("sync", inode_of(fd), 0, path, NULL, NULL, 0);
    }
    return syscall(number, fd);
}

int fsync(int fd) { return settle(fd, SYS_fsync); }
int fdatasync(int fd) { return settle(fd, SYS_fdatasync); }

int syncfs(int fd) {
    char path[PATH_MAX];
    if (page) {
        of_fd(fd, path);
        FAIL(SYNCS, path);
        if (is_under(path)) note("sync-all", inode_of(fd), 0, path, NULL, NULL, 0);
    }
    return syscall(SYS_syncfs, fd);
}

static int cut(int fd, off_t size) {
    char path[PATH_MAX];
    if (page) {
        of_fd(fd, path);
        FAIL(GROWS, path);
        if (is_under(path)) note("truncate", inode_of(fd), size, path, NULL, NULL, 0);
    }
    return syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off64_t size) { return cut(fd, size); }

static int renamed(int from, const char *old, int to, const char *new, unsigned flags) {
    char one[PATH_MAX], two[PATH_MAX];
    whole(from, old, one);
    whole(to, new, two);
    if (page && two[0] && is_under(two)) FAIL(GROWS, two);
    else FAIL(SHRINKS, one);
    int done = syscall(SYS_renameat2, from, old, to, new, flags);
    if (!done && page && (is_under(one) || is_under(two)))
        note(flags & 2 ? "exchange" : "rename", 0, 0, one, two, NULL, 0);
    return done;
}

int rename(const char *old, const char *new) { return renamed(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) {
    return renamed(from, old, to, new, 0);
}
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
    return renamed(from, old, to, new, flags);
}

static int linked(int from, const char *old, int to, const char *new, int flags) {
    char one[PATH_MAX], two[PATH_MAX];
    whole(from, old, one);
    whole(to, new, two);
    FAIL(GROWS, two);
    int done = syscall(SYS_linkat, from, old, to, new, flags);
    if (!done && page && is_under(two)) note("link", 0, 0, one, two, NULL, 0);
    return done;
}

int link(const char *old, const char *new) { return linked(AT_FDCWD, old, AT_FDCWD, new, 0); }
int linkat(int from, const char *old, int to, const char *new, int flags) {
    return linked(from, old, to, new, flags);
}

static int removed(int folder, const char *name, int flags) {
    char path[PATH_MAX];
    whole(folder, name, path);
    if (is_there(path)) FAIL(SHRINKS, path);
    int done = syscall(SYS_unlinkat, folder, name, flags);
    if (!done && page && is_under(path)) note("remove", 0, 0, path, NULL, NULL, 0);
    return done;
}

int unlink(const char *name) { return removed(AT_FDCWD, name, 0); }
int rmdir(const char *name) { return removed(AT_FDCWD, name, AT_REMOVEDIR); }
int unlinkat(int folder, const char *name, int flags) { return removed(folder, name, flags); }

static int made(int folder, const char *name, mode_t mode) {
    char path[PATH_MAX];
    whole(folder, name, path);
    if (!is_there(path)) FAIL(GROWS, path);
    int done = syscall(SYS_mkdirat, folder, name, mode);
    if (!done && page && is_under(path)) {
        struct stat status;
        note("mkdir", lstat(path, &status) ? 0 : status.st_ino, 0, path, NULL, NULL, 0);
    }
    return done;
}

int mkdir(const char *name, mode_t mode) { return made(AT_FDCWD, name, mode); }
int mkdirat(int folder, const char *name, mode_t mode) { return made(folder, name, mode); }
