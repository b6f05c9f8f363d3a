#include "svc/core/master_keys.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>

namespace svc {
namespace {

std::string line_of(char digit) {
  return std::string(64, digit);
}

/// As an operator replaces it: never half written.
void write_file(std::string const& path, std::string const& text) {
  std::ofstream(path + ".new", std::ios::binary) << text;
  REQUIRE(std::rename((path + ".new").c_str(), path.c_str()) == 0);
}

sealer sealer_of(char digit) {
  auto const key = *from_hex(line_of(digit), true);
  return sealer(secret_bytes(key.begin(), key.end()));
}

TEST_CASE("a file of master keys: its valid and invalid contents") {
  test::temporary_directory const where;
  std::string const path = where.path() + "/keys";
  std::string many;
  for (int i = 0; i < 16; ++i) many += line_of('a') + "\n";
  struct {
    std::string name, text;
    std::size_t keys;
  } const cases[] = {
      {"one", line_of('1'), 1},
      {"32 bytes", std::string(32, '\n'), 1},
      {"two", line_of('1') + "\n" + line_of('2') + "\n", 2},
      {"empty lines and carriage returns", "\n" + line_of('1') + " \r\n\n" + line_of('2') + "\n\n", 2},
      {"16", many, 16},
      {"17", many + line_of('b'), 0},
      {"short line", line_of('1') + "\n" + line_of('2').substr(1), 0},
      {"no hexadecimal", std::string(64, 'g'), 0},
      {"nothing", "", 0},
      {"31 bytes", std::string(31, 'x'), 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    write_file(path, c.text);
    if (c.keys == 0) {
      CHECK_THROWS_AS(master_keys::from_file(path), std::runtime_error);
    } else {
      CHECK(master_keys::from_file(path).ids().size() == c.keys);
    }
  }
  CHECK_THROWS_AS(master_keys::from_file(where.path() + "/none"), std::runtime_error);
}

TEST_CASE("every key opens, the first one wraps, and a new file is noticed when it is needed") {
  test::temporary_directory const where;
  std::string const path = where.path() + "/keys";
  write_file(path, line_of('1'));
  auto keys = master_keys::from_file(path);
  auto const old_one = keys.make_data_key("place");
  auto const first = sealer_of('1').id(), second = sealer_of('2').id();
  CHECK(keys.unwrap(first, old_one.wrapped, "place") == old_one.plain);
  CHECK_FALSE(keys.unwrap(first, old_one.wrapped, "elsewhere"));

  write_file(path, line_of('2') + "\n" + line_of('1'));
  auto const wrapped = sealer_of('2').wrap(old_one.plain, "place");
  CHECK(keys.unwrap(second, wrapped, "place") == old_one.plain);
  CHECK(keys.current().id() == second);
  CHECK(keys.unwrap(first, old_one.wrapped, "place") == old_one.plain);
  CHECK_FALSE(keys.unwrap(second, old_one.wrapped, "place"));

  write_file(path, "nonsense");
  auto const made = keys.make_data_key("place");
  CHECK(keys.unwrap(second, made.wrapped, "place") == made.plain);
  write_file(path, line_of('3'));
  auto const newest = keys.make_data_key("place");
  CHECK(keys.unwrap(sealer_of('3').id(), newest.wrapped, "place") == newest.plain);
  CHECK_FALSE(keys.unwrap(first, old_one.wrapped, "place"));
}

TEST_CASE("a key that is missing everywhere does not make each call read the file") {
  test::temporary_directory const where;
  std::string const path = where.path() + "/keys";
  write_file(path, line_of('1'));
  auto keys = master_keys::from_file(path);
  auto const wrapped = sealer_of('2').wrap(byte_vector(32, 5), "place");
  auto const second = sealer_of('2').id();
  CHECK_FALSE(keys.unwrap(second, wrapped, "place"));
  write_file(path, line_of('2'));
  // It was just read; it is read again a little later.
  auto const start = steady::now();
  auto opened = keys.unwrap(second, wrapped, "place");
  if (steady::now() - start < milliseconds(100)) CHECK_FALSE(opened);
  while (!opened && steady::now() - start < std::chrono::seconds(10)) opened = keys.unwrap(second, wrapped, "place");
  CHECK(opened == secret_bytes(32, 5));
}

}  // namespace
}  // namespace svc
