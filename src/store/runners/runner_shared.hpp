#pragma once

#include "store/runners/completion_rows.hpp"
#include "store/sql/group_commit.hpp"

#include <memory>

namespace svc::store {

/// Transactions that requests of one worker's runners share.
struct runner_store::shared {
  explicit shared(postgres::pool& db)
      : completions(std::make_shared<group_commit<completion_row, completion_verdict>>(db, &run_completions)) {}

  std::shared_ptr<group_commit<completion_row, completion_verdict>> completions;
};

}  // namespace svc::store
