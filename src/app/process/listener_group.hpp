#pragma once

#include "app/configuration/configuration.hpp"
#include "app/process/worker_group.hpp"
#include "svc/core/async.hpp"
#include "svc/net/listener.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::app {

/// The listeners of the configuration, in its order. Lives on the control thread; the workers outlive it.
class listener_group {
 public:
  /// Binds all listeners before any of them accepts. `descriptors` has an inherited socket for each listener, or
  /// `net::not_inherited`. Throws as `net::listener` does.
  listener_group(asio::io_context& control, configuration const& config, worker_group& workers,
                 std::vector<int> const& descriptors);

  /// Starts the listeners of one kind, or all, and logs each.
  void start(std::optional<listener_kind> kind = std::nullopt);
  void stop();
  /// Returns the address of the first public listener, with its real port.
  std::string const& public_address() const;

 private:
  configuration const& config_;
  std::vector<std::unique_ptr<net::listener>> all_{};
};

}  // namespace svc::app
