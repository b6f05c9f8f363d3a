#pragma once

#include "store/completion_rows.hpp"
#include "store/group_commit.hpp"

#include <memory>

namespace svc::store {

/// Transactions that requests of one worker's executors share.
struct executor_store::shared {
  explicit shared(postgres::pool& db)
      : completions(std::make_shared<group_commit<completion_row, completion_verdict>>(db, &run_completions)) {}

  std::shared_ptr<group_commit<completion_row, completion_verdict>> completions;
};

}  // namespace svc::store
