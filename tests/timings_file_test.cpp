// timings_file_test.cpp: times and figures come back from their file whole or not at all, whatever else
// writes to it.
#include "plan/timings/timings_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "halation/device.h"
#include "plan/timings/shared_timings.h"
#include "temporary_folder.h"

namespace halation {
namespace {

using test::bytes_in;
using test::Folder;
using test::write_bytes;

const Timings some{
    .times = {{"cpu a, 2 threads", {1, -2, 3}, 1.25e-4}, {"gpu b", {}, 0.1}, {"cpu a, 2 threads", {9}, 3}},
    .figures = {{"cpu a, 2 threads", "lines.row; 0.333"}, {"gpu b", "fft tiles; 1 2; beside 3"}}};

std::vector<std::string> lines_of(const Timings& timings) {
  std::vector<std::string> lines;
  for (const KnownFigure& figure : timings.figures) lines.push_back(figure.machine + "|" + figure.line);
  for (const KnownTime& time : timings.times)
    lines.push_back(time.machine + "|" + testing::PrintToString(time.key) + "|" +
                    testing::PrintToString(time.seconds));
  return lines;
}

bool same(const Timings& a, const Timings& b) { return lines_of(a) == lines_of(b); }

bool is_empty(const Timings& timings) { return timings.times.empty() && timings.figures.empty(); }

/// FNV-1a, as the file's last line has it.
std::string sealed(const std::string& body) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : body) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  char end[32];
  std::snprintf(end, sizeof end, "end %016llx\n", static_cast<unsigned long long>(sum));
  return body + end;
}

const std::string header = "halation timings 2 of " HALATION_VERSION "\n";

TEST(TimingsFile, LiesWhereTheEnvironmentSays) {
  using Path = std::optional<std::filesystem::path>;
  EXPECT_EQ(timings_path_from("here/file", "/cache", "/home/a"), Path("here/file"));
  EXPECT_EQ(timings_path_from("", "/cache", "/home/a"), Path());
  EXPECT_EQ(timings_path_from(nullptr, "/cache", "/home/a"), Path("/cache/halation/timings"));
  EXPECT_EQ(timings_path_from(nullptr, "cache", "/home/a"), Path("/home/a/.cache/halation/timings"));
  EXPECT_EQ(timings_path_from(nullptr, "", "/home/a"), Path("/home/a/.cache/halation/timings"));
  EXPECT_EQ(timings_path_from(nullptr, nullptr, "/home/a"), Path("/home/a/.cache/halation/timings"));
  EXPECT_EQ(timings_path_from(nullptr, nullptr, ""), Path());
  EXPECT_EQ(timings_path_from(nullptr, nullptr, nullptr), Path());
}

TEST(TimingsFile, GivesBackWhatItWasGiven) {
  const Folder folder;
  const std::string path = folder / "new/folder/timings";
  EXPECT_TRUE(is_empty(read_timings(path)));
  EXPECT_TRUE(add_timings(path, some));
  EXPECT_TRUE(same(read_timings(path), some));
  EXPECT_TRUE(add_timings(path, {}));
  EXPECT_TRUE(same(read_timings(path), some));
}

TEST(TimingsFile, IsText) {
  const Folder folder;
  EXPECT_TRUE(add_timings(folder / "timings",
                          {.times = {{"cpu a", {1, 2}, 0.5}}, .figures = {{"cpu a", "lines.row; 1.5"}}}));
  EXPECT_EQ(bytes_in(folder / "timings"),
            sealed(header + "machine cpu a\nfigure lines.row; 1.5\ntime 0.5 1 2\n"));
}

TEST(TimingsFile, KeepsTheLatestOfAKey) {
  const Folder folder;
  const std::string path = folder / "timings";
  EXPECT_TRUE(add_timings(path, some));
  EXPECT_TRUE(add_timings(path, {.times = {{"gpu b", {}, 0.2}, {"cpu c", {9}, 5}, {"gpu b", {}, 0.3}},
                                 .figures = {{"gpu b", "fft tiles; 5 6"}, {"gpu b", "fft; 1"}}}));
  EXPECT_TRUE(same(read_timings(path),
                   {.times = {some.times[0], some.times[2], {"cpu c", {9}, 5}, {"gpu b", {}, 0.3}},
                    .figures = {some.figures[0], {"gpu b", "fft tiles; 5 6"}, {"gpu b", "fft; 1"}}}));
}

