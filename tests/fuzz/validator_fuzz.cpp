// The first line is a query, the rest a body, for each operation: what the parsers accept is judged without a crash,
// with a bounded number of faults, and the same way after it was written and read again, or read with the contract in
// mind.
#include "check.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json.hpp"
#include "svc/http/json_reader.hpp"
#include "svc/http/target.hpp"

#include <cstdint>
#include <string>

using namespace svc::http;

namespace {

void check_error(svc::error const& failure) {
  check(failure.code == svc::errc::validation_failed, "one kind of error");
  check(!failure.details.empty() && failure.details.size() <= 50, "at least one fault, and not too many");
  for (auto const& [field, message] : failure.details) check(!message.empty(), "each fault says what is wrong");
}

void check_queries(contract const& known, std::string_view query) {
  auto const target = parse_target("/x?" + std::string(query), "x", "GET");
  if (!target) return;
  for (auto const& op : known.operations()) {
    auto const checked = known.check_query(op, target->query);
    if (!checked) check_error(checked.error());
  }
}

void check_bodies(contract const& known, body_validator& validator, std::string_view text) {
  auto const body = parse_json(text);
  if (!body) return;
  auto const again = parse_json(to_json(*body));
  for (auto const& op : known.operations()) {
    auto const verdict = validator.check(op, *body);
    if (!verdict) check_error(verdict.error());
    check(verdict.has_value() == validator.check(op, *again).has_value(), "alike when it was written and read again");
    auto const guided = json_reader(json_reader::any_number, validator.shape(op)).finish(text);
    check(guided.has_value(), "what is skipped is no reason to refuse");
    auto const judged = validator.check(op, *guided);
    check(judged.has_value() == verdict.has_value(), "alike when what is forbidden was not built");
    check(!judged || *guided == *body, "what is accepted is whole");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static auto const known = contract::load(svc::embedded::openapi_json);
  static auto const of_runners = contract::load(svc::embedded::internal_json);
  static auto const validator = body_validator::make(known), validator_of_runners = body_validator::make(of_runners);
  auto const text = text_of(data, size);
  auto const line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  check_queries(*known, text.substr(0, line));
  check_bodies(*known, *validator, text.substr(line + 1));
  check_bodies(*of_runners, *validator_of_runners, text.substr(line + 1));
  return 0;
}
