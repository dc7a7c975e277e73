// On which CPUs a thread runs. Results as in clinux.h: at least 0, or -errno.
#ifndef APPHOME_SCHEDULING_H
#define APPHOME_SCHEDULING_H

#include <stdint.h>

// The CPUs that the calling thread may run on, as a bit mask of `size` bytes (a multiple of 8).
int32_t lx_get_affinity(uint64_t *mask, uint64_t size);
int32_t lx_set_affinity(const uint64_t *mask, uint64_t size);
// Keeps the calling thread on one CPU.
int32_t lx_pin_to_cpu(uint32_t cpu);

#endif
