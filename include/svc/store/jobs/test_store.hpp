#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/store/change.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Computes a test's new settings from its current ones. The script is left out because it may be large. Pure; called
/// while the test is locked.
using test_edit = std::function<result<test_settings>(test_case const& current)>;

/// A test whose script is in pieces of 256 KiB or less, each of which ends between two characters. A value.
struct test_in_pieces {
  test_case test{};
  std::vector<std::string> script{};
};

/// Selects tests of a list; an empty filter matches all.
struct test_filter {
  std::optional<std::string> search{};  ///< literal, case-insensitive substring of the title
  std::optional<std::string> type{};
  std::optional<uuid> tag{};
};

/// Tests. Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or
/// late; then a change may or may not have happened.
class test_store {
 public:
  explicit test_store(postgres::pool& db, quota_table quotas = {}) : db_(db), quotas_(quotas) {}

  /// Without scripts. Rows and `total` (page_facts) come from one snapshot.
  task<page<test_case>> list(uuid project, test_filter filter, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<test_case>> get(uuid project, uuid id, bool with_script, deadline until);
  /// Returns the test with its script. At most one copy of the script and one piece are in memory then.
  /// Errors: not_found.
  task<result<test_in_pieces>> get_in_pieces(uuid project, uuid id, deadline until);
  /// Returns the test with its script if the script has at most `most_script` bytes. Errors: not_found.
  task<result<test_case>> get_small(uuid project, uuid id, std::int64_t most_script, deadline until);
  /// Errors: project_archived, test_limit_reached, script_bytes_exceeded.
  task<result<test_case>> create(editor editor, test_settings wanted, deadline until);
  /// not_found, precondition_failed, test_in_use (jobs that use it cannot run the new type), script_bytes_exceeded
  /// when the script grows, and any error of `edit`. Without `script`, the stored script stays.
  task<result<test_case>> update(editor editor, uuid id, test_edit edit, std::optional<std::string> script,
                                 deadline until);
  /// Errors: not_found, precondition_failed, test_in_use (names the jobs).
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// Replaces the test's tags; returns the test without its script. not_found, precondition_failed, validation_failed
  /// with a pointer to each id that is not a tag of the project.
  task<result<test_case>> set_tags(editor editor, uuid id, std::vector<uuid> tags, deadline until);

 private:
  postgres::pool& db_;
  quota_table quotas_;
};

}  // namespace svc::store
