// The members of ping_host, port_check and dns, and assertions.
#include "monitoring/checks/config_members.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"

#include <re2/re2.h>
#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace svc::checks {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_data = 1024;
constexpr std::size_t most_expected = 4096;  // bytes that `expect` is searched in

using egress::record_type;
constexpr std::array<std::pair<std::string_view, record_type>, 10> record_types{{{"A", record_type::a},
                                                                                 {"AAAA", record_type::aaaa},
                                                                                 {"CNAME", record_type::cname},
                                                                                 {"MX", record_type::mx},
                                                                                 {"NS", record_type::ns},
                                                                                 {"TXT", record_type::txt},
                                                                                 {"SRV", record_type::srv},
                                                                                 {"CAA", record_type::caa},
                                                                                 {"SOA", record_type::soa},
                                                                                 {"PTR", record_type::ptr}}};

std::shared_ptr<re2::RE2 const> read_pattern(int most_pattern_size, member_reader& from) {
  auto const text = from.text("expect", longest_data);
  if (!text) return nullptr;
  auto out = checks::compile_pattern(*text, checks::pattern_encoding::latin1);
  if (!out->ok())
    from.refuse("expect", "must be a regular expression of RE2: " + out->error());
  else if (checks::judging({}).may_search(out->ProgramSize()) < most_expected)
    from.refuse("expect", "must be a smaller regular expression");
  else if (out->ProgramSize() > most_pattern_size)
    from.refuse("expect", checks::pattern_size_fault(most_pattern_size));
  else
    return out;
  return nullptr;
}

bool is_mail_port(std::uint16_t port) {
  return port == 25 || port == 465 || port == 587;
}

/// Members that contradict each other.
void check_port(port_config const& of, member_reader& from) {
  if (of.send && is_mail_port(of.port))
    from.refuse("send", "must be left out for ports 25, 465 and 587: monitors send no mail");
  if (of.udp && of.tls) from.refuse("tls", "must be false with udp");
  if (!of.expect_closed) return;
  if (of.expect) from.refuse("expect", "must be left out with expectClosed");
  if (of.tls) from.refuse("tls", "must be false with expectClosed");
  if (of.send && !of.udp) from.refuse("send", "must be left out with expectClosed");
}

checks::assertion_settings read_assertion(json::object const& object, std::string place,
                                          std::vector<field_error>& wrong) {
  member_reader from(object, std::move(place), wrong);
  checks::assertion_settings out{};
  auto const source = checks::source_named(from.text("source", 32).value_or(""));
  if (source)
    out.of = *source;
  else
    from.refuse("source",
                "must be one of status, header, body, json, responseTimeMs, certificateDays, ip, dnsAnswer");
  auto const how = checks::comparison_named(from.text("comparison", 32).value_or(""));
  if (how)
    out.how = *how;
  else
    from.refuse("comparison", "must be a comparison such as equals, contains or matches");
  out.property = from.text("property", checks::json_path::longest_text).value_or("");
  out.expected = expected_of(from, "expected").value_or(checks::expected_value{});
  out.soft = from.choice("onFail", {"down", "degraded"}) == 1;
  from.finish();
  return out;
}

}  // namespace

std::optional<checks::expected_value> expected_of(member_reader& from, std::string_view name) {
  auto const* const value = from.take(name);
  if (value == nullptr) return std::nullopt;
  switch (value->kind()) {
    case json::kind::bool_:
      return value->get_bool();
    case json::kind::int64:
      return value->get_int64();
    case json::kind::double_:
      return value->get_double();
    case json::kind::string:
      if (value->get_string().size() <= 2048) return std::string(value->get_string());
      break;
    default:
      break;
  }
  from.refuse(name, "must be a text of at most 2048 bytes, a number, true, false or null");
  return std::nullopt;
}

std::vector<checks::assertion_settings> assertions_of(member_reader& from) {
  std::vector<checks::assertion_settings> out;
  auto const all = from.list("assertions", checks::most_assertions);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto place = from.at("assertions") + "/" + std::to_string(i);
    if (auto const* const object = all[i].if_object())
      out.push_back(read_assertion(*object, std::move(place), from.wrong()));
    else
      from.wrong().push_back({std::move(place), "must be an object"});
  }
  return out;
}

ping_config read_ping(member_reader& from) {
  ping_config out;
  out.count = static_cast<unsigned>(from.number_or("count", 1, 10, out.count));
  out.interval = std::chrono::milliseconds(from.number_or("intervalMs", 200, 1000, out.interval.count()));
  out.payload = static_cast<std::size_t>(from.number_or("payloadBytes", 0, 1400, 56));
  out.most_loss_percent = static_cast<unsigned>(from.number_or("maxLossPercent", 0, 99, out.most_loss_percent));
  out.family = family_of(from);
  return out;
}

port_config read_port(int most_pattern_size, member_reader& from) {
  port_config out;
  auto const port = from.number("port", 1, 65535);
  if (!port && from.take("port") == nullptr) from.refuse("port", "is required");
  out.port = static_cast<std::uint16_t>(port.value_or(0));
  out.udp = from.choice("protocol", {"tcp", "udp"}) == 1;
  out.expect_closed = from.flag("expectClosed", false);
  out.tls = from.flag("tls", false);
  out.send = from.text("send", longest_data);
  out.expect = read_pattern(most_pattern_size, from);
  out.family = family_of(from);
  check_port(out, from);
  return out;
}

dns_config read_dns(int most_pattern_size, member_reader& from, egress::guard const* judge) {
  dns_config out;
  auto const type = from.text("recordType", 16);
  auto const found = std::ranges::find(record_types, type.value_or(""), &decltype(record_types)::value_type::first);
  if (found != record_types.end())
    out.type = found->second;
  else
    from.refuse("recordType", "must be one of A, AAAA, CNAME, MX, NS, TXT, SRV, CAA, SOA, PTR");
  if (auto const text = from.text("resolver", 64)) {
    out.server = egress::parse_nameserver(*text);
    if (!out.server)
      from.refuse("resolver", "must be an address with or without a port, as in 192.0.2.1:53 or [2001:db8::1]:53");
    else if (judge != nullptr && !judge->allows(out.server->at))
      from.refuse("resolver", "must not be an address that is closed to checks");
  }
  auto const rcode = from.text("expectedRcode", 16);
  if (auto const number = egress::rcode_named(rcode.value_or("NOERROR")))
    out.rcode = *number;
  else
    from.refuse("expectedRcode", "must be one of NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED");
  auto settings = assertions_of(from);
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (settings[i].of != checks::source::dns_answer && settings[i].of != checks::source::response_time_ms)
      from.refuse("assertions/" + std::to_string(i) + "/source", "must be dnsAnswer or responseTimeMs");
  std::vector<field_error> wrong;
  out.assertions = checks::make_assertions(std::move(settings), most_pattern_size, wrong);
  for (auto& each : wrong) from.wrong().push_back({"/config" + each.field, std::move(each.message)});
  return out;
}

}  // namespace svc::checks
