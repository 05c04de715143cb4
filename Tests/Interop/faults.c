// Lets system calls of a program fail: a library for LD_PRELOAD. faults.py compiles it and says what is to fail.
//
//   FAULTS        rules, separated by line feeds: CALL NTH ACTION PATH
//                   NTH     "3" is the third fitting call of a process, "3+" that one and all after it
//                   ACTION  a number is the errno that the call fails with, "kill" ends the process there by SIGKILL
//                   PATH    a part of the path that the call is about; of a descriptor, that of its file; with "$" behind it, the path's end
//   FAULTS_LOG    a file that gets a line "CALL PATH" for each watched call
//   FAULTS_WATCH  a part of the paths that are logged
//   FAULTS_JOURNAL a file that gets a line for each change that was made on such a path, in order; files are named by their number (inode):
//                 "create NUMBER PATH", "nameless NUMBER", "write NUMBER PLACE HEX", "truncate NUMBER SIZE", "sync NUMBER", "link NUMBER PATH",
//                 "rename PATH", preceded by "from PATH", "unlink PATH", "mkdir PATH"
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 32, LONGEST = 4096 };

static struct rule {
    char call[16];
    int nth, lasts, action;
    char path[512];
    atomic_int seen;
} rules[MOST];
static int count;
static int log_file = -1;
static int journal = -1;
static const char *watched;

// Whatever it does itself goes past the names that it stands in for.
static int raw_open(const char *path, int flags) { return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600); }

// Away from the numbers that programs count or close.
static int out_of_the_way(const char *path) {
    int file = raw_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
    int moved = (int)syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, 500);
    syscall(SYS_close, file);
    return moved;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULTS"), *log = getenv("FAULTS_LOG");
    watched = getenv("FAULTS_WATCH");
    if (log) log_file = out_of_the_way(log);
    if (getenv("FAULTS_JOURNAL")) journal = out_of_the_way(getenv("FAULTS_JOURNAL"));
    while (text && *text && count < MOST) {
        struct rule *rule = &rules[count];
        char nth[16] = "", action[16] = "";
        if (sscanf(text, "%15s %15s %15s %511[^\n]", rule->call, nth, action, rule->path) == 4) {
            rule->nth = atoi(nth);
            rule->lasts = strchr(nth, '+') != NULL;
            rule->action = strcmp(action, "kill") == 0 ? -1 : atoi(action);
            count++;
        }
        text = strchr(text, '\n');
        if (text) text++;
    }
}

static int fits(const char *path, const char *wanted) {
    size_t length = strlen(wanted), whole = strlen(path);
    if (length == 0 || wanted[length - 1] != '$') return strstr(path, wanted) != NULL;
    length--;
    return whole >= length && strncmp(path + whole - length, wanted, length) == 0;
}

// Whether the call is to fail; errno is set then.
static int fails(const char *call, const char *path) {
    if (log_file >= 0 && watched && strstr(path, watched)) {
        char line[LONGEST + 32];
        int length = snprintf(line, sizeof line, "%s %s\n", call, path);
        if (length > (int)sizeof line) length = sizeof line;
        syscall(SYS_write, log_file, line, (size_t)length);
    }
    for (int index = 0; index < count; index++) {
        struct rule *rule = &rules[index];
        if (strcmp(rule->call, call) != 0 || !fits(path, rule->path)) continue;
        int seen = atomic_fetch_add(&rule->seen, 1) + 1;
        if (seen != rule->nth && !(rule->lasts && seen > rule->nth)) continue;
        if (rule->action < 0) syscall(SYS_kill, getpid(), SIGKILL);
        errno = rule->action;
        return 1;
    }
    return 0;
}

static int idle(void) { return count == 0 && log_file < 0; }

__attribute__((format(printf, 2, 3))) static void note(const char *path, const char *format, ...) {
    if (journal < 0 || !watched || !strstr(path, watched)) return;
    int kept = errno;
    char line[LONGEST * 2];
    va_list words;
    va_start(words, format);
    int length = vsnprintf(line, sizeof line, format, words);
    va_end(words);
    syscall(SYS_write, journal, line, (size_t)length);
    errno = kept;
}

static unsigned long long number(int file) {
    struct stat found;
    return syscall(SYS_newfstatat, file, "", &found, 0x1000 /* AT_EMPTY_PATH */) == 0 ? (unsigned long long)found.st_ino : 0;
}

static const char *of_file(int file, char *buffer) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, buffer, LONGEST - 1);
    buffer[length > 0 ? length : 0] = 0;
    return buffer;
}

