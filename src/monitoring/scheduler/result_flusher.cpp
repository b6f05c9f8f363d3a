#include "monitoring/scheduler/check_holder.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"

#include <algorithm>
#include <utility>

// How results get into the database.

namespace svc::scheduler {
namespace {

constexpr std::size_t most_flushed = 500;

/// Of a server's refusal no more than its code: the rest may quote what was refused.
std::string_view kind_of(std::exception const& why) {
  return std::string_view(why.what()).substr(0, std::string_view(why.what()).find(':'));
}

/// Whether nothing new is to be told of the certificate that it saw.
bool is_warned(store::watched_monitor const& of, store::arrived_result const& one) {
  return !one.warning || std::ranges::find(of.warned, one.warning_id) != of.warned.end();
}

void note_warned(store::watched_monitor& of, store::arrived_result const& one) {
  if (is_warned(of, one)) return;
  if (of.warned.size() == store::watched_monitor::most_warned) of.warned.erase(of.warned.begin());
  of.warned.push_back(one.warning_id);
}

}  // namespace

task<> check_holder::flush() {
  auto const alone = co_await flushes_.enter(patience());
  if (!alone) throw unavailable("results are still being brought in");
  auto const began = steady::now();
  auto const any = !found_.empty();
  for (auto left = found_.size(); left > 0 && !found_.empty() && !(last_words_ && last_words_->passed());) {
    auto batch = found_.take(most_flushed, steady::now());
    left -= std::min(left, batch.size());
    std::exception_ptr failure;
    try {
      co_await bring_in(batch);
    } catch (unavailable const&) {
      failure = std::current_exception();
    }
    if (failure) {
      forget_votes(batch);
      found_.put_back(std::move(batch));
      std::rethrow_exception(failure);
    }
  }
  if (any) of_.observed.flush.observe(std::chrono::duration<double>(steady::now() - began).count());
}

task<> check_holder::bring_in(std::vector<store::arrived_result> const& all) {
  ++seen_.flushes;
  std::vector<store::voted_result> fast;
  std::vector<store::arrived_result> slow;
  for (auto const& each : all) {
    auto const* of = agenda_.find(each.monitor);
    if (each.request || of == nullptr || of->knows.revision == 0 || of->knows.check_version != each.check_version) {
      slow.push_back(each);
      continue;
    }
    auto const& knows = of->knows;
    auto voted = store::vote_of(knows, each);
    if (alerting::must_decide(knows.stands, knows.state, voted.after) || !is_warned(*of, each)) {
      slow.push_back(each);
    } else {
      fast.push_back(std::move(voted));
    }
  }
  if (!fast.empty()) co_await count(std::move(fast), slow);
  for (std::size_t i = 0; i < slow.size(); i += store::check_store::most_decided) {
    auto const end = std::min(slow.size(), i + store::check_store::most_decided);
    co_await decide_each(
        {slow.begin() + static_cast<std::ptrdiff_t>(i), slow.begin() + static_cast<std::ptrdiff_t>(end)});
  }
}

task<> check_holder::count(std::vector<store::voted_result> fast, std::vector<store::arrived_result>& slow) {
  std::vector<bool> counted(fast.size(), false);
  try {
    counted = co_await checks_.count(fast, patience());
  } catch (std::logic_error const&) {
    // One of them cannot be written, and none of them was.
  }
  SVC_FAILPOINT("checks.counted");
  for (std::size_t i = 0; i < fast.size(); ++i) {
    auto* of = agenda_.find(fast[i].result.monitor);
    if (!counted[i]) {
      // The row is another one than was known: of an edit, of another holder, or of before a crash.
      slow.push_back(std::move(fast[i].result));
      continue;
    }
    ++seen_.counted;
    if (of == nullptr || of->knows.revision != fast[i].revision) continue;
    of->knows.revision += 1;
    of->knows.last_slot = fast[i].result.kept.slot;
    of->knows.state = std::move(fast[i].after);
    of->knows.covered = fast[i].covered;
  }
}

task<> check_holder::decide_each(std::vector<store::arrived_result> all) {
  try {
    co_return co_await decide(all);
  } catch (std::logic_error const&) {
    // One of them cannot be written, or read; the others are not to be lost with it.
  }
  for (auto const& each : all) {
    try {
      co_await decide({each});
    } catch (std::logic_error const& e) {
      ++seen_.dropped;
      forget_votes({each});
      log::error("a result of a check cannot be brought in, and is dropped",
                 {{"monitor", each.monitor.to_string()}, {"why", kind_of(e)}});
    }
  }
}

task<> check_holder::decide(std::vector<store::arrived_result> all) {
  auto const fates = co_await checks_.decide(all, patience());
  SVC_FAILPOINT("checks.decided");
  for (std::size_t i = 0; i < all.size(); ++i) {
    ++(fates[i].counted ? seen_.counted : seen_.refused);
    // Of before an edit that has not been heard of yet: who asked waits for a check behind it.
    if (!fates[i].counted && all[i].request) answering_.erase(*all[i].request);
    auto* of = agenda_.find(all[i].monitor);
    if (of == nullptr) continue;
    if (fates[i].counted && !fates[i].muted) note_warned(*of, all[i]);
    // What changed of the monitor itself comes as news; until then nothing counts without a decision.
    if (fates[i].knows && fates[i].knows->check_version == of->knows.check_version) {
      of->knows = *fates[i].knows;
    } else {
      of->knows.revision = 0;
    }
  }
}

void check_holder::forget_votes(std::vector<store::arrived_result> const& of) {
  for (auto const& each : of) {
    if (auto* known = agenda_.find(each.monitor)) known->knows.revision = 0;
  }
}

bool check_holder::knows_what_was_found() const {
  auto const now = steady::now();
  auto const oldest = found_.oldest();
  return watches_since_ && now - *watches_since_ >= of_.settling &&
         (!oldest || now - *oldest <= std::chrono::seconds(1));
}

task<> check_holder::look() {
  if (stopping_) co_return;
  bool more = true;
  while (more) {
    // What was found and waits here is no silence: that it came too late would be this process's own doing.
    auto const alone = co_await flushes_.enter(patience());
    if (!alone || !knows_what_was_found()) co_return;
    more = co_await checks_.look(patience()) == static_cast<std::int64_t>(store::check_store::most_decided);
  }
}

}  // namespace svc::scheduler
