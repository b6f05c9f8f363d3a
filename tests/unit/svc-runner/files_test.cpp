#include "svc-runner/files.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace svc::runner;

namespace {

auto open_descriptors() {
  auto const all = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

}  // namespace

TEST_CASE("small files are read and written as a whole, and no descriptor stays open") {
  svc::test::temporary_directory const place;
  auto const file = place.path() + "/file";
  auto const before = open_descriptors();
  CHECK_FALSE(read_text(file));
  // A file must exist, because these are files of the kernel.
  CHECK_FALSE(write_text(file, "x"));
  std::ofstream(file).close();
  CHECK(read_text(file) == "");
  std::string const longer_than_a_part(10'000, 'a');
  CHECK(write_text(file, longer_than_a_part));
  CHECK(read_text(file) == longer_than_a_part);
  CHECK_FALSE(read_text(place.path()).value_or("").size() > 0);
  CHECK_FALSE(write_text(place.path(), "x"));
  CHECK(open_descriptors() == before);
}
