#pragma once

#include "support/temporary_directory.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace svc::test {

/// The service manager's side of sd_notify(3): all received messages with their times.
class notify_socket {
 public:
  struct notification {
    std::chrono::steady_clock::time_point time;
    std::string text;
  };

  notify_socket() {
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    std::strncpy(un.sun_path, path().c_str(), sizeof un.sun_path - 1);
    if (::bind(fd_, reinterpret_cast<sockaddr const*>(&un), sizeof un) != 0) throw std::runtime_error("bind failed");
    thread_ = std::thread([this] { listen(); });
  }
  notify_socket(notify_socket const&) = delete;
  notify_socket& operator=(notify_socket const&) = delete;
  ~notify_socket() {
    going_ = false;
    thread_.join();
    ::close(fd_);
  }

  /// Returns the variable for the environment of a service.
  std::string variable() const { return "NOTIFY_SOCKET=" + path(); }
  std::vector<notification> all() const {
    std::lock_guard const lock(mutex_);
    return all_;
  }
  /// Returns the number of messages that contain this text.
  auto count(std::string_view part) const {
    auto const so_far = all();
    return std::count_if(so_far.begin(), so_far.end(),
                         [&](notification const& news) { return news.text.find(part) != std::string::npos; });
  }

 private:
  std::string path() const { return directory_.path() + "/notify"; }
  void listen() {
    while (going_) {
      pollfd waits{fd_, POLLIN, 0};
      if (::poll(&waits, 1, 50) != 1) continue;
      char text[4096];
      auto const got = ::recv(fd_, text, sizeof text, 0);
      std::lock_guard const lock(mutex_);
      if (got > 0)
        all_.push_back({std::chrono::steady_clock::now(), std::string(text, static_cast<std::size_t>(got))});
    }
  }

  temporary_directory directory_{};
  int fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  std::atomic<bool> going_{true};
  mutable std::mutex mutex_{};
  std::vector<notification> all_{};
  std::thread thread_{};
};

}  // namespace svc::test
