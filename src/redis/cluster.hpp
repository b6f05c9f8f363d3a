#pragma once

#include "redis/backend.hpp"
#include "redis/topology.hpp"

#include <map>

namespace svc::redis {

/// The masters of a Redis Cluster: one connection to each, and one to a node that a slot is being moved to. A
/// lost connection is opened again once a newer view of the Cluster names the node as a master. A node that
/// returns after a takeover of its slots is not trusted. Shared by the client and its own pending operations.
class cluster final : public client::backend, public std::enable_shared_from_this<cluster> {
 public:
  cluster(asio::io_context& io, settings where, std::vector<script const*> scripts,
          std::function<void(bool)> on_change)
      : backend(io, std::move(where), std::move(scripts), std::move(on_change)) {}

  void start() override;
  void stop() override;
  void reconnect() override;
  task<outcome> command(std::span<std::string_view const> arguments, deadline until) override;
  task<outcome> command_at(std::string tag, std::span<std::string_view const> arguments, deadline until) override;
  task<outcome> evaluate(script const& script, std::span<std::string_view const> keys,
                         std::span<std::string_view const> arguments, deadline until, reply_wait wait) override;
  void give_up() override;
  std::vector<std::string> tags() const override { return tags_; }
  std::uint16_t part_of(std::string_view key) const override { return slot_of(key); }

 private:
  struct node;
  using node_ptr = std::shared_ptr<node>;
  struct question;

  task<outcome> ask(question question, std::uint16_t slot, deadline until, reply_wait wait = reply_wait::prompt);
  task<node_ptr> follow(redirect redirect, deadline end);
  task<> pause_before_retry(deadline end);
  node_ptr owner_of(std::uint16_t slot) const;
  node_ptr reach(address const& address);
  task<> serve(node_ptr node);
  void let_go(node_ptr const& node);

  void take(slot_map slots);
  std::vector<address> nodes() const;
  task<std::optional<std::vector<outcome>>> view_from(address address);
  bool content() const;
  void settle();
  void lose(std::string reason);

  std::shared_ptr<topology> topology_;
  std::map<std::string, node_ptr> nodes_;  // by address
  slot_map slots_;
  std::vector<node_ptr> masters_;  // of `slots_`, in its order
  std::vector<std::string> tags_;
  std::uint64_t losses_ = 0;
};

}  // namespace svc::redis
