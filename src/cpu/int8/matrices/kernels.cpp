// kernels.cpp: products of matrices of bytes by plain loops and by AMX, and the choice at run time.
#include "cpu/int8/matrices/kernels.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <hwy/targets.h>

#if HWY_ARCH_X86_64 && defined(__linux__) && ((defined(__clang__) && __clang_major__ >= 12) || (!defined(__clang__) && __GNUC__ >= 11))
#define HALATION_AMX 1
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <hwy/base.h>
// GCC 12 takes vectors that these headers leave undefined on purpose for an oversight.
HWY_DIAGNOSTICS(push)
HWY_DIAGNOSTICS_OFF(disable : 4701, ignored "-Wuninitialized")
HWY_DIAGNOSTICS_OFF(disable : 4703, ignored "-Wmaybe-uninitialized")
#include <immintrin.h>
HWY_DIAGNOSTICS(pop)
#else
#define HALATION_AMX 0
#endif

namespace halation::cpu_backend {
namespace {

void group_rows_of(const std::uint8_t* const* rows, std::int64_t samples, std::uint8_t* line, std::int64_t groups) {
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::int64_t row = 0; row < group_rows; ++row, line += group_samples) {
      const std::int64_t at = group * group_outputs;
      const std::int64_t count = std::clamp<std::int64_t>(samples - at, 0, group_samples);
      std::memcpy(line, rows[row] + at, static_cast<std::size_t>(count));
      std::memset(line + count, 0, static_cast<std::size_t>(group_samples - count));
    }
  }
}

std::int32_t finished(const Sums32Finish& finish, std::int32_t sum) {
  if (finish.shifts) return (sum + finish.bias) >> finish.shift;
  const float value = std::fma(finish.factor, static_cast<float>(sum), finish.offset);
  return static_cast<std::int32_t>(finish.rounding == Rounding::half_even ? std::nearbyint(value) : std::trunc(value));
}

template <class T>
void plain_rows(const MatrixRows& job) {
  const std::int64_t parts = job.has_lower ? 2 : 1;
  for (std::int64_t row = 0; row < group_output_rows; ++row) {
    for (std::int64_t i = 0; i < job.n; ++i) {
      const std::int64_t group = i / group_outputs;
      std::uint32_t sum = 0;
      const std::uint8_t* weights = job.weights;
      for (std::int64_t line = 0; line < job.count; ++line) {
        for (std::int64_t piece = 0; piece < job.pieces; ++piece, weights += parts * matrix_bytes) {
          const std::uint8_t* pixels = job.lines[line] + (group + 2 * piece) * group_bytes;
          for (std::int64_t k = 0; k < group_bytes; ++k) {
            const std::int64_t place = place_in_matrix(k / group_samples, k % group_samples, row, i % group_outputs);
            const std::int32_t upper = weights[place] < 128 ? weights[place] : weights[place] - 256;  // with a sign
            const std::int32_t weight = job.has_lower ? upper * 256 + weights[matrix_bytes + place] : upper;
            sum += static_cast<std::uint32_t>(weight * pixels[k]);
          }
        }
      }
      const std::int32_t value = finished(job.finish, std::bit_cast<std::int32_t>(sum));
      reinterpret_cast<T*>(job.out[static_cast<std::size_t>(row)])[i] =
          static_cast<T>(std::clamp<std::int32_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    }
  }
}

std::atomic<const MatrixKernels*> forced{nullptr};

}  // namespace

const MatrixKernels& plain_matrix_kernels() {
  static const MatrixKernels table{.instruction_set = "plain loops",
                                   .group = group_rows_of,
                                   .rows = {.u8 = plain_rows<std::uint8_t>, .i16 = plain_rows<std::int16_t>},
                                   .begin = [] {},
                                   .end = [] {}};
  return table;
}

void use_matrix_kernels(const MatrixKernels* kernels) { forced = kernels; }
bool must_use_matrix_kernels() { return forced != nullptr; }

}  // namespace halation::cpu_backend

#if HALATION_AMX
namespace halation::cpu_backend {
namespace {

/// Whether the processor has AMX with products of bytes and saves its tiles, and the system lets this process use them.
bool may_use_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned tiles = 1U << 24, products = 1U << 25, saves_by_system = 1U << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & saves_by_system) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & tiles) == 0 || (d & products) == 0) return false;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned state_of_tiles = 3U << 17;
  if ((low & state_of_tiles) != state_of_tiles) return false;
  constexpr long ask_for_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM of Linux 5.16
  return syscall(SYS_arch_prctl, ask_for_permission, tile_data) == 0;
}

}  // namespace
}  // namespace halation::cpu_backend

