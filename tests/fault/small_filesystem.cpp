#include "small_filesystem.hpp"

#include "integration/system/faults/restored_database.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr char const* ballast = "/ballast";

/// In the new user namespace everybody keeps their number: PostgreSQL would refuse to run as root.
bool keep_own_number(uid_t user, gid_t group) {
  auto const map = [](char const* file, std::string const& line) {
    return static_cast<bool>(std::ofstream(std::string("/proc/self/") + file) << line << std::flush);
  };
  auto const line = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  return map("setgroups", "deny") && map("uid_map", line(user)) && map("gid_map", line(group));
}

}  // namespace

std::string enter_own_mounts() {
  // Afterwards the link to our own program may lead nowhere.
  ::setenv("SVC_BIN", service_binary().c_str(), 0);
  auto const user = geteuid();
  auto const group = getegid();
  if (::unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0)
    return std::string("no mount namespace: ") + std::strerror(errno);
  if (user != 0 && !keep_own_number(user, group)) return "no numbers in a user namespace";
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return std::string("mounts are shared: ") + std::strerror(errno);
  return {};
}

small_filesystem::small_filesystem(private_postgres& server, std::string const& part, std::size_t megabytes)
    : server_(server), path_(server.directory() + "/data/" + part) {
  server.stop();
  auto const before = path_ + ".before";
  std::filesystem::rename(path_, before);
  std::filesystem::create_directory(path_);
  auto const mode = "mode=0700,size=" + std::to_string(megabytes) + "m";
  if (::mount("none", path_.c_str(), "tmpfs", 0, mode.c_str()) != 0)
    throw std::runtime_error(std::string("no tmpfs: ") + std::strerror(errno));
  run_shell("cp -a " + before + "/. " + path_ + " && rm -rf " + before);
  server.start();
}

/// A directory where something is mounted could not be removed with the others.
small_filesystem::~small_filesystem() {
  server_.kill();
  ::umount2(path_.c_str(), MNT_DETACH);
}

void small_filesystem::fill() const {
  int const fd = ::open((path_ + ballast).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  std::string const block(4096, 'x');
  while (::write(fd, block.data(), block.size()) > 0) {
  }
  ::close(fd);
}

void small_filesystem::clear() const {
  std::filesystem::remove(path_ + ballast);
}

}  // namespace svc::test
