#include "cring.h"

#include <errno.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

// From linux/fuse.h of a kernel that has the ring; older headers lack it.
enum { FUSE_COMMAND_REGISTER = 1, FUSE_COMMAND_COMMIT_AND_FETCH = 2 };

struct fuse_command {
  uint64_t flags;
  uint64_t commit_id;
  uint16_t queue;
  uint8_t padding[6];
};

struct fuse_ring {
  struct io_uring uring;
};

int32_t fuse_ring_open(uint32_t entries, int32_t fd, fuse_ring **made) {
  fuse_ring *ring = calloc(1, sizeof *ring);
  if (!ring) return -ENOMEM;
  struct io_uring_params params = {.flags = IORING_SETUP_SQE128};
  int result = io_uring_queue_init_params(entries, &ring->uring, &params);
  if (result < 0) {
    free(ring);
    return result;
  }
  result = io_uring_register_files(&ring->uring, &fd, 1);
  if (result < 0) {
    fuse_ring_close(ring);
    return result;
  }
  // Saves each wait a look-up in the descriptor table; where it cannot be had nothing is lost.
  io_uring_register_ring_fd(&ring->uring);
  *made = ring;
  return 0;
}

void fuse_ring_close(fuse_ring *ring) {
  io_uring_queue_exit(&ring->uring);
  free(ring);
}

// A free submission; makes room by handing over what is there.
static struct io_uring_sqe *next_submission(fuse_ring *ring) {
  struct io_uring_sqe *submission = io_uring_get_sqe(&ring->uring);
  if (submission) return submission;
  io_uring_submit(&ring->uring);
  return io_uring_get_sqe(&ring->uring);
}

static int32_t queue_command(
    fuse_ring *ring, uint32_t operation, struct fuse_command command, const struct iovec *parts, uint64_t tag) {
  struct io_uring_sqe *submission = next_submission(ring);
  if (!submission) return -EBUSY;
  // A submission has 128 bytes here; the library's structure is the first 64.
  memset(submission, 0, 128);
  submission->opcode = IORING_OP_URING_CMD;
  submission->flags = IOSQE_FIXED_FILE;
  submission->fd = 0;
  submission->cmd_op = operation;
  submission->user_data = tag;
  if (parts) {
    submission->addr = (uint64_t)(uintptr_t)parts;
    submission->len = 2;
  }
  memcpy(submission->cmd, &command, sizeof command);
  return 0;
}

int32_t fuse_ring_register(fuse_ring *ring, uint16_t queue, struct iovec parts[2], uint64_t tag) {
  struct fuse_command command = {.queue = queue};
  return queue_command(ring, FUSE_COMMAND_REGISTER, command, parts, tag);
}

int32_t fuse_ring_commit(fuse_ring *ring, uint16_t queue, uint64_t commit_id, uint64_t tag) {
  struct fuse_command command = {.commit_id = commit_id, .queue = queue};
  return queue_command(ring, FUSE_COMMAND_COMMIT_AND_FETCH, command, NULL, tag);
}

int32_t fuse_ring_watch(fuse_ring *ring, int32_t fd, uint64_t tag) {
  struct io_uring_sqe *submission = next_submission(ring);
  if (!submission) return -EBUSY;
  memset(submission, 0, 128);
  io_uring_prep_poll_add(submission, fd, POLLIN);
  submission->user_data = tag;
  return 0;
}

int32_t fuse_ring_read(fuse_ring *ring, int32_t fd, void *buffer, uint32_t size, uint64_t offset, uint64_t tag) {
  struct io_uring_sqe *submission = next_submission(ring);
  if (!submission) return -EBUSY;
  memset(submission, 0, 128);
  io_uring_prep_read(submission, fd, buffer, size, offset);
  submission->user_data = tag;
  return 0;
}

void fuse_ring_send(fuse_ring *ring) { io_uring_submit(&ring->uring); }

int32_t fuse_ring_wait(fuse_ring *ring) { return io_uring_submit_and_wait(&ring->uring, 1); }

int32_t fuse_ring_next(fuse_ring *ring, uint64_t *tag, int32_t *result) {
  struct io_uring_cqe *completion;
  if (io_uring_peek_cqe(&ring->uring, &completion) != 0) return 0;
  *tag = completion->user_data;
  *result = completion->res;
  io_uring_cqe_seen(&ring->uring, completion);
  return 1;
}
