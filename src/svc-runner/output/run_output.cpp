#include "svc-runner/output/run_output.hpp"

#include "svc/core/log.hpp"

namespace svc::runner {
namespace {

/// Bytes that are read and masked at once; masking them takes a few milliseconds.
constexpr std::size_t chunk = 16UL * 1024;
/// Answers in a row that acknowledge nothing new, after which one side must be counting wrongly.
constexpr int most_useless_answers = 5;

}  // namespace

run_output::run_output(asio::io_context& io, service_client& service, gathered_calls& together, claim const& claim,
                       run_limits const& limits, service_client::give_up enough)
    : service_(service),
      together_(together),
      run_id_(claim.run_id),
      claim_id_(claim.claim_id),
      enough_(std::move(enough)),
      budget_(static_cast<std::size_t>(limits.output_lines), static_cast<std::size_t>(limits.output_kb) * 1024),
      news_(io.get_executor(), steady::time_point::max()),
      flush_(io.get_executor()),
      most_whole_(
          static_cast<std::size_t>(std::clamp<std::int64_t>(claim.whole_output_bytes, 0, output_queue::most_bytes))) {
}

void run_output::add(output_stream stream, std::vector<std::string> lines) {
  for (auto& line : lines) {
    auto const verdict = budget_.spend(line.size());
    if (verdict == output_budget::verdict::drop) return;
    if (verdict == output_budget::verdict::last) return say(budget_.marker());
    queue_.add(stream, std::move(line));
  }
  if (queue_.batch_is_full()) flush_.cancel();
  news_.cancel();
}

void run_output::say(std::string text) {
  queue_.add(output_stream::err, std::move(text));
  news_.cancel();
}

void run_output::close() {
  closed_ = true;
  flush_.cancel();
  news_.cancel();
}

task<> run_output::changed() {
  static_cast<void>(co_await news_.async_wait(awaiting));
}

void run_output::release_later(steady_timer& timer, std::shared_ptr<line_splitter> const& lines,
                               output_stream stream) {
  timer.cancel();
  if (!lines->holds_line()) return;
  timer.expires_after(longest_hold);
  // The reader owns the timer and the lines; when it is gone, this object may be gone too.
  timer.async_wait([this, stream, weak = std::weak_ptr(lines)](boost::system::error_code ec) {
    if (auto const held = weak.lock(); held && !ec) add(stream, held->release());
  });
}

task<> run_output::read(supervised_process::pipe_end& end, output_stream stream, secret_patterns_ptr secrets) {
  auto const lines = std::make_shared<line_splitter>(std::move(secrets));
  steady_timer hold(news_.get_executor());
  std::vector<char> buffer(chunk);
  for (;;) {
    while (queue_.bytes() > most_waiting && !sent_) co_await changed();
    auto const [ec, n] = co_await end.async_read_some(asio::buffer(buffer), awaiting);
    if (ec) break;
    // Endless output costs no more than reading it.
    if (budget_.full()) continue;
    add(stream, lines->feed({buffer.data(), n}));
    release_later(hold, lines, stream);
  }
  add(stream, lines->finish());
}

task<claim_verdict> run_output::send_batch(std::vector<output_line> lines) {
  auto body = output_body(claim_id_, lines);
  for (;;) {
    auto const said = co_await together_.send(run_id_, body, enough_);
    switch (said.content) {
      case gathered_answer::kind::done:
        queue_.acknowledge(said.through);
        co_return claim_verdict::done;
      case gathered_answer::kind::lost:
        co_return claim_verdict::lost;
      case gathered_answer::kind::given_up:
        co_return claim_verdict::given_up;
      case gathered_answer::kind::alone:
        co_return co_await send_alone(std::move(body));
      case gathered_answer::kind::again:
        break;
    }
    if (enough_()) co_return claim_verdict::given_up;
    co_await service_.sleep(flush_interval);
  }
}

task<claim_verdict> run_output::send_alone(std::string body) {
  auto const reply = co_await service_.insist("/internal/v1/runs/" + run_id_ + "/output", std::move(body),
                                              usual_patience, nullptr, enough_);
  if (!reply) co_return claim_verdict::given_up;
  auto const verdict = verdict_of(*reply);
  if (verdict == claim_verdict::refused)
    log::error("the service refuses a run's output",
               {{"run", run_id_}, {"status", reply->status}, {"answer", read_error(reply->body)}});
  if (verdict == claim_verdict::done) queue_.acknowledge(read_through(reply->body).value_or(0));
  co_return verdict;
}

bool run_output::stays() const {
  return closed_ && !begun_ && most_whole_ > 0 && queue_.bytes() <= most_whole_ &&
         queue_.lines() <= output_queue::most_lines;
}

std::optional<std::vector<output_line>> run_output::whole() const {
  return stays() ? std::optional(queue_.batch()) : std::nullopt;
}

task<> run_output::send_rest() {
  most_whole_ = 0;
  sent_ = false;
  co_await send();
}

task<> run_output::send() {
  int useless = 0;
  while (verdict_ == claim_verdict::done) {
    if (queue_.empty()) {
      if (closed_) break;
      co_await changed();
      continue;
    }
    if (!closed_ && !queue_.batch_is_full()) {
      flush_.expires_after(flush_interval);
      static_cast<void>(co_await flush_.async_wait(awaiting));
    }
    if (stays()) break;
    begun_ = true;
    auto lines = queue_.batch();
    auto const first = lines.front().seq;
    verdict_ = co_await send_batch(std::move(lines));
    bool const advanced = queue_.empty() || queue_.batch().front().seq > first;
    useless = advanced ? 0 : useless + 1;
    if (verdict_ == claim_verdict::done && useless == most_useless_answers) verdict_ = claim_verdict::refused;
    news_.cancel();
  }
  sent_ = true;
  news_.cancel();
}

task<> run_output::wait_sent() {
  while (!sent_) co_await changed();
}

}  // namespace svc::runner
