#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/shared_texts.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/store/jobs/test_store.hpp"

#include <cstdint>

namespace svc::api {

/// The size in bytes of the largest script that each request reads and writes for itself. All readers of a larger
/// script share the written test.
inline constexpr std::int64_t most_unshared_script = 16 * 1024;

/// The source of a shared test. A value; the account and the store outlive it.
struct script_source {
  store::test_store& tests;
  account& responses;
  account_owner reader;
  uuid project, test;
  std::int64_t size = 0;  ///< of the script, as just read
  bool gzip = false;
};

/// Reads the test with its script and writes its response. The owner is charged for the script and the text while
/// both are in memory, then for the text. Returns null if the test does not exist, and overloaded if the account has
/// no room.
task<result<shared_text_ptr>> make_script_text(script_source source, deadline until);

}  // namespace svc::api
