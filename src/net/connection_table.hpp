#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/shared_counts.hpp"
#include "svc/core/uuid.hpp"
#include "svc/net/session_settings.hpp"

#include <boost/intrusive/list.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace svc::net {

/// How many of a worker's connections one holder has.
struct holding {
  std::size_t connections;
  std::size_t waiting;  ///< of them; the others serve a request
};

/// How many waiting connections each holder loses to free `wanted` places. Each step takes one from the holder that
/// has most; among equals, from the one that had most at the start. Fewer than `wanted` when fewer wait. Pure.
std::vector<std::size_t> closings(std::span<holding const> all, std::size_t wanted);

/// The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. Nothing when the text is
/// not an IP address.
std::optional<std::array<std::uint8_t, 16>> client_network(std::string_view address);

/// Who holds the connections of one worker: the client's network until one of the connection's requests is admitted,
/// from then on that request's user. Decides which connections are let in, and which are closed to make room.
/// Worker-local; what a network and a user hold is counted over all workers.
class connection_table {
  struct holder;

 public:
  /// A connection. It waits while it serves no request: for a handshake, a head, or anything at all.
  class entry : public boost::intrusive::list_base_hook<> {
   public:
    entry() = default;
    entry(entry const&) = delete;
    entry& operator=(entry const&) = delete;

   protected:
    ~entry() = default;
    /// No ordinary place was free when it arrived. Set before it enters the table; cleared only while it does not
    /// wait.
    bool on_reserve_ = false;

   private:
    friend connection_table;
    /// The table has removed this entry because its place is needed. Must not call the table.
    virtual void make_room() = 0;

    holder* holder_ = nullptr;                           ///< null: not in the table
    boost::intrusive::list<entry>* waits_in_ = nullptr;  ///< null: it serves a request
    steady::time_point since_{};
  };

  /// How often a limit was reached or a connection was closed to make room.
  struct turned_away {
    std::size_t address = 0;  ///< a network had as many as it may hold
    std::size_t user = 0;     ///< a user had as many as it may hold
    std::size_t room = 0;     ///< closed to make room for others
  };

  connection_table(session_settings const& settings, std::shared_ptr<shared_counts> counts);
  connection_table(connection_table const&) = delete;
  connection_table& operator=(connection_table const&) = delete;

  /// From now on `which` waits. `address`: the client's; nothing for a connection that serves many clients or is
  /// local, which is not counted. False when the client's network has as many connections as it may hold and none of
  /// them on this worker has waited long enough to be closed instead.
  bool enter(entry& which, std::optional<std::string_view> address, steady::time_point now);
  /// One of its requests was admitted. False when the user has as many connections as it may hold and none of them
  /// waits on this worker: `which` should be closed after the answer.
  bool admitted(entry& which, uuid const& user);
  void waits(entry& which, steady::time_point now);
  void serves(entry& which);
  void leave(entry& which);

  /// Closes up to `wanted` waiting connections; returns how many.
  std::size_t make_room(std::size_t wanted);
  /// The same for connections on the reserve. `make_room` spares them: otherwise each would be closed by the next one
  /// that arrives.
  std::size_t make_room_on_reserve(std::size_t wanted);
  turned_away const& turned() const { return turned_; }

 private:
  using entries = boost::intrusive::list<entry>;
  struct holder {
    shared_counts::key key = 0;
    std::size_t connections = 0;
    entries waiting{};  ///< the one that has waited longest first
  };

  holder& holder_of(shared_counts::key key);
  void put(entry& which, holder& into);
  void close(entry& which);

  session_settings const& settings_;
  std::shared_ptr<shared_counts> counts_;
  std::unordered_map<shared_counts::key, holder> holders_{};
  holder exempt_{};
  entries reserve_{};  ///< those on the reserve that wait
  turned_away turned_{};
};

}  // namespace svc::net
