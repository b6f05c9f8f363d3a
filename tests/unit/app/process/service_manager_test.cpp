#include "app/process/service_manager.hpp"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace svc::app {
namespace {

/// A manager in the abstract namespace, where containers have it.
class abstract_manager {
 public:
  abstract_manager() : name_("@svc-notify-" + std::to_string(::getpid())) {
    sockaddr_un un{};
    un.sun_family = AF_UNIX;
    std::memcpy(un.sun_path + 1, name_.data() + 1, name_.size() - 1);
    auto const size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    REQUIRE(::bind(fd_, reinterpret_cast<sockaddr const*>(&un), size) == 0);
  }
  abstract_manager(abstract_manager const&) = delete;
  abstract_manager& operator=(abstract_manager const&) = delete;
  ~abstract_manager() { ::close(fd_); }

  std::string const& name() const { return name_; }
  std::string heard() const {
    char text[256];
    auto const got = ::recv(fd_, text, sizeof text, MSG_DONTWAIT);
    return got < 0 ? "nothing" : std::string(text, static_cast<std::size_t>(got));
  }

 private:
  std::string name_;
  int fd_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_CASE("each state is one datagram") {
  abstract_manager const manager;
  service_manager const reported(manager.name());
  reported.status("waiting");
  CHECK(manager.heard() == "STATUS=waiting");
  reported.ready("serving");
  CHECK(manager.heard() == "READY=1\nSTATUS=serving");
  reported.reloading("reading");
  auto const reload = manager.heard();
  CHECK(reload.starts_with("RELOADING=1\nMONOTONIC_USEC="));
  CHECK(reload.ends_with("\nSTATUS=reading"));
  reported.stopping("draining");
  CHECK(manager.heard() == "STOPPING=1\nSTATUS=draining");
  reported.alive();
  CHECK(manager.heard() == "WATCHDOG=1");
}

TEST_CASE("without a manager, or with one that is gone, nothing happens") {
  for (std::string const socket : {"", "/", "vsock:2:1", "relative", "/nowhere/at/all"}) {
    CAPTURE(socket);
    CHECK_NOTHROW(service_manager(socket).ready("serving"));
  }
  CHECK_NOTHROW(service_manager("/" + std::string(200, 'x')).ready("serving"));
  CHECK(service_manager("", microseconds(30)).watchdog_interval().count() == 0);
}

TEST_CASE("the manager's watchdog is for the process that it names") {
  struct {
    char const *time, *pid;
    int expected;
  } const cases[] = {{"30000000", "7", 30'000'000},
                     {"30000000", "", 30'000'000},
                     {"30000000", "8", 0},
                     {"", "", 0},
                     {"0", "", 0},
                     {"-1", "", 0},
                     {"1s", "", 0}};
  for (auto const& c : cases) {
    CAPTURE(c.time);
    CHECK(read_watchdog(c.time, c.pid, 7).count() == c.expected);
  }
}

}  // namespace
}  // namespace svc::app
