#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::runner {

/// The real user id in a `/proc/PID/status`; -1 for a process that is dead or being taken down. Pure.
std::int64_t living_user(std::string_view status);

/// How many living processes each user of this machine has, as far as /proc shows them: root sees all.
std::map<std::int64_t, std::int64_t> living_users();

/// A user id that no other runner on this machine takes while this lives, or while a supervisor that was given
/// `descriptor` lives: an abstract Unix socket named after the id, which the kernel removes with its last descriptor.
/// Movable; never changes.
class uid_hold {
 public:
  /// Nothing when another runner holds it. Throws `std::runtime_error` when no socket can be made.
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

/// `count` ids from `first` on, skipping those that are held already or have processes; only as root. Throws
/// `std::runtime_error` when more than `most_passed_over` are taken.
std::vector<uid_hold> hold_uids(std::int64_t first, std::int64_t count, std::int64_t most_passed_over = 4096);

}  // namespace svc::runner
