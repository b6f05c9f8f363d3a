#include "app/process/service_manager.hpp"

#include "svc/core/numbers.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace svc::app {
namespace {

/// Returns microseconds of the clock that systemd compares with its own (Type=notify-reload).
std::int64_t monotonic() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000;
}

/// The timeout of a send: a manager that does not read must not block the control thread, which accepts connections.
constexpr timeval send_patience{.tv_sec = 1, .tv_usec = 0};

}  // namespace

std::string take_variable(char const* name) {
  char const* const value = std::getenv(name);
  std::string out = value == nullptr ? "" : value;
  ::unsetenv(name);
  return out;
}

microseconds read_watchdog(std::string_view microseconds_text, std::string_view pid, long self) {
  if (!pid.empty() && parse_number<long>(pid) != self) return microseconds(0);
  auto const given = parse_number<std::int64_t>(microseconds_text);
  return microseconds(given && *given > 0 ? *given : 0);
}

service_manager service_manager::from_environment() {
  auto const socket = take_variable("NOTIFY_SOCKET"), watchdog = take_variable("WATCHDOG_USEC"),
             pid = take_variable("WATCHDOG_PID");
  return service_manager(socket, read_watchdog(watchdog, pid, ::getpid()));
}

service_manager::service_manager(std::string_view socket, microseconds watchdog) : watchdog_(watchdog) {
  // Other forms (vsock:...) lead to a manager outside this machine, and no manager of a service is outside.
  bool const known = socket.size() > 1 && socket.size() < sizeof(sockaddr_un::sun_path) &&
                     (socket.front() == '/' || socket.front() == '@');
  if (!known) {
    watchdog_ = microseconds(0);
    return;
  }
  address_ = socket;
  if (address_.front() == '@') address_.front() = '\0';
  descriptor_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ::setsockopt(descriptor_, SOL_SOCKET, SO_SNDTIMEO, &send_patience, sizeof send_patience);
}

service_manager::~service_manager() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

/// Ignores errors, because the manager itself notices missing messages.
void service_manager::notify(std::string const& state) const {
  if (descriptor_ < 0) return;
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, address_.data(), address_.size());
  auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address_.size());
  ::sendto(descriptor_, state.data(), state.size(), MSG_NOSIGNAL, reinterpret_cast<sockaddr const*>(&un), size);
}

void service_manager::status(std::string_view sentence) const {
  notify("STATUS=" + std::string(sentence));
}

void service_manager::ready(std::string_view sentence) const {
  notify("READY=1\nSTATUS=" + std::string(sentence));
}

void service_manager::reloading(std::string_view sentence) const {
  notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(monotonic()) + "\nSTATUS=" + std::string(sentence));
}

void service_manager::stopping(std::string_view sentence) const {
  notify("STOPPING=1\nSTATUS=" + std::string(sentence));
}

void service_manager::alive() const {
  notify("WATCHDOG=1");
}

}  // namespace svc::app
