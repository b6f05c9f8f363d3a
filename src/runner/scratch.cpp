#include "runner/scratch.hpp"

#include "svc/core/log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace svc::runner {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(std::string const& path) {
  throw std::runtime_error(path + ": " + std::strerror(errno));
}

/// A script may have closed its own directories, which only root removes nevertheless.
void open_up(std::string const& path) {
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_all, ignored);
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, ignored);
  for (; !ignored && at != fs::recursive_directory_iterator(); at.increment(ignored)) {
    if (!at->is_directory(ignored) || at->is_symlink(ignored)) continue;
    fs::permissions(at->path(), fs::perms::owner_all, ignored);
  }
}

}  // namespace

scratch::scratch(std::string const& parent, std::string const& name, std::optional<std::int64_t> owner)
    : path_(parent + "/" + name), owner_(owner) {
  if (::mkdir(path_.c_str(), 0700) != 0) fail(path_);
  give(path_);
}

scratch::~scratch() {
  std::error_code bad;
  fs::remove_all(path_, bad);
  // Each round reaches what the one before has opened.
  for (int round = 0; bad && round < 16; ++round) {
    open_up(path_);
    bad.clear();
    fs::remove_all(path_, bad);
  }
  if (bad) log::warn("a run's directory could not be removed", {{"path", path_}, {"reason", bad.message()}});
}

void scratch::give(std::string const& path) const {
  if (!owner_) return;
  auto const id = static_cast<uid_t>(*owner_);
  if (::lchown(path.c_str(), id, id) != 0) fail(path);
}

void scratch::write(std::string_view name, std::string_view text) const {
  auto const path = path_ + "/" + std::string(name);
  int const out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (out < 0) fail(path);
  bool good = true;
  while (good && !text.empty()) {
    auto const n = ::write(out, text.data(), text.size());
    good = n > 0;
    if (good) text.remove_prefix(static_cast<std::size_t>(n));
  }
  ::close(out);
  if (!good) fail(path);
  give(path);
}

void scratch::directory(std::string_view name) const {
  auto const path = path_ + "/" + std::string(name);
  if (::mkdir(path.c_str(), 0700) != 0) fail(path);
  give(path);
}

void scratch::link(std::string_view name, std::string const& target) const {
  auto const path = path_ + "/" + std::string(name);
  if (::symlink(target.c_str(), path.c_str()) != 0) fail(path);
}

std::string scratch::take(std::string_view name, std::size_t most) const {
  auto const path = path_ + "/" + std::string(name);
  // The name may have become a pipe, or a link to a file that only we may read.
  int const in = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (in < 0) return {};
  struct stat about{};
  std::string out;
  bool const own = ::fstat(in, &about) == 0 && S_ISREG(about.st_mode) && about.st_nlink == 1 &&
                   about.st_uid == (owner_ ? static_cast<uid_t>(*owner_) : ::geteuid());
  if (own) {
    out.resize(most);
    auto const got = ::read(in, out.data(), out.size());
    out.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(in);
  ::unlink(path.c_str());
  return out;
}

void make_work_directory(std::string const& path) {
  std::error_code bad;
  fs::create_directories(path, bad);
  if (bad) throw std::runtime_error("work_dir: " + path + ": " + bad.message());
  mode_t const mode = ::geteuid() == 0 ? 0711 : 0700;
  if (::chmod(path.c_str(), mode) != 0) throw std::runtime_error("work_dir: " + path + " is not ours");
}

}  // namespace svc::runner
