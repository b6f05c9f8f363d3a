#pragma once

#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::store {

/// The job that a trigger names, in the project that its caller may use. A value.
struct job_key {
  uuid project;
  uuid job;
  friend auto operator<=>(job_key const&, job_key const&) = default;
};

struct declared_parameter {
  std::string name;
  bool required = false;
  std::optional<std::string> fallback{};  ///< the default
};

/// What a run of a job consists of, as it was read once. Its two versions say whether it still holds: whatever
/// changes it raises one of them. Immutable once made, and shared by the triggers that it decides.
struct job_plan {
  job_key key;
  std::int64_t version = 0;        ///< of the job; 0: there is no such job, and nothing below is known
  std::int64_t tests_version = 0;  ///< the sum of its tests' versions
  std::string name{};
  std::string job_type{};
  bool enabled = false;
  std::int64_t timeout_seconds = 0;
  bool limited = false;  ///< it has `maxConcurrentRuns`
  std::vector<declared_parameter> parameters{};
  std::string defaults = "{}";  ///< the parameters of a run that none are given for, a JSON object
  std::string tests = "[]";     ///< [{id, title, status}] as JSON
  std::int64_t test_count = 0;

  bool exists() const { return version > 0; }
  /// Bytes that it takes in memory, roughly.
  std::size_t size() const;
};
using shared_plan = std::shared_ptr<job_plan const>;

/// The parameters that a run gets: those that were given, a JSON object of strings, and the defaults of others.
/// not_found, job_disabled, job_has_no_tests; validation_failed with `/parameters/NAME` for each one that is not
/// declared or that is missing. Throws `std::logic_error` for what is no object of strings. Pure.
result<std::string> plan_run(job_plan const& plan, std::string const& given);

/// The parameters that the JSON text of a job declares.
std::vector<declared_parameter> read_declared(std::string_view text);

/// One plan for each of these, in order; also for jobs that do not exist. Throws `unavailable`.
task<std::vector<shared_plan>> read_plans(postgres::pool& db, std::vector<job_key> keys, deadline until);

/// Plans that were used lately, at most so many bytes of them. Worker-local.
class plan_cache {
 public:
  explicit plan_cache(std::size_t most_bytes = 16UL * 1024 * 1024) : most_(most_bytes) {}

  /// Null: not known.
  shared_plan find(job_key const& key);
  /// Keeps the plan of a job that exists, instead of an older one.
  void keep(shared_plan plan);
  /// Does nothing if another plan has replaced this one.
  void forget(job_plan const& stale);
  std::size_t bytes() const { return bytes_; }

 private:
  using recent = std::list<shared_plan>;
  void drop(recent::iterator entry);

  std::size_t most_;
  std::size_t bytes_ = 0;
  recent plans_{};  ///< the last one used stands first
  std::map<job_key, recent::iterator> places_{};
};

}  // namespace svc::store
