#include "app/dev/alert_sink.hpp"

#include <doctest/doctest.h>

namespace svc::app::dev {
namespace {

TEST_CASE("a line that is printed of an alert has no control characters, and all others") {
  auto const body = [](std::string const& message) {
    return R"({"type":"monitor.failure","data":{"message":")" + message + R"("}})";
  };
  CHECK(lines_of_webhook(body(R"(a\u001b[2Jb\u007f\n)")).at(0) == "monitor.failure: a [2Jb  ");
  CHECK(lines_of_webhook(body("\xC2\x80|\xC2\x9F|\xC2\xA0|\xC3\x9F")).at(0) ==
        "monitor.failure:  | |\xC2\xA0|\xC3\x9F");
  CHECK(lines_of_webhook("no JSON").empty());
}

}  // namespace
}  // namespace svc::app::dev
