// header_fuzz_test.cpp: headers that state other sizes and counts, of every format: refused, or read within
// the memory that may be used.
//
// HALATION_FILES=20000 reads more than `make test` does, HALATION_SEED others. What it took is printed and
// decides nothing but memory.
#include <cstddef>
#include <cstdio>

#include <fcntl.h>
#include <jpeglib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <tiffio.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "header_fields.h"
#include "pictures.h"

namespace halation::test {
namespace {

constexpr std::string_view portable[] = {".pbm", ".pgm", ".ppm", ".pam", ".pfm"};
constexpr std::size_t memory_bytes = std::size_t{1} << 30;

struct Sample {
  std::string name;
  std::string bytes;
  std::vector<Field> fields = {};
};

/// Several scans, whose coefficients wait in memory.
std::string progressive_jpeg(int side) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* data = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's
  jpeg_mem_dest(&info, &data, &size);
  info.image_width = info.image_height = static_cast<JDIMENSION>(side);
  info.input_components = 3;
  info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  std::vector<JSAMPLE> row(static_cast<std::size_t>(3 * side));
  for (int y = 0; y < side; ++y) {
    for (std::size_t x = 0; x < row.size(); ++x)
      row[x] = static_cast<JSAMPLE>(x * 7 + static_cast<std::size_t>(y) * 11);
    JSAMPROW samples = row.data();
    jpeg_write_scanlines(&info, &samples, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::string bytes(reinterpret_cast<const char*>(data), size);
  std::free(data);
  return bytes;
}

/// Gray tiles of 16 by 16, or strips of 4 rows.
std::string odd_tiff(const std::string& path, const char* mode, bool tiled, int compression, int bits) {
  TIFF* tiff = TIFFOpen(path.c_str(), mode);
  constexpr std::uint32_t side = 32;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, side);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, side);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  if (tiled) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, 16);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, 16);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 4);
  }
  std::string block(tiled ? 256 : 4 * side, '\0');
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>(i * i);
  const std::uint32_t blocks = tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto size = static_cast<tmsize_t>(tiled ? TIFFTileSize(tiff) : TIFFStripSize(tiff));
    tiled ? TIFFWriteEncodedTile(tiff, i, block.data(), size)
          : TIFFWriteEncodedStrip(tiff, i, block.data(), size);
  }
  TIFFClose(tiff);
  return bytes_in(path);
}

