#include "svc-runner/isolation/scratch.hpp"

#include "svc/core/log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::runner {

namespace fs = std::filesystem;

namespace {

/// Prefixes of the names of runs' and probes' directories.
constexpr std::array<std::string_view, 2> prefixes{"run-", "probe-"};

class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

descriptor open_directory(std::string const& path) {
  return descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

/// Restores the owner's access, because a script may have removed it from its own directories.
void open_up(std::string const& path) {
  std::error_code ignored;
  fs::permissions(path, fs::perms::owner_all, ignored);
  fs::recursive_directory_iterator iterator(path, fs::directory_options::skip_permission_denied, ignored);
  for (; !ignored && iterator != fs::recursive_directory_iterator(); iterator.increment(ignored)) {
    if (!iterator->is_directory(ignored) || iterator->is_symlink(ignored)) continue;
    fs::permissions(iterator->path(), fs::perms::owner_all, ignored);
  }
}

}  // namespace

std::error_code empty_directory(std::string const& path) {
  std::error_code bad;
  // Each round can reach directories that the previous round has opened.
  for (int round = 0; round < 17; ++round) {
    if (round > 0) open_up(path);
    bad.clear();
    for (fs::directory_iterator directory(path, bad); !bad && directory != fs::directory_iterator();
         directory.increment(bad)) {
      fs::remove_all(directory->path(), bad);
      if (bad) break;
    }
    if (!bad) break;
  }
  return bad;
}

int make_held_directory(std::string const& parent, std::string const& path) {
  // While the parent is locked, no process looks for abandoned directories. So no process sees this directory without
  // its lock.
  auto const among = open_directory(parent);
  if (among.get() < 0) return -1;
  ::flock(among.get(), LOCK_SH);
  if (::mkdir(path.c_str(), 0700) != 0) return -1;
  auto made = open_directory(path);
  // On a file system without locks, abandoned directories stay, because no process can lock them.
  if (made.get() >= 0) ::flock(made.get(), LOCK_EX | LOCK_NB);
  if (made.get() < 0) ::rmdir(path.c_str());
  return made.release();
}

namespace {

struct abandoned_directory {
  std::string path;
  descriptor hold;
  uid_t owner;
};

std::vector<abandoned_directory> find_abandoned(std::string const& parent) {
  std::vector<abandoned_directory> out;
  auto const among = open_directory(parent);
  if (among.get() < 0 || ::flock(among.get(), LOCK_EX) != 0) return out;
  std::error_code bad;
  for (fs::directory_iterator directory(parent, bad); !bad && directory != fs::directory_iterator();
       directory.increment(bad)) {
    auto const name = directory->path().filename().string();
    if (std::ranges::none_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); })) continue;
    auto hold = open_directory(directory->path().string());
    struct stat about{};
    if (hold.get() < 0 || ::flock(hold.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(hold.get(), &about) != 0) continue;
    out.push_back({directory->path().string(), std::move(hold), about.st_uid});
  }
  return out;
}

std::error_code remove_one(abandoned_directory const& leftover) {
  std::error_code bad;
  {
    bool const other = ::geteuid() == 0 && leftover.owner != 0;
    file_rights const owners(other ? std::optional<std::int64_t>(leftover.owner) : std::nullopt);
    bad = empty_directory(leftover.path);
  }
  if (::rmdir(leftover.path.c_str()) != 0 && !bad) bad.assign(errno, std::generic_category());
  return bad;
}

}  // namespace

void remove_abandoned(std::string const& parent) noexcept try {
  for (auto const& leftover : find_abandoned(parent)) {
    auto const bad = remove_one(leftover);
    if (bad) {
      log::warn("an abandoned directory could not be removed", {{"path", leftover.path}, {"reason", bad.message()}});
    } else {
      log::info("removed the directory of a run whose runner has gone", {{"path", leftover.path}});
    }
  }
} catch (std::exception const& e) {
  log::warn("abandoned directories could not be removed", {{"path", parent}, {"reason", e.what()}});
}

}  // namespace svc::runner
