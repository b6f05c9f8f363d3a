#include "svc-runner/supervision/cgroup.hpp"

#include "svc-runner/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace svc::runner {
namespace {

constexpr std::int64_t cpu_period = 100'000;  // µs

/// The number behind a word in a file of `word number` lines; 0 if it is not there.
std::int64_t counter(std::string const& path, std::string_view word) {
  std::istringstream lines(read_text(path).value_or(""));
  std::string name;
  std::int64_t value = 0;
  while (lines >> name >> value)
    if (name == word) return value;
  return 0;
}

void set(std::string const& path, std::string const& value) {
  if (!write_text(path, value)) throw std::runtime_error(path + ": " + std::strerror(errno));
}

}  // namespace

cgroup::cgroup(cgroup_base const& base, std::string const& name, run_limits const& limits) : version_(base.version) {
  auto const make = [&](std::string const& parent) -> std::string {
    if (parent.empty()) return {};
    auto const group = parent + "/" + name;
    if (std::find(directories_.begin(), directories_.end(), group) != directories_.end()) return group;
    if (::mkdir(group.c_str(), 0755) != 0) throw std::runtime_error(group + ": " + std::strerror(errno));
    directories_.push_back(group);
    doors_.push_back(group + "/cgroup.procs");
    return group;
  };
  auto const bytes = std::to_string(limits.memory_mb * mebibyte);
  auto const quota = std::to_string(limits.cpu_percent * cpu_period / 100);
  memory_ = make(base.memory);
  processes_ = make(base.processes);
  auto const cpu = make(base.cpu);
  bool const two = version_ == 2;
  if (!memory_.empty()) {
    set(memory_ + (two ? "/memory.max" : "/memory.limit_in_bytes"), bytes);
    // Not every kernel counts swap; where it does, memory must not move there.
    write_text(memory_ + (two ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"), two ? "0" : bytes);
  }
  if (!processes_.empty()) set(processes_ + "/pids.max", std::to_string(limits.processes));
  if (!cpu.empty()) set(cpu + (two ? "/cpu.max" : "/cpu.cfs_quota_us"), two ? quota + " 100000" : quota);
}

cgroup::~cgroup() {
  for (auto const& directory : directories_) ::rmdir(directory.c_str());
}

bool cgroup::join() const {
  for (auto const& door : doors_) {
    int const out = ::open(door.c_str(), O_WRONLY | O_CLOEXEC);
    bool const good = out >= 0 && ::write(out, "0", 1) == 1;
    if (out >= 0) ::close(out);
    if (!good) return false;
  }
  return true;
}

std::vector<pid_t> cgroup::members() const {
  std::vector<pid_t> out;
  for (auto const& door : doors_) {
    std::istringstream lines(read_text(door).value_or(""));
    for (pid_t pid = 0; lines >> pid;)
      if (pid > 0) out.push_back(pid);
  }
  return out;
}

std::size_t cgroup::kill_all() const {
  auto const pids = members();
  if (version_ == 2) {
    for (auto const& directory : directories_) write_text(directory + "/cgroup.kill", "1");
  }
  for (auto const pid : pids) ::kill(pid, SIGKILL);
  return pids.size();
}

bool cgroup::empty() const {
  return members().empty();
}

std::int64_t cgroup::memory_kills() const {
  if (memory_.empty()) return 0;
  return counter(memory_ + (version_ == 2 ? "/memory.events" : "/memory.oom_control"), "oom_kill");
}

std::int64_t cgroup::refused_forks() const {
  return processes_.empty() ? 0 : counter(processes_ + "/pids.events", "max");
}

}  // namespace svc::runner
