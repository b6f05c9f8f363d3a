#include "app/process/tls_reloader.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace svc::app {
namespace {

settled_change::stamps version(std::int64_t certificate, std::int64_t key) {
  return {{.size = certificate}, {.size = key}};
}

TEST_CASE("files are loaded once, when they have changed and then stayed the same for one check") {
  settled_change files(version(1, 1));
  struct {
    char const* subject;
    settled_change::stamps seen;
    bool load;
  } const looks[] = {
      {"as at the start", version(1, 1), false},
      {"one replaced", version(2, 1), false},
      {"and the other", version(2, 2), false},
      {"at rest", version(2, 2), true},
      {"taken", version(2, 2), false},
      {"gone", {{}, {.size = 2}}, false},
      {"still gone", {{}, {.size = 2}}, true},
      {"complained about", {{}, {.size = 2}}, false},
      {"there again", version(2, 2), false},
      {"at rest again", version(2, 2), true},
      {"a moment's change", version(3, 2), false},
      {"taken back", version(2, 2), false},
      {"as taken", version(2, 2), false},
  };
  for (auto const& l : looks) {
    CAPTURE(l.subject);
    CHECK(files.look(l.seen) == l.load);
  }
  files.take(version(4, 4));
  CHECK_FALSE(files.look(version(4, 4)));
  CHECK_FALSE(files.look(version(4, 4)));
}

TEST_CASE("a stamp changes with a file, and with the target of a link") {
  test::temporary_directory const where;
  auto const text = where.write("one", "1"), two = where.write("two", "22"), link = where.path() + "/link";
  std::filesystem::create_symlink(text, link);
  auto const before = stamps_of({text, two, link, where.path() + "/none", ""});
  REQUIRE(before.size() == 5);
  CHECK(before[0] == before[2]);
  CHECK(before[3] == file_stamp{});
  CHECK(before[4] == file_stamp{});
  std::filesystem::remove(link);
  std::filesystem::create_symlink(two, link);
  auto const after = stamps_of({text, two, link});
  CHECK(after[0] == before[0]);
  CHECK(after[2] == before[1]);
}

}  // namespace
}  // namespace svc::app