std::vector<Sample> samples() {
  const Folder folder;
  std::vector<Sample> list;
  const auto written = [&](const std::string& name, Pixel pixel, ColourModel colour, bool alpha,
                           const WriteOptions& options = {}) {
    write_one(folder / name, random_page(pixel, 32, 32, colour, alpha), options);
    list.push_back({name, bytes_in(folder / name)});
  };
  written("rgba.png", Pixel::u8, ColourModel::rgb, true);
  written("gray.png", Pixel::u16, ColourModel::gray, false);
  written("rgb.jpg", Pixel::u8, ColourModel::rgb, false);
  written("cmyk.jpg", Pixel::u8, ColourModel::cmyk, false);
  list.push_back({"progressive.jpg", progressive_jpeg(32)});
  written("rgb.tif", Pixel::u8, ColourModel::rgb, false);
  written("float.tif", Pixel::f32, ColourModel::gray, false);
  list.push_back({"tiles.tif", odd_tiff(folder / "a", "w", true, COMPRESSION_LZW, 8)});
  list.push_back({"big.tif", odd_tiff(folder / "a", "w8", false, COMPRESSION_NONE, 8)});
  list.push_back({"big_tiles.tif", odd_tiff(folder / "a", "w8", true, COMPRESSION_PACKBITS, 8)});
  list.push_back({"fax.tif", odd_tiff(folder / "a", "w", false, COMPRESSION_CCITTFAX4, 1)});
  written("lossless.webp", Pixel::u8, ColourModel::rgb, true);
  written("lossy.webp", Pixel::u8, ColourModel::rgb, false, {.lossless = false});
  written("lossy_alpha.webp", Pixel::u8, ColourModel::rgb, true, {.lossless = false});
  written("half.exr", Pixel::f16, ColourModel::rgb, true);
  written("float.exr", Pixel::f32, ColourModel::gray, false);
  written("float.npy", Pixel::f32, ColourModel::rgb, false);
  written("gray.bmp", Pixel::u8, ColourModel::gray, false);
  written("rgba.bmp", Pixel::u8, ColourModel::rgb, true);
  written("rgb.ppm", Pixel::u8, ColourModel::rgb, false);
  written("rgba.pam", Pixel::u16, ColourModel::rgb, true);
  written("rgb.pfm", Pixel::f32, ColourModel::rgb, false);
#ifdef HALATION_AVIF
  written("rgba.avif", Pixel::u8, ColourModel::rgb, true);
  written("gray.avif", Pixel::u16, ColourModel::gray, false);
#endif
  // What halation does not write comes from the corpus of the fuzz targets.
  for (const char* name : {"animated.gif", "runs8.bmp", "runs4.bmp", "bits.pbm", "text.pgm"})
    list.push_back({name, bytes_in(std::string(HALATION_TESTS_DIR "/fuzz/corpus/files/") + name)});
  for (Sample& sample : list) {
    const std::string& file = sample.bytes;
    const std::string ending = sample.name.substr(sample.name.find('.'));
    sample.fields = ending == ".png"    ? png_fields(file)
                    : ending == ".jpg"  ? jpeg_fields(file)
                    : ending == ".tif"  ? tiff_fields(file)
                    : ending == ".webp" ? webp_fields(file)
                    : ending == ".exr"  ? exr_fields(file)
                    : ending == ".bmp"  ? bmp_fields(file)
                    : ending == ".gif"  ? gif_fields(file)
                    : ending == ".avif" ? avif_fields(file)
                                        : std::vector<Field>{{8, 2, false}};
  }
  return list;
}

