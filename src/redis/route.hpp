#pragma once

#include "svc/redis/primary_locator.hpp"

#include <functional>
#include <optional>

namespace svc::redis {

/// Where one connection goes: always to the address in its settings, or to wherever their locator finds the primary.
/// Worker-local; made by `make_shared` and shared by the connection and what is posted to it.
class route final : public primary_locator::listener, public std::enable_shared_from_this<route> {
 public:
  /// `where` outlives it.
  route(asio::io_context& io, settings const& where) : listener(io), where_(where), timer_(io) {}

  /// `moved`: the connection must leave the address that `next` gave it last. Not called after `stop`.
  void start(std::function<void()> moved);
  void stop();

  /// The address for the next attempt, which counts as in use until `next` or `rest` is called. With a locator, the
  /// primary's as found since the last attempt. Nothing: one round of the search has failed (`fault()` says why), or
  /// `stop` was called.
  task<std::optional<address>> next();
  /// Waits between two attempts; ends early when a primary has been found, or by `stop`.
  task<> rest(milliseconds how_long);

  std::string const& fault() const { return fault_; }

 private:
  void on_found(address const& where) override;
  void on_not_found(std::string const& reason) override;
  void on_deposed() override;

  settings const& where_;
  steady_timer timer_;
  std::function<void()> moved_{};
  std::optional<address> found_{};  ///< not used yet
  std::optional<address> in_use_{};
  std::string fault_{};
  bool waiting_ = false;
  bool stopped_ = false;
};

}  // namespace svc::redis
