// SPDX-License-Identifier: MIT
#include "tarl/core/files.h"

#include <cstdlib>
#include <cstring>

#include "support/errors.h"
#include "support/full_disk.h"
#include "support/temporary_folder.h"
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tarl/core/scratch_folder.h"

namespace tarl {

namespace {

using test::error_of;
using test::FileSizeLimit;
using test::TemporaryFolder;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Files, ReadBackWhatWasWritten) {
  const TemporaryFolder folder;
  const std::string text(1'000'003, 'x');
  write_file_durably(folder / "a", text);
  EXPECT_EQ(read_text(folder / "a"), text);
  write_file_durably(folder / "a", std::string_view("short"));
  EXPECT_EQ(read_text(folder / "a"), "short");
  write_file_durably(folder / "a", std::string_view(""));
  EXPECT_TRUE(read_file(folder / "a").empty());
}

TEST(Files, ReadAFileWhoseSizeIsNotKnownBefore) {
  EXPECT_NE(read_text("/proc/self/stat").find(std::to_string(::getpid())), std::string::npos);
}

TEST(Files, AFailedWriteLeavesTheOldContentAndNoLeftover) {
  const TemporaryFolder folder;
  write_file_durably(folder / "a", std::string_view("old"));
  {
    const FileSizeLimit limit(1000);
    const std::string problem =
        error_of([&] { write_file_durably(folder / "a", std::string(5000, 'x')); });
    EXPECT_NE(problem.find((folder / "a").string()), std::string::npos) << problem;
    EXPECT_NE(problem.find(std::strerror(EFBIG)), std::string::npos) << problem;
  }
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_FALSE(fs::exists(folder / "a.tmp"));
}

TEST(Files, AFullDiskIsSaidSoAndLosesNothing) {
  const TemporaryFolder folder;
  const test::SmallDisk disk(folder.path(), "64k");
  if (!disk.problem().empty()) GTEST_SKIP() << disk.problem();
  write_file_durably(folder / "a", std::string_view("old"));
  const std::string problem =
      error_of([&] { write_file_durably(folder / "a", std::string(1 << 20, 'x')); });
  AppendFile log(folder / "log", 0);
  log.append(std::string_view("good\n"));
  const std::string log_problem = error_of([&] { log.append(std::string(1 << 20, 'x')); });
  EXPECT_NE(problem.find("No space left"), std::string::npos) << problem;
  EXPECT_NE(problem.find("free some space"), std::string::npos) << problem;
  EXPECT_NE(log_problem.find("No space left"), std::string::npos) << log_problem;
  EXPECT_EQ(read_text(folder / "a"), "old");
  EXPECT_EQ(read_text(folder / "log").substr(0, 5), "good\n");
}

TEST(Files, ProblemsNameThePathAndTheCause) {
  const TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { read_file(folder / "none"); }),
            "cannot open " + (folder / "none").string() + ": No such file or directory");
  EXPECT_NE(error_of([&] { read_file(folder.path()); }).find("Is a directory"), std::string::npos);
  EXPECT_NE(error_of([&] {
              write_file_durably(folder / "no/file", std::string_view("x"));
            }).find("No such file"),
            std::string::npos);
  const std::string long_name(5000, 'x');
  EXPECT_NE(error_of([&] { make_directories(folder / long_name); }).find("File name too long"),
            std::string::npos);
}

TEST(Files, MakesFoldersWithTheirParents) {
  const TemporaryFolder folder;
  make_directories(folder / "a/b/c/");
  EXPECT_TRUE(fs::is_directory(folder / "a/b/c"));
  make_directories(folder / "a/b/c");
  write_file_durably(folder / "a/file", std::string_view("x"));
  EXPECT_NE(error_of([&] { make_directories(folder / "a/file/d"); }), "");
  EXPECT_EQ(read_text(folder / "a/file"), "x");
}

TEST(Files, PiecesAreOneFileAndOneDigest) {
  const TemporaryFolder folder;
  const std::span<const std::byte> pieces[] = {bytes_of("he"), bytes_of(""), bytes_of("llo")};
  const Digest digest = write_pieces(folder / "a", pieces);
  EXPECT_EQ(read_text(folder / "a"), "hello");
  EXPECT_EQ(digest, (Digest{5, xxh3(bytes_of("hello"))}));
  EXPECT_EQ(digest_file(folder / "a"), digest);
  const std::string large(3'000'000, 'y');
  write_file_durably(folder / "b", large);
  EXPECT_EQ(digest_file(folder / "b"), (Digest{large.size(), xxh3(bytes_of(large))}));
}

// Nobody writes to the FIFO: waiting for it would never end.
TEST(Files, WhatIsNoRegularFileIsRefusedAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  fs::create_symlink("/dev/zero", folder / "endless");
  const std::span<const std::byte> pieces[] = {bytes_of("x")};
  for (const auto& [name, kind] : {std::pair{"fifo", "a FIFO"}, std::pair{"endless", "a device"}}) {
    const fs::path path = folder / name;
    const std::string problem = error_of([&] { read_text(path); });
    EXPECT_EQ(problem, "cannot read " + path.string() + ": it is " + kind + ", not a regular file");
    EXPECT_EQ(error_of([&] { digest_file(path); }), problem);
    EXPECT_NE(error_of([&] { AppendFile(path, 0); }), "");
    EXPECT_NE(error_of([&] { append_text(path, "x"); }), "");
  }
  EXPECT_EQ(error_of([&] { write_pieces(folder / "fifo", pieces); }), "");  // in its place
  EXPECT_EQ(read_text(folder / "fifo"), "x");
}

