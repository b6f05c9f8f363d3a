#include "store/monitors/due_monitors.hpp"

#include "store/sql/settled.hpp"
#include "svc/core/log.hpp"

#include <exception>
#include <optional>

namespace svc::store {
namespace {

using namespace std::chrono_literals;

/// A single decision takes milliseconds. Together they hold the caller's turn no longer than a batch may.
constexpr milliseconds single_patience{500}, all_singles_patience{2000};

/// Returns what went wrong, if the transaction had taken monitors. Rethrows it otherwise.
task<std::optional<std::int64_t>> attempt_batch(due_transaction const& transaction, std::int64_t most,
                                                std::vector<uuid>& taken, deadline until) {
  try {
    co_return co_await transaction(most, taken, until);
  } catch (std::exception const& exception) {
    if (taken.empty()) throw;
    log::warn("decisions on monitors failed together and are retried one by one",
              {{"monitors", static_cast<std::int64_t>(taken.size())}, {"why", exception.what()}});
  }
  co_return std::nullopt;
}

/// Returns the number of monitors that were due: one or none.
task<std::int64_t> decide_on_one(postgres::pool& db, due_transaction const& transaction,
                                 postgres::statement postpone) {
  std::vector<uuid> taken;
  std::exception_ptr failure;
  try {
    co_return co_await transaction(1, taken, deadline::after(single_patience));
  } catch (std::exception const&) {
    if (taken.empty()) throw;
    failure = std::current_exception();
  }
  auto const monitor = taken.front();
  postgres::query ask{postpone, postgres::parameters(monitor)};
  auto const done = settled(co_await db.run(std::move(ask), deadline::after(single_patience)));
  std::string reason;
  try {
    std::rethrow_exception(failure);
  } catch (std::exception const& e) {
    reason = e.what();
  }
  log::error("the decision on a monitor failed and is postponed",
             {{"monitor", monitor.to_string()},
              {"pause_seconds", done.empty() ? std::int64_t{0} : done.front().integer(0)},
              {"why", reason}});
  co_return 1;
}

}  // namespace

task<std::int64_t> decide_on_due(postgres::pool& db, due_transaction transaction, postgres::statement postpone,
                                 std::int64_t most, deadline until) {
  std::vector<uuid> taken;
  if (auto const decided = co_await attempt_batch(transaction, most, taken, until)) co_return *decided;
  auto const end = deadline::after(all_singles_patience);
  std::int64_t looked = 0;
  while (looked < most && !end.passed() && co_await decide_on_one(db, transaction, postpone) > 0) ++looked;
  co_return looked;
}

}  // namespace svc::store
