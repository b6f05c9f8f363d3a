#pragma once

#include "integration/system/extra_instance.hpp"
#include "support/metrics_page.hpp"
#include "support/watched_target.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// An instance on which a user tries monitors that are not saved, with its failpoints and metrics.
class monitor_trials {
 public:
  explicit monitor_trials(std::vector<std::string> environment = {}) : instance_(std::move(environment)) {}

  /// Waits for the answer for a minute.
  api_client client() const { return {instance_.url(), instance_.ca_file(), user_.token, std::chrono::seconds(60)}; }
  answer try_monitor() const {
    return client().post("/api/monitors/test", R"({"name":"site","type":"http_request","target":"http://)" +
                                                   target_.address() + R"(/","frequencyMinutes":60,"config":{}})");
  }
  void set_failpoint(std::string const& text) const {
    REQUIRE(instance_.pages().post("/debug/failpoints", text).status == 200);
  }
  std::string metrics() const { return instance_.pages().get("/metrics").body; }
  tenant const& user() const { return user_; }
  service& process() const { return instance_.process(); }

 private:
  tenant const user_ = shared_fleet().make_tenant();
  watched_target target_{};
  extra_instance instance_;
};

}  // namespace svc::test
