// caches.h: what the system says of this machine's caches.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace halation::cpu_backend {

/// sysconf(name), or `least` where the system says less or nothing.
inline std::int64_t system_says(int name, std::int64_t least) { return std::max<std::int64_t>(least, sysconf(name)); }

/// Places that the first-level cache has for lines at like places of pages: 8 or 12.
inline std::int64_t first_level_ways() {
#ifdef _SC_LEVEL1_DCACHE_ASSOC
  return system_says(_SC_LEVEL1_DCACHE_ASSOC, 8);
#else
  return 8;
#endif
}

inline std::int64_t second_level_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  return system_says(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
#else
  return 512 << 10;
#endif
}

}  // namespace halation::cpu_backend
