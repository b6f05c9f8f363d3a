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

/// Number of a worker's connections that one holder has.
struct holding {
  std::size_t connections;
  std::size_t waiting;  ///< waiting connections among them; the others serve a request
};

/// Returns how many waiting connections each holder loses to free `wanted` slots. Each step takes a
/// connection from the holder that has most; among equals, from the holder that had most at the start. The
/// sum is less than `wanted` if fewer connections wait. Pure.
std::vector<std::size_t> closings(std::span<holding const> all, std::size_t wanted);

/// Returns the network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. Returns
/// `std::nullopt` if the text is not an IP address.
std::optional<std::array<std::uint8_t, 16>> client_network(std::string_view address);

/// Tracks the holders of one worker's connections. The holder is the client's network until one of the connection's
/// requests is admitted, and that request's user from then on. Decides which connections are admitted, and which are
/// closed to make room. Worker-local; the counts of a network and of a user cover all workers.
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
    /// True if no ordinary slot was free when the connection arrived. Set before it enters the table; cleared
    /// only while it does not wait.
    bool on_reserve_ = false;

   private:
    friend connection_table;
    /// Reports that the table has removed this entry because its slot is needed. Must not call the table.
    virtual void make_room() = 0;

    holder* holder_ = nullptr;                           ///< null: not in the table
    boost::intrusive::list<entry>* waits_in_ = nullptr;  ///< null: it serves a request
    steady::time_point since_{};
  };

  /// Number of times that a limit was reached or a connection was closed to make room.
  struct turned_away {
    std::size_t address = 0;  ///< a network was at its limit
    std::size_t user = 0;     ///< a user was at its limit
    std::size_t room = 0;     ///< closed to make room for others
  };

  connection_table(session_settings const& settings, std::shared_ptr<shared_counts> counts);
  connection_table(connection_table const&) = delete;
  connection_table& operator=(connection_table const&) = delete;

  /// Adds `which` as a waiting connection. `address` is the client's address; a local connection, or one that serves
  /// many clients, has none and is not counted. Returns false if the client's network is at its limit, and no
  /// connection of it on this worker has waited long enough to be closed instead.
  bool enter(entry& which, std::optional<std::string_view> address, steady::time_point now);
  /// Records that a request of `which` was admitted. Returns false if the user is at its limit and no connection of
  /// the user waits on this worker. The caller should then close `which` after the answer.
  bool admitted(entry& which, uuid const& user);
  void waits(entry& which, steady::time_point now);
  void serves(entry& which);
  void leave(entry& which);

  /// Closes up to `wanted` waiting connections; returns their number.
  std::size_t make_room(std::size_t wanted);
  /// Does the same for connections on the reserve. `make_room` spares these, because otherwise each would be
  /// closed by the next arrival.
  std::size_t make_room_on_reserve(std::size_t wanted);
  turned_away const& turned() const { return turned_; }

 private:
  using entries = boost::intrusive::list<entry>;
  struct holder {
    shared_counts::key key = 0;
    std::size_t connections = 0;
    entries waiting{};  ///< in the order of waiting, the longest first
  };

  holder& holder_of(shared_counts::key key);
  void put(entry& which, holder& into);
  void close(entry& which);

  session_settings const& settings_;
  std::shared_ptr<shared_counts> counts_;
  std::unordered_map<shared_counts::key, holder> holders_{};
  holder exempt_{};
  entries reserve_{};  ///< waiting connections on the reserve
  turned_away turned_{};
};

}  // namespace svc::net
