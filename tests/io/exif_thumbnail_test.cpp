// exif_thumbnail_test.cpp: the small picture in Exif shows what the file was, and is left out; all else stays where it lies.
#include "parts.h"

namespace halation::test {
namespace {

/// Exif byte by byte.
class Builder {
 public:
  explicit Builder(bool little) : little_(little), bytes_(little ? "II" : "MM") { put(42, 2).put(8, 4); }
  Builder& put(unsigned value, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(value >> 8 * (little_ ? i : size - 1 - i) & 0xFF);
    return *this;
  }
  Builder& entry(unsigned tag, unsigned type, unsigned count, unsigned value) {
    put(tag, 2).put(type, 2).put(count, 4);
    return type == 3 ? put(value, 2).put(0, 2) : put(value, 4);
  }
  Builder& text(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
  }
  Builder& up_to(std::size_t place) {
    EXPECT_LE(bytes_.size(), place);
    bytes_.resize(place, '.');
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  bool little_;
  std::string bytes_;
};

constexpr unsigned link_at = 8 + 2 + 6 * 12;  // of the second directory
const std::string thumbnail = "\xFF\xD8 a small picture \xFF\xD9";

/// A maker, an orientation, a resolution of 300 by 200, a directory with 4000 by 3000 pixels and a maker's note, and a thumbnail at `at`.
std::string exif(bool little, unsigned at, bool as_strip = false, int orientation = 1) {
  Builder made(little);
  made.put(6, 2).entry(271, 2, 8, 200).entry(274, 3, 1, static_cast<unsigned>(orientation));
  made.entry(282, 5, 1, 210).entry(283, 5, 1, 220).entry(296, 3, 1, 2).entry(34665, 4, 1, 250).put(120, 4);
  made.up_to(120).put(3, 2).entry(259, 3, 1, as_strip ? 1 : 6);
  made.entry(as_strip ? 0x0111 : 0x0201, 4, 1, at)
      .entry(as_strip ? 0x0117 : 0x0202, 4, 1, static_cast<unsigned>(thumbnail.size()))
      .put(0, 4);
  made.up_to(200).text("halcam").up_to(210).put(300, 4).put(1, 4).up_to(220).put(200, 4).put(1, 4);
  made.up_to(250).put(3, 2).entry(37500, 7, 40, 350).entry(0xA002, 4, 1, 4000).entry(0xA003, 3, 1, 3000).put(0, 4);
  std::string bytes = made.up_to(350).text("a secret that counts from anywhere else.").up_to(400).bytes();
  bytes.resize(std::max(bytes.size(), at + thumbnail.size()), '.');
  return bytes.replace(at, thumbnail.size(), thumbnail);
}

std::string exif_of(const Page& page) { return {reinterpret_cast<const char*>(page.metadata.exif.data()), page.metadata.exif.size()}; }

/// What is read of a file that has this Exif.
Page read_with(const Folder& folder, const std::string& ending, const std::string& bytes) {
  Page page = random_page(Pixel::u8, 6, 8, ColourModel::rgb);
  page.metadata.exif = to_bytes(bytes);
  write_one(folder / ("a" + ending), page);
  return read_one(folder / ("a" + ending));
}

/// The same without the lead to the second directory.
std::string unlinked(std::string bytes) { return bytes.replace(link_at, 4, 4, '\0'); }

TEST(ExifThumbnail, AtTheEndIsCutOff) {
  const Folder folder;
  for (const std::string ending : {".jpg", ".png", ".webp"}) {
    for (const bool little : {true, false}) {
      for (const bool as_strip : {false, true}) {
        const std::string before = exif(little, 400, as_strip);
        ASSERT_NE(before.find("small picture"), std::string::npos);
        EXPECT_EQ(exif_of(read_with(folder, ending, before)), unlinked(before).substr(0, 400));
        EXPECT_EQ(exif_of(read_with(folder, ending, before + '\0')), unlinked(before).substr(0, 400));  // made even
      }
    }
  }
}

TEST(ExifThumbnail, AmongOtherThingsBecomesZeros) {
  const Folder folder;
  const std::string before = exif(true, 310);
  EXPECT_EQ(exif_of(read_with(folder, ".jpg", before)), unlinked(before).replace(310, thumbnail.size(), thumbnail.size(), '\0'));
}

TEST(ExifThumbnail, ThatClaimsWhatIsNotItsOwnIsNoLongerLedTo) {
  const Folder folder;
  for (const unsigned at : {205U, 260U, 340U, 380U}) {
    const std::string before = exif(true, at);
    EXPECT_EQ(exif_of(read_with(folder, ".jpg", before)), unlinked(before)) << at;
  }
  const std::string beyond = exif(true, 400).substr(0, 405);  // cut short
  EXPECT_EQ(exif_of(read_with(folder, ".jpg", beyond)), unlinked(beyond));
}

TEST(ExifThumbnail, GoesAndSidesChangePlacesWhereThePictureIsTurned) {
  const Folder folder;
  for (const bool little : {true, false}) {
    const Page page = read_with(folder, ".jpg", exif(little, 400, false, 6));
    const std::string expected =
        Builder(little).put(6, 2).entry(271, 2, 8, 200).entry(274, 3, 1, 1).entry(282, 5, 1, 220).entry(283, 5, 1, 210).bytes();
    EXPECT_EQ(exif_of(page).substr(8, expected.size() - 8), expected.substr(8));
    const std::string sides = Builder(little).entry(0xA002, 3, 1, 3000).entry(0xA003, 4, 1, 4000).bytes().substr(8);
    EXPECT_EQ(exif_of(page).substr(250 + 2 + 12, 24), sides);
    EXPECT_EQ(exif_of(page).substr(350, 40), "a secret that counts from anywhere else.");
    EXPECT_EQ(exif_of(page).size(), 400U);
    EXPECT_EQ(page.metadata.dots_per_inch_x, 200);
  }
}

/// The subject's area of `count` numbers and its location, and 300 by 200 pixels of the sensor to a unit.
std::string exif_of_subject(bool little, int orientation, const std::vector<unsigned>& area, std::pair<unsigned, unsigned> location, bool swapped) {
  const unsigned x = swapped ? 220 : 210, y = swapped ? 210 : 220, count = static_cast<unsigned>(area.size());
  Builder made(little);
  made.put(2, 2).entry(274, 3, 1, static_cast<unsigned>(orientation)).entry(34665, 4, 1, 100).put(0, 4).up_to(100);
  made.put(4, 2).put(0x9214, 2).put(3, 2).put(count, 4);
  count == 2 ? made.put(area[0], 2).put(area[1], 2) : made.put(200, 4);
  made.entry(0xA20E, 5, 1, x).entry(0xA20F, 5, 1, y).put(0xA214, 2).put(3, 2).put(2, 4).put(location.first, 2).put(location.second, 2).put(0, 4);
  made.up_to(200);
  for (const unsigned each : area) made.put(count == 2 ? 0 : each, 2);
  return made.up_to(210).put(300, 4).put(1, 4).up_to(220).put(200, 4).put(1, 4).bytes();
}

TEST(ExifOfATurnedPicture, SaysWhereItsSubjectIs) {
  const Folder folder;
  for (const bool little : {true, false}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const bool swapped = orientation >= 5;
      const auto turned = [&](unsigned x, unsigned y) {
        const auto [row, column] = place_by_exif(orientation, y, x, 6, 8);
        return std::pair(static_cast<unsigned>(column), static_cast<unsigned>(row));
      };
      for (const std::vector<unsigned>& rest : {std::vector<unsigned>{}, {3}, {3, 2}}) {
        std::vector<unsigned> before = {5, 1}, after = {turned(5, 1).first, turned(5, 1).second};
        before.insert(before.end(), rest.begin(), rest.end());
        after.insert(after.end(), rest.begin(), rest.end());
        if (swapped && rest.size() == 2) std::swap(after[2], after[3]);
        const Page page = read_with(folder, ".png", exif_of_subject(little, orientation, before, {7, 2}, false));
        EXPECT_EQ(exif_of(page), exif_of_subject(little, 1, after, turned(7, 2), swapped)) << orientation;
      }
    }
    const std::string beyond = exif_of_subject(little, 3, {8, 0}, {0, 6}, false);  // of a larger picture
    EXPECT_EQ(exif_of(read_with(folder, ".png", beyond)), exif_of_subject(little, 1, {8, 0}, {0, 6}, false));
  }
}

TEST(ExifThumbnail, OfDamagedExifSpoilsNothing) {
  const Folder folder;
  std::mt19937 random(11);
  for (int run = 0; run < 2000; ++run) {
    std::string bytes = exif(run % 2 == 0, 400);
    for (int change = 0; change < 4; ++change) bytes[random() % 180] = static_cast<char>(random());
    if (run % 3 == 0) bytes.resize(random() % bytes.size());
    EXPECT_LE(exif_of(read_with(folder, ".png", bytes)).size(), std::max<std::size_t>(bytes.size(), 400));
  }
}

}  // namespace
}  // namespace halation::test