static const char *of_place(int folder, const char *path, char *buffer) {
    if (folder == AT_FDCWD || (path && path[0] == '/')) return path ? path : "";
    of_file(folder, buffer);
    size_t length = strlen(buffer);
    snprintf(buffer + length, LONGEST - length, "/%s", path ? path : "");
    return buffer;
}

static int fails_file(const char *call, int file) {
    int kept = errno;
    char buffer[LONGEST];
    if (idle() || !fails(call, of_file(file, buffer))) return errno = kept, 0;
    return 1;
}

static int fails_place(const char *call, int folder, const char *path) {
    int kept = errno;
    char buffer[LONGEST];
    if (idle() || !fails(call, of_place(folder, path, buffer))) return errno = kept, 0;
    return 1;
}

static int note_open(int file, int folder, const char *path, int flags) {
    if (journal < 0 || file < 0 || !(flags & (O_CREAT | 0x400000 /* O_TMPFILE */))) return file;
    char buffer[LONGEST];
    of_place(folder, path, buffer);
    const char *place = folder == AT_FDCWD || path[0] == '/' ? path : buffer;
    if (flags & 0x400000) note(place, "nameless %llu\n", number(file));
    else note(place, "create %llu %s\n", number(file), place);
    return file;
}

static ssize_t note_write(int file, const void *bytes, ssize_t size, off_t place) {
    if (journal < 0 || size < 0) return size;
    int kept = errno;
    char path[LONGEST];
    if (!watched || !strstr(of_file(file, path), watched)) return errno = kept, size;
    for (ssize_t start = 0; start < size; start += 1024) {
        char hex[2049] = "";
        for (ssize_t index = start; index < size && index < start + 1024; index++)
            snprintf(hex + (index - start) * 2, 3, "%02x", ((const unsigned char *)bytes)[index]);
        note(path, "write %llu %lld %s\n", number(file), (long long)(place + start), hex);
    }
    return errno = kept, size;
}

static int note_file(int answer, const char *what, int file, long long size) {
    char path[LONGEST];
    if (journal < 0 || answer != 0) return answer;
    if (size < 0) note(of_file(file, path), "%s %llu\n", what, number(file));
    else note(of_file(file, path), "%s %llu %lld\n", what, number(file), size);
    return answer;
}

static int note_place(int answer, const char *what, int folder, const char *path) {
    char buffer[LONGEST];
    if (journal < 0 || answer != 0) return answer;
    const char *place = of_place(folder, path, buffer);
    note(place, "%s %s\n", what, place);
    return answer;
}

static int note_link(int answer, int folder, const char *path) {
    char buffer[LONGEST];
    struct stat found;
    if (journal < 0 || answer != 0) return answer;
    const char *place = of_place(folder, path, buffer);
    if (syscall(SYS_newfstatat, folder, path, &found, 0) == 0) note(place, "link %llu %s\n", (unsigned long long)found.st_ino, place);
    return answer;
}

static int note_rename(int answer, int from_folder, const char *from, int folder, const char *path) {
    char buffer[LONGEST];
    if (journal < 0 || answer != 0) return answer;
    const char *place = of_place(from_folder, from, buffer);
    note(place, "from %s\n", place);
    return note_place(answer, "rename", folder, path);
}

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        NEXT(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return fails_place("open", AT_FDCWD, path) ? -1 : note_open(next(path, flags, mode), AT_FDCWD, path, flags); \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        NEXT(name); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more); \
        return fails_place("openat", folder, path) ? -1 : note_open(next(folder, path, flags, mode), folder, path, flags); \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

#define OF_FILE(type, name, call, parameters, ...) \
    type name parameters { \
        NEXT(name); \
        return fails_file(call, file) ? -1 : next(__VA_ARGS__); \
    }
OF_FILE(ssize_t, read, "read", (int file, void *bytes, size_t size), file, bytes, size)
OF_FILE(ssize_t, pread, "read", (int file, void *bytes, size_t size, off_t place), file, bytes, size, place)
OF_FILE(ssize_t, pread64, "read", (int file, void *bytes, size_t size, off64_t place), file, bytes, size, place)
OF_FILE(int, fdatasync, "fsync", (int file), file)

ssize_t write(int file, const void *bytes, size_t size) {
    NEXT(write);
    if (fails_file("write", file)) return -1;
    ssize_t written = next(file, bytes, size);
    return journal < 0 || written < 0 ? written : note_write(file, bytes, written, (off_t)syscall(SYS_lseek, file, 0, SEEK_CUR) - written);
}

