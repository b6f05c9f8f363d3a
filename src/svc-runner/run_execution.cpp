#include "svc-runner/run_execution.hpp"

#include "svc-runner/client/messages.hpp"
#include "svc/core/log.hpp"
#include "svc/core/trace_parent.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>

namespace svc::runner {
namespace {

constexpr std::int64_t longest_wait_seconds = 20;
constexpr milliseconds beyond_the_report{10'000};

/// The coroutine keeps the run alive, even if there is no other reference.
task<> hold(std::shared_ptr<run_execution> self, task<> content) {
  co_await std::move(content);
}

}  // namespace

run_execution::run_execution(run_context& context, claim claim, std::int64_t slot)
    : context_(context),
      claim_(std::move(claim)),
      slot_(slot),
      output_(context.io, context.service, context.outputs, claim_, context.settings.limits,
              [this] { return stop_ == stop_reason::lost || context_.hopeless(); }),
      timeout_(context.io.get_executor()) {}

std::string run_execution::target(std::string_view call) const {
  return "/internal/v1/runs/" + claim_.run_id + "/" + std::string(call);
}

service_client::give_up run_execution::enough() {
  return [self = shared_from_this()] {
    return self->over_ || self->stop_ == stop_reason::lost || self->context_.hopeless();
  };
}

void run_execution::spawn(task<> content) {
  // An exception (the token is refused) ends the program: `io_context::run` rethrows it.
  asio::co_spawn(context_.io, hold(shared_from_this(), std::move(content)), [](std::exception_ptr e) {
    if (e) std::rethrow_exception(e);
  });
}

void run_execution::stop(stop_reason reason) {
  if (stop_ != stop_reason::none && reason != stop_reason::lost) return;
  if (over_) return;
  stop_ = reason;
  if (current_ == nullptr) return;
  auto const& limits = context_.settings.limits;
  // A lost run may already belong to another runner.
  if (reason == stop_reason::lost) return current_->end();
  current_->end(reason == stop_reason::timed_out ? limits.timeout_grace : limits.cancel_grace);
}

void run_execution::start_timeout() {
  auto seconds = std::chrono::seconds(std::max<std::int64_t>(1, claim_.timeout_seconds));
  milliseconds limit = seconds;
  if (context_.settings.limits.timeout.count() > 0) limit = std::min(limit, context_.settings.limits.timeout);
  timeout_.expires_after(limit);
  timeout_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
    if (auto const self = weak.lock(); self && !ec) self->stop(stop_reason::timed_out);
  });
}

task<> run_execution::run() {
  auto const self = shared_from_this();
  auto const trace = read_trace_parent(claim_.trace_parent);
  log::info("run started", {{"run", claim_.run_id},
                            {"trace_id", trace ? trace->trace_id : std::string_view()},
                            {"attempt", claim_.attempt},
                            {"type", claim_.type},
                            {"tests", claim_.tests.size()}});
  start_timeout();
  // The heartbeat starts first, so that the lease is kept however long the next steps take.
  keep_claim();
  spawn(output_.send());
  auto completion = co_await run_tests();
  timeout_.cancel();
  output_.close();
  co_await output_.wait_sent();
  completion.last_seq = output_.last_seq();
  if (output_.whole())
    co_await report_with_output(std::move(completion));
  else
    co_await report(std::move(completion));
  over_ = true;
  if (pulse_) pulse_->close();
}

void run_execution::keep_claim() {
  auto const when_alive = [weak = weak_from_this()](void (*then)(run_execution&)) {
    return [weak, then] {
      if (auto const self = weak.lock()) then(*self);
    };
  };
  context_.keeper.keep({.run_id = claim_.run_id,
                        .claim_id = claim_.claim_id,
                        .lease_seconds = claim_.lease_seconds,
                        .over =
                            [weak = weak_from_this()] {
                              auto const self = weak.lock();
                              return !self || self->enough()();
                            },
                        .cancelled = when_alive([](run_execution& self) { self.stop(stop_reason::cancelled); }),
                        .lost = when_alive([](run_execution& self) { self.stop(stop_reason::lost); }),
                        .alone = when_alive([](run_execution& self) { self.spawn(self.heartbeat()); })});
}

