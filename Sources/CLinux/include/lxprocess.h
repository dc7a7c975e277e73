// Starting processes, and what a process knows of itself, for Swift.
//
// As in clinux.h: every function returns its result (>= 0) or -errno.
#ifndef APPHOME_LXPROCESS_H
#define APPHOME_LXPROCESS_H

#include <stdint.h>
#include <sys/types.h>

// Starts `path` with `fds[i]` as its descriptor i and no other, all signals at their defaults and unblocked.
// With `own_session` it leads a session of its own and stands in "/". Returns the process id.
int32_t lx_spawn(
    const char *path, char *const argv[], char *const environment[], const int32_t *fds, uint32_t count,
    int32_t own_session);
// As lx_spawn, and the child makes itself that user's before it is `path`: no thread of this process ever is, whom that
// user could then signal, limit or trace. Where it cannot, or there is no such program, it exits with 127.
int32_t lx_spawn_as(
    const char *path, char *const argv[], char *const environment[], const int32_t *fds, uint32_t count,
    uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t group_count);
// Waits for a child. Returns its exit status, or 128 + the signal that ended it.
int32_t lx_wait_child(int32_t pid);

// Processes whose parent ends before them become this one's children, where it started that.
int32_t lx_adopt_orphans(void);
// A descriptor of a process (pidfd), readable when that has ended.
int32_t lx_process(int32_t pid);

// A new terminal: out[0] is its master, out[1] the end for programs.
int32_t lx_open_terminal(int32_t out[2]);

// Raises the limit of open files to the hard limit, and makes the kernel's table that large now: growing it
// in a process with threads stalls requests for milliseconds. Returns the limit.
int32_t lx_grow_descriptor_table(void);

// The linker's build id of this executable. Returns its size in bytes; 0 where the linker left none.
int32_t lx_build_id(uint8_t *out, uint32_t capacity);
uint32_t lx_effective_uid(void);
uint32_t lx_effective_gid(void);
// The home directory and primary group that the user database has for `uid`; -ENOENT where it has none.
int32_t lx_user(uint32_t uid, char *home, uint32_t capacity, uint32_t *gid);
// The groups of `uid` in the group database, `gid` among them; that one alone where nobody knows the user.
// Returns how many, at most `capacity`.
int32_t lx_groups(uint32_t uid, uint32_t gid, uint32_t *out, uint32_t capacity);
// Makes this process that user's, for good, with those groups, no capability and no controlling terminal; -EPERM where
// anything of root's is left in force afterwards. To be called while it has one thread.
int32_t lx_become(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count);
// Makes this thread alone that user's, for good.
int32_t lx_thread_become_for_good(uint32_t uid, uint32_t gid, const uint32_t *groups, uint32_t count);
// Whether this process is an ordinary user's: no other user's ids, and no capability.
int32_t lx_is_ordinary(void);
// Whether the running kernel calls itself that version, or a later one.
int32_t lx_kernel_is_at_least(uint32_t major, uint32_t minor);
// A file without a name that lives in memory, empty, open for reading and writing.
int32_t lx_memory_file(void);
int32_t lx_set_umask(uint32_t mask);
// The highest rank of the locks that this thread holds; 0 at first.
int32_t lx_lock_rank(void);
void lx_set_lock_rank(int32_t rank);
// Gives free heap pages back to the kernel.
void lx_trim_heap(void);

#endif
