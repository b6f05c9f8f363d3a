#include "redis/handshake.hpp"

#include "redis/resp.hpp"

namespace svc::redis {
namespace {

/// The longest reply is that to CLUSTER SLOTS, with a few hundred bytes for each range: room for ten thousand.
/// Whoever sends more is no Redis.
constexpr std::size_t longest_handshake = 4096UL * 1024;

task<std::string> read_replies(std::shared_ptr<transport> transport, std::size_t count, std::vector<outcome>& into) {
  reply_parser parser;
  std::size_t total = 0;
  while (into.size() < count) {
    auto const received = co_await transport->receive();
    if (received.state == transport::state::closed)
      co_return transport->fault().empty() ? "closed" : transport->fault();
    total += received.bytes.size();
    if (total > longest_handshake) co_return "the answer is too long";
    parser.feed(received.bytes);
    outcome outcome{delivery::answered};
    auto step = parser.next(outcome.value);
    for (; step == reply_parser::step::complete; step = parser.next(outcome.value)) into.push_back(outcome);
    if (step == reply_parser::step::broken) co_return "not the protocol of Redis";
  }
  co_return into.size() == count ? std::string() : "more replies than commands";
}

std::string fault_of(std::vector<handshake_step> const& steps, std::vector<outcome> const& got, std::string end) {
  outcome const missing{delivery::missed};
  std::vector<outcome const*> views;
  for (std::size_t i = 0; i < steps.size(); ++i) views.push_back(i < got.size() ? &got[i] : &missing);
  return handshake_fault(steps, views, end);
}

task<handshake_result> talk(std::shared_ptr<transport> transport, std::vector<handshake_step> steps) {
  handshake_result out;
  if (!co_await transport->open()) {
    out.fault = transport->fault().empty() ? "closed" : transport->fault();
    co_return out;
  }
  std::string words;
  for (auto const& step : steps) append_command(words, {.head = step.arguments});
  // A new socket's buffer has room for a handshake.
  bool const sent = transport->send(words) == words.size();
  auto end = sent ? co_await read_replies(transport, steps.size(), out.got) : std::string("it takes no commands");
  out.fault = fault_of(steps, out.got, std::move(end));
  co_return out;
}

}  // namespace

task<handshake_result> converse(asio::io_context& io, std::shared_ptr<transport> transport,
                                std::vector<handshake_step> steps, milliseconds limit) {
  auto const late = std::make_shared<bool>(false);
  steady_timer guard(io, limit);
  guard.async_wait([weak = std::weak_ptr(transport), late](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (ec || !alive) return;
    *late = true;
    alive->close();
  });
  auto out = co_await talk(transport, std::move(steps));
  guard.cancel();
  if (*late) out.fault = "no answer within " + std::to_string(limit.count()) + "ms";
  if (out.fault.empty() && transport->closed()) out.fault = "closed";
  co_return out;
}

}  // namespace svc::redis
