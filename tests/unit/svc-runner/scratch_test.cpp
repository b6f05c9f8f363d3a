#include "svc-runner/isolation/scratch.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

using namespace svc::runner;
using svc::test::temporary_directory;
namespace fs = std::filesystem;

namespace {

/// Root's scripts run as another user, so that permissions matter; some containers have only few users.
std::optional<std::int64_t> somebody() {
  constexpr uid_t other = 1'899'999'999;
  temporary_directory directory;
  return ::chown(directory.path().c_str(), other, other) == 0 ? std::optional<std::int64_t>(other) : std::nullopt;
}

struct surroundings {
  surroundings() {
    ::chmod(parent.path().c_str(), 0711);
    fs::create_directory(parent.path() + "/work");
    fs::create_directory(parent.path() + "/elsewhere");
    std::ofstream(parent.path() + "/secret") << "the runner's own";
    ::chmod((parent.path() + "/secret").c_str(), 0600);
  }
  temporary_directory parent;
};

struct workplace : surroundings {
  scratch directory{parent.path() + "/work", "run", {somebody(), 0}};
};

std::string text_of(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void make_socket(std::string const& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(&address.sun_path[0], path.size());
  int const made = ::socket(AF_UNIX, SOCK_STREAM, 0);
  CHECK(::bind(made, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0);
  ::close(made);
}

}  // namespace

TEST_CASE("files of a run belong only to its user") {
  workplace workplace;
  workplace.directory.directory("tests");
  workplace.directory.write("tests/a", "text");
  workplace.directory.link("modules", "/usr");
  for (auto const* name : {"", "/tests", "/tests/a", "/modules"}) {
    struct stat about{};
    CAPTURE(name);
    REQUIRE(::lstat((workplace.directory.path() + name).c_str(), &about) == 0);
    CHECK(about.st_uid == somebody().value_or(::geteuid()));
    if (!S_ISLNK(about.st_mode)) CHECK((about.st_mode & 077) == 0);
  }
  CHECK(text_of(workplace.directory.path() + "/tests/a") == "text");
  CHECK_THROWS(workplace.directory.write("tests/a", "again"));
}

TEST_CASE("whatever a script has put in the path, nothing is written elsewhere") {
  struct {
    std::string name;
    std::function<void(std::string const& run, std::string const& other)> attack;
  } const cases[] = {
      {"the directory is a link", [](auto& run, auto& other) { fs::create_symlink(other, run + "/tests"); }},
      {"the file is a link",
       [](auto& run, auto& other) {
         fs::create_directory(run + "/tests");
         fs::create_symlink(other + "/new", run + "/tests/a");
       }},
      {"the directory is a pipe", [](auto& run, auto&) { ::mkfifo((run + "/tests").c_str(), 0666); }},
      {"the file is a pipe",
       [](auto& run, auto&) {
         fs::create_directory(run + "/tests");
         ::mkfifo((run + "/tests/a").c_str(), 0666);
       }},
      {"the run's directory is another's",
       [](auto& run, auto& other) {
         fs::rename(run, run + "-away");
         fs::create_symlink(other, run);
       }},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    workplace position;
    auto const other = position.parent.path() + "/elsewhere";
    c.attack(position.directory.path(), other);
    try {
      position.directory.write("tests/a", "payload");
    } catch (std::runtime_error const&) {
    }
    CHECK(fs::is_empty(other));
  }
  workplace position;
  CHECK_THROWS(position.directory.write("../elsewhere/a", "payload"));
  CHECK(fs::is_empty(position.parent.path() + "/elsewhere"));
}

TEST_CASE("a file that a script left is read if it is a plain file of its own, and is then gone") {
  auto const own = [](std::string const& path) {
    std::ofstream(path) << "said";
    if (somebody()) CHECK(::chown(path.c_str(), static_cast<uid_t>(*somebody()), 0) == 0);
  };
  struct {
    std::string name;
    std::function<void(std::string const& file, std::string const& parent)> attack;
    std::string expected;
  } const cases[] = {
      {"a file", [&](auto& file, auto&) { own(file); }, "said"},
      {"nothing", [](auto&, auto&) {}, ""},
      {"a link", [](auto& file, auto& parent) { fs::create_symlink(parent + "/secret", file); }, ""},
      {"a hard link", [](auto& file, auto& parent) { fs::create_hard_link(parent + "/secret", file); }, ""},
      {"two names",
       [&](auto& file, auto&) {
         own(file);
         fs::create_hard_link(file, file + "-too");
       },
       ""},
      {"a pipe", [](auto& file, auto&) { ::mkfifo(file.c_str(), 0666); }, ""},
      // The only device that everybody may create.
      {"a device", [](auto& file, auto&) { ::mknod(file.c_str(), S_IFCHR | 0666, ::makedev(0, 0)); }, ""},
      {"a socket", [](auto& file, auto&) { make_socket(file); }, ""},
      {"a directory", [](auto& file, auto&) { fs::create_directory(file); }, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    workplace workplace;
    c.attack(workplace.directory.path() + "/result", workplace.parent.path());
    CHECK(workplace.directory.take("result", 100) == c.expected);
    if (c.name != "a directory") CHECK(!fs::exists(fs::symlink_status(workplace.directory.path() + "/result")));
    CHECK(text_of(workplace.parent.path() + "/secret") == "the runner's own");
  }
}

TEST_CASE("a run's directory is deleted with everything in it, and nothing else is") {
  temporary_directory parent;
  ::chmod(parent.path().c_str(), 0711);
  fs::create_directory(parent.path() + "/elsewhere");
  std::ofstream(parent.path() + "/elsewhere/kept") << "kept";
  {
    scratch const directory(parent.path(), "run", {somebody(), 0});
    directory.directory("closed");
    directory.write("closed/a", "a");
    directory.link("out", parent.path() + "/elsewhere");
    ::chmod((directory.path() + "/closed").c_str(), 0);
  }
  CHECK(!fs::exists(parent.path() + "/run"));
  CHECK(text_of(parent.path() + "/elsewhere/kept") == "kept");
}

TEST_CASE("directories of runs that nobody holds are removed, those of living runners and other files stay") {
  surroundings around;
  auto const work = around.parent.path() + "/work";
  scratch const held{work, "run-held", {somebody(), 0}};
  held.write("file", "x");
  // As a runner leaves them that was killed: with files of its user, and closed by the script.
  fs::create_directories(work + "/run-left/deep/deeper");
  std::ofstream(work + "/run-left/deep/file") << "x";
  fs::create_symlink(around.parent.path() + "/elsewhere", work + "/run-left/link");
  fs::permissions(work + "/run-left/deep", fs::perms::none);
  if (auto const user = somebody()) {
    auto const id = static_cast<uid_t>(*user);
    for (auto const* path : {"/run-left", "/run-left/deep"}) CHECK(::lchown((work + path).c_str(), id, id) == 0);
  }
  fs::create_directory(work + "/run-empty");
  fs::create_directory(work + "/other");
  std::ofstream(work + "/run-file") << "x";
  std::ofstream(around.parent.path() + "/elsewhere/file") << "x";
  fs::create_directory_symlink(around.parent.path() + "/elsewhere", work + "/run-link");
  remove_abandoned(work);
  CHECK_FALSE(fs::exists(work + "/run-left"));
  CHECK_FALSE(fs::exists(work + "/run-empty"));
  CHECK(fs::exists(held.path() + "/file"));
  for (auto const* kept : {"/other", "/run-file", "/run-link"}) CHECK(fs::exists(work + kept));
  CHECK(fs::exists(around.parent.path() + "/elsewhere/file"));
}
