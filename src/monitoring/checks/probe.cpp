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
  // With more bytes of secrets the check does not take place.
  if (secret_bytes_ <= most_secret_bytes) secrets_.emplace_back(secret);
}

secret_patterns_ptr filler::patterns() const {
  if (secret_bytes_ > most_secret_bytes) return nullptr;
  auto all = secrets_;
  for (auto const& name : values_.secret)
    if (auto const found = values_.all.find(name); found != values_.all.end()) all.push_back(found->second);
  return all.empty() ? nullptr : std::make_shared<secret_patterns const>(all);
}

std::uint32_t in_ms(microseconds time) {
  return static_cast<std::uint32_t>(std::chrono::ceil<milliseconds>(std::max(time, microseconds::zero())).count());
}

std::optional<std::uint32_t> phase_ms(microseconds time) {
  return time > microseconds::zero() ? std::optional(in_ms(time)) : std::nullopt;
}

checks::timings timings_of(egress::http_timings const& measured) {
  return {phase_ms(measured.dns), phase_ms(measured.connect), phase_ms(measured.tls), phase_ms(measured.first_byte),
          phase_ms(measured.transfer)};
}

checks::result_of_check failed_with(checks::failure failure, filler const& fill) {
  checks::result_of_check out;
  out.ended = checks::row_of(failure.which).gives;
  failure.message = checks::masked_message(fill.patterns(), failure.message);
  out.known.error = std::move(failure);
  return out;
}

checks::result_of_check failed_with(egress::failure failure, std::string_view message, filler const& fill) {
  auto const code = egress::result_code_of(failure).value_or(checks::code::internal);
  return failed_with(message.empty() ? checks::failure(code) : checks::failure(code, std::string(message)), fill);
}

task<> evaluate_in_turn(probe_tools tools, std::uint64_t steps, std::function<void()> work) {
  constexpr std::uint64_t most_in_turn = std::uint64_t{1} << 20;
  if (tools.shares != nullptr && steps > most_in_turn)
    co_return co_await tools.shares->away(working_for(), std::move(work));
  if (tools.shares != nullptr) co_await tools.shares->turn(working_for());
  work();
}

named_host host_of(check_config const& config, filler& fill) {
  auto const text = fill.fill(config.target);
  if (fill.fault()) return {.fault = failed_with(*fill.fault(), fill)};
  auto host = parse_host_target(text);
  if (host) return {.address = std::move(*host)};
  return {.fault = failed_with(checks::failure(checks::code::target_invalid, host.error().message), fill)};
}

}  // namespace svc::checks
