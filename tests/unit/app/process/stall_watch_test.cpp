#include "app/process/stall_watch.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

using namespace svc;
using namespace svc::app;

namespace {

/// A watch over nothing but attempts at mails, on the control loop of the test.
struct watched_mails {
  /// Lets the watch look until `done` holds, for ten seconds at most.
  template <class Condition>
  bool looks_until(Condition done) {
    for (auto const end = deadline::after(std::chrono::seconds(10)); !end.passed();) {
      control.run_one_for(milliseconds(50));
      if (done()) return true;
    }
    return false;
  }
  bool shows(std::string const& stalls) const {
    return counters.expose().find("svc_thread_stalls_total{thread=\"mail\"} " + stalls + "\n") != std::string::npos;
  }

  metrics counters{};
  background_loops loops{counters};
  service_manager manager{""};
  milliseconds overdue{0};  ///< of an attempt for no project
  int looks = 0;
  asio::io_context control{1};
  stall_watch watch{control,
                    counters,
                    loops,
                    {},
                    {.name = "mail",
                     .resource = "mail_threads",
                     .overdue =
                         [this](steady::time_point) {
                           ++looks;
                           return overdue_attempt{.lasted = overdue};
                         }},
                    manager};
};

}  // namespace

TEST_CASE("an attempt at a mail that outlives its deadline by a second is one stall of the mail threads") {
  watched_mails mails;
  mails.watch.start();
  auto const looks_again = [&] {
    return mails.looks_until([&, before = mails.looks] { return mails.looks > before; });
  };
  CHECK(looks_again());
  CHECK(mails.shows("0"));
  // A second is what every thread is granted.
  mails.overdue = milliseconds(1000);
  CHECK(looks_again());
  CHECK(mails.shows("0"));
  mails.overdue = milliseconds(1001);
  CHECK(looks_again());
  CHECK(mails.shows("1"));
  // The same stall is not counted again while it lasts.
  mails.overdue = milliseconds(5000);
  CHECK(looks_again());
  CHECK(mails.shows("1"));
  mails.overdue = milliseconds(0);
  CHECK(looks_again());
  mails.overdue = milliseconds(2000);
  CHECK(looks_again());
  CHECK(mails.shows("2"));
}
