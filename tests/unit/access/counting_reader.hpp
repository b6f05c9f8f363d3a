#pragma once

#include "svc/core/result.hpp"
#include "svc/store/tokens/auth_reader.hpp"

#include <chrono>
#include <vector>

namespace svc::test {

/// A PostgreSQL for auth reads that counts them.
struct counting_reader final : store::auth_reader {
  task<store::auth_reading> read(std::vector<sha256_digest> digests, deadline) override {
    statements.push_back(digests);
    store::auth_reading out;
    out.sent = steady::now();
    if (slow > milliseconds(0)) {
      steady_timer pause(co_await asio::this_coro::executor, slow);
      co_await pause.async_wait(awaiting);
    }
    if (fails) throw unavailable("gone");
    for (auto const& digest : digests)
      if (known) out.records.try_emplace(digest, readable ? std::optional(token_record{}) : std::nullopt);
    co_return out;
  }

  std::vector<std::vector<sha256_digest>> statements{};
  milliseconds slow{0};
  bool known = true, readable = true, fails = false;
};

}  // namespace svc::test
