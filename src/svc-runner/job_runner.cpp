#include "svc-runner/job_runner.hpp"

#include "svc/core/build_info.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"

#include <boost/asio/co_spawn.hpp>

#include <csignal>

namespace svc::runner {
namespace {

constexpr milliseconds beyond_the_wait{15'000};
/// Time limit for reporting the last runs to the service.
constexpr milliseconds last_words{10'000};
constexpr std::int64_t most_claims = 100;
/// A claim that returns earlier without a run did not wait for one.
constexpr milliseconds early_answer{500};
constexpr int ended_by_second_signal = 130;

void rethrow(std::exception_ptr e) {
  if (e) std::rethrow_exception(e);
}

}  // namespace

job_runner::job_runner(asio::io_context& io, run_context& context, settings const& settings,
                       std::vector<std::string> labels)
    : io_(io),
      context_(context),
      settings_(settings),
      labels_(std::move(labels)),
      claiming_(context.service.take()),
      signals_(io.get_executor(), SIGTERM, SIGINT),
      grace_(io.get_executor()),
      news_(io.get_executor(), steady::time_point::max()) {
  for (std::int64_t slot = 0; slot < settings.concurrency; ++slot) free_slots_.insert(slot);
}

int job_runner::run() {
  next_signal();
  asio::co_spawn(io_, work(), [this](std::exception_ptr e) {
    rethrow(e);
    io_.stop();
  });
  io_.run();
  return at_once_ ? ended_by_second_signal : 0;
}

service_client::give_up job_runner::stopping() const {
  return [this] { return stopping_; };
}

void job_runner::next_signal() {
  signals_.async_wait([this](boost::system::error_code ec, int /*number*/) {
    if (ec) return;
    if (stopping_) {
      log::warn("second signal: ending at once", {{"runs", running_.size()}});
      at_once_ = true;
      return io_.stop();
    }
    stop();
    next_signal();
  });
}

void job_runner::stop() {
  log::info("stopping", {{"runs", running_.size()}, {"graceSeconds", settings_.grace.count() / 1000}});
  stopping_ = true;
  // A claim that is granted at this moment returns to the queue when its lease ends.
  claiming_->close();
  news_.cancel();
  grace_.expires_after(settings_.grace);
  grace_.async_wait([this](boost::system::error_code ec) {
    if (!ec) hand_back();
  });
}

void job_runner::hand_back() {
  hopeless_at_ = deadline::after(last_words);
  for (auto const& [slot, each] : running_) each->stop(stop_reason::handed_back);
}

task<> job_runner::enroll() {
  auto const reply = co_await context_.service.insist(
      "/internal/v1/register", register_body(settings_.name, this_build().version, labels_, settings_.concurrency),
      usual_patience, nullptr, stopping());
  if (!reply) co_return;
  auto const read = reply->status == 200 ? read_registration(reply->body) : std::nullopt;
  if (!read)
    throw std::runtime_error("the service refuses the registration: status " + std::to_string(reply->status) + " " +
                             read_error(reply->body));
  registered_ = *read;
  log::info("registered",
            {{"runner", registered_.runner_id}, {"url", settings_.url}, {"slots", settings_.concurrency}});
}

/// Returns false if the service does not know this runner (any more).
task<bool> job_runner::claim_some() {
  auto const most = std::min<std::int64_t>(most_claims, static_cast<std::int64_t>(free_slots_.size()));
  auto const wait = std::min<std::int64_t>(30, registered_.long_poll_seconds);
  auto const asked = std::chrono::steady_clock::now();
  auto reply = co_await context_.service.insist(
      "/internal/v1/claim",
      claim_body(registered_.runner_id, labels_, static_cast<std::size_t>(most), wait, context_.scripts.apart()),
      milliseconds(wait * 1000) + beyond_the_wait, claiming_.get(), stopping());
  if (!reply) co_return true;
  if (reply->status == 404 || reply->status == 409) co_return false;
  if (context_.scripts.refused(*reply)) co_return true;
  auto claims = reply->status == 200 ? read_claims(reply->body) : std::nullopt;
  // The body contains the values of variables.
  if (claims) wipe(reply->body);
  if (!claims) {
    log::error("the service refuses a claim", {{"status", reply->status}, {"answer", read_error(reply->body)}});
    co_await context_.service.sleep(milliseconds(1000 + static_cast<std::int64_t>(random_fraction() * 4000)));
    co_return true;
  }
  before_registration_.reset();
  // An instance that drains answers immediately without a run. Without a pause the runner would ask it hundreds of
  // times a second until it stops.
  if (claims->empty() && wait > 0 && std::chrono::steady_clock::now() - asked < early_answer)
    co_await context_.service.sleep(milliseconds(500 + static_cast<std::int64_t>(random_fraction() * 1000)));
  for (auto& each : *claims)
    if (!free_slots_.empty()) begin(std::move(each));
  co_return true;
}

void job_runner::begin(claim claim) {
  auto const slot = free_slots_.extract(free_slots_.begin()).value();
  asio::co_spawn(io_, execute(std::move(claim), slot), rethrow);
}

task<> job_runner::execute(claim claim, std::int64_t slot) {
  auto const run = std::make_shared<run_execution>(context_, std::move(claim), slot);
  running_.emplace(slot, run);
  co_await run->run();
  running_.erase(slot);
  free_slots_.insert(slot);
  news_.cancel();
}

task<> job_runner::work() {
  co_await enroll();
  while (!stopping_) {
    if (free_slots_.empty()) {
      static_cast<void>(co_await news_.async_wait(awaiting));
    } else if (!co_await claim_some() && !stopping_) {
      co_await context_.service.sleep(before_registration_.next(random_fraction()));
      if (!stopping_) co_await enroll();
    }
  }
  while (static_cast<std::int64_t>(free_slots_.size()) < settings_.concurrency)
    static_cast<void>(co_await news_.async_wait(awaiting));
  log::info("stopped");
}

}  // namespace svc::runner
