#include "app/dev/old_server.hpp"

#include "svc/core/deadline.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

namespace svc::app::dev {

namespace fs = std::filesystem;

namespace {

constexpr int patience_ms = 20'000;

/// Both stores work inside their data directory.
bool works_in(pid_t pid, std::string const& directory) {
  std::error_code ec;
  auto const where = fs::read_symlink("/proc/" + std::to_string(pid) + "/cwd", ec);
  return !ec && where == fs::path(directory);
}

}  // namespace

void end_old_server(std::string const& directory, std::string const& pid_file) {
  auto const file = directory + "/" + pid_file;
  pid_t pid = 0;
  std::ifstream(file) >> pid;
  if (pid <= 0) return;
  auto const handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (handle >= 0) {
    // Asked behind the handle, so that the number cannot change hands in between.
    if (works_in(pid, directory)) {
      pollfd ended{handle, POLLIN, 0};
      syscall(SYS_pidfd_send_signal, handle, SIGINT, nullptr, 0);
      if (poll(&ended, 1, patience_ms) == 0) {
        syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
        poll(&ended, 1, patience_ms);
      }
    }
    close(handle);
  }
  std::error_code ignored;
  fs::remove(file, ignored);
}

}  // namespace svc::app::dev
