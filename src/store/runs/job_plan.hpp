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
  std::optional<std::string> fallback{};  ///< the default value
};

/// The content of a job's runs, as read at one time. Its two versions tell whether the plan is current, because each
/// change of the content raises one of them. Immutable, and shared by the triggers that use it.
struct job_plan {
  job_key key;
  std::int64_t version = 0;        ///< of the job; 0: the job does not exist, and the members below are empty
  std::int64_t tests_version = 0;  ///< the sum of its tests' versions
  std::string name{};
  std::string job_type{};
  bool enabled = false;
  std::int64_t timeout_seconds = 0;
  bool limited = false;  ///< the job has `maxConcurrentRuns`
  std::vector<declared_parameter> parameters{};
  std::string defaults = "{}";  ///< the parameters of a run without given parameters, a JSON object
  std::string tests = "[]";     ///< [{id, title, status}] as JSON
  std::int64_t test_count = 0;

  bool exists() const { return version > 0; }
  /// Approximate bytes in memory.
  std::size_t size() const;
};
using shared_plan = std::shared_ptr<job_plan const>;

/// Returns the parameters of a run: the given ones, a JSON object of strings, and the defaults of the others. Errors:
/// not_found, job_disabled, job_has_no_tests; validation_failed with `/parameters/NAME` for each undeclared or
/// missing parameter. Throws `std::logic_error` if `given` is no object of strings. Pure.
result<std::string> plan_run(job_plan const& plan, std::string const& given);

/// Returns the parameters that the JSON text of a job declares.
std::vector<declared_parameter> read_declared(std::string_view text);

/// Returns one plan for each of these keys, in order; also for jobs that do not exist. Throws `unavailable`.
task<std::vector<shared_plan>> read_plans(postgres::pool& db, std::vector<job_key> keys, deadline until);

/// Recently used plans, up to a number of bytes. Worker-local.
class plan_cache {
 public:
  explicit plan_cache(std::size_t most_bytes = 16UL * 1024 * 1024) : most_(most_bytes) {}

  /// Null: the cache does not have the plan.
  shared_plan find(job_key const& key);
  /// Stores the plan of an existing job, and replaces an older plan.
  void keep(shared_plan plan);
  /// Does nothing if another plan has replaced this one.
  void remove(job_plan const& stale);
  std::size_t bytes() const { return bytes_; }

 private:
  using recent = std::list<shared_plan>;
  void drop(recent::iterator entry);

  std::size_t most_;
  std::size_t bytes_ = 0;
  recent plans_{};  ///< the last used plan is the first
  std::map<job_key, recent::iterator> positions_{};
};

}  // namespace svc::store
