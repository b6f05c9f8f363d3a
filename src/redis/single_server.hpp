#pragma once

#include "redis/backend.hpp"
#include "redis/route.hpp"

namespace svc::redis {

/// One server, fixed or named by sentinels: opens one connection after the other until `stop`. Shared by the
/// client and the coroutine that reconnects.
class single_server final : public client::backend, public std::enable_shared_from_this<single_server> {
 public:
  single_server(asio::io_context& io, settings where, std::vector<script const*> scripts,
                std::function<void(bool)> on_change);

  void start() override;
  void stop() override;
  void reconnect() override;
  task<outcome> command(std::span<std::string_view const> arguments, deadline until) override;
  task<outcome> command_at(std::string, std::span<std::string_view const> arguments, deadline until) override {
    return command(arguments, until);
  }
  task<outcome> evaluate(script const& script, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments, deadline until, reply_wait wait) override;
  void give_up() override;
  std::vector<std::string> tags() const override { return {{}}; }
  std::uint16_t part_of(std::string_view) const override { return 0; }

 private:
  task<> run();
  /// Called after an exception that only a bug or exhausted memory causes.
  void give_up_connection();
  task<bool> use(address address, backoff& pause);
  void leave(char const* reason);
  /// Returns false if the command is `unsent`.
  bool submit(command_parts const& parts, waiter& waiter);

  std::shared_ptr<connection> connection_;  // null before the first attempt
  std::shared_ptr<route> const route_;
  bool replacing_ = false;  // the connection was closed to be replaced, which is not reported
  steady::time_point replaced_at_{};
  bool started_ = false;
};

}  // namespace svc::redis
