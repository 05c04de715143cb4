// Tells the thread sanitizer of a Mutex that two threads want at once.
//
// Swift's Mutex is taken and given back by code that the compiler puts into its callers, where the sanitizer sees it.
// Where a thread has to wait, the Swift library does it, which is not built for the sanitizer: what a mutex guards would
// then be reported as a race. Loaded before that library, these functions stand before its own.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef __attribute__((swiftcall)) void Lock(uint32_t owner, __attribute__((swift_context)) void *mutex);
typedef __attribute__((swiftcall)) void Unlock(__attribute__((swift_context)) void *mutex);

// In the program; absent from programs that it starts.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

Lock lock __asm__(LOCK);
Unlock unlock __asm__(UNLOCK);

static void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

__attribute__((swiftcall)) void lock(uint32_t owner, __attribute__((swift_context)) void *mutex) {
    ((Lock *)next(LOCK))(owner, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

__attribute__((swiftcall)) void unlock(__attribute__((swift_context)) void *mutex) {
    if (__tsan_release) __tsan_release(mutex);
    ((Unlock *)next(UNLOCK))(mutex);
}
