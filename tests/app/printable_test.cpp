// printable_test.cpp: texts of any bytes as UTF-8.
#include "app/report/text/printable.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

namespace halation::app {
namespace {

/// A code point in so many bytes, whether UTF-8 allows it or not.
std::string encoded(char32_t point, unsigned bytes) {
  if (bytes == 1) return {static_cast<char>(point)};
  std::string text;
  for (unsigned i = 1; i < bytes; ++i) {
    text.insert(text.begin(), static_cast<char>(0x80U | (point & 0x3FU)));
    point >>= 6U;
  }
  text.insert(text.begin(), static_cast<char>((0xF00U >> bytes & 0xFFU) | point));
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    constexpr const char* digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    result += std::string("\\x") + digits[byte >> 4U] + digits[byte & 15U];
  }
  return result;
}

TEST(Printable, KeepsCharactersOfUtf8) {
  for (const std::string text : {"", "a line\n\tof ASCII \x7F", "übergröße", "写真", "\xF0\x9F\x98\x80"}) EXPECT_EQ(printable(text), text);
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    const std::string character = encoded(point, point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);
    ASSERT_EQ(printable(character), character) << static_cast<std::uint32_t>(point);
  }
}

TEST(Printable, WritesOtherBytesAsNumbers) {
  EXPECT_EQ(printable("a\xFF.png"), "a\\xff.png");
  EXPECT_EQ(printable("\xFE\xC3\xBC\x80"), "\\xfe\xC3\xBC\\x80");
  for (char32_t point = 0xD800; point <= 0xDFFF; ++point) ASSERT_EQ(printable(encoded(point, 3)), escaped(encoded(point, 3))) << "surrogates";
  for (unsigned bytes = 2; bytes <= 4; ++bytes) {  // longer than need be
    constexpr char32_t ends[] = {0x80, 0x800, 0x10000};
    for (char32_t point = 0; point < ends[bytes - 2]; ++point) ASSERT_EQ(printable(encoded(point, bytes)), escaped(encoded(point, bytes)));
  }
  for (char32_t point = 0x110000; point < 0x200000; ++point) ASSERT_EQ(printable(encoded(point, 4)), escaped(encoded(point, 4)));
  for (const std::string character : {"\xC3\xBC", "\xE5\x86\x99", "\xF0\x9F\x98\x80"}) {
    const std::string more = "x" + character;
    for (std::size_t length = 1; length < character.size(); ++length) {
      const std::string cut = character.substr(0, length);
      EXPECT_EQ(printable(cut), escaped(cut));
      EXPECT_EQ(printable(cut + more), escaped(cut) + more) << "what follows is read again";
    }
  }
}

TEST(Printable, GivesWhatJsonTakes) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random() % 12, ' ');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() % 256 : 0x80U + random() % 0x80U);
    EXPECT_NO_THROW((void)nlohmann::json(printable(text)).dump()) << escaped(text);
  }
}

TEST(InOneLine, LeavesNoControlCharacters) {
  EXPECT_EQ(in_one_line("a\nb\r\tc\x1B[2J\xFFü"), "a b  c [2J\\xffü");
  EXPECT_EQ(in_one_line(std::string("a\0b", 3)), "a b");
}

TEST(JsonText, EscapesAllTexts) {
  const std::string text = json_text({{"name", "a\xFF"}, {"list", {"\xFE", {{"deep", "\n\x80ü"}}, 1, nullptr}}, {"plain", "写真"}});
  EXPECT_EQ(nlohmann::json::parse(text),
            nlohmann::json({{"name", "a\\xff"}, {"list", {"\\xfe", {{"deep", "\n\\x80ü"}}, 1, nullptr}}, {"plain", "写真"}}));
  EXPECT_EQ(json_text({{"b", 1}, {"a", 2}}), "{\n  \"b\": 1,\n  \"a\": 2\n}\n");
}

}  // namespace
}  // namespace halation::app
