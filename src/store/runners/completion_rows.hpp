#pragma once

#include "svc/core/hash.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runner_store.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace svc::store {

/// One result on its way to the database. A value; copies share what was told.
struct completion_row {
  sha256_digest secret;
  std::shared_ptr<run_completion const> told;

  uuid run() const { return told->run; }
  std::size_t size() const { return told->tests.size() + (told->error_details ? told->error_details->size() : 0); }
};

/// Nothing: another transaction is changing the run; to be asked again.
using completion_verdict = std::optional<result<freed_run>>;

/// All rows in one transaction and one round trip; a verdict for each, in order. No two rows may be of one run. Waits
/// for nobody's row, so that it can take part in no deadlock.
task<postgres::outcome<std::vector<completion_verdict>>> run_completions(postgres::pool& db,
                                                                         std::vector<completion_row> rows,
                                                                         deadline until);

}  // namespace svc::store
