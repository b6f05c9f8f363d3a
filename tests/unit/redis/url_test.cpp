#include "svc/redis/client.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace svc::redis;

namespace {

std::string describe(settings const& s) {
  std::string out = s.unix_path.empty() ? (s.tls ? "tls " : "tcp ") + s.host + " " + s.port : "unix " + s.unix_path;
  return out + " " + s.username + "/" + std::string(s.password.reveal()) + " " + std::to_string(s.database);
}

std::string fault_of(std::string_view url) {
  try {
    parse_url(url);
  } catch (std::invalid_argument const& e) {
    return e.what();
  }
  return {};
}

std::string const longest_path = "/" + std::string(106, 'p');

}  // namespace

TEST_CASE("a url becomes settings") {
  struct {
    std::string url;
    std::string expected;
  } const cases[] = {
      {"redis://localhost", "tcp localhost 6379 / 0"},
      {"redis://localhost/", "tcp localhost 6379 / 0"},
      {"redis://10.0.0.1:1", "tcp 10.0.0.1 1 / 0"},
      {"redis://h:65535/15", "tcp h 65535 / 15"},
      {"redis://h/65535", "tcp h 6379 / 65535"},
      {"rediss://my-redis_1.example.com:6380", "tls my-redis_1.example.com 6380 / 0"},
      {"redis://[::1]:7000/3", "tcp ::1 7000 / 3"},
      {"redis://[::1]", "tcp ::1 6379 / 0"},
      {"redis://:pw@h", "tcp h 6379 /pw 0"},
      {"redis://user@h", "tcp h 6379 user/ 0"},
      {"redis://user:p%40s%3As%2F%25@h:1/2", "tcp h 1 user/p@s:s/% 2"},
      {"redis://user:p:q@h", "tcp h 6379 user/p:q 0"},
      {"redis://u:p@[::1]:1", "tcp ::1 1 u/p 0"},
      {"unix:/run/redis.sock", "unix /run/redis.sock / 0"},
      {"unix:///run/redis.sock", "unix /run/redis.sock / 0"},
      {"unix:/r%20s?db=7", "unix /r s / 7"},
      {"unix:" + longest_path, "unix " + longest_path + " / 0"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.url);
    CHECK(describe(parse_url(c.url)) == c.expected);
  }
}

TEST_CASE("a wrong url is refused with its reason and without its password") {
  struct {
    std::string url;
    std::string part;
  } const cases[] = {
      {"", "must begin"},
      {"http://h", "must begin"},
      {"REDIS://h", "must begin"},
      {"redis:/h", "must begin"},
      {"redis://", "host"},
      {"redis://:s3cret@", "host"},
      {"redis:///1", "host"},
      {"redis://" + std::string(254, 'h'), "host"},
      {"redis://h;s3cret", "invalid character"},
      {"redis://u:s3cret/x@h", "port"},
      {"redis://h:", "port"},
      {"redis://h:0", "port"},
      {"redis://h:65536", "port"},
      {"redis://h:-1", "port"},
      {"redis://h:1x", "port"},
      {"redis://h:01", "port"},
      {"redis://h:1:2", "port"},
      {"redis://h/-1", "database"},
      {"redis://h/65536", "database"},
      {"redis://h/1/", "database"},
      {"redis://h/x", "database"},
      {"redis://h?db=1", "query"},
      {"redis://[::g]", "IPv6"},
      {"redis://[]", "IPv6"},
      {"redis://[::1]x", "invalid character"},
      {"redis://@h", "empty credentials"},
      {"redis://u:@h", "empty password"},
      {"redis://u:s3c@ret@h", "%40"},
      {"redis://u:s3cret%4@h", "percent"},
      {"redis://u:s3cret%zz@h", "percent"},
      {"redis://u:s3cret%00@h", "NUL"},
      {"redis://u:s3cret @h", "blanks"},
      {"redis://u:s3cret\n@h", "blanks"},
      {"redis://u:s3cret@h#f", "blanks"},
      {"unix:", "absolute"},
      {"unix:/", "absolute"},
      {"unix:relative", "absolute"},
      {"unix://host/path", "absolute"},
      {"unix:////x", "absolute"},
      {"unix:" + longest_path + "p", "107"},
      {"unix:/s?db=", "database"},
      {"unix:/s?db=1&x=2", "database"},
      {"unix:/s?x=1", "only parameter"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.url);
    auto const reason = fault_of(c.url);
    CHECK(reason.find(c.part) != std::string::npos);
    CHECK(reason.find("s3c") == std::string::npos);
  }
}
