#pragma once

#include "redis/resp.hpp"
#include "redis/route.hpp"
#include "redis/transport.hpp"
#include "svc/redis/subscriber.hpp"

#include <functional>
#include <map>
#include <set>

namespace svc::redis {

/// The implementation of a subscriber, over one server (`server_subscriber`) or over the masters of a Cluster
/// (`cluster_subscriber`). `subscriber` describes the functions. Worker-local; shared by the subscriber and its
/// pending operations.
class subscriber::backend {
 public:
  virtual ~backend() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  virtual bool connected() const = 0;
  virtual void subscribe(std::string const& channel) = 0;
  virtual void unsubscribe(std::string const& channel) = 0;
};

/// The TLS context. The subscriber creates it once, so that later connections do not fail because a file has
/// gone. Null without TLS.
using shared_tls = std::shared_ptr<tls_context const>;

/// One connection to one server, which is opened again until `stop`.
class server_subscriber final : public subscriber::backend, public std::enable_shared_from_this<server_subscriber> {
 public:
  /// Reports that a node of a Cluster no longer sends the messages of a channel, or of an unknown channel (empty),
  /// because a slot has moved.
  using unheard = std::function<void(std::string const& channel)>;

  /// `listener` outlives this object, or its `stop`. If `gone` is set, the server is a node of a Cluster: there,
  /// channels with a hash tag are sharded (SSUBSCRIBE).
  server_subscriber(asio::io_context& io, settings where, shared_tls tls, subscriber::listener& listener,
                    unheard gone = {});

  void start() override;
  void stop() override;
  bool connected() const override { return connected_; }
  void subscribe(std::string const& channel) override;
  void unsubscribe(std::string const& channel) override;

 private:
  task<> run(std::shared_ptr<server_subscriber> self);
  void give_up_transport();
  task<> use(std::shared_ptr<transport> current, backoff& pause);
  task<> serve(std::shared_ptr<transport> current);
  task<> watch_over(std::shared_ptr<server_subscriber> self, std::shared_ptr<transport> current);
  bool sharded(std::string_view channel) const;
  void send_command(std::string_view word, std::string_view argument);
  void send_command(std::span<std::string_view const> words);
  void flush();
  void hear(reply const& message);
  void hear_refusal(reply const& reply);
  void hear_end(std::string const& text);

  asio::io_context& io_;
  settings const where_;
  std::string const database_;
  subscriber::listener* listener_;
  unheard gone_;
  shared_tls const tls_;
  std::set<std::string, std::less<>> wanted_;
  std::map<std::string, int> ending_;  ///< SUNSUBSCRIBEs of this connection that are not confirmed yet
  std::shared_ptr<transport> transport_;
  std::optional<reply_parser> parser_;
  std::string unsent_;
  bool flushing_ = false;  ///< the socket is full
  steady::time_point last_heard_{};
  std::shared_ptr<route> const route_;
  bool connected_ = false;
  bool refused_ = false;  ///< already in the log
  bool stopped_ = false;
};

}  // namespace svc::redis
