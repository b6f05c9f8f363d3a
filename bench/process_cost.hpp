#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace svc::bench {

/// The resource use of one role of a deployment, read from /proc. `NAME=PID` is one process, `NAME=PID+` includes its
/// children (nginx's workers, PostgreSQL's backends).
class role {
 public:
  explicit role(std::string const& description);

  std::string const& name() const { return name_; }
  /// User and system time of the processes since their start; with children, also of children that have ended.
  double cpu_micros() const;
  /// Resident memory; counts private and shared pages.
  std::int64_t resident_bytes() const;

 private:
  std::vector<int> processes() const;

  std::string name_;
  int pid_ = 0;
  bool with_children_ = false;
};

std::vector<role> parse_roles(std::vector<std::string> const& descriptions);

}  // namespace svc::bench
