// tiff_file.cpp: libtiff on bytes in memory and on an `Output`, with its messages caught; Exif within a file.
#include "io/tiff/tiff_file.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

#include "io/tiff/stack_description.h"

namespace halation::io {
namespace {

int remember(TIFF*, void* data, const char*, const char* format, va_list values) {
  auto* complaint = static_cast<TiffComplaint*>(data);
  if (complaint->sentence[0] == '\0') {
    std::vsnprintf(complaint->sentence, sizeof complaint->sentence, format, values);
    complaint->rows_missing = std::strstr(format, "Premature EOF") != nullptr;
  }
  return 1;
}

/// Of warnings one matters: fax data that end early leave rows as they were.
int remember_missing_rows(TIFF* tiff, void* data, const char* module, const char* format, va_list values) {
  return std::strstr(format, "Premature EOF") != nullptr ? remember(tiff, data, module, format, values) : 1;
}

/// The callbacks of a `TiffBytes`.
struct FromBytes {
  static TiffBytes& of(thandle_t handle) { return *static_cast<TiffBytes*>(handle); }
  static tmsize_t read(thandle_t handle, void* to, tmsize_t size) {
    TiffBytes& file = of(handle);
    const std::uint64_t left = file.position < file.bytes.size() ? file.bytes.size() - file.position : 0;
    const auto wanted = static_cast<std::uint64_t>(size);
    const std::uint64_t got = std::min(left, wanted);
    if (got < wanted) {
      file.read_past_end = true;
      complain_of_end(file.complaint);
    }
    if (got > 0) std::memcpy(to, file.bytes.data() + file.position, got);
    file.position += got;
    return static_cast<tmsize_t>(got);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffBytes& file = of(handle);
    if (whence == SEEK_SET) file.position = offset;
    if (whence == SEEK_CUR) file.position += offset;
    if (whence == SEEK_END) file.position = file.bytes.size() + offset;
    return file.position;
  }
  static toff_t size(thandle_t handle) { return of(handle).bytes.size(); }
  static int map(thandle_t handle, void** base, toff_t* size) {
    *base = const_cast<std::byte*>(of(handle).bytes.data());  // libtiff does not write to what it reads
    *size = of(handle).bytes.size();
    return 1;
  }
  static void unmap(thandle_t, void*, toff_t) {}
};

/// The callbacks of an `Output`.
struct ToOutput {
  static Output& of(thandle_t handle) { return *static_cast<Output*>(handle); }
  static tmsize_t read(thandle_t handle, void* to, tmsize_t size) {
    return static_cast<tmsize_t>(of(handle).read(to, static_cast<std::size_t>(size)));
  }
  static tmsize_t write(thandle_t handle, void* from, tmsize_t size) {
    return of(handle).write(from, static_cast<std::size_t>(size)) ? size : 0;
  }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    return static_cast<toff_t>(of(handle).seek(static_cast<std::int64_t>(offset), whence));
  }
  static toff_t size(thandle_t handle) {
    Output& output = of(handle);
    const std::int64_t here = output.position();
    const std::int64_t end = output.seek(0, SEEK_END);
    output.seek(here, SEEK_SET);
    return static_cast<toff_t>(end);
  }
};

/// `most_bytes` is the largest piece of memory that libtiff may ask for (0: any): tables and strips as they
/// lie in a file are no larger than the file, whatever a damaged one claims.
template <class File>
Tiff open(const char* mode, void* handle, TiffComplaint& complaint, std::size_t most_bytes, TIFFMapFileProc map = nullptr,
          TIFFUnmapFileProc unmap = nullptr) {
  const std::unique_ptr<TIFFOpenOptions, decltype(&TIFFOpenOptionsFree)> options(TIFFOpenOptionsAlloc(),
                                                                                 &TIFFOpenOptionsFree);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), remember, &complaint);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), remember_missing_rows, &complaint);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), static_cast<tmsize_t>(most_bytes));
  const auto close_nothing = [](thandle_t) { return 0; };
  return {TIFFClientOpenExt("TIFF", mode, handle, File::read, File::write, File::seek, close_nothing,
                            File::size, map, unmap, options.get()),
          &TIFFClose};
}

std::size_t most_memory(const TiffBytes& file) {
  // Entries of two bytes become eight in memory; small files still need libtiff's own buffers.
  constexpr std::size_t buffers = std::size_t{64} << 20;
  return buffers + 8 * file.bytes.size();
}

}  // namespace

void complain_of_end(TiffComplaint& complaint) {
  std::snprintf(complaint.sentence, sizeof complaint.sentence, "the file ends too early");
}

Tiff open_for_reading(TiffBytes& file) { return open<FromBytes>("r", &file, file.complaint, most_memory(file)); }

Tiff open_mapped(TiffBytes& file) {
  return open<FromBytes>("r", &file, file.complaint, most_memory(file), FromBytes::map, FromBytes::unmap);
}

Tiff open_for_writing(Output& output, bool big, TiffComplaint& complaint) {
  return open<ToOutput>(big ? "w8" : "w", &output, complaint, 0);
}

void set_foreign(TIFF* tiff, const ExifEntry& entry) {
  static char name[] = "of another standard";
  const bool is_text = entry.type == text_type;
  const auto count = static_cast<short>(is_text ? TIFF_VARIABLE : TIFF_VARIABLE2);
  const auto type = static_cast<TIFFDataType>(entry.type);
  const TIFFFieldInfo field{entry.tag, count, count, type, FIELD_CUSTOM, 1, static_cast<unsigned char>(!is_text), name};
  TIFFMergeFieldInfo(tiff, &field, 1);
  if (is_text) {
    TIFFSetField(tiff, entry.tag, reinterpret_cast<const char*>(entry.value.data()));
  } else {
    TIFFSetField(tiff, entry.tag, static_cast<std::uint32_t>(entry.count), entry.value.data());
  }
}

void write_exif(TIFF* tiff, Bytes bytes, std::span<const PageView> pages, bool big, Output& output) {
  const Exif exif = exif_in(bytes);
  for (const ExifEntry& text : exif.own) {
    if (is_windows_text(text)) set_foreign(tiff, text);
    if (text.type != text_type) continue;
    const auto* const words = reinterpret_cast<const char*>(text.value.data());
    if (text.tag != TIFFTAG_IMAGEDESCRIPTION || describes({words, text.value.size()}, pages)) TIFFSetField(tiff, text.tag, words);
  }
  const auto write = [&](std::uint32_t pointer, const ExifDirectory& directory) {
    if (directory.empty()) return;
    if (output.seek(0, SEEK_END) % 2 != 0) output.write("", 1);  // directories begin at even places
    const auto at = static_cast<std::uint64_t>(output.position());
    const std::vector<std::byte> written = directory_bytes(directory, at, big);
    output.write(written.data(), written.size());
    TIFFSetField(tiff, pointer, at);
  };
  write(TIFFTAG_EXIFIFD, exif.photo);
  write(TIFFTAG_GPSIFD, exif.place);
}

}  // namespace halation::io