TEST(Files, ALongFileIsRefusedByItsKind) {
  const TemporaryFolder folder;
  write_file_durably(folder / "a", std::string(1000, 'x'));
  EXPECT_EQ(read_text(folder / "a", 1000).size(), 1000U);
  const std::string problem = error_of([&] { read_text(folder / "a", 999); });
  EXPECT_EQ(problem, "cannot read " + (folder / "a").string() +
                         ": it has more than 999 bytes, too many for what it should be");
  fs::resize_file(folder / "a", kMostText + 1);  // a hole, which takes no space
  EXPECT_NE(error_of([&] { read_text(folder / "a"); }).find("more than"), std::string::npos);
  EXPECT_NE(error_of([&] { read_text("/proc/self/status", 10); }).find("more than 10 bytes"),
            std::string::npos);
}

TEST(Files, ASymlinkIsReplacedAndWhatItLeadsToIsNot) {
  const TemporaryFolder folder;
  write_file_durably(folder / "precious", std::string_view("mine"));
  const std::span<const std::byte> pieces[] = {bytes_of("new")};
  for (const char* name : {"a", "a.tmp", "b", "log"}) {
    fs::create_symlink(folder / "precious", folder / name);
  }
  write_file_durably(folder / "a", std::string_view("new"));
  write_pieces(folder / "b", pieces);
  EXPECT_EQ(read_text(folder / "a"), "new");
  EXPECT_EQ(read_text(folder / "b"), "new");
  EXPECT_FALSE(fs::is_symlink(folder / "a"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "a.tmp")));
  const std::string problem = error_of([&] { AppendFile(folder / "log", 0); });
  EXPECT_NE(problem.find((folder / "log").string() + ": it is a symlink"), std::string::npos)
      << problem;
  EXPECT_EQ(error_of([&] { append_text(folder / "log", "x"); }), problem);
  EXPECT_EQ(read_text(folder / "precious"), "mine");
}

TEST(Files, WhatIsNoRegularFileIsNeverReplaced) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  fs::create_directory(folder / "folder");
  fs::create_symlink("/dev/null", folder / "link");
  std::vector<std::pair<const char*, fs::file_type>> all = {{"fifo", fs::file_type::fifo},
                                                            {"folder", fs::file_type::directory},
                                                            {"link", fs::file_type::symlink}};
  // The node of /dev/null, which only root may make.
  if (::mknod((folder / "null").c_str(), S_IFCHR | 0600, ::makedev(1, 3)) == 0) {
    all.emplace_back("null", fs::file_type::character);
  }
  for (const auto& [name, type] : all) {
    const fs::path path = folder / name;
    const std::string problem = error_of([&] { write_file_durably(path, std::string_view("x")); });
    EXPECT_EQ(problem.rfind("cannot replace " + path.string() + ": it is a ", 0), 0U) << problem;
    EXPECT_EQ(fs::symlink_status(path).type(), type) << name;
    EXPECT_FALSE(fs::exists(path.string() + ".tmp")) << name;
  }
}

TEST(Files, TextIsAppendedToAFileOrBeginsIt) {
  const TemporaryFolder folder;
  append_text(folder / "log", "one\n");
  append_text(folder / "log", "two\n");
  EXPECT_EQ(read_text(folder / "log"), "one\ntwo\n");
}

TEST(ScratchFolder, NamesTheFolderThatIsNotThere) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", "/nonexistent", 1);
  const std::string problem = error_of([] { const ScratchFolder scratch("x"); });
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_EQ(problem,
            "cannot create a folder in /nonexistent: No such file or directory; set TMPDIR to a "
            "folder you may write to");
}

TEST(AppendFile, ContinuesFromAKnownLength) {
  const TemporaryFolder folder;
  {
    AppendFile file(folder / "log", 0);
    file.append(std::string_view("one\n"));
    file.sync();
    file.append(std::string_view("two\n"));
    EXPECT_EQ(file.size(), 8U);
  }
  AppendFile file(folder / "log", 4);
  EXPECT_EQ(read_text(folder / "log"), "one\n");
  file.append(std::string_view("three\n"));
  EXPECT_EQ(read_text(folder / "log"), "one\nthree\n");
}

TEST(AppendFile, RefusesAFileThatBecameShorter) {
  const TemporaryFolder folder;
  write_file_durably(folder / "log", std::string_view("123"));
  const std::string problem = error_of([&] { AppendFile(folder / "log", 4); });
  EXPECT_NE(problem.find("has 3 bytes, but 4 were saved"), std::string::npos) << problem;
  EXPECT_EQ(read_text(folder / "log"), "123");
}

TEST(AppendFile, WritesOverWhatAFailureLeftHalfWritten) {
  const TemporaryFolder folder;
  AppendFile file(folder / "log", 0);
  file.append(std::string_view("good\n"));
  {
    const FileSizeLimit limit(100);
    EXPECT_NE(error_of([&] { file.append(std::string(500, 'x')); }), "");
  }
  EXPECT_EQ(file.size(), 5U);
  file.append(std::string_view("next\n"));
  EXPECT_EQ(read_text(folder / "log").substr(0, 10), "good\nnext\n");
}

TEST(Checksums, GiveTheKnownAnswers) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xE3069283U);
  EXPECT_EQ(crc32(bytes_of("6789"), crc32(bytes_of("12345"))), 0xCBF43926U);
  EXPECT_EQ(xxh3({}), 0x2D06800538D394C2U);
}

}  // namespace

}  // namespace tarl
