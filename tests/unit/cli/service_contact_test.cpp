#include "cli/events/service_contact.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc::cli;
using std::chrono::seconds;

TEST_CASE("a lost service is reported after three seconds, each minute, and when it answers again") {
  service_contact contact;
  service_contact::time_point const start{};
  auto const said = [&](int second, std::string_view status = "running") {
    return contact.report(start + seconds(second), status).value_or("");
  };
  CHECK(said(0).empty());
  contact.lose(start + seconds(10), "The connection was closed.");
  CHECK(contact.lost());
  CHECK(said(12).empty());
  CHECK(said(13) ==
        "The service has not answered for 3.0s: The connection was closed. Trying again. The run was running when the"
        " service last answered.");
  CHECK(said(14).empty());
  // The newest reason counts, and the first loss.
  contact.lose(start + seconds(60), "No route.");
  CHECK(said(72).empty());
  CHECK(
      said(73, "queued") ==
      "The service still does not answer after 1m 03s: No route. The run was queued when the service last answered.");
  contact.answer(start + seconds(80));
  CHECK_FALSE(contact.lost());
  CHECK(said(80) == "The service answers again after 1m 10s.");
  CHECK(said(81).empty());
  CHECK(contact.loss(start + seconds(81)).empty());
}

TEST_CASE("a short loss is not reported, and without an answer nothing is said of the run's state") {
  service_contact contact;
  service_contact::time_point const start{};
  contact.lose(start, "Closed.");
  contact.answer(start + seconds(2));
  CHECK_FALSE(contact.report(start + seconds(2), "running"));
  contact.lose(start + seconds(10), "Re\x1b[31mset.");
  auto const said = contact.report(start + seconds(20), "").value_or("");
  CHECK(said.find("The state of the run is unknown.") != std::string::npos);
  CHECK(said.find('\x1b') == std::string::npos);
}
