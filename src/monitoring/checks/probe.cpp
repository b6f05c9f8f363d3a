#include "monitoring/checks/probe.hpp"

#include "svc/domain/monitoring/checks/masked.hpp"

#include <algorithm>
#include <utility>

namespace svc::checks {

filler::filler(check_values const& values) : values_(values) {
  for (auto const& name : values_.secret)
    if (auto const found = values_.all.find(name); found != values_.all.end())
      count_secret(found->second.reveal().size());
}

void filler::count_secret(std::size_t size) {
  secret_bytes_ += size;
  if (secret_bytes_ > most_secret_bytes && !fault_)
    fault_ = checks::failure(checks::code::target_invalid, "The secrets of this check have more than " +
                                                               std::to_string(most_secret_bytes) +
                                                               " bytes together; use fewer or shorter ones.");
}

std::string filler::fill(checks::text_with_variables const& text) {
  auto const filled = text.filled(values_.all);
  if (filled) return std::string(filled->reveal());
  auto const code = text.missing(values_.all) ? checks::code::variable_missing : checks::code::target_invalid;
  if (!fault_) fault_ = checks::failure(code, filled.error().message);
  return {};
}

std::string filler::fill_secret(checks::text_with_variables const& text) {
  auto out = fill(text);
  hide(out);
  return out;
}

void filler::hide(std::string_view secret) {
  if (secret.empty()) return;
  count_secret(secret.size());
  // The check will not take place.
  if (secret_bytes_ <= most_secret_bytes) secrets_.emplace_back(secret);
}

secret_patterns_ptr filler::patterns() const {
  if (secret_bytes_ > most_secret_bytes) return nullptr;
  auto all = secrets_;
  for (auto const& name : values_.secret)
    if (auto const found = values_.all.find(name); found != values_.all.end()) all.push_back(found->second);
  return all.empty() ? nullptr : std::make_shared<secret_patterns const>(all);
}

std::uint32_t in_ms(microseconds of) {
  return static_cast<std::uint32_t>(std::chrono::ceil<milliseconds>(std::max(of, microseconds::zero())).count());
}

std::optional<std::uint32_t> phase_ms(microseconds of) {
  return of > microseconds::zero() ? std::optional(in_ms(of)) : std::nullopt;
}

checks::timings timings_of(egress::http_timings const& of) {
  return {phase_ms(of.dns), phase_ms(of.connect), phase_ms(of.tls), phase_ms(of.first_byte), phase_ms(of.transfer)};
}

checks::result_of_check failed_with(checks::failure why, filler const& of) {
  checks::result_of_check out;
  out.ended = checks::row_of(why.which).gives;
  why.message = checks::masked_message(of.patterns(), why.message);
  out.known.error = std::move(why);
  return out;
}

checks::result_of_check failed_with(egress::failure why, std::string_view message, filler const& of) {
  auto const code = egress::result_code_of(why).value_or(checks::code::internal);
  return failed_with(message.empty() ? checks::failure(code) : checks::failure(code, std::string(message)), of);
}

task<> judge_in_turn(probe_tools with, std::uint64_t steps, std::function<void()> judge) {
  constexpr std::uint64_t most_in_turn = std::uint64_t{1} << 20;
  if (with.shares != nullptr && steps > most_in_turn)
    co_return co_await with.shares->away(working_for(), std::move(judge));
  if (with.shares != nullptr) co_await with.shares->turn(working_for());
  judge();
}

named_host host_of(check_config const& what, filler& fill) {
  auto const text = fill.fill(what.target);
  if (fill.fault()) return {.fault = failed_with(*fill.fault(), fill)};
  auto host = parse_host_target(text);
  if (host) return {.at = std::move(*host)};
  return {.fault = failed_with(checks::failure(checks::code::target_invalid, host.error().message), fill)};
}

}  // namespace svc::checks
