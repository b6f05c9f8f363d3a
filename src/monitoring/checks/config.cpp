#include "svc/monitoring/checks/config.hpp"

#include "monitoring/checks/config_members.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <set>

namespace svc::checks {

namespace json = boost::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::array<std::string_view, 5> types{"http_request", "website", "ping_host", "port_check", "dns"};
constexpr std::size_t longest_target = 2048;
constexpr seconds longest_cached{60};
constexpr std::string_view not_yet = "is not supported by this version yet";

/// The part of a URL before its path, which decides where a request goes.
std::string_view origin_of_target(std::string_view target) {
  auto const scheme = target.find("://");
  return target.substr(0, target.find_first_of("/?#", scheme == std::string_view::npos ? 0 : scheme + 3));
}

bool is_http(check_type type) {
  return type == check_type::http_request || type == check_type::website;
}

retry_strategy read_retries(member_reader& config, seconds interval) {
  retry_strategy out;
  out.most = interval < seconds(30) ? 1 : 2;
  auto const* const object = config.object("retryStrategy");
  if (object == nullptr) return out;
  member_reader from(*object, config.at("retryStrategy"), config.wrong());
  out.most = static_cast<unsigned>(from.number_or("maxRetries", 0, 5, out.most));
  out.delay = seconds(from.number_or("delaySeconds", 1, 10, out.delay.count()));
  out.backoff = static_cast<unsigned>(from.number_or("backoffFactor", 1, 4, out.backoff));
  from.finish();
  return out;
}

/// The service's own location is the only one of this version.
void read_locations(member_reader& config) {
  auto const* const object = config.object("locationConfig");
  if (object == nullptr) return;
  member_reader from(*object, config.at("locationConfig"), config.wrong());
  if (from.flag("enabled", false)) from.refuse("enabled", std::string(not_yet));
  for (auto const* name : {"locations", "strategy", "threshold"}) from.refuse_if_there(name, not_yet);
  from.finish();
}

/// A fault of the target, if there is one. One with variables is judged when they are filled in.
std::optional<std::string> fault_of_target(check_source const& from, checks::text_with_variables const& target,
                                           egress::guard const* judge) {
  if (is_http(from.type) && !from.target.starts_with("http://") && !from.target.starts_with("https://"))
    return "must begin with http:// or https://";
  if (!target.names().empty()) return std::nullopt;
  auto const text = target.filled({}).value();
  std::optional<ip_address> literal;
  if (from.type == check_type::dns) {
    auto const name = egress::parse_dns_name(text.reveal());
    return name ? std::nullopt : std::optional(name.error().message);
  }
  if (is_http(from.type)) {
    auto const url = parse_url_target(text.reveal());
    if (!url) return url.error().message;
    literal = url->where.at.address;
  } else {
    auto const host = parse_host_target(text.reveal());
    if (!host) return host.error().message;
    literal = host->address;
  }
  if (literal && judge != nullptr && !judge->allows(*literal))
    return "must not be an address that is closed to checks";
  return std::nullopt;
}

checks::text_with_variables read_target(check_source const& from, egress::guard const* judge,
                                        std::vector<field_error>& wrong) {
  auto const refuse = [&wrong](std::string why) {
    wrong.push_back({"/target", std::move(why)});
    return checks::text_with_variables();
  };
  if (from.target.empty() || from.target.size() > longest_target) return refuse("must have 1 to 2048 bytes");
  auto target = checks::text_with_variables::parse(from.target, longest_target);
  if (!target) return refuse(target.error().message);
  if (auto fault = fault_of_target(from, *target, judge)) return refuse(std::move(*fault));
  return std::move(*target);
}

/// A secret of the monitor itself stays with the host that it was entered for. A variable in the place of the host
/// would let everybody who may change variables send it elsewhere.
void refuse_moving_secret(check_config const& of, check_source const& from, std::vector<field_error>& wrong) {
  auto const* const http = std::get_if<http_config>(&of.how);
  if (http == nullptr || origin_of_target(from.target).find("{{") == std::string_view::npos) return;
  auto const secret = secret_member(*http);
  if (!secret) return;
  wrong.push_back({"/target", "must name its host without variables, because " + *secret +
                                  " is a secret of this monitor; name the host, or put the secret into a variable "
                                  "and refer to it by {{NAME}} alone"});
}

void refuse_what_is_too_long(check_config const& of, check_source const& from, member_reader& config) {
  auto const most = milliseconds(from.interval) * 8 / 10;
  if (of.longest() <= most) return;
  auto const in_seconds = [](milliseconds of) { return std::to_string(of.count() / 1000); };
  config.refuse("timeoutSeconds", "attempts and the delays between them take up to " + in_seconds(of.longest()) +
                                      " s; they must not exceed 0.8 of the interval, " + in_seconds(most) + " s");
}

/// The last request of a ping has as much time as there is between two.
void refuse_what_has_no_time(check_config const& of, member_reader& config) {
  auto const* const ping = std::get_if<ping_config>(&of.how);
  if (ping == nullptr || ping->interval * ping->count <= of.timeout) return;
  config.refuse("timeoutSeconds", "must be at least count times intervalMs, " +
                                      std::to_string((ping->interval * ping->count).count()) + " ms");
}

}  // namespace

