#pragma once

#include "svc/core/async.hpp"
#include "svc/monitoring/notifications/notifier.hpp"

#include <chrono>
#include <deque>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace svc::test {

/// Webhooks by their URL: the answers of each, in turn, and the messages that it received. Outlives the notifier.
struct webhooks {
  struct received {
    std::string url, reported;
    uuid id;
    bool maybe_repeated;
    unsigned number;
  };
  std::map<std::string, std::deque<notifications::outcome>> answers{};  ///< an empty queue means "taken"
  std::string silent{};                                                 ///< attempts at this URL do not end
  std::vector<received> got{};
  std::string file{};  ///< other processes read each message as a line of this file

  notifications::message_sender make_sender() {
    return [this](notifications::provider_config config, notifications::message message, unsigned number,
                  std::vector<notifications::settled_recipient>) {
      return take(this, std::move(config), std::move(message), number);
    };
  }
  static task<notifications::attempt> take(webhooks* webhooks, notifications::provider_config config,
                                           notifications::message message, unsigned number) {
    auto const url = std::get<notifications::webhook_config>(config).url;
    auto const& first = message.alerts.at(0);
    webhooks->got.push_back({url, std::string(name_of(first.type)), message.id, message.maybe_repeated, number});
    if (!webhooks->file.empty()) {
      std::ofstream(webhooks->file, std::ios::app) << message.id.to_string() << ' ' << message.maybe_repeated << '\n';
    }
    if (url == webhooks->silent) {
      steady_timer never(co_await asio::this_coro::executor, std::chrono::hours(1));
      co_await never.async_wait(awaiting);
    }
    auto& mine = webhooks->answers[url];
    notifications::attempt out{
        .came = {.state = notifications::fate::taken, .cause = notifications::reason::delivered, .status = 204}};
    if (!mine.empty()) {
      out.came = mine.front();
      mine.pop_front();
    }
    co_return out;
  }
};

}  // namespace svc::test
