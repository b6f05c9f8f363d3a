#pragma once

#include "svc/redis/primary_locator.hpp"

#include <functional>
#include <optional>

namespace svc::redis {

/// The address of one connection: that of its settings, or that of the primary which their locator finds.
/// Worker-local; made by `make_shared` and shared by the connection and its posted work.
class route final : public primary_locator::listener, public std::enable_shared_from_this<route> {
 public:
  /// `where` outlives it.
  route(asio::io_context& io, settings const& where) : listener(io), where_(where), timer_(io) {}

  /// The route calls `moved` if the connection must leave the address that `next` returned last, but not
  /// after `stop`.
  void start(std::function<void()> moved);
  void stop();

  /// Returns the address for the next attempt, which counts as in use until `next` or `rest` is called. With
  /// a locator it is the primary's address found since the last attempt. Returns `std::nullopt` if one round
  /// of the search has failed (`fault()` has the reason), or after `stop`.
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