HWY_PUSH_ATTRIBUTES("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512dq")
namespace halation::cpu_backend {
namespace {

/// Compilers do not know that instructions on tiles read and write memory.
inline void finish_memory() { __asm__ volatile("" ::: "memory"); }

void group_rows_by_vectors(const std::uint8_t* const* rows, std::int64_t samples, std::uint8_t* line, std::int64_t groups) {
  const std::uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  const auto put = [&](std::int64_t group, const auto& load) {
    const std::int64_t at = group * group_outputs;
    const __m256i upper = _mm256_inserti128_si256(_mm256_castsi128_si256(load(a + at)), load(b + at), 1);
    const __m256i lower = _mm256_inserti128_si256(_mm256_castsi128_si256(load(c + at)), load(d + at), 1);
    _mm512_store_si512(line + group * group_bytes, _mm512_inserti64x4(_mm512_castsi256_si512(upper), lower, 1));
  };
  const std::int64_t whole = std::clamp<std::int64_t>((samples - group_samples) / group_outputs + (samples >= group_samples), 0, groups);
  for (std::int64_t group = 0; group < whole; ++group)
    put(group, [](const std::uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); });
  for (std::int64_t group = whole; group < groups; ++group) {
    const std::int64_t left = std::clamp<std::int64_t>(samples - group * group_outputs, 0, group_samples);
    const auto mask = static_cast<__mmask16>((1U << left) - 1);
    put(group, [mask](const std::uint8_t* from) { return _mm_maskz_loadu_epi8(mask, from); });
  }
}

constexpr std::int64_t sums_of_matrix = 256;

/// The first four tiles are sums.
inline void begin_sums() {
  finish_memory();
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}
inline void store_sums(std::int32_t* sums) {
  _tile_stored(0, sums, 64);
  _tile_stored(1, sums + sums_of_matrix, 64);
  _tile_stored(2, sums + 2 * sums_of_matrix, 64);
  _tile_stored(3, sums + 3 * sums_of_matrix, 64);
  finish_memory();
}

/// Sums of 32 groups from `first` on: of each 16 those by upper bytes, then those by lower ones.
void sum_by_both_bytes(const MatrixRows& job, std::int64_t first, std::int32_t* sums) {
  begin_sums();
  const std::uint8_t* weights = job.weights;
  for (std::int64_t line = 0; line < job.count; ++line) {
    const std::uint8_t* pixels = job.lines[line] + first * group_bytes;
    for (std::int64_t piece = 0; piece < job.pieces; ++piece, pixels += 2 * group_bytes, weights += 2 * matrix_bytes) {
      _tile_loadd(4, pixels, group_bytes);
      _tile_loadd(6, weights, 64);
      _tile_loadd(7, weights + matrix_bytes, 64);
      _tile_loadd(5, pixels + matrix_bytes, group_bytes);
      _tile_dpbusd(0, 4, 6);
      _tile_dpbuud(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbuud(3, 5, 7);
    }
  }
  store_sums(sums);
}

/// Sums of 64 groups from `first` on by weights of one byte.
void sum_by_one_byte(const MatrixRows& job, std::int64_t first, std::int32_t* sums) {
  begin_sums();
  const std::uint8_t* weights = job.weights;
  for (std::int64_t line = 0; line < job.count; ++line) {
    const std::uint8_t* pixels = job.lines[line] + first * group_bytes;
    for (std::int64_t piece = 0; piece < job.pieces; ++piece, pixels += 2 * group_bytes, weights += matrix_bytes) {
      _tile_loadd(7, weights, 64);
      _tile_loadd(4, pixels, group_bytes);
      _tile_dpbusd(0, 4, 7);
      _tile_loadd(5, pixels + matrix_bytes, group_bytes);
      _tile_dpbusd(1, 5, 7);
      _tile_loadd(6, pixels + 2 * matrix_bytes, group_bytes);
      _tile_dpbusd(2, 6, 7);
      _tile_loadd(4, pixels + 3 * matrix_bytes, group_bytes);
      _tile_dpbusd(3, 4, 7);
    }
  }
  store_sums(sums);
}

/// Sums finished as sums32's kernels finish them.
enum class Ending { shift, half_even, truncate };

template <Ending How>
struct Finisher {
  __m512i bias, shift;
  __m512 factor, offset;
  explicit Finisher(const Sums32Finish& finish)
      : bias(_mm512_set1_epi32(finish.bias)),
        shift(_mm512_set1_epi32(finish.shift)),
        factor(_mm512_set1_ps(finish.factor)),
        offset(_mm512_set1_ps(finish.offset)) {}
  __m512i operator()(__m512i sums) const {
    if constexpr (How == Ending::shift) return _mm512_srav_epi32(_mm512_add_epi32(sums, bias), shift);
    const __m512 value = _mm512_fmadd_ps(factor, _mm512_cvtepi32_ps(sums), offset);
    return How == Ending::half_even ? _mm512_cvtps_epi32(value) : _mm512_cvttps_epi32(value);
  }
};

void put(__m512i pixels, std::uint8_t* to, std::int64_t count, bool streams) {
  if (count < 64) return _mm512_mask_storeu_epi8(to, (std::uint64_t{1} << count) - 1, pixels);
  if (streams && reinterpret_cast<std::uintptr_t>(to) % 64 == 0) return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), pixels);
  _mm512_storeu_si512(to, pixels);
}

