#include "svc-runner/supervision/uid_hold.hpp"

#include "svc-runner/files.hpp"
#include "svc/core/numbers.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace svc::runner {

namespace {

/// The text after `name`, up to the next white space.
std::string_view field(std::string_view status, std::string_view name) {
  auto position = status.find(name);
  if (position == std::string_view::npos) return {};
  position += name.size();
  return status.substr(position, status.find_first_of("\t \n", position) - position);
}

}  // namespace

std::int64_t living_user(std::string_view status) {
  auto const state = field(status, "\nState:\t");
  if (state.empty() || state == "Z" || state == "X") return -1;
  return parse_number<std::int64_t>(field(status, "\nUid:\t")).value_or(-1);
}

std::map<std::int64_t, std::int64_t> living_users() {
  std::map<std::int64_t, std::int64_t> out;
  std::error_code gone;
  for (std::filesystem::directory_iterator directory("/proc", gone);
       !gone && directory != std::filesystem::directory_iterator(); directory.increment(gone)) {
    auto const name = directory->path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    auto const user = living_user(read_text(directory->path() / "status").value_or(""));
    if (user >= 0) ++out[user];
  }
  return out;
}

std::optional<uid_hold> uid_hold::take(std::int64_t uid) {
  auto const name = "svc-runner-uid-" + std::to_string(uid);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The leading zero byte makes it an abstract name instead of a file.
  std::copy(name.begin(), name.end(), &address.sun_path[1]);
  auto const length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  int const made = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  uid_hold out(uid, made);
  if (made >= 0 && ::bind(made, reinterpret_cast<sockaddr const*>(&address), length) == 0) return out;
  if (errno == EADDRINUSE) return std::nullopt;
  throw std::runtime_error("a user id cannot be held: " + std::string(std::strerror(errno)));
}

uid_hold::~uid_hold() {
  if (socket_ >= 0) ::close(socket_);
}

uid_hold::uid_hold(uid_hold&& other) noexcept : uid_(other.uid_), socket_(std::exchange(other.socket_, -1)) {}

std::vector<uid_hold> hold_uids(std::int64_t first, std::int64_t count, std::int64_t most_passed_over) {
  std::vector<uid_hold> out;
  auto const users = living_users();
  for (auto uid = first; uid < first + count + most_passed_over; ++uid) {
    // The id of an account, or of processes left by a runner that did not hold its ids.
    if (users.contains(uid)) continue;
    auto held = uid_hold::take(uid);
    if (held) out.push_back(std::move(*held));
    if (out.size() == static_cast<std::size_t>(count)) return out;
  }
  throw std::runtime_error("sandbox.first_uid: of the " + std::to_string(count + most_passed_over) +
                           " user ids from " + std::to_string(first) + " on, " + std::to_string(out.size()) +
                           " are free and " + std::to_string(count) +
                           " needed: other runners on this machine hold the others, or processes have them");
}

}  // namespace svc::runner
