#define _GNU_SOURCE

#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

int32_t foyer_add_key(const char *description, const void *payload, size_t length, int32_t keyring) {
    long key = syscall(SYS_add_key, "user", description, payload, length, (long)keyring);
    return key < 0 ? -errno : (int32_t)key;
}

int32_t foyer_keyctl(int operation, unsigned long second, unsigned long third, unsigned long fourth, unsigned long fifth) {
    long result = syscall(SYS_keyctl, (long)operation, second, third, fourth, fifth);
    return result < 0 ? -errno : (int32_t)result;
}

int32_t foyer_search_key(int32_t keyring, const char *description) {
    return foyer_keyctl(
        KEYCTL_SEARCH, (unsigned long)(long)keyring, (unsigned long)"user", (unsigned long)description, 0);
}

uint64_t foyer_file_attributes(const char *path) {
    struct statx info;
    memset(&info, 0, sizeof info);
    if (syscall(SYS_statx, AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0u, &info) != 0) return 0;
    return info.stx_attributes & info.stx_attributes_mask;
}

bool foyer_is_shared_file_system(const char *path) {
    struct statfs info;
    int result;
    do {
        result = statfs(path, &info);
    } while (result != 0 && errno == EINTR);
    if (result != 0) return false;
    switch ((uint32_t)info.f_type) {
    case AFS_FS_MAGIC:
    case AFS_SUPER_MAGIC:
    case CEPH_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case CODA_SUPER_MAGIC:
    case FUSE_SUPER_MAGIC:
    case NCP_SUPER_MAGIC:
    case NFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case V9FS_MAGIC:
    // Not in every linux/magic.h: Lustre, GPFS and VirtualBox.
    case 0x0BD00BD0:
    case 0x47504653:
    case 0x786F4256:
        return true;
    default:
        return false;
    }
}

int foyer_keep_room(int file, int64_t size) {
    return syscall(SYS_fallocate, file, FALLOC_FL_KEEP_SIZE, (off_t)0, (off_t)size) == 0 ? 0 : errno;
}

int foyer_memory_file(void) {
    return (int)syscall(SYS_memfd_create, "input", MFD_CLOEXEC);
}

int foyer_spawn_close_from(void *actions, int first) {
#ifdef __GLIBC__
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    for (int file = first; file < 1024; file++) {
        int flags = fcntl(file, F_GETFD);
        if (flags >= 0) fcntl(file, F_SETFD, flags | FD_CLOEXEC);
    }
    return 0;
#endif
}

int foyer_open_clock_changes(void) {
    int file = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (file < 0) return -1;
    // The end of the year 9999, so it never fires.
    struct itimerspec never = {{0, 0}, {253402300799, 0}};
    if (timerfd_settime(file, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return file;
    close(file);
    return -1;
}

int foyer_open_network_changes(void) {
    int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (file < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;
    if (bind(file, (struct sockaddr *)&address, sizeof address) == 0) return file;
    close(file);
    return -1;
}
