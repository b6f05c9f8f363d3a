#include "redis/handshake.hpp"

#include "redis/resp.hpp"

namespace svc::redis {
namespace {

/// The longest reply is that to CLUSTER SLOTS, with a few hundred bytes for each range: room for ten thousand.
/// Whoever sends more is no Redis.
constexpr std::size_t longest_handshake = 4096UL * 1024;

std::string step_fault(handshake_step const& step, outcome const& got) {
  std::string const name(step.name);
  if (got.state != delivery::answered) return name + ": no answer in time";
  if (step.may_fail) return {};
  if (got.value.is_error()) return name + ": " + got.value.text;
  auto const& said = got.value.elements.empty() ? got.value.text : got.value.elements.front().text;
  if (step.expected.empty() || said == step.expected) return {};
  return step.otherwise.empty() ? name + ": unexpected reply" : std::string(step.otherwise);
}

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

std::vector<handshake_step> handshake_steps(settings const& where, std::string_view database,
                                            std::vector<script const*> const& scripts) {
  std::vector<handshake_step> steps;
  if (!where.password.empty()) {
    auto const password = where.password.reveal();
    if (where.username.empty()) {
      steps.push_back({"AUTH", {"AUTH", password}});
    } else {
      steps.push_back({"AUTH", {"AUTH", where.username, password}});
    }
  }
  if (where.database != 0) steps.push_back({"SELECT", {"SELECT", database}});
  // This name is only for people who read CLIENT LIST; an ACL may forbid the command.
  steps.push_back({"CLIENT SETNAME", {"CLIENT", "SETNAME", "svcd"}, {}, true});
  for (auto const* s : scripts) {
    steps.push_back({"SCRIPT LOAD", {"SCRIPT", "LOAD", s->body()}, s->sha()});
  }
  // Loading a script proves that Redis serves this user. Without scripts, PING does (LOADING, NOAUTH).
  if (scripts.empty()) steps.push_back({"PING", {"PING"}, "PONG"});
  // A server that a sentinel or a node names may have become a replica since.
  if (where.through || !where.cluster.empty()) steps.push_back(role_step);
  return steps;
}

std::string handshake_fault(std::vector<handshake_step> const& steps, std::vector<outcome const*> const& got,
                            std::string const& end) {
  std::string error;
  std::string fault = end;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto const& value = got[i]->value;
    if (error.empty() && value.is_error()) error = std::string(steps[i].name) + ": " + value.text;
    if (fault.empty()) fault = step_fault(steps[i], *got[i]);
  }
  return fault.empty() || error.empty() ? fault : error;
}

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