void put(__m512i pixels, std::int16_t* to, std::int64_t count, bool streams) {
  if (count < 32) return _mm512_mask_storeu_epi16(to, static_cast<__mmask32>((std::uint64_t{1} << std::max<std::int64_t>(count, 0)) - 1), pixels);
  if (streams && reinterpret_cast<std::uintptr_t>(to) % 64 == 0) return _mm512_stream_si512(reinterpret_cast<__m512i*>(to), pixels);
  _mm512_storeu_si512(to, pixels);
}

/// Whole numbers of two rows of 8 of two groups, joined to 16 bits within blocks of 128 bits, in order: both groups' of the first row,
/// then of the second.
inline __m512i rows_of_16(__m512i first, __m512i second) {
  const __m512i order = _mm512_set_epi64(7, 5, 6, 4, 3, 1, 2, 0);
  return _mm512_permutexvar_epi64(order, _mm512_packs_epi32(first, second));
}

/// Eight groups as `count` ≤ 64 outputs of two rows.
template <class Whole, class T>
void put_groups(const Whole& whole, T* first, T* second, std::int64_t count, bool streams) {
  const __m512i a = rows_of_16(whole(0), whole(1)), b = rows_of_16(whole(2), whole(3));
  const __m512i c = rows_of_16(whole(4), whole(5)), d = rows_of_16(whole(6), whole(7));
  const __m512i a_b = _mm512_shuffle_i64x2(a, b, 0x44), c_d = _mm512_shuffle_i64x2(c, d, 0x44);  // of the first row
  const __m512i of_a_b = _mm512_shuffle_i64x2(a, b, 0xee), of_c_d = _mm512_shuffle_i64x2(c, d, 0xee);
  if constexpr (sizeof(T) == 1) {
    const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    put(_mm512_permutexvar_epi64(order, _mm512_packus_epi16(a_b, c_d)), first, count, streams);
    put(_mm512_permutexvar_epi64(order, _mm512_packus_epi16(of_a_b, of_c_d)), second, count, streams);
  } else {
    put(a_b, first, count, streams);
    put(c_d, first + 32, count - 32, streams);
    put(of_a_b, second, count, streams);
    put(of_c_d, second + 32, count - 32, streams);
  }
}

template <bool HasLower, Ending How, class T>
void rows_by_tiles(const MatrixRows& job) {
  constexpr std::int64_t groups = HasLower ? 32 : 64;
  alignas(64) std::int32_t sums[4 * sums_of_matrix];
  const Finisher<How> finish(job.finish);
  T* const first = reinterpret_cast<T*>(job.out[0]);
  T* const second = reinterpret_cast<T*>(job.out[1]);
  for (std::int64_t at = 0; at < job.n; at += groups * group_outputs) {
    if constexpr (HasLower) {
      sum_by_both_bytes(job, at / group_outputs, sums);
    } else {
      sum_by_one_byte(job, at / group_outputs, sums);
    }
    for (std::int64_t eight = 0; eight < groups; eight += 8) {
      const std::int64_t begin = at + eight * group_outputs;
      if (begin >= job.n) break;
      const std::int32_t* from = HasLower ? sums + eight / 16 * 2 * sums_of_matrix + eight % 16 * 16 : sums + eight * 16;
      const auto whole = [&](std::int64_t group) {
        const __m512i upper = _mm512_load_si512(from + 16 * group);
        if constexpr (!HasLower) return finish(upper);
        return finish(_mm512_add_epi32(_mm512_slli_epi32(upper, 8), _mm512_load_si512(from + sums_of_matrix + 16 * group)));
      };
      put_groups(whole, first + begin, second + begin, std::min<std::int64_t>(job.n - begin, 64), job.streams);
    }
  }
}

template <class T>
void rows_by_amx(const MatrixRows& job) {
  const auto by = [&]<Ending How>() { job.has_lower ? rows_by_tiles<true, How, T>(job) : rows_by_tiles<false, How, T>(job); };
  if (job.finish.shifts) return by.template operator()<Ending::shift>();
  if (job.finish.rounding == Rounding::half_even) return by.template operator()<Ending::half_even>();
  by.template operator()<Ending::truncate>();
}

/// What the instruction that configures tiles reads: eight of 16 rows of 64 bytes.
struct TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_of_row[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileConfiguration) == 64);

void configure_tiles() {
  static constexpr TileConfiguration configuration;
  __asm__ volatile("ldtilecfg %0" ::"m"(configuration));
}
void release_tiles() { _tile_release(); }

const MatrixKernels amx_kernels{.instruction_set = "AMX",
                                .group = group_rows_by_vectors,
                                .rows = {.u8 = rows_by_amx<std::uint8_t>, .i16 = rows_by_amx<std::int16_t>},
                                .begin = configure_tiles,
                                .end = release_tiles};

}  // namespace
}  // namespace halation::cpu_backend
HWY_POP_ATTRIBUTES
#endif

namespace halation::cpu_backend {

const MatrixKernels* matrix_kernels() {
  if (const MatrixKernels* kernels = forced) return kernels;
#if HALATION_AMX
  static const bool may = may_use_amx();
  if (may && (hwy::SupportedTargets() & HWY_AVX3) != 0) return &amx_kernels;
#endif
  return nullptr;
}

}  // namespace halation::cpu_backend
