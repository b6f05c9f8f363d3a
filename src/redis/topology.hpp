#pragma once

#include "redis/handshake.hpp"
#include "redis/slots.hpp"
#include "svc/core/async.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::redis {

/// The view of one node of a Cluster.
struct cluster_view {
  std::uint64_t epoch = 0;
  slot_map slots{};
};

/// Returns the questions to a node, for `read_view`.
std::vector<handshake_step> view_steps();

/// Reads the answers to the last two of the steps. Returns `std::nullopt` if the node's view does not count,
/// with the reason in `reason`.
std::optional<cluster_view> read_view(std::vector<outcome> const& got, address const& address, std::string& reason);

/// Keeps asking for the masters of a Cluster: at an interval, when `refresh` is called, and soon again while its
/// owner is not content. Asks one node after the other until a view counts. A view counts if its node sees the
/// majority and it is not older than the last view. All refreshes during a question cause one further question.
/// Worker-local; made by `make_shared` and shared by its owner and its own pending operations.
class topology : public std::enable_shared_from_this<topology> {
 public:
  /// The topology calls all of them on the worker, and none after `stop`.
  struct owner {
    /// The nodes to ask, in this order; the nodes of the settings follow them.
    std::function<std::vector<address>()> nodes;
    /// Returns the answers of `view_steps` over an existing connection; `std::nullopt` if there is none. May
    /// be empty.
    std::function<task<std::optional<std::vector<outcome>>>(address)> ask;
    /// Takes a view.
    std::function<void(slot_map)> take;
    /// Reports that no node's view counts, for these reasons. May be empty.
    std::function<void(std::string reason)> failed;
    /// Returns true if all masters are connected.
    std::function<bool()> content;
  };

  /// `tls` may be null and is not used after `stop`.
  topology(asio::io_context& io, settings settings, tls_context const* tls, owner owner);

  void start();
  void stop();
  void refresh();

 private:
  task<> run(std::shared_ptr<topology> self);
  task<bool> look();
  std::vector<address> candidates() const;
  task<std::optional<cluster_view>> view_of(address address);
  task<std::vector<outcome>> converse_with(address address);
  void note(address const& address, std::string const& reason);

  asio::io_context& io_;
  settings const settings_;
  tls_context const* tls_;
  owner owner_;
  steady_timer pause_;
  std::weak_ptr<transport> talking_{};
  std::uint64_t epoch_ = 0;  ///< epoch of the last view
  std::string faults_{};     ///< faults of this round
  bool wanted_ = false;
  bool stopped_ = false;
};

}  // namespace svc::redis
