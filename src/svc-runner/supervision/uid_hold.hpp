#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Returns the real user id in a `/proc/PID/status`; -1 for a process that is dead or being removed. Pure.
std::int64_t living_user(std::string_view status);

/// Returns the number of living processes of each user of this machine, as far as /proc shows them. Root sees all.
std::map<std::int64_t, std::int64_t> living_users();

/// A reserved user id. No other runner on this machine takes it while this object lives, or while a supervisor with
/// `descriptor` lives. The reservation is an abstract Unix socket named after the id, which the kernel removes with
/// its last descriptor. Movable; never changes.
class uid_hold {
 public:
  /// Returns nothing if another runner holds the id. Throws `std::runtime_error` when no socket can be made.
  static std::optional<uid_hold> take(std::int64_t uid);
  ~uid_hold();
  uid_hold(uid_hold&& other) noexcept;
  uid_hold& operator=(uid_hold&&) = delete;

  std::int64_t uid() const { return uid_; }
  int descriptor() const { return socket_; }

 private:
  uid_hold(std::int64_t uid, int socket) : uid_(uid), socket_(socket) {}

  std::int64_t uid_;
  int socket_;
};

/// Reserves `count` ids from `first` on, and skips ids that are held already or have processes; only as root. Throws
/// `std::runtime_error` when more than `most_passed_over` are taken.
std::vector<uid_hold> hold_uids(std::int64_t first, std::int64_t count, std::int64_t most_passed_over = 4096);

}  // namespace svc::runner
