// One io_uring(7) that carries commands of FUSE-over-io_uring, and reads of files that wait, for Swift: liburing's header cannot be imported
// there (it defines _GNU_SOURCE).
//
// Results are at least 0, or -errno. A ring belongs to the thread that opened it: no other may touch it.
#ifndef APPHOME_CRING_H
#define APPHOME_CRING_H

#include <stdint.h>
#include <sys/uio.h>

typedef struct fuse_ring fuse_ring;

// Makes a ring with room for `entries` commands on `fd`, an open /dev/fuse.
int32_t fuse_ring_open(uint32_t entries, int32_t fd, fuse_ring **made);
void fuse_ring_close(fuse_ring *ring);

// Offers the kernel one entry of `queue`: parts[0] is its header, parts[1] its payload. They and `parts` must
// stay until the command completes.
int32_t fuse_ring_register(fuse_ring *ring, uint16_t queue, struct iovec parts[2], uint64_t tag);
// Answers the request that an entry holds, and offers the entry again.
int32_t fuse_ring_commit(fuse_ring *ring, uint16_t queue, uint64_t commit_id, uint64_t tag);
// Completes once, when `fd` is readable.
int32_t fuse_ring_watch(fuse_ring *ring, int32_t fd, uint64_t tag);
// Reads from a file as pread(2) does, without a thread that waits for the disk. The result is a completion's.
int32_t fuse_ring_read(fuse_ring *ring, int32_t fd, void *buffer, uint32_t size, uint64_t offset, uint64_t tag);

// Hands over what was queued.
void fuse_ring_send(fuse_ring *ring);
// Hands over what was queued and waits until something completed.
int32_t fuse_ring_wait(fuse_ring *ring);
// Takes one completion: 1, or 0 where there is none.
int32_t fuse_ring_next(fuse_ring *ring, uint64_t *tag, int32_t *result);

#endif
