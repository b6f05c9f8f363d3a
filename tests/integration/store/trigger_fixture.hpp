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
struct trigger_database : shop {
  trigger_database() : id(make_job("nightly", {make_test("t").id}, R"([{"name":"BRANCH","required":false}])").id) {}

  store::trigger_request keyed(std::string key, std::string hash = std::string(64, 'a')) const {
    return {.job = id, .triggered_by = "ci", .idempotency_key = std::move(key), .request_hash = std::move(hash)};
  }
  store::trigger_request joining(std::string key, std::string parameters = "{}") const {
    return {.job = id, .parameters = std::move(parameters), .triggered_by = "ci", .dedup_key = std::move(key)};
  }
  verdict ask(store::trigger_request request) { return wait(triggers.trigger(as_ed(), std::move(request), soon())); }
  std::int64_t run_count() { return wait(runs.list(project, {}, {}, soon())).total; }

  /// All at once, alternating between the two workers; in order.
  std::vector<verdict> ask_all(std::vector<std::pair<store::editor, store::trigger_request>> content) {
    std::vector<verdict> out(content.size(), errc::internal_error);
    std::size_t left = content.size();
    for (std::size_t i = 0; i < content.size(); ++i)
      asio::co_spawn(io, one(i % 2 == 0 ? triggers : others, std::move(content[i]), out[i], left), asio::detached);
    io.restart();
    while (left > 0 && io.run_one() > 0) {
    }
    return out;
  }
  static task<> one(store::trigger_batcher& batcher, std::pair<store::editor, store::trigger_request> content,
                    verdict& into, std::size_t& left) {
    into = co_await batcher.trigger(std::move(content.first), std::move(content.second), soon());
    --left;
  }

  store::trigger_batcher others{io, pool};
  uuid id;
};

inline std::set<uuid> runs_of(std::vector<verdict> const& verdicts) {
  std::set<uuid> out;
  for (auto const& run : verdicts)
    if (run) out.insert(run->run);
  return out;
}

}  // namespace svc::test
