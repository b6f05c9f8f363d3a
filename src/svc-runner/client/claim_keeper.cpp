#include "svc-runner/client/claim_keeper.hpp"

#include "svc/core/log.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <utility>

namespace svc::runner {
namespace {

constexpr std::size_t most_kept = 1000;
constexpr milliseconds longest_heartbeat{20'000}, shortest_heartbeat{100};
constexpr milliseconds beyond_the_heartbeat{10'000};
/// Requests that end within this time share the next request.
constexpr milliseconds gathering{20};
/// The pause after an immediate answer without news (the service drains).
constexpr milliseconds idle_heartbeat{500};

void end_by(std::exception_ptr e) {
  if (e) std::rethrow_exception(e);
}

}  // namespace

milliseconds heartbeat_wait(std::int64_t lease_seconds, steady::time_point now) {
  auto const period = std::clamp(milliseconds(lease_seconds * 500), milliseconds(500), longest_heartbeat);
  auto const since = std::chrono::duration_cast<milliseconds>(now.time_since_epoch()) % period;
  return std::max(shortest_heartbeat, period - since);
}

bool apply_news(claim_list& claims, heartbeat_news const& said) {
  bool news = false;
  for (auto const& claim : claims) {
    bool const lost = said.lost.contains(claim->run_id);
    bool const cancelled = !claim->cancelling && said.cancel.contains(claim->run_id);
    news = news || lost || cancelled;
    claim->lease_seconds = said.lease_seconds;
    if (claim->over()) continue;
    if (lost) claim->lost();
    if (cancelled) {
      claim->cancelling = true;
      claim->cancelled();
    }
  }
  std::erase_if(claims, [&](claim_ptr const& entry) { return said.lost.contains(entry->run_id) || entry->over(); });
  return news;
}

void claim_keeper::keep(kept_claim claim) {
  if (!known_) return claim.alone();
  unattended_.push_back(std::make_shared<kept_claim>(std::move(claim)));
  begin_after(milliseconds(0));
}

void claim_keeper::begin_after(milliseconds pause) {
  if (std::exchange(beginning_, true)) return;
  // An exception (the token is refused) ends the program: `io_context::run` rethrows it.
  asio::co_spawn(io_, begin(pause), end_by);
}

task<> claim_keeper::begin(milliseconds pause) {
  co_await service_.sleep(pause);
  beginning_ = false;
  auto all = std::exchange(unattended_, {});
  std::erase_if(all, [](claim_ptr const& claim) { return claim->over(); });
  for (std::size_t position = 0; position < all.size(); position += most_kept) {
    auto const end = std::min(all.size(), position + most_kept);
    asio::co_spawn(io_,
                   ask(claim_list(all.begin() + static_cast<std::ptrdiff_t>(position),
                                  all.begin() + static_cast<std::ptrdiff_t>(end))),
                   end_by);
  }
}

void claim_keeper::leave_alone(claim_list claims) {
  for (auto const& claim : claims)
    if (!claim->over()) claim->alone();
}

task<> claim_keeper::ask(claim_list claims) {
  auto const shortest =
      std::ranges::min(claims, {}, [](claim_ptr const& claim) { return claim->lease_seconds; })->lease_seconds;
  auto const start = steady::now();
  auto const wait = heartbeat_wait(shortest, start);
  std::vector<held_run> held;
  for (auto const& kept_claim : claims)
    held.push_back({kept_claim->run_id, kept_claim->claim_id, kept_claim->cancelling});
  auto const reply = co_await service_.insist(
      "/internal/v1/heartbeats", heartbeats_body(held, wait), wait + beyond_the_heartbeat, nullptr,
      [&claims] { return std::ranges::all_of(claims, [](claim_ptr const& entry) { return entry->over(); }); });
  if (!reply) co_return;
  auto const said = reply->status == 200 ? read_heartbeats(reply->body) : std::nullopt;
  if (!said) {
    known_ = known_ && reply->status != 404 && reply->status != 405;
    if (known_)
      log::error("the service refuses heartbeats", {{"status", reply->status}, {"answer", read_error(reply->body)}});
    co_return leave_alone(std::move(claims));
  }
  bool const at_once = !apply_news(claims, *said) && steady::now() - start < wait / 2;
  unattended_.insert(unattended_.end(), claims.begin(), claims.end());
  if (!claims.empty()) begin_after(at_once ? idle_heartbeat : gathering);
}

}  // namespace svc::runner
