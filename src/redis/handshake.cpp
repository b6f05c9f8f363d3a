#include "redis/handshake.hpp"

namespace svc::redis {
namespace {

std::string step_fault(handshake_step const& step, outcome const& got) {
  std::string const name(step.name);
  if (got.how != delivery::answered) return name + ": no answer in time";
  if (step.may_fail) return {};
  if (got.value.is_error()) return name + ": " + got.value.text;
  if (!step.expected.empty() && got.value.text != step.expected) return name + ": unexpected reply";
  return {};
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
  // Only for people who look at CLIENT LIST; an ACL may forbid it.
  steps.push_back({"CLIENT SETNAME", {"CLIENT", "SETNAME", "svcd"}, {}, true});
  for (auto const* s : scripts) {
    steps.push_back({"SCRIPT LOAD", {"SCRIPT", "LOAD", s->body()}, s->sha()});
  }
  // Loading a script proves that Redis serves this user; without one, PING does (LOADING, NOAUTH).
  if (scripts.empty()) steps.push_back({"PING", {"PING"}, "PONG"});
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

}  // namespace svc::redis
