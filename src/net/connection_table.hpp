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

/// What one holder has of a worker's connections.
struct holding {
  std::size_t connections;
  std::size_t waiting;  ///< of them; the others serve a request
};

/// How many waiting connections each holder loses so that `wanted` places become free: each time the one who holds
/// most loses one, and of those who then hold the same the one who held most before. Fewer when fewer wait. Pure.
std::vector<std::size_t> closings(std::span<holding const> all, std::size_t wanted);

/// The network that counts as one client: an IPv4 address, or the /64 of an IPv6 address. Nothing for what is no
/// address.
std::optional<std::array<std::uint8_t, 16>> client_network(std::string_view address);

/// Who holds the connections of one worker: a client's network until one of its requests is admitted, from then on
/// that request's user. Decides who is let in, and who is closed to make room. Worker-local; what a network and a
/// user hold is counted over all workers.
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
    /// There was no other place for it when it came. Set before it enters; unset while it serves.
    bool on_reserve_ = false;

   private:
    friend connection_table;
    /// The table has forgotten it, and its place is wanted. Must not call the table.
    virtual void make_room() = 0;

    holder* of_ = nullptr;                               ///< null: not in the table
    boost::intrusive::list<entry>* waits_in_ = nullptr;  ///< null: it serves a request
    steady::time_point since_{};
  };

  /// Connections that were not let in or did not stay.
  struct turned_away {
    std::size_t address = 0;  ///< of a network that holds as many as it may
    std::size_t user = 0;     ///< the same for a user
    std::size_t room = 0;     ///< closed so that others find a place
  };

  connection_table(session_settings const& settings, std::shared_ptr<shared_counts> counts);
  connection_table(connection_table const&) = delete;
  connection_table& operator=(connection_table const&) = delete;

  /// It waits from now on. `address`: whose it is; nothing for one that serves many or is local, which is not
  /// counted. False when that network holds as many as it may, and none of them has waited long enough to give way.
  bool enter(entry& which, std::optional<std::string_view> address, steady::time_point now);
  /// One of its requests was admitted. False when the user holds as many as it may and none of them waits: it should
  /// be closed after the answer.
  bool admitted(entry& which, uuid const& user);
  void waits(entry& which, steady::time_point now);
  void serves(entry& which);
  void leave(entry& which);

  /// Closes up to so many that wait. How many.
  std::size_t make_room(std::size_t wanted);
  /// The same among those on the reserve, which are left alone otherwise: they would be closed by the next that
  /// comes.
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
