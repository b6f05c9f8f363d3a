#include "svc/monitoring/checks/config.hpp"

#include "monitoring/checks/check_types.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <set>

namespace svc::checks {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::size_t longest_target = 2048;
constexpr seconds longest_cached{60};
constexpr std::string_view not_yet = "is not supported by this version yet";

/// The part of a URL before its path, which decides the destination of a request.
std::string_view origin_of_target(std::string_view target) {
  auto const scheme = target.find("://");
  return target.substr(0, target.find_first_of("/?#", scheme == std::string_view::npos ? 0 : scheme + 3));
}

retry_strategy read_retries(member_reader& config, seconds interval) {
  retry_strategy out;
  out.most = interval < seconds(30) ? 1 : 2;
  auto const* const object = config.object("retryStrategy");
  if (object == nullptr) return out;
  member_reader reader(*object, config.place_of("retryStrategy"), config.wrong());
  out.most = static_cast<unsigned>(reader.number_or("maxRetries", 0, 5, out.most));
  out.delay = seconds(reader.number_or("delaySeconds", 1, 10, out.delay.count()));
  out.backoff = static_cast<unsigned>(reader.number_or("backoffFactor", 1, 4, out.backoff));
  reader.finish();
  return out;
}

/// The service's own location is the only one of this version.
void read_locations(member_reader& config) {
  auto const* const object = config.object("locationConfig");
  if (object == nullptr) return;
  member_reader reader(*object, config.place_of("locationConfig"), config.wrong());
  if (reader.flag("enabled", false)) reader.refuse("enabled", std::string(not_yet));
  for (auto const* name : {"locations", "strategy", "threshold"}) reader.refuse_if_there(name, not_yet);
  reader.finish();
}

/// Returns the address that a target names itself, if it does, or the target's fault.
result<std::optional<ip_address>> literal_address(target_kind kind, std::string_view target) {
  switch (kind) {
    case target_kind::url: {
      auto const url = parse_url_target(target);
      if (!url) return url.error();
      return url->where.host.address;
    }
    case target_kind::host: {
      auto const host = parse_host_target(target);
      if (!host) return host.error();
      return host->address;
    }
    case target_kind::dns_name:
      break;
  }
  auto const name = egress::parse_dns_name(target);
  if (!name) return name.error();
  return std::optional<ip_address>();
}

/// Returns the target's fault, if it has one. A target with variables is evaluated when they are filled in.
std::optional<std::string> fault_of_target(check_source const& source, text_with_variables const& target,
                                           egress::address_policy const* address_rules) {
  auto const kind = source.type->target;
  if (kind == target_kind::url && !source.target.starts_with("http://") && !source.target.starts_with("https://"))
    return "must begin with http:// or https://";
  if (!target.names().empty()) return std::nullopt;
  auto const text = target.filled({}).value();
  auto const literal = literal_address(kind, text.reveal());
  if (!literal) return literal.error().message;
  if (*literal && address_rules != nullptr && !address_rules->allows(**literal))
    return "must not be an address that is closed to checks; the operator opens networks with outgoing_allow_cidrs";
  return std::nullopt;
}

text_with_variables read_target(check_source const& source, egress::address_policy const* address_rules,
                                std::vector<field_error>& wrong) {
  auto const refuse = [&wrong](std::string reason) {
    wrong.push_back({"/target", std::move(reason)});
    return text_with_variables();
  };
  if (source.target.empty() || source.target.size() > longest_target) return refuse("must have 1 to 2048 bytes");
  auto target = text_with_variables::parse(source.target, longest_target);
  if (!target) return refuse(target.error().message);
  if (auto fault = fault_of_target(source, *target, address_rules)) return refuse(std::move(*fault));
  return std::move(*target);
}

/// A secret of the monitor itself stays with the host that it was entered for. A variable as the host would let
/// everybody who may change variables send it elsewhere.
void refuse_moving_secret(check_config const& read, check_source const& source, std::vector<field_error>& wrong) {
  if (origin_of_target(source.target).find("{{") == std::string_view::npos) return;
  auto const secret = read.settings->secret_member();
  if (!secret) return;
  wrong.push_back({"/target", "must name its host without variables, because " + *secret +
                                  " is a secret of this monitor; name the host, or put the secret into a variable "
                                  "and refer to it by {{NAME}} alone"});
}

void refuse_long_checks(check_config const& read, check_source const& source, member_reader& config) {
  auto const most = milliseconds(source.interval) * 8 / 10;
  if (read.longest() <= most) return;
  auto const in_seconds = [](milliseconds time) { return std::to_string(time.count() / 1000); };
  config.refuse("timeoutSeconds", "attempts and the delays between them take up to " + in_seconds(read.longest()) +
                                      " s; they must not exceed 0.8 of the interval, " + in_seconds(most) + " s");
}

void refuse_short_attempts(check_config const& read, member_reader& config) {
  if (auto const shortest = read.settings->shortest_timeout(read.timeout))
    config.refuse("timeoutSeconds", "must be at least " + *shortest);
}

}  // namespace

check_type const* check_type_named(std::string_view name) {
  auto const* const found = std::ranges::find(check_types, name, &check_type::name);
  return found == check_types.end() ? nullptr : found;
}

result<egress::http_url> parse_url_target(std::string_view text) {
  return egress::parse_http_url(text);
}

result<egress::host> parse_host_target(std::string_view text) {
  return egress::parse_bare_host(text);
}

milliseconds check_config::longest() const {
  auto out = timeout;
  milliseconds delay = retries.delay;
  for (unsigned i = 0; i < retries.most; ++i) {
    out += timeout + delay;
    delay *= retries.backoff;
  }
  return out;
}

check_config::pattern_costs check_config::patterns() const {
  pattern_costs out;
  settings->visit_patterns([&out](re2::RE2 const& pattern) {
    out.size += pattern.ProgramSize();
    out.bytes += pattern_bytes(pattern);
  });
  return out;
}

std::vector<std::string> check_config::variables() const {
  // The texts of one configuration may name a variable 60 000 times.
  std::set<std::string_view> names;
  auto const add = [&names](text_with_variables const& text) {
    for (auto const name : text.names()) names.insert(name);
  };
  add(target);
  settings->visit_texts(add);
  return {names.begin(), names.end()};
}

result<check_config> parse_check(check_source const& source, egress::address_policy const* address_rules) {
  std::vector<field_error> wrong;
  member_reader config(*source.config, "/config", wrong);
  check_config out;
  out.type = source.type;
  out.target = read_target(source, address_rules, wrong);
  out.address_age = std::min<seconds>(longest_cached, source.interval);
  auto const usual = std::clamp<std::int64_t>(source.interval.count() / 5, 1, 10);
  out.timeout = seconds(config.number_or("timeoutSeconds", 1, 60, usual));
  out.retries = read_retries(config, source.interval);
  if (auto const slow = config.number("degradedAfterMs", 1, 60'000))
    out.degraded_after_ms = static_cast<std::uint32_t>(*slow);
  read_locations(config);
  out.settings = source.type->parse({.config = config,
                                     .target = source.target,
                                     .degraded_after_ms = out.degraded_after_ms,
                                     .most_pattern_size = source.most_pattern_size,
                                     .address_rules = address_rules});
  config.finish();
  refuse_moving_secret(out, source, wrong);
  refuse_long_checks(out, source, config);
  refuse_short_attempts(out, config);
  if (wrong.empty()) return out;
  return error(errc::validation_failed, {}, std::move(wrong));
}

}  // namespace svc::checks