std::optional<check_type> check_type_named(std::string_view name) {
  auto const found = std::ranges::find(types, name);
  return found == types.end() ? std::nullopt : std::optional(static_cast<check_type>(found - types.begin()));
}

result<egress::http_url> parse_url_target(std::string_view text) {
  return egress::parse_http_url(text);
}

result<egress::host> parse_host_target(std::string_view text) {
  return egress::parse_bare_host(text);
}

checks::text_with_variables text_of_member(member_reader& from, std::string_view name, std::size_t most,
                                           std::size_t filled) {
  auto const text = from.text(name, most);
  if (!text) return {};
  auto read = checks::text_with_variables::parse(*text, std::max(most, filled));
  if (read) return std::move(*read);
  from.refuse(name, read.error().message);
  return {};
}

egress::ip_family family_of(member_reader& from) {
  return static_cast<egress::ip_family>(from.choice("ipVersion", {"auto", "4", "6"}));
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
  auto const add = [&out](std::shared_ptr<re2::RE2 const> const& pattern) {
    if (!pattern) return;
    out.size += pattern->ProgramSize();
    out.bytes += checks::pattern_bytes(*pattern);
  };
  auto const add_all = [&](std::vector<checks::assertion> const& all) {
    for (auto const& each : all) add(each.pattern());
  };
  if (auto const* const http = std::get_if<http_config>(&how); http != nullptr && http->judge)
    add_all(http->judge->assertions());
  if (auto const* const dns = std::get_if<dns_config>(&how)) add_all(dns->assertions);
  if (auto const* const port = std::get_if<port_config>(&how)) add(port->expect);
  return out;
}

std::vector<std::string> check_config::variables() const {
  // The texts of one configuration may name a variable 60 000 times.
  std::set<std::string_view> names;
  auto const add = [&names](checks::text_with_variables const& text) {
    for (auto const name : text.names()) names.insert(name);
  };
  add(target);
  if (auto const* const http = std::get_if<http_config>(&how)) {
    for (auto const& field : http->fields) add(field.value);
    for (auto const* text : {&http->body, &http->username, &http->password, &http->token, &http->server_name,
                             &http->authorities, &http->certificate, &http->key})
      add(*text);
  }
  return {names.begin(), names.end()};
}

result<check_config> parse_check(check_source const& from, egress::guard const* judge) {
  std::vector<field_error> wrong;
  member_reader config(*from.config, "/config", wrong);
  check_config out;
  out.type = from.type;
  out.target = read_target(from, judge, wrong);
  out.address_age = std::min<seconds>(longest_cached, from.interval);
  auto const usual = std::clamp<std::int64_t>(from.interval.count() / 5, 1, 10);
  out.timeout = seconds(config.number_or("timeoutSeconds", 1, 60, usual));
  out.retries = read_retries(config, from.interval);
  if (auto const slow = config.number("degradedAfterMs", 1, 60'000))
    out.degraded_after_ms = static_cast<std::uint32_t>(*slow);
  read_locations(config);
  switch (from.type) {
    case check_type::http_request:
    case check_type::website:
      out.how = read_http(from, out.degraded_after_ms, config);
      break;
    case check_type::ping_host:
      out.how = read_ping(config);
      break;
    case check_type::port_check:
      out.how = read_port(from.most_pattern_size, config);
      break;
    case check_type::dns:
      out.how = read_dns(from.most_pattern_size, config, judge);
      break;
  }
  config.finish();
  refuse_moving_secret(out, from, wrong);
  refuse_what_is_too_long(out, from, config);
  refuse_what_has_no_time(out, config);
  if (wrong.empty()) return out;
  return error(errc::validation_failed, {}, std::move(wrong));
}

}  // namespace svc::checks
