#pragma once

#include "support/fleet.hpp"

#include <memory>
#include <string>
#include <vector>

namespace svc::test {

/// One more instance on the shared fleet's stores, with its own environment; on the main thread.
class extra_instance {
 public:
  explicit extra_instance(std::vector<std::string> environment)
      : process_(shared_fleet().beside(std::move(environment))) {}

  std::string const& url() const { return process_->url(); }
  std::string ca_file() const { return shared_fleet().text("caFile"); }
  api_client client(std::string token = {}) const { return {url(), ca_file(), std::move(token)}; }
  /// The plain admin listener.
  api_client pages() const { return {process_->admin_url(), {}, {}}; }
  service& process() const { return process_->process(); }
  pid_t pid() const { return process().pid(); }

 private:
  std::unique_ptr<second_service> process_;
};

}  // namespace svc::test
