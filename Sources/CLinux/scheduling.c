#define _GNU_SOURCE
#include "scheduling.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int32_t lx_get_affinity(uint64_t *mask, uint64_t size) {
  long result = syscall(SYS_sched_getaffinity, 0, size, mask);
  return result < 0 ? -errno : 0;
}

int32_t lx_set_affinity(const uint64_t *mask, uint64_t size) {
  return syscall(SYS_sched_setaffinity, 0, size, mask) < 0 ? -errno : 0;
}

int32_t lx_pin_to_cpu(uint32_t cpu) {
  uint64_t mask[16] = {0};
  if (cpu >= 64 * 16) return -EINVAL;
  mask[cpu / 64] = 1ULL << (cpu % 64);
  return lx_set_affinity(mask, sizeof mask);
}