void run_execution::report(call_report const& said, outcome status) {
  switch (said.verdict) {
    case claim_verdict::done:
      return log::info(stop_ == stop_reason::handed_back ? "run handed back" : "run ended",
                       {{"run", claim_.run_id}, {"status", to_string(status)}});
    case claim_verdict::lost:
      return log::warn("the service no longer accepts the run's result", {{"run", claim_.run_id}});
    case claim_verdict::given_up:
      return log::warn("run not completed: the service could not be reached", {{"run", claim_.run_id}});
    case claim_verdict::refused:
      log::error("the service refuses a run's result", {{"run", claim_.run_id}, {"answer", said.reason}});
  }
}

task<run_execution::call_report> run_execution::ask(std::string_view call, std::string body) {
  auto const reply =
      co_await context_.service.insist(target(call), std::move(body), usual_patience, nullptr, enough());
  call_report out{reply ? verdict_of(*reply) : claim_verdict::given_up};
  if (out.verdict == claim_verdict::refused)
    out.reason = "status " + std::to_string(reply->status) + " " + read_error(reply->body);
  co_return out;
}

task<run_execution::call_report> run_execution::complete(completion const& completion) {
  auto body = complete_body(claim_.claim_id, completion);
  auto const said = co_await context_.completions.send(claim_.run_id, body, enough());
  switch (said.content) {
    case gathered_answer::kind::done:
      co_return call_report{claim_verdict::done};
    case gathered_answer::kind::lost:
      co_return call_report{claim_verdict::lost};
    case gathered_answer::kind::given_up:
      co_return call_report{claim_verdict::given_up};
    default:
      co_return co_await ask("complete", std::move(body));
  }
}

/// Reports the result together with all output. An instance of an older version may refuse that. Then the output is
/// sent before the result, as if the claim had not allowed this.
task<> run_execution::report_with_output(completion completion) {
  if (stop_ != stop_reason::lost && stop_ != stop_reason::handed_back) {
    completion.whole_output = output_.whole();
    auto const said = co_await complete(completion);
    if (said.verdict != claim_verdict::refused) co_return report(said, completion.status);
    log::warn("the service refuses a run's output with its result",
              {{"run", claim_.run_id}, {"answer", said.reason}});
    completion.whole_output.reset();
  }
  co_await output_.send_rest();
  co_await report(std::move(completion));
}

task<> run_execution::report(completion completion) {
  if (output_.verdict() == claim_verdict::lost) stop(stop_reason::lost);
  if (output_.verdict() == claim_verdict::refused) {
    completion.status = outcome::error;
    completion.details = "the service refused the run's output";
  }
  if (stop_ == stop_reason::lost) {
    log::warn("run lost: the service has given it to another runner or ended it", {{"run", claim_.run_id}});
    co_return;
  }
  bool const back = stop_ == stop_reason::handed_back;
  report(back ? co_await ask("release", release_body(claim_.claim_id)) : co_await complete(completion),
         completion.status);
}

task<> run_execution::heartbeat() {
  pulse_ = context_.service.take();
  auto wait = std::clamp<std::int64_t>(claim_.lease_seconds / 2, 1, longest_wait_seconds);
  while (!over_ && stop_ != stop_reason::lost) {
    auto const patience = milliseconds(wait * 1000) + beyond_the_report;
    auto const reply = co_await context_.service.insist(target("heartbeat"), heartbeat_body(claim_.claim_id, wait),
                                                        patience, pulse_.get(), enough());
    if (!reply || over_) co_return;
    if (verdict_of(*reply) != claim_verdict::done) {
      if (verdict_of(*reply) == claim_verdict::refused)
        log::error("the service refuses a heartbeat",
                   {{"run", claim_.run_id}, {"status", reply->status}, {"answer", read_error(reply->body)}});
      stop(stop_reason::lost);
      co_return;
    }
    auto const said = read_heartbeat(reply->body).value_or(heartbeat_answer{});
    wait = std::clamp<std::int64_t>(said.lease_seconds / 2, 1, longest_wait_seconds);
    if (!said.cancel) continue;
    stop(stop_reason::cancelled);
    // From now on the service would answer each heartbeat at once.
    co_await context_.service.sleep(std::chrono::seconds(wait));
  }
}

}  // namespace svc::runner