/// Formats whose headers are words.
bool is_portable(std::string_view name) {
  return std::any_of(std::begin(portable), std::end(portable),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

/// The first numbers of the file, those of its header, after its "P6", others.
std::string with_other_words(std::string file, std::mt19937& random) {
  const std::string digits = "0123456789";
  std::size_t begin = 2;
  for (int words = 0; words < 4; ++words) {
    begin = file.find_first_of(digits, begin);
    if (begin == std::string::npos) break;
    const std::size_t length = std::min(file.find_first_not_of(digits, begin), file.size()) - begin;
    const std::string other = std::to_string(other_number(random() % 100, 1 + random() % 8, random));
    const bool stays = random() % 2 == 0;
    if (!stays) file.replace(begin, length, other);
    begin += stays ? length : other.size();
  }
  return file;
}

/// The sample with one to three fields changed; an array's extents are words.
std::string lying(const Sample& sample, std::mt19937& random) {
  std::string file = sample.bytes;
  if (sample.name.ends_with(".npy") && random() % 8 > 0) {
    const std::size_t begin = file.find('(') + 1;
    std::string shape;
    for (unsigned axes = 1 + random() % 4; axes > 0; --axes) {
      shape += std::to_string(other_number(random() % 100, 1 + random() % 8, random)) + ",";
    }
    return file.replace(begin, file.find(')') - begin, shape);
  }
  if (is_portable(sample.name)) return with_other_words(file, random);
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
    const Field& field = sample.fields[random() % sample.fields.size()];
    put_number(file, field, other_number(number_at(file, field), field.bytes, random));
  }
  if (sample.name.ends_with(".png")) {
    put_number(file, {29, 4, true}, crc_of(std::string_view(file).substr(12, 17)));
  }
  return file;
}

std::size_t number_of(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// The largest resident memory since `begin`, where the system tells; what was touched before is counted too.
class Peak {
 public:
  static void begin() { std::ofstream("/proc/self/clear_refs") << 5; }
  static std::size_t bytes() {
    std::ifstream file("/proc/self/status");
    std::string word;
    while (file >> word && word != "VmHWM:") continue;
    std::size_t kibibytes = 0;
    file >> kibibytes;
    return kibibytes * 1024;
  }
};

/// Processor time of a process: what others do on the machine does not count.
double milliseconds(const rusage& usage) {
  const auto of = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double milliseconds_used() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return milliseconds(usage);
}

struct Worst {
  double value = 0;
  std::string name = {};
  void see(double other, const std::string& its) {
    if (other > value) *this = {other, its};
  }
};

void print(const char* what, const Worst& worst, const char* unit) {
  std::printf("  %-40s %10.1f %s (%s)\n", what, worst.value, unit, worst.name.c_str());
}

/// What `halation apply` does with the file.
struct Ended {
  int exit_code = -1;
  rusage usage = {};
};

Ended apply(const std::string& program, const std::string& file, const std::string& out) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    for (const int number : {0, 1, 2}) ::dup2(nowhere, number);
    ::execl(program.c_str(), program.c_str(), "apply", "identity", file.c_str(), "-o", out.c_str(),
            "--memory", "1G", "--device", "cpu", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  Ended run;
  ::wait4(child, &status, 0, &run.usage);
  if (WIFEXITED(status)) run.exit_code = WEXITSTATUS(status);
  return run;
}

TEST(HeaderFuzz, StaysWithinTheMemoryThatMayBeUsed) {
  TIFFSetErrorHandler(nullptr);
  const std::size_t files = number_of("HALATION_FILES", 300);
  const std::size_t seed = number_of("HALATION_SEED", 1);
  const std::vector<Sample> all = samples();
  const Folder folder;
  const char* program = std::getenv("HALATION_PROGRAM");
  const std::size_t every = std::max<std::size_t>(20, files / 400);  // of which the program reads one
  std::map<std::string, int> outcomes;
  Worst time, memory, program_time, program_memory;
  for (std::size_t i = 0; i < files; ++i) {
    const Sample& sample = all[i % all.size()];
    std::mt19937 random(static_cast<unsigned>(seed * 1000003 + i));
    const std::string name = sample.name + ", file " + std::to_string(i);
    const std::string path = folder / sample.name;
    std::filesystem::remove(path);
    write_bytes(path, lying(sample, random));
    Peak::begin();
    const double before = milliseconds_used();
    try {
      const std::vector<Page> pages = read_pages(path, {.memory_bytes = memory_bytes});
      EXPECT_FALSE(pages.empty());
      ++outcomes["read"];
    } catch (const Error& error) {
      ++outcomes[error.code() == ErrorCode::io              ? "refused as damaged"
                 : error.code() == ErrorCode::out_of_memory ? "refused as larger than memory"
                                                            : "refused as unsupported"];
    }
    try {
      for (const auto& source : open_pages(path, {.memory_bytes = memory_bytes})) {
        const Shape row = with_length(source->shape(), 1);
        if (static_cast<double>(row.height * row.width) * static_cast<double>(row.channels) > 1e6) continue;
        Image part(row, source->pixel());
        for (const std::int64_t first : {std::int64_t{0}, length_of(source->shape()) - 1}) source->read(first, part);
      }
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(path)) << name;
    }
    time.see(milliseconds_used() - before, name);
    memory.see(static_cast<double>(Peak::bytes()) / 1048576, name);
    if (program == nullptr || i % every != 0) continue;
    const Ended run = apply(program, path, folder / "out.npy");
    program_time.see(milliseconds(run.usage), name);
    program_memory.see(static_cast<double>(run.usage.ru_maxrss) / 1024, name);
    EXPECT_TRUE(run.exit_code == 0 || run.exit_code == 1) << name << " ended with " << run.exit_code;
  }
  std::printf("%zu files, seed %zu\n", files, seed);
  for (const auto& [outcome, count] : outcomes) std::printf("  %-40s %10d\n", outcome.c_str(), count);
  print("longest reading, processor time", time, "ms");
  print("most memory of this process", memory, "MiB");
  print("longest run of the program, likewise", program_time, "ms");
  print("most memory of the program", program_memory, "MiB");
#if !defined(__SANITIZE_ADDRESS__)  // which keeps memory that was given back
  EXPECT_LE(memory.value, memory_bytes / 1048576.0) << memory.name;
  EXPECT_LE(program_memory.value, memory_bytes / 1048576.0) << program_memory.name;
#endif
}

}  // namespace
}  // namespace halation::test