TEST(TimingsFile, DropsTheOldest) {
  const Folder folder;
  Timings many;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(most_times); ++i)
    many.times.push_back({"cpu a", {i}, 1});
  EXPECT_TRUE(add_timings(folder / "timings", many));
  EXPECT_TRUE(
      add_timings(folder / "timings", {.times = {{"cpu a", {-1}, 1}, {"cpu a", {0}, 2}}, .figures = {}}));
  const Timings kept = read_timings(folder / "timings");
  ASSERT_EQ(kept.times.size(), most_times);
  EXPECT_EQ(kept.times.front().key, TimingKey{2});
  EXPECT_EQ(kept.times.back().seconds, 2);
}

TEST(TimingsFile, OfOtherVersionsDoesNotCount) {
  const Folder folder;
  const std::string body = "machine cpu a\ntime 0.5 1 2\n";
  write_bytes(folder / "timings", sealed(header + body));
  EXPECT_EQ(read_timings(folder / "timings").times.size(), 1U);
  for (const char* other : {"halation timings 2 of 0.0.9\n", "halation timings 1 of " HALATION_VERSION "\n",
                            "halation timings 2\n"}) {
    write_bytes(folder / "timings", sealed(other + body));
    EXPECT_TRUE(is_empty(read_timings(folder / "timings"))) << other;
    EXPECT_TRUE(add_timings(folder / "timings", some));
    EXPECT_TRUE(same(read_timings(folder / "timings"), some)) << other;
  }
  write_bytes(folder / "timings", sealed(body));
  EXPECT_TRUE(is_empty(read_timings(folder / "timings")));
}

TEST(TimingsFile, DoesNotCountUnlessItIsWhole) {
  const Folder folder;
  const std::string path = folder / "timings";
  ASSERT_TRUE(add_timings(path, some));
  const std::string whole = bytes_in(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(path, whole.substr(0, length));
    EXPECT_TRUE(is_empty(read_timings(path))) << length;
  }
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    write_bytes(path, damaged);
    EXPECT_TRUE(is_empty(read_timings(path))) << place;
  }
  EXPECT_TRUE(add_timings(path, some));
  EXPECT_EQ(bytes_in(path), whole) << "what is damaged is replaced";
}

TEST(TimingsFile, DoesNotCountWhereALineMeansNothing) {
  const Folder folder;
  const std::string path = folder / "timings";
  for (const char* line :
       {"time\n", "time x 1\n", "time -1 1\n", "time 0 1\n", "time inf 1\n", "time nan 1\n", "time 1e999 1\n",
        "time 1 1.5\n", "time 1 99999999999999999999\n", "time 1  2\n", "figure lines.row 3\n", "figure\n",
        "rate box u8 1\n", "\n", "fish\n", "machine a\n\n"}) {
    write_bytes(path, sealed(header + "machine a\ntime 1 1\n" + line));
    EXPECT_TRUE(is_empty(read_timings(path))) << line;
  }
  for (const char* bytes : {"\n", "\n\n", "end \n", "end cbf29ce484222325\n", "\0\0\0"}) {
    write_bytes(path, bytes);
    EXPECT_TRUE(is_empty(read_timings(path))) << bytes;
  }
  write_bytes(path, sealed(header));
  EXPECT_TRUE(is_empty(read_timings(path)));
}

TEST(TimingsFile, IsLeftAloneWhereItCannotBe) {
  const Folder folder;
  write_bytes(folder / "file", "text");
  for (const std::string& path :
       {folder / "file/timings", folder / "file/folder/timings", std::string("/proc/halation/timings")}) {
    EXPECT_TRUE(is_empty(read_timings(path))) << path;
    EXPECT_FALSE(add_timings(path, some)) << path;
    EXPECT_FALSE(remove_timings(path)) << path;
  }
  std::filesystem::create_directory(folder / "folder");
  EXPECT_TRUE(is_empty(read_timings(folder / "folder")));
  EXPECT_FALSE(add_timings(folder / "folder", some));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(is_empty(read_timings(folder / "pipe"))) << "waits for nobody";
  std::filesystem::remove(folder / "folder.lock");
  EXPECT_EQ(folder.files(), 3U) << "a file was left behind";
}

