#pragma once

#include "svc/core/deadline.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>

namespace svc::postgres {

/// A caller that waits for a connection. It must not move while it is in a line.
struct waiting_caller {
  explicit waiting_caller(account_owner const& owner) : owner(owner) {}

  account_owner owner;  ///< nil: common work
  steady::time_point since = steady::now();

 private:
  friend class waiting_line;
  struct queue;
  std::list<queue>::iterator queue_{};
  std::list<waiting_caller*>::iterator position_{};
};

/// All callers of one owner, in order of arrival.
struct waiting_caller::queue {
  account_owner owner{};
  std::list<waiting_caller*> callers{};
};

/// The position of a caller among the callers of its owner.
enum class line_end : std::uint8_t { last, first };

/// The callers that wait for a connection of one pool. Callers of one project are served in order of arrival, and
/// projects take turns. Every second turn belongs to work without an owner, if any waits. Worker-local; pure.
class waiting_line {
 public:
  /// Returns how many more connections an owner may hold now.
  using room = std::function<int(account_owner const&)>;

  waiting_line() = default;
  waiting_line(waiting_line const&) = delete;
  waiting_line& operator=(waiting_line const&) = delete;

  void add(waiting_caller& caller, line_end end = line_end::last);
  void remove(waiting_caller& caller);
  /// Takes out the next caller among those whose owners have room. Returns null if there is none.
  waiting_caller* take(room const& room_of);
  /// Takes out any caller. Returns null if there is none.
  waiting_caller* take_any();
  /// Number of callers that could be served together now, counted up to `most`.
  std::size_t eligible(room const& room_of, std::size_t most) const;
  /// Returns the arrival of the caller that has waited longest among those whose owners have room, or `none`.
  steady::time_point longest(room const& room_of, steady::time_point none) const;

  /// True if a waiting tenant's share has room.
  bool tenant_waits(room const& room_of) const;
  std::size_t size() const { return size_; }
  /// Number of callers of this owner.
  std::size_t waiting(account_owner const& owner) const;
  /// Returns the arrival of the first caller of this owner, or `none`.
  steady::time_point first_of(account_owner const& owner, steady::time_point none) const;

 private:
  using queue = waiting_caller::queue;
  queue const* queue_of(account_owner const& owner) const;
  waiting_caller* take_common(room const& room_of);
  waiting_caller* take_tenant(room const& room_of);

  std::list<queue> common_{1};  ///< exactly one queue
  std::list<queue> tenants_{};  ///< in order of their next turns; none is empty
  std::unordered_map<uuid, std::list<queue>::iterator, uuid_hash> by_project_{};
  std::size_t size_ = 0;
  bool common_next_ = true;
};

}  // namespace svc::postgres
