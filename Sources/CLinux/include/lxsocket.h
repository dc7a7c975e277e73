// Unix sockets that carry descriptors, mounting, and waiting, for Swift.
//
// As in clinux.h: every function returns its result (>= 0) or -errno.
#ifndef APPHOME_LXSOCKET_H
#define APPHOME_LXSOCKET_H

#include <stdint.h>
#include <sys/types.h>

// A socket in the directory `dir` is reached through /proc/self/fd, so that no path is too long for sun_path.

// A listening stream socket `name` in `dir`, mode 0600 before anybody can connect.
int32_t lx_unix_listen(int32_t dir, const char *name);
int32_t lx_unix_connect(int32_t dir, const char *name);
int32_t lx_socketpair(int32_t out[2]);
// The next connection, not blocking.
int32_t lx_accept(int32_t listener);
int32_t lx_peer(int32_t fd, int32_t *pid, uint32_t *uid, uint32_t *gid);
// Nothing more is sent: the other side sees the end (shutdown(2)).
int32_t lx_shutdown_sending(int32_t fd);
// Sends without blocking and without SIGPIPE; `fds` travel with the first byte.
int64_t lx_send(int32_t fd, const void *bytes, uint64_t size, const int32_t *fds, uint32_t count);
// Receives without blocking. Up to `capacity` descriptors (all O_CLOEXEC) go to `fds`, their number to `count`;
// any beyond that are closed and counted as one above `capacity`.
int64_t lx_receive(int32_t fd, void *bytes, uint64_t size, int32_t *fds, uint32_t capacity, uint32_t *count);

// Waits until one of the descriptors is readable (`writable`: writable) or hung up.
// Returns a bit mask of those that are; 0 after `timeout_ms` (-1: never). At most 31 descriptors.
int32_t lx_wait(const int32_t *fds, uint32_t count, int32_t writable, int32_t timeout_ms);

// Waiting for any number of descriptors (epoll(7)).
int32_t lx_epoll(void);
// Adds `fd` (`is_new`), or changes what is waited for: that it is readable or the other side went, and with `writable`
// that it is writable.
int32_t lx_epoll_set(int32_t epoll, int32_t fd, uint64_t token, int32_t writable, int32_t is_new);
int32_t lx_epoll_remove(int32_t epoll, int32_t fd);
// Up to `capacity` (at most 64) of those that are ready: their tokens, and for each whether it is readable or the
// other side is gone. Returns how many; 0 after `timeout_ms` (-1: never).
int32_t lx_epoll_wait(int32_t epoll, uint64_t *tokens, int32_t *readable, uint32_t capacity, int32_t timeout_ms);
// How many bytes the kernel keeps that were sent and not read yet.
int32_t lx_set_send_buffer(int32_t fd, int32_t bytes);

int32_t lx_eventfd(void);
int32_t lx_pipe(int32_t out[2]);
// Blocks these signals in this thread (and those it starts) and returns a descriptor that reports them.
int32_t lx_signals(const int32_t *signals, uint32_t count);
// Undoes its blocking in this thread.
void lx_unblock_signals(const int32_t *signals, uint32_t count);
// The next signal that `fd` (of lx_signals) reports; 0 where there is none. `is_from_kernel`: a terminal sent it.
int32_t lx_next_signal(int32_t fd, int32_t *is_from_kernel);
void lx_ignore_signal(int32_t signal);
int64_t lx_write(int32_t fd, const void *bytes, uint64_t size);

// A mount of this process alone that shows what is in `directory`, read-only, and on which no access time moves; it goes
// with its descriptor. -EPERM without CAP_SYS_ADMIN.
int32_t lx_mount_for_reading(int32_t directory);
// 1 where reading through this descriptor moves no access time, whoever does it.
int32_t lx_moves_no_access_time(int32_t fd);
int32_t lx_mount(const char *source, const char *target, const char *type, uint64_t flags, const char *data);
int32_t lx_umount(const char *target, int32_t flags);
extern const uint64_t lx_ms_nosuid, lx_ms_nodev, lx_ms_rdonly, lx_ms_noexec, lx_ms_nosymfollow;
extern const int32_t lx_mnt_force, lx_mnt_detach, lx_umount_nofollow;

// Takes (or, with `wait` 0, tries) the exclusive flock(2) of the file.
int32_t lx_flock(int32_t fd, int32_t wait);
// Tries the shared one.
int32_t lx_flock_shared(int32_t fd);

#endif