TEST(TimingsFile, ReplacesNothingButTimes) {
  const Folder folder;
  write_bytes(folder / "photo.png", "\x89PNG");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  for (const char* name : {"photo.png", "pipe", "link", "dangling"}) {
    EXPECT_FALSE(add_timings(folder / name, some)) << name;
    EXPECT_FALSE(remove_timings(folder / name)) << name;
  }
  EXPECT_EQ(bytes_in(folder / "photo.png"), "\x89PNG");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "dangling"));
  write_bytes(folder / "empty", "");
  EXPECT_TRUE(add_timings(folder / "empty", some));
  std::filesystem::create_symlink("empty", folder / "times");
  EXPECT_TRUE(add_timings(folder / "times", some));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "times"));
  EXPECT_TRUE(same(read_timings(folder / "empty"), some));
}

TEST(TimingsFile, IsNotWrittenToReadOnlyFolders) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const Folder folder;
  std::filesystem::permissions(folder / ".",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_FALSE(add_timings(folder / "timings", some));
  std::filesystem::permissions(folder / ".", std::filesystem::perms::owner_all);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(TimingsFile, IsRemovedWithItsLock) {
  const Folder folder;
  EXPECT_FALSE(remove_timings(folder / "timings"));
  EXPECT_TRUE(add_timings(folder / "timings", some));
  EXPECT_TRUE(remove_timings(folder / "timings"));
  EXPECT_EQ(folder.files(), 0U);
}

/// Calls work(i) in processes of their own; whether all of them came to their end.
template <class Work>
bool in_processes(int count, const Work& work) {
  std::vector<pid_t> children;
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      work(i);
      ::_exit(0);
    }
    children.push_back(child);
  }
  bool all = true;
  for (const pid_t child : children) {
    int status = 0;
    all = ::waitpid(child, &status, 0) == child && status == 0 && all;
  }
  return all;
}

TEST(TimingsFile, LosesNothingOfManyWriters) {
  const Folder folder;
  const std::string path = folder / "timings";
  constexpr int processes = 8, writes = 50;
  EXPECT_TRUE(in_processes(processes, [&](int process) {
    for (int i = 0; i < writes; ++i) {
      if (!add_timings(path, {.times = {{"cpu a", {process, i}, 1}}, .figures = {}})) ::_exit(1);
      if (read_timings(path).times.empty()) ::_exit(2);  // readers find one whole file or another
    }
  }));
  std::set<TimingKey> keys;
  for (const KnownTime& time : read_timings(path).times) keys.insert(time.key);
  EXPECT_EQ(keys.size(), static_cast<std::size_t>(processes * writes));
  EXPECT_EQ(folder.files(), 2U) << "the file and its lock";
}

TEST(TimingsFile, IsRemovedBesideWriters) {
  const Folder folder;
  const std::string path = folder / "timings";
  EXPECT_TRUE(in_processes(4, [&](int process) {
    for (int i = 0; i < 50; ++i) {
      if (process == 0) {
        remove_timings(path);
      } else if (!add_timings(path, {.times = {{"cpu a", {process, i}, 1}}, .figures = {}})) {
        ::_exit(1);
      }
    }
  }));
  EXPECT_TRUE(add_timings(path, some));
  EXPECT_TRUE(remove_timings(path));
  EXPECT_EQ(folder.files(), 0U);
}

TEST(Machine, IsNamedOnOneLine) {
  EXPECT_THAT(machine_of(cpu()), testing::MatchesRegex("cpu [^\n]+, [A-Z0-9_]+, [0-9]+ threads"));
  EXPECT_EQ(machine_of(reference()), "reference on " + machine_of(cpu()));
  EXPECT_EQ(machine_of(cuda(1000)), "");
}

}  // namespace
}  // namespace halation
