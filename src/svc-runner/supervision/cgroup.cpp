#include "svc-runner/supervision/cgroup.hpp"

#include "svc-runner/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace svc::runner {

namespace {

bool has_word(std::string_view words, std::string_view word, char separator) {
  while (!words.empty()) {
    auto each = words.substr(0, words.find(separator));
    words.remove_prefix(std::min(words.size(), each.size() + 1));
    while (each.ends_with('\n')) each.remove_suffix(1);
    if (each == word) return true;
  }
  return false;
}

/// A mounted hierarchy: its mount point, the mounted part of it, its type, and options, which name the controllers
/// (version 1).
struct mount {
  std::string point{}, root{}, type{}, options{};
};

std::vector<mount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<mount> out;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    auto const dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream front(line.substr(0, dash));
    std::istringstream back(line.substr(dash + 3));
    std::string skipped;
    std::string source;
    mount m;
    front >> skipped >> skipped >> skipped >> m.root >> m.point;
    back >> m.type >> source >> m.options;
    if (m.type == "cgroup" || m.type == "cgroup2") out.push_back(std::move(m));
  }
  return out;
}

/// `path` of the hierarchy as seen through the mount; empty when it lies outside the mounted part.
std::string below(mount const& m, std::string path) {
  if (m.root != "/") {
    if (path != m.root && !path.starts_with(m.root + "/")) return {};
    path.erase(0, m.root.size());
  }
  return m.point + (path == "/" ? "" : path);
}

/// True when a group can be made here and a limit set in it.
bool usable(std::string const& directory, std::string const& control, std::string_view value) {
  if (directory.empty()) return false;
  auto const group = directory + "/svc-runner-probe-" + std::to_string(::getpid());
  if (::mkdir(group.c_str(), 0755) != 0) return false;
  bool const good = write_text(group + "/" + control, value);
  ::rmdir(group.c_str());
  return good;
}

constexpr std::array controller_names{"memory", "pids", "cpu"};

void hand_down(std::string const& own, char sign) {
  for (std::string const name : controller_names) write_text(own + "/cgroup.subtree_control", sign + name);
}

cgroup_base usable_two(std::string const& own) {
  hand_down(own, '+');
  cgroup_base out;
  if (usable(own, "memory.max", "1073741824")) out.memory = own;
  if (usable(own, "pids.max", "100")) out.processes = own;
  if (usable(own, "cpu.max", "100000 100000")) out.cpu = own;
  if (!out.memory.empty() || !out.processes.empty()) out.version = 2;
  return out;
}

cgroup_base version_two(std::string const& own) {
  if (own.empty()) return {};
  auto const offered = read_text(own + "/cgroup.controllers").value_or("");
  if (!has_word(offered, "memory", ' ') && !has_word(offered, "pids", ' ')) return {};
  // Only the root group has no type: it may have both processes and limited children.
  if (::access((own + "/cgroup.type").c_str(), F_OK) != 0) return usable_two(own);
  // Any other group may not, so this process moves into a child group before controllers are enabled for children: no
  // child would accept it after that. If the group has other processes this does not help, and it moves back.
  auto const home = own + "/svc-runner";
  auto const self = std::to_string(::getpid());
  if (::mkdir(home.c_str(), 0755) != 0 && errno != EEXIST) return {};
  if (write_text(home + "/cgroup.procs", self))
    if (auto found = usable_two(own); found.any()) return found;
  hand_down(own, '-');
  write_text(own + "/cgroup.procs", self);
  ::rmdir(home.c_str());
  return {};
}

cgroup_base version_one(cgroup_paths const& paths) {
  cgroup_base out;
  if (usable(paths.memory, "memory.limit_in_bytes", "1073741824")) out.memory = paths.memory;
  if (usable(paths.processes, "pids.max", "100")) out.processes = paths.processes;
  if (usable(paths.cpu, "cpu.cfs_quota_us", "100000")) out.cpu = paths.cpu;
  if (!out.memory.empty() || !out.processes.empty()) out.version = 1;
  return out;
}

}  // namespace

std::string cgroup_base::describe() const {
  if (version == 0) return "no cgroup";
  std::string subject;
  auto const add = [&subject](std::string const& directory, char const* name) {
    if (!directory.empty()) subject += (subject.empty() ? "" : ", ") + std::string(name);
  };
  add(memory, "memory");
  add(processes, "processes");
  add(cpu, "cpu");
  return "cgroup v" + std::to_string(version) + " (" + subject + ")";
}

cgroup_paths find_cgroup_paths(std::string_view mountinfo, std::string_view cgroup) {
  cgroup_paths out;
  auto const mounts = cgroup_mounts(mountinfo);
  std::istringstream lines{std::string(cgroup)};
  for (std::string line; std::getline(lines, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const path = line.substr(second + 1);
    for (auto const& m : mounts) {
      if (controllers.empty()) {
        if (m.type == "cgroup2") out.unified = below(m, path);
        continue;
      }
      if (m.type != "cgroup") continue;
      for (auto const& [name, location] :
           {std::pair{"memory", &out.memory}, {"pids", &out.processes}, {"cpu", &out.cpu}})
        if (has_word(controllers, name, ',') && has_word(m.options, name, ',')) *location = below(m, path);
    }
  }
  return out;
}

cgroup_base probe_cgroups() {
  auto const paths =
      find_cgroup_paths(read_text("/proc/self/mountinfo").value_or(""), read_text("/proc/self/cgroup").value_or(""));
  auto const two = version_two(paths.unified);
  return two.any() ? two : version_one(paths);
}

namespace {

constexpr std::int64_t cpu_period = 100'000;  // µs

/// The number after a word in a file of `word number` lines; 0 if the word is missing.
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
    // Not every kernel can limit swap; where it can, memory must not move there.
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

void cgroup::refuse_forks() const {
  if (!processes_.empty()) write_text(processes_ + "/pids.max", "0");
}

std::int64_t cgroup::memory_kills() const {
  if (memory_.empty()) return 0;
  return counter(memory_ + (version_ == 2 ? "/memory.events" : "/memory.oom_control"), "oom_kill");
}

std::int64_t cgroup::refused_forks() const {
  return processes_.empty() ? 0 : counter(processes_ + "/pids.events", "max");
}

}  // namespace svc::runner
