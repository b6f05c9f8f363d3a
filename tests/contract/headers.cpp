// Request headers that an operation does not accept, or that name another version.
#include "contract/provoker.hpp"

namespace svc::test {
namespace {

bool changes_existing(http::operation const& op) {
  return op.method != "GET";
}

bool has_conditions(http::operation const& op) {
  return changes_existing(op) || op.conditional;
}

attempt with_header(contract_fixture& s, http::operation const& op, std::string name, std::string value) {
  auto r = s.good(op);
  r.headers = {{name, std::move(value)}};
  return s.ask(op, r, name);
}

}  // namespace

std::vector<provoker> headers(contract_fixture& s) {
  std::vector<provoker> out;
  out.push_back({"idempotency_not_supported", "header", any_operation, [&s](http::operation const& op) {
                   return std::vector{with_header(s, op, "Idempotency-Key", "k")};
                 }});
  out.push_back({"precondition_failed", "another version", has_conditions, [&s](http::operation const& op) {
                   return std::vector{with_header(s, op, "If-Match", "\"0-0\""),
                                      with_header(s, op, "If-Match", "W/\"1-0\"")};
                 }});
  out.push_back({"precondition_failed", "any version", changes_existing,
                 [&s](http::operation const& op) { return std::vector{with_header(s, op, "If-None-Match", "*")}; }});
  return out;
}

}  // namespace svc::test
