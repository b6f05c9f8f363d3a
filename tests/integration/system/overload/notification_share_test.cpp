// The processor time of the thread that notifies: a project whose receivers keep it busy gets its share, and the
// notifications of another project go between its pieces of work.
#include "integration/egress/http_server.hpp"
#include "integration/system/extra_instance.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// An instance on which each piece of work for a receiver costs 20 ms.
struct costly_notifications {
  costly_notifications() {
    REQUIRE(instance.pages().post("/debug/failpoints", "egress.piece=block:20").status == 200);
  }

  /// The time that a test of this receiver takes.
  std::chrono::milliseconds test(tenant const& tenant, std::string const& receiver) const {
    api_client user(instance.url(), instance.ca_file(), tenant.token, 60s);
    auto const began = std::chrono::steady_clock::now();
    auto const tested = user.post("/api/notification-providers/test",
                                  R"({"name":"hook","type":"webhook","config":{"url":")" + receiver + R"("}})");
    CHECK(tested.status == 200);
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  }
  /// The median of nine tests, with pauses that keep the project below its share.
  std::chrono::milliseconds usual_time(tenant const& tenant, std::string const& receiver) const {
    std::vector<std::chrono::milliseconds> took;
    for (int i = 0; i < 9; ++i) {
      took.push_back(test(tenant, receiver));
      std::this_thread::sleep_for(400ms);
    }
    std::ranges::sort(took);
    return took[took.size() / 2];
  }
  double refusals() const {
    return sum_of(instance.pages().get("/metrics").body, "svc_account_refused_total{account=\"notification_cpu\"");
  }

  extra_instance instance{{}};
};

std::string project_of(tenant const& tenant) {
  return shared_fleet().word(
      "SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug = '" +
      tenant.organization + "' LIMIT 1");
}

TEST_CASE(
    "receivers that keep the notification thread busy cost their project its share, and others are served first") {
  auto const greedy = shared_fleet().make_tenant(), modest = shared_fleet().make_tenant();
  std::atomic<bool> over = false;
  // Something to read at every moment, and never an end.
  http_server const trickling([&](http_connection& connection) {
    connection.request();
    connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    while (!over && connection.send("1\r\nx\r\n")) std::this_thread::sleep_for(2ms);
    connection.send("0\r\n\r\n");
  });
  http_server const quick(saying(answer_of(204)));
  costly_notifications const notifications;
  auto const alone = notifications.usual_time(modest, quick.url());
  CHECK(notifications.refusals() == 0);

  std::vector<std::thread> asking;
  // A project may run four tests at once.
  for (int i = 0; i < 4; ++i)
    asking.emplace_back([&] {
      while (!over) notifications.test(greedy, trickling.url());
    });
  auto const line =
      notifications.instance.process().wait_error_line("an owner has exhausted its share of a shared resource");
  auto const beside = notifications.usual_time(modest, quick.url());
  over = true;
  for (auto& each : asking) each.join();

  MESSAGE("a test took ", alone.count(), " ms alone, ", beside.count(), " ms beside the others; ",
          notifications.refusals(), " pieces waited");
  CAPTURE(line);
  CHECK(line.find("\"account\":\"notification_cpu\"") != std::string::npos);
  CHECK(line.find("\"project\":\"" + project_of(greedy) + "\"") != std::string::npos);
  CHECK(line.find("\"share\":0.5,") != std::string::npos);
  CHECK(notifications.refusals() > 10);
  // One piece of the others goes before each step of its own, and not four.
  CHECK(beside < 6 * alone);
  std::istringstream log(notifications.instance.process().err().text());
  for (std::string each; std::getline(log, each);)
    CHECK_FALSE((each.find("exhausted") != std::string::npos && each.find(project_of(modest)) != std::string::npos));
}

}  // namespace
}  // namespace svc::test
