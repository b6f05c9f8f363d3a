#include "svc/http/message.hpp"

#include <doctest/doctest.h>

using namespace svc::http;

TEST_CASE("message: fields are found whatever their case") {
  request head;
  head.fields = {{"Host", "a"}, {"X-A", "1"}, {"x-a", "2"}, {"X-AB", "3"}};
  CHECK(head.find("x-A") == "1");
  CHECK(head.find("HOST") == "a");
  CHECK_FALSE(head.find("x"));
  CHECK_FALSE(head.find(""));
  CHECK(head.count("x-a") == 2);
  CHECK(head.count("X-AB") == 1);
  CHECK(head.count("none") == 0);
}

TEST_CASE("message: a response's content is its own body or the shared one") {
  response out;
  out.body = "own";
  CHECK(out.content() == "own");
  out.shared_body = std::make_shared<std::string const>("shared");
  CHECK(out.content() == "shared");
}
