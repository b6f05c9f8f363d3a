#include "svc-runner/client/gathered_calls.hpp"

#include "svc/http/json.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <optional>

namespace svc::runner {
namespace {

using answer_kind = gathered_answer::kind;

constexpr std::size_t most_runs = 100;
/// Limit for all bodies together. It is far below the service's limit, also in JSON values. One run always fits.
constexpr std::size_t most_bytes = 384UL * 1024;

}  // namespace

struct gathered_calls::call {
  call(asio::io_context& io, std::string text, std::string said, service_client::give_up when)
      : run(std::move(text)),
        body(std::move(said)),
        enough(std::move(when)),
        ready(io.get_executor(), steady::time_point::max()) {}

  void decide(gathered_answer gathered_answer) {
    answer = gathered_answer;
    ready.cancel();
  }

  std::string run, body;
  service_client::give_up enough;
  std::optional<gathered_answer> answer{};
  steady_timer ready;  ///< never expires; cancelled when there is an answer
};

std::vector<gathered_calls::call_ptr> gathered_calls::take() {
  std::vector<call_ptr> out;
  std::size_t bytes = 0;
  while (!waiting_.empty() && out.size() < most_runs) {
    bytes += waiting_.front()->body.size();
    if (!out.empty() && bytes > most_bytes) break;
    out.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return out;
}

task<> gathered_calls::pump() {
  // The pause of one turn lets runs that end at the same time share a request.
  co_await service_.sleep(milliseconds(0));
  while (!waiting_.empty()) {
    auto const batch = take();
    std::string body;
    for (auto const& call : batch) body += (body.empty() ? R"({"runs":[)" : ",") + with_run(call->run, call->body);
    auto const reply =
        known_ ? co_await service_.insist(
                     target_, body + "]}", usual_patience, nullptr,
                     [&batch] { return std::ranges::all_of(batch, [](auto const& c) { return c->enough(); }); })
               : http_reply{404};
    if (reply && (reply->status == 404 || reply->status == 405)) known_ = false;
    auto const answers = reply && reply->status == 200 ? read_gathered(reply->body) : std::nullopt;
    for (auto const& call : batch) {
      if (!answers)
        call->decide({reply ? answer_kind::alone : answer_kind::given_up});
      else if (answers->lost.contains(call->run))
        call->decide({answer_kind::lost});
      else if (!answers->held)
        call->decide({answer_kind::done});
      else if (auto const held = answers->held->find(call->run); held != answers->held->end())
        call->decide({answer_kind::done, held->second});
      else
        call->decide({answer_kind::again});
    }
  }
  sending_ = false;
}

task<gathered_answer> gathered_calls::send(std::string run, std::string body, service_client::give_up enough) {
  if (!known_) co_return gathered_answer{answer_kind::alone};
  auto const mine = std::make_shared<call>(io_, std::move(run), std::move(body), std::move(enough));
  waiting_.push_back(mine);
  if (!std::exchange(sending_, true)) {
    // An exception (the token is refused) ends the program: `io_context::run` rethrows it.
    asio::co_spawn(io_, pump(), [](std::exception_ptr e) {
      if (e) std::rethrow_exception(e);
    });
  }
  while (!mine->answer) static_cast<void>(co_await mine->ready.async_wait(awaiting));
  co_return *mine->answer;
}

}  // namespace svc::runner
