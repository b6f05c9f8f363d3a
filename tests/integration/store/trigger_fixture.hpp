#pragma once

#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <functional>
#include <set>

namespace svc::test {

using verdict = result<store::triggered_run>;

/// Lets the others of this loop go on until it is so, or that time is over.
inline task<> wait_until(asio::io_context& io, std::function<bool()> so, deadline most = migrated_database::soon()) {
  steady_timer pause(io);
  while (!so() && !most.passed()) {
    pause.expires_after(milliseconds(1));
    co_await pause.async_wait(awaiting);
  }
}

/// A shop with one job that can be triggered, and a second batcher, like that of another worker.
struct counter : shop {
  counter() : of(make_job("nightly", {make_test("t").id}, R"([{"name":"BRANCH","required":false}])").id) {}

  store::trigger_request keyed(std::string key, std::string hash = std::string(64, 'a')) const {
    return {.job = of, .triggered_by = "ci", .idempotency_key = std::move(key), .request_hash = std::move(hash)};
  }
  store::trigger_request joining(std::string key, std::string parameters = "{}") const {
    return {.job = of, .parameters = std::move(parameters), .triggered_by = "ci", .dedup_key = std::move(key)};
  }
  verdict ask(store::trigger_request what) { return wait(triggers.trigger(as_ed(), std::move(what), soon())); }
  std::int64_t run_count() { return wait(runs.list(project, {}, {}, soon())).total; }

  /// All at once, alternating between the two workers; in order.
  std::vector<verdict> ask_all(std::vector<std::pair<store::editor, store::trigger_request>> what) {
    std::vector<verdict> out(what.size(), errc::internal_error);
    std::size_t left = what.size();
    for (std::size_t i = 0; i < what.size(); ++i)
      asio::co_spawn(io, one(i % 2 == 0 ? triggers : others, std::move(what[i]), out[i], left), asio::detached);
    io.restart();
    while (left > 0 && io.run_one() > 0) {
    }
    return out;
  }
  static task<> one(store::trigger_batcher& by, std::pair<store::editor, store::trigger_request> what, verdict& into,
                    std::size_t& left) {
    into = co_await by.trigger(std::move(what.first), std::move(what.second), soon());
    --left;
  }

  store::trigger_batcher others{io, pool};
  uuid of;
};

inline std::set<uuid> runs_of(std::vector<verdict> const& of) {
  std::set<uuid> out;
  for (auto const& one : of)
    if (one) out.insert(one->run);
  return out;
}

}  // namespace svc::test
