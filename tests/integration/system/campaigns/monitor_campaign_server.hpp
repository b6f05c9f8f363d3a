#pragma once

#include "monitor_campaign_check.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Plain HTTP on loopback: targets at `/target/N`, which answer 200 or, while they are down, 503; and receivers of
/// webhooks at `/receiver/N`, which take a message with 204, but one of some: they refuse it with 503, or lose their
/// answer.
class monitor_campaign_server {
 public:
  explicit monitor_campaign_server(std::size_t targets);
  ~monitor_campaign_server();
  monitor_campaign_server(monitor_campaign_server const&) = delete;
  monitor_campaign_server& operator=(monitor_campaign_server const&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
  void set_down(std::size_t target, bool down);
  std::vector<received_message> received_by(std::size_t receiver) const;
  std::size_t asked() const;  ///< how often targets were

 private:
  struct request {
    std::string path{}, id{}, body{};
  };
  void accept();
  std::string answer_to(request const& request);
  std::string answer_of_target(std::size_t target);
  std::string answer_of_receiver(std::size_t receiver, request const& request);
  class connection;

  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_;
  mutable std::mutex mutex_;
  std::vector<bool> down_;
  std::size_t asked_ = 0, sent_ = 0;
  std::map<std::size_t, std::vector<received_message>> received_{};
  std::thread thread_;
};

}  // namespace svc::test
