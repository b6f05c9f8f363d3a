#ifdef SVC_RUNNER_NOOP

#include "svc-runner/noop.hpp"

#include "svc-runner/client/gathered_calls.hpp"
#include "svc-runner/client/script_source.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/time.hpp"
#include "svc/http/json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>

namespace svc::runner {
namespace {

namespace json = boost::json;

/// Concurrent requests that complete runs, over all runners.
constexpr int completers = 64;
constexpr std::int64_t most_claims = 100;
constexpr milliseconds beyond_the_wait{15'000};

std::int64_t wall_micros() {
  return std::chrono::duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

json::object distribution(std::vector<std::int64_t> micros) {
  std::ranges::sort(micros);
  auto const entry = [&](double part) {
    if (micros.empty()) return 0.0;
    return static_cast<double>(micros[static_cast<std::size_t>(part * static_cast<double>(micros.size() - 1))]) /
           1000;
  };
  return {
      {"count", micros.size()}, {"p50", entry(0.5)}, {"p90", entry(0.9)}, {"p99", entry(0.99)}, {"max", entry(1)}};
}

constexpr std::int64_t lines_of_a_run = 20, lines_of_a_batch = 10;

/// A claimed run that must still be completed.
struct unrun {
  std::string run;
  std::string claim;
  std::vector<test_script> tests;  ///< whose scripts were not in the claim
  std::string completion;
  bool printed = false;  ///< its output is sent with the completion
};

std::vector<output_line> some_lines(std::int64_t first, std::int64_t count) {
  std::vector<output_line> lines;
  for (std::int64_t seq = first; seq < first + count; ++seq)
    lines.push_back({seq, output_stream::out,
                     "step " + std::to_string(seq) + " of " + std::to_string(lines_of_a_run) +
                         ": the page at /orders/" + std::to_string(seq * 7919) + " answered in 12 ms"});
  return lines;
}

class noop {
 public:
  noop(settings const& settings, int count, noop_runs runs)
      : settings_(settings),
        runs_(runs),
        tls_(make_client_tls(settings.ca_file)),
        service_(io_, *parse_endpoint(settings.url), tls_, settings.token),
        outputs_(io_, service_, "/internal/v1/outputs"),
        completions_(io_, service_, "/internal/v1/completions"),
        scripts_(io_, service_),
        signals_(io_.get_executor(), SIGTERM, SIGINT, SIGUSR1),
        news_(io_.get_executor(), steady::time_point::max()),
        room_(io_.get_executor(), steady::time_point::max()) {
    for (int i = 0; i < count; ++i) claiming_.push_back(service_.take());
  }

  int run() {
    next_signal();
    for (std::size_t i = 0; i < claiming_.size(); ++i) start(claim_all(i));
    for (int i = 0; i < completers; ++i) start(complete_all());
    io_.run();
    print();
    return 0;
  }

 private:
  void start(task<> content) {
    asio::co_spawn(io_, std::move(content), [](std::exception_ptr e) {
      if (e) std::rethrow_exception(e);
    });
  }

  void next_signal() {
    signals_.async_wait([this](boost::system::error_code ec, int number) {
      if (ec) return;
      if (number == SIGUSR1) {
        print();
        asked_ = completed_ = refused_ = 0;
        waits_.clear();
        ends_.clear();
        return next_signal();
      }
      stopping_ = true;
      // A claim granted at this moment returns to the queue when its lease ends.
      for (auto& each : claiming_) each->close();
      news_.cancel();
      room_.cancel();
    });
  }

  service_client::give_up stopping() {
    return [this] { return stopping_; };
  }

  task<std::string> enroll(std::size_t which) {
    auto const reply =
        co_await service_.insist("/internal/v1/register",
                                 register_body(settings_.name + "-" + std::to_string(which + 1), this_build().version,
                                               {"command"}, settings_.concurrency),
                                 usual_patience, nullptr, stopping());
    auto const read = reply && reply->status == 200 ? read_registration(reply->body) : std::nullopt;
    if (!read && !stopping_) throw std::runtime_error("the service refuses the registration");
    co_return read ? read->runner_id : std::string();
  }

  task<> claim_all(std::size_t which) {
    auto const id = co_await enroll(which);
    while (!stopping_) {
      auto const room = settings_.concurrency * static_cast<std::int64_t>(claiming_.size()) - held_;
      if (room <= 0) {
        static_cast<void>(co_await room_.async_wait(awaiting));
        continue;
      }
      auto const reply = co_await service_.insist(
          "/internal/v1/claim",
          claim_body(id, {"command"}, static_cast<std::size_t>(std::min(room, most_claims)), 30, scripts_.apart()),
          milliseconds(30'000) + beyond_the_wait, claiming_[which].get(), stopping());
      auto const now = wall_micros();
      if (!reply) break;
      if (scripts_.refused(*reply)) continue;
      if (reply->status != 200) throw std::runtime_error("claim: " + read_error(reply->body));
      ++asked_;
      take(http::parse_json(reply->body).value(), now);
    }
    news_.cancel();
  }

  void take(json::value const& answer, std::int64_t now) {
    std::vector<held_run> held;
    for (auto const& value : answer.at("claims").as_array()) {
      auto const queued = parse_rfc3339(value.at("queuedAt").as_string());
      // A later attempt says nothing about how fast a run is claimed after it was queued.
      if (value.at("attempt").as_int64() == 1) waits_.push_back(now - queued.value().micros);
      completion end{.last_seq = runs_ == noop_runs::empty ? 0 : lines_of_a_run};
      std::vector<test_script> tests;
      for (auto const& test : value.at("tests").as_array()) {
        tests.push_back({.id = std::string(test.at("id").as_string())});
        if (auto const* const version = test.as_object().if_contains("version"))
          tests.back().version = version->as_string();
        end.tests.push_back({.id = tests.back().id, .status = outcome::passed, .duration_ms = 0});
      }
      bool const whole = runs_ != noop_runs::lasting && value.as_object().contains("wholeOutputBytes");
      if (whole) end.whole_output = some_lines(1, end.last_seq);
      std::string const claim(value.at("claimId").as_string());
      if (!scripts_.apart()) tests.clear();
      claimed_.push_back(
          {std::string(value.at("runId").as_string()), claim, std::move(tests), complete_body(claim, end), whole});
      held.push_back({claimed_.back().run, claimed_.back().claim});
      ++held_;
    }
    if (runs_ != noop_runs::empty && beats_together_ && !held.empty()) start(beat(std::move(held)));
    news_.cancel();
  }

  task<> complete_all() {
    while (!claimed_.empty() || !stopping_) {
      if (claimed_.empty()) {
        static_cast<void>(co_await news_.async_wait(awaiting));
        continue;
      }
      auto const next = std::move(claimed_.front());
      claimed_.pop_front();
      co_await bring_scripts(next);
      if (runs_ != noop_runs::empty) co_await pretend(next);
      auto const start = steady::now();
      auto const said = co_await tell(completions_, next, "complete", next.completion);
      ends_.push_back(std::chrono::duration_cast<microseconds>(steady::now() - start).count());
      ++(said ? completed_ : refused_);
      --held_;
      room_.cancel();
    }
  }

  task<std::optional<http_reply>> ask(unrun which, std::string_view subject, std::string body) {
    co_return co_await service_.insist("/internal/v1/runs/" + which.run + "/" + std::string(subject), std::move(body),
                                       usual_patience, nullptr, [] { return false; });
  }

  /// Sends it together with others if the service supports that, otherwise by itself. Returns true if the service
  /// accepted it.
  task<bool> tell(gathered_calls& together, unrun which, std::string_view subject, std::string body) {
    auto const said = co_await together.send(which.run, body, [] { return false; });
    if (said.content != gathered_answer::kind::alone) co_return said.content == gathered_answer::kind::done;
    auto const reply = co_await ask(which, subject, std::move(body));
    co_return reply->status < 300;
  }

  /// The first heartbeat of the runs of one claim, as `claim_keeper` sends it.
  task<> beat(std::vector<held_run> runs) {
    auto const reply = co_await service_.insist("/internal/v1/heartbeats", heartbeats_body(runs, milliseconds(0)),
                                                usual_patience, nullptr, [] { return false; });
    beats_together_ = reply->status == 200;
  }

  /// The same step as before a run is executed.
  task<> bring_scripts(unrun which) {
    claim claim{.run_id = which.run, .claim_id = which.claim, .tests = std::move(which.tests)};
    co_await scripts_.bring(claim, [] { return false; });
  }

  task<> pretend(unrun which) {
    if (!beats_together_) co_await ask(which, "heartbeat", heartbeat_body(which.claim, 0));
    if (which.printed) co_return;
    for (std::int64_t first = 1; first <= lines_of_a_run; first += lines_of_a_batch)
      co_await tell(outputs_, which, "output", output_body(which.claim, some_lines(first, lines_of_a_batch)));
  }

  void print() const {
    json::object const out{{"claimAnswers", asked_},
                           {"claimed", waits_.size()},
                           {"completed", completed_},
                           {"refused", refused_},
                           {"queuedToClaimedMs", distribution(waits_)},
                           {"completeMs", distribution(ends_)}};
    std::printf("%s\n", json::serialize(out).c_str());
    std::fflush(stdout);
  }

  settings const& settings_;
  noop_runs const runs_;
  asio::io_context io_{1};
  asio::ssl::context tls_;
  service_client service_;
  gathered_calls outputs_, completions_;
  script_source scripts_;
  asio::basic_signal_set<executor> signals_;
  steady_timer news_;  ///< never expires; cancelled when there is something to complete, or at the end
  steady_timer room_;  ///< the same, when more can be claimed
  std::vector<service_client::connection_ptr> claiming_{};
  std::deque<unrun> claimed_{};
  std::int64_t held_ = 0;
  std::int64_t asked_ = 0, completed_ = 0, refused_ = 0;
  std::vector<std::int64_t> waits_{}, ends_{};
  bool stopping_ = false;
  bool beats_together_ = true;
};

}  // namespace

int run_noop(settings const& settings, int count, noop_runs runs) {
  return noop(settings, count, runs).run();
}

}  // namespace svc::runner

#endif
