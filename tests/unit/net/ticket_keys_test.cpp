#include "svc/net/tls_context.hpp"

#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <stdexcept>

namespace svc::net {
namespace {

std::string line_of(char digit) {
  return std::string(160, digit);
}

TEST_CASE("a file of ticket keys: what it may contain") {
  std::string many;
  for (char const digit : std::string("0123456789abcdef")) many += line_of(digit) + "\n";
  auto const same_name = line_of('1').substr(0, 32) + line_of('2').substr(32);
  struct {
    std::string name, text;
    std::size_t keys;
  } const cases[] = {
      {"one", line_of('1'), 1},
      {"two", line_of('1') + "\n" + line_of('2') + "\n", 2},
      {"capitals, empty lines, carriage returns", "\n" + line_of('A') + " \r\n\n" + line_of('2') + "\n\n", 2},
      {"16", many, 16},
      {"17", many + line_of('1').substr(1) + "2", 0},
      {"short line", line_of('1') + "\n" + line_of('2').substr(1), 0},
      {"long line", line_of('1') + "1", 0},
      {"no hexadecimal", line_of('g'), 0},
      {"one name twice", line_of('1') + "\n" + same_name, 0},
      {"nothing", "", 0},
      {"empty lines", "\n\n", 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const keys = parse_ticket_keys(c.text);
    CHECK(keys.has_value() == (c.keys > 0));
    if (keys) CHECK(keys->size() == c.keys);
  }
  auto const parts = parse_ticket_keys(std::string(32, '1') + std::string(64, '2') + std::string(64, '3'));
  REQUIRE(parts);
  CHECK(parts->front().name.front() == 0x11);
  CHECK(parts->front().aes.front() == 0x22);
  CHECK(parts->front().hmac.back() == 0x33);
}

TEST_CASE("a file of ticket keys is read by its owner only, and is never quoted") {
  test::temporary_directory const where;
  auto const path = where.write("keys", line_of('7'));
  for (auto const mode : {0600U, 0400U, 0644U, 0604U, 0620U, 0660U}) {
    CAPTURE(mode);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    if ((mode & 077U) == 0)
      CHECK(load_ticket_keys(path)->size() == 1);
    else
      CHECK_THROWS_WITH_AS(load_ticket_keys(path), doctest::Contains("owner"), std::runtime_error);
  }
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  struct stat made{};
  REQUIRE(::stat(path.c_str(), &made) == 0);
  // As systemd provides credentials: owned by root, readable for the service's group.
  if (made.st_uid == 0)
    CHECK(load_ticket_keys(path)->size() == 1);
  else
    CHECK_THROWS_AS(load_ticket_keys(path), std::runtime_error);

  auto const bad = where.write("bad", line_of('7') + "\n777");
  REQUIRE(::chmod(bad.c_str(), 0600) == 0);
  for (auto const& each : {bad, where.path() + "/none", where.path()}) {
    CAPTURE(each);
    try {
      static_cast<void>(load_ticket_keys(each));
      FAIL("loaded");
    } catch (std::runtime_error const& e) {
      CHECK(std::string(e.what()).find(each) != std::string::npos);
      CHECK(std::string(e.what()).find("777") == std::string::npos);
    }
  }
  CHECK(*random_ticket_keys() != *random_ticket_keys());
}

}  // namespace
}  // namespace svc::net
