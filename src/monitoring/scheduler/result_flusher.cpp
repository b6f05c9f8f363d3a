#include "monitoring/scheduler/result_flusher.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"

#include <algorithm>
#include <utility>

namespace svc::scheduler {
namespace {

constexpr std::size_t most_flushed = 500;
constexpr std::chrono::seconds statement_patience{5};

/// Returns the code of a server's refusal and nothing else, because the rest may quote the refused value.
std::string_view refusal_code(std::exception const& refusal) {
  std::string_view const text = refusal.what();
  return text.substr(0, text.find(':'));
}

/// True if we have already warned about the certificate of this result.
bool is_warned(store::watched_monitor const& monitor, store::arrived_result const& found) {
  return !found.warning || std::ranges::find(monitor.warned, found.warning_id) != monitor.warned.end();
}

void note_warned(store::watched_monitor& monitor, store::arrived_result const& found) {
  if (is_warned(monitor, found)) return;
  if (monitor.warned.size() == store::watched_monitor::most_warned) monitor.warned.erase(monitor.warned.begin());
  monitor.warned.push_back(found.warning_id);
}

/// Returns the vote of a result that changes no verdict; nothing if it needs a decision.
std::optional<store::counted_result> plain_result(store::watched_monitor const* monitor,
                                                  store::arrived_result const& found) {
  if (found.request || monitor == nullptr) return std::nullopt;
  auto const& memory = monitor->knows;
  if (memory.revision == 0 || memory.check_version != found.check_version) return std::nullopt;
  auto result = store::result_of_location(memory, found);
  if (alerting::must_decide(memory.status, memory.state, result.after) || !is_warned(*monitor, found))
    return std::nullopt;
  return result;
}

}  // namespace

deadline statement_deadlines::next() const {
  return end_ ? end_->within(statement_patience) : deadline::after(statement_patience);
}

task<> result_flusher::flush() {
  auto const alone = co_await flushes_.enter(deps_.deadlines.next());
  if (!alone) throw unavailable("results are still being stored");
  auto const began = steady::now();
  auto const any = !found_.empty();
  for (auto left = found_.size(); left > 0 && !found_.empty() && !deps_.deadlines.ended();) {
    auto batch = found_.take(most_flushed, steady::now());
    left -= std::min(left, batch.size());
    std::exception_ptr failure;
    try {
      co_await store_batch(batch);
    } catch (unavailable const&) {
      failure = std::current_exception();
    }
    if (failure) {
      remove_results(batch);
      found_.put_back(std::move(batch));
      std::rethrow_exception(failure);
    }
  }
  if (any) deps_.flush.observe(std::chrono::duration<double>(steady::now() - began).count());
}

task<> result_flusher::store_batch(std::vector<store::arrived_result> const& batch) {
  ++seen_.flushes;
  std::vector<store::counted_result> results;
  std::vector<store::arrived_result> decisions;
  for (auto const& each : batch) {
    if (auto result = plain_result(deps_.monitors.find(each.monitor), each))
      results.push_back(std::move(*result));
    else
      decisions.push_back(each);
  }
  if (!results.empty()) co_await count(std::move(results), decisions);
  for (std::size_t i = 0; i < decisions.size(); i += store::check_store::most_decided) {
    auto const end = std::min(decisions.size(), i + store::check_store::most_decided);
    co_await decide_each(
        {decisions.begin() + static_cast<std::ptrdiff_t>(i), decisions.begin() + static_cast<std::ptrdiff_t>(end)});
  }
}

task<> result_flusher::count(std::vector<store::counted_result> results,
                             std::vector<store::arrived_result>& decisions) {
  std::vector<bool> counted(results.size(), false);
  try {
    counted = co_await deps_.checks.count(results, deps_.deadlines.next());
  } catch (std::logic_error const&) {
    // One of them cannot be written, and none of them was.
  }
  SVC_FAILPOINT("checks.counted");
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto* monitor = deps_.monitors.find(results[i].result.monitor);
    if (!counted[i]) {
      // The row differs from the known one: after an edit, another scheduler's result, or a crash.
      decisions.push_back(std::move(results[i].result));
      continue;
    }
    ++seen_.counted;
    if (monitor == nullptr || monitor->knows.revision != results[i].revision) continue;
    monitor->knows.revision += 1;
    monitor->knows.last_slot = results[i].result.kept.slot;
    monitor->knows.state = std::move(results[i].after);
    monitor->knows.covered = results[i].covered;
  }
}

task<> result_flusher::decide_each(std::vector<store::arrived_result> results) {
  try {
    co_return co_await decide(results);
  } catch (std::logic_error const&) {
    // One of them cannot be written, or read; the others are not to be lost with it.
  }
  for (auto const& each : results) {
    try {
      co_await decide({each});
    } catch (std::logic_error const& refusal) {
      ++seen_.dropped;
      remove_results({each});
      log::error("a result of a check cannot be stored and is dropped",
                 {{"monitor", each.monitor.to_string()}, {"why", refusal_code(refusal)}});
    }
  }
}

task<> result_flusher::decide(std::vector<store::arrived_result> results) {
  auto const fates = co_await deps_.checks.decide(results, deps_.deadlines.next());
  SVC_FAILPOINT("checks.decided");
  for (std::size_t i = 0; i < results.size(); ++i) {
    ++(fates[i].counted ? seen_.counted : seen_.refused);
    // This result predates an edit that this scheduler has not seen yet. The requester keeps waiting for a check of
    // the new configuration.
    if (!fates[i].counted && results[i].request && deps_.unanswered) deps_.unanswered(*results[i].request);
    auto* monitor = deps_.monitors.find(results[i].monitor);
    if (monitor == nullptr) continue;
    if (fates[i].counted && !fates[i].warning_waits) note_warned(*monitor, results[i]);
    // A change of the monitor itself arrives as news; until then every result needs a decision.
    if (fates[i].knows && fates[i].knows->check_version == monitor->knows.check_version) {
      monitor->knows = *fates[i].knows;
    } else {
      monitor->knows.revision = 0;
    }
  }
}

void result_flusher::remove_results(std::vector<store::arrived_result> const& results) {
  for (auto const& each : results) {
    if (auto* monitor = deps_.monitors.find(each.monitor)) monitor->knows.revision = 0;
  }
}

bool result_flusher::waits_long() const {
  auto const oldest = found_.oldest();
  return oldest && steady::now() - *oldest > std::chrono::seconds(1);
}

task<> result_flusher::look() {
  bool more = true;
  while (more) {
    // A result that waits here is no silence: its delay would be this process's own fault.
    auto const alone = co_await flushes_.enter(deps_.deadlines.next());
    if (!alone || waits_long()) co_return;
    more = co_await deps_.checks.look(deps_.deadlines.next()) ==
           static_cast<std::int64_t>(store::check_store::most_decided);
  }
}

result_flusher::statistics result_flusher::stats() const {
  auto out = seen_;
  out.given_up = found_.given_up();
  out.waiting = found_.size();
  return out;
}

}  // namespace svc::scheduler
