#include "svc/core/file_problem.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

namespace svc {
namespace {

TEST_CASE("a file that cannot be read has one reason, which names the object at that path") {
  test::temporary_directory const dir;
  auto const pipe = dir.path() + "/pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  auto const file = dir.write("file", "content");
  struct {
    std::string path;
    char const* problem;
  } const cases[] = {
      {file, ""},
      {dir.write("empty", ""), ""},
      {pipe, ""},
      {dir.path() + "/none", "does not exist"},
      {dir.path(), "is a directory"},
      {file + "/below", "cannot be read: Not a directory"},
      {"", "does not exist"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.path);
    CHECK(file_problem(c.path).value_or("") == c.problem);
  }
}

TEST_CASE("a path exists unless there is certainly nothing") {
  test::temporary_directory const dir;
  auto const file = dir.write("file", "");
  CHECK(may_exist(file));
  CHECK(may_exist(dir.path()));
  CHECK_FALSE(may_exist(dir.path() + "/none"));
  CHECK_FALSE(may_exist(file + "/below"));
  CHECK(may_exist("/" + std::string(300, 'x')));
}

}  // namespace
}  // namespace svc