#define WRITES_AT(name, offset) \
    ssize_t name(int file, const void *bytes, size_t size, offset place) { \
        NEXT(name); \
        return fails_file("write", file) ? -1 : note_write(file, bytes, next(file, bytes, size, place), place); \
    }
WRITES_AT(pwrite, off_t)
WRITES_AT(pwrite64, off64_t)

int fsync(int file) {
    NEXT(fsync);
    return fails_file("fsync", file) ? -1 : note_file(next(file), "sync", file, -1);
}

#define TRUNCATES(name, offset) \
    int name(int file, offset size) { \
        NEXT(name); \
        return fails_file("ftruncate", file) ? -1 : note_file(next(file, size), "truncate", file, (long long)size); \
    }
TRUNCATES(ftruncate, off_t)
TRUNCATES(ftruncate64, off64_t)

OF_FILE(int, fchmod, "fchmod", (int file, mode_t mode), file, mode)
OF_FILE(int, flock, "flock", (int file, int operation), file, operation)
OF_FILE(int, fstat, "fstat", (int file, struct stat *found), file, found)
OF_FILE(int, fstat64, "fstat", (int file, struct stat64 *found), file, found)

#define OF_PATH(type, name, call, failure, parameters, ...) \
    type name parameters { \
        NEXT(name); \
        return fails_place(call, AT_FDCWD, path) ? failure : next(__VA_ARGS__); \
    }
OF_PATH(int, stat, "stat", -1, (const char *path, struct stat *found), path, found)
OF_PATH(int, stat64, "stat", -1, (const char *path, struct stat64 *found), path, found)
OF_PATH(int, lstat, "lstat", -1, (const char *path, struct stat *found), path, found)
OF_PATH(int, lstat64, "lstat", -1, (const char *path, struct stat64 *found), path, found)
OF_PATH(int, access, "access", -1, (const char *path, int mode), path, mode)
OF_PATH(int, chmod, "chmod", -1, (const char *path, mode_t mode), path, mode)
// By its clock, as it has no path.
int timerfd_create(int clock, int flags) {
    NEXT(timerfd_create);
    const char *path = clock == CLOCK_REALTIME ? "/realtime" : "/boot";
    return fails_place("timerfd_create", AT_FDCWD, path) ? -1 : next(clock, flags);
}

OF_PATH(int, inotify_add_watch, "watch", -1, (int file, const char *path, uint32_t mask), file, path, mask)

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    return fails_place("mkdir", AT_FDCWD, path) ? -1 : note_place(next(path, mode), "mkdir", AT_FDCWD, path);
}

int unlink(const char *path) {
    NEXT(unlink);
    return fails_place("unlink", AT_FDCWD, path) ? -1 : note_place(next(path), "unlink", AT_FDCWD, path);
}

OF_PATH(int, rmdir, "rmdir", -1, (const char *path), path)
OF_PATH(ssize_t, readlink, "readlink", -1, (const char *path, char *bytes, size_t size), path, bytes, size)
OF_PATH(DIR *, opendir, "opendir", NULL, (const char *path), path)

// What has two paths is known by the new one.
int rename(const char *from, const char *path) {
    NEXT(rename);
    return fails_place("rename", AT_FDCWD, path) ? -1 : note_rename(next(from, path), AT_FDCWD, from, AT_FDCWD, path);
}

int renameat(int from_folder, const char *from, int folder, const char *path) {
    NEXT(renameat);
    return fails_place("rename", folder, path) ? -1 : note_rename(next(from_folder, from, folder, path), from_folder, from, folder, path);
}

int link(const char *from, const char *path) {
    NEXT(link);
    return fails_place("link", AT_FDCWD, path) ? -1 : note_link(next(from, path), AT_FDCWD, path);
}

int linkat(int from_folder, const char *from, int folder, const char *path, int flags) {
    NEXT(linkat);
    return fails_place("link", folder, path) ? -1 : note_link(next(from_folder, from, folder, path, flags), folder, path);
}

int unlinkat(int folder, const char *path, int flags) {
    NEXT(unlinkat);
    return fails_place("unlink", folder, path) ? -1 : note_place(next(folder, path, flags), "unlink", folder, path);
}

// Only record locks: the other operations are nothing that a store does.
#define CONTROLS(name) \
    int name(int file, int operation, ...) { \
        NEXT(name); \
        va_list more; \
        va_start(more, operation); \
        void *argument = va_arg(more, void *); \
        va_end(more); \
        if ((operation == F_SETLK || operation == F_OFD_SETLK) && fails_file("lock", file)) return -1; \
        return next(file, operation, argument); \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)
