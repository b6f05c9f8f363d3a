#include "process_cost.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace svc::bench {
namespace {

/// The numbers after the name in /proc/PID/stat; the name may contain anything, so they are found from its last
/// bracket. Empty when there is no such process. Element i is field i + 4 of proc(5).
std::vector<std::int64_t> read_stat(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  auto const bracket = text.rfind(')');
  if (bracket == std::string::npos || bracket + 4 > text.size()) return {};
  std::istringstream rest(text.substr(bracket + 4));
  return {std::istream_iterator<std::int64_t>(rest), {}};
}

constexpr std::size_t parent = 0, user_ticks = 10, system_ticks = 11, ended_user_ticks = 12, ended_system_ticks = 13,
                      resident_pages = 20;

std::vector<int> children_of(int pid) {
  std::vector<int> found;
  for (auto const& entry : std::filesystem::directory_iterator("/proc")) {
    auto const name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    auto const stat = read_stat(std::stoi(name));
    if (!stat.empty() && stat[parent] == pid) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace

role::role(std::string const& description) {
  auto const equals = description.find('=');
  if (equals == std::string::npos) throw std::runtime_error("a role is NAME=PID or NAME=PID+, not " + description);
  name_ = description.substr(0, equals);
  pid_ = std::stoi(description.substr(equals + 1));
  with_children_ = description.ends_with('+');
  if (read_stat(pid_).empty()) throw std::runtime_error("no process " + description);
}

std::vector<int> role::processes() const {
  auto all = with_children_ ? children_of(pid_) : std::vector<int>();
  all.push_back(pid_);
  return all;
}

double role::cpu_micros() const {
  std::int64_t ticks = 0;
  for (int const pid : processes()) {
    auto const stat = read_stat(pid);
    if (stat.size() <= ended_system_ticks) continue;
    ticks += stat[user_ticks] + stat[system_ticks];
    if (with_children_ && pid == pid_) ticks += stat[ended_user_ticks] + stat[ended_system_ticks];
  }
  return static_cast<double>(ticks) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::int64_t role::resident_bytes() const {
  std::int64_t pages = 0;
  for (int const pid : processes()) {
    if (auto const stat = read_stat(pid); stat.size() > resident_pages) pages += stat[resident_pages];
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

std::vector<role> parse_roles(std::vector<std::string> const& descriptions) {
  return {descriptions.begin(), descriptions.end()};
}

}  // namespace svc::bench
