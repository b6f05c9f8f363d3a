// The type `port_check`.
#include "monitoring/checks/config_members.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"

#include <re2/re2.h>

namespace svc::checks {

namespace {

using checks::code;

constexpr std::string_view no_icmp_error = "no_icmp_error", no_reply = "no_reply";
constexpr std::size_t longest_data = 1024;
constexpr std::size_t most_expected = 4096;  // bytes that `expect` is searched in

struct port_settings final : type_settings {
  task<checks::result_of_check> probe(check_attempt attempt, probe_tools tools) const override;
  void visit_patterns(std::function<void(re2::RE2 const&)> const& visit) const override {
    if (expect) visit(*expect);
  }

  std::uint16_t port = 0;
  bool udp = false;
  bool expect_closed = false;
  bool tls = false;
  std::optional<std::string> send{};
  std::shared_ptr<re2::RE2 const> expect{};
  egress::ip_family family = egress::ip_family::any;
};

std::shared_ptr<re2::RE2 const> read_pattern(int most_pattern_size, member_reader& config) {
  auto const text = config.text("expect", longest_data);
  if (!text) return nullptr;
  auto out = checks::compile_pattern(*text, checks::pattern_encoding::latin1);
  if (!out->ok())
    config.refuse("expect", "must be a regular expression of RE2: " + out->error());
  else if (checks::assertion_context({}).may_search(out->ProgramSize()) < most_expected)
    config.refuse("expect", "must be a smaller regular expression");
  else if (out->ProgramSize() > most_pattern_size)
    config.refuse("expect", checks::pattern_size_fault(most_pattern_size));
  else
    return out;
  return nullptr;
}

bool is_mail_port(std::uint16_t port) {
  return port == 25 || port == 465 || port == 587;
}

/// Members that contradict each other.
void check_port(port_settings const& settings, member_reader& config) {
  if (settings.send && is_mail_port(settings.port))
    config.refuse("send", "must be left out for ports 25, 465 and 587: monitors send no mail");
  if (settings.udp && settings.tls) config.refuse("tls", "must be false with udp");
  if (!settings.expect_closed) return;
  if (settings.expect) config.refuse("expect", "must be left out with expectClosed");
  if (settings.tls) config.refuse("tls", "must be false with expectClosed");
  if (settings.send && !settings.udp) config.refuse("send", "must be left out with expectClosed");
}

/// `expect` of one attempt. The received bytes are searched again with each piece, so a target that sends many small
/// ones could make that expensive: all searches together have the budget of one turn.
class expectation {
 public:
  explicit expectation(re2::RE2 const& pattern) : pattern_(pattern) {}

  bool met_by(std::string_view came) {
    auto const size = pattern_.ProgramSize();
    if (came.size() > budget_.may_search(size)) {
      gave_up_ = true;
      return false;
    }
    budget_.searched(came.size(), size);
    return re2::RE2::PartialMatch(re2::StringPiece(came.data(), came.size()), pattern_);
  }
  bool gave_up() const { return gave_up_; }

 private:
  re2::RE2 const& pattern_;
  checks::assertion_context budget_{std::string_view(), checks::assertion_context::most_steps_of_turn};
  bool gave_up_ = false;
};

checks::failure unlike_expected(std::string_view came, bool gave_up = false) {
  auto const bytes = "What came (" + std::to_string(came.size()) + " bytes) ";
  return {code::assertion_failed,
          bytes + (gave_up ? "arrived in too many pieces to be searched for expect." : "does not match expect.")};
}

/// A port where connections fail, however they do.
bool is_closed(egress::failure failure) {
  return failure == egress::failure::connect_refused || failure == egress::failure::connect_timeout ||
         failure == egress::failure::connect_unreachable || failure == egress::failure::connect_reset;
}

checks::result_of_check evaluate_stream(port_settings const& settings, egress::stream_answer const& got, bool gave_up,
                                        filler const& fill) {
  if (settings.expect_closed) {
    if (got.error == egress::failure::none) return failed_with(checks::failure(code::port_open), fill);
    return is_closed(got.error) ? checks::result_of_check() : failed_with(got.error, got.message, fill);
  }
  if (got.error == egress::failure::none) return {};
  // Data arrived, but not the expected one.
  bool const other = got.connected && !got.received.empty() && got.error != egress::failure::cancelled;
  return other ? failed_with(unlike_expected(got.received, gave_up), fill)
               : failed_with(got.error, got.message, fill);
}

checks::result_of_check evaluate_datagram(port_settings const& settings, egress::datagram_answer const& got,
                                          filler const& fill) {
  bool const silent = got.error == egress::failure::first_byte_timeout;
  if (settings.expect_closed) {
    if (got.error == egress::failure::none) return failed_with(checks::failure(code::port_open), fill);
    if (!silent && !is_closed(got.error)) return failed_with(got.error, {}, fill);
    checks::result_of_check out;
    if (silent) out.known.proof = no_reply;
    return out;
  }
  if (got.error == egress::failure::none)
    return !settings.expect || expectation(*settings.expect).met_by(got.reply)
               ? checks::result_of_check()
               : failed_with(unlike_expected(got.reply), fill);
  if (!silent) return failed_with(got.error, {}, fill);
  if (settings.expect || settings.send) return failed_with(checks::failure(code::udp_no_reply), fill);
  checks::result_of_check out;
  out.known.proof = no_icmp_error;
  return out;
}

task<checks::result_of_check> probe_tcp(port_settings const& settings, egress::host host, check_attempt attempt,
                                        probe_tools tools, filler const& fill) {
  egress::stream_request request{.host = std::move(host),
                                 .port = settings.port,
                                 .family = settings.family,
                                 .tls = settings.tls,
                                 .send = settings.send.value_or(""),
                                 .address_age = attempt.address_age,
                                 .gate = attempt.gate};
  std::optional<expectation> expect;
  if (settings.expect) {
    expect.emplace(*settings.expect);
    request.enough = [&expect](std::string_view came) { return expect->met_by(came); };
  }
  auto const got = co_await tools.streams.talk(std::move(request), attempt.end);
  auto out = evaluate_stream(settings, got, expect && expect->gave_up(), fill);
  out.response_time_ms = in_ms(got.timings.total);
  out.known.phases = timings_of(got.timings);
  if (!got.address.empty()) out.known.ip_address = got.address;
  out.known.tls = got.certificate;
  co_return out;
}

task<checks::result_of_check> probe_udp(port_settings const& settings, egress::host host, check_attempt attempt,
                                        probe_tools tools, filler const& fill) {
  auto const got = co_await tools.datagrams.ask({.host = std::move(host),
                                                 .port = settings.port,
                                                 .family = settings.family,
                                                 .payload = settings.send.value_or(""),
                                                 .address_age = attempt.address_age,
                                                 .gate = attempt.gate},
                                                attempt.end);
  auto out = evaluate_datagram(settings, got, fill);
  out.known.phases = checks::timings{.dns_ms = phase_ms(got.dns)};
  if (got.error == egress::failure::none) {
    out.response_time_ms = in_ms(got.dns + got.first_byte);
    out.known.phases->first_byte_ms = phase_ms(got.first_byte);
  }
  if (!got.address.empty()) out.known.ip_address = got.address;
  co_return out;
}

task<checks::result_of_check> port_settings::probe(check_attempt attempt, probe_tools tools) const {
  filler fill(attempt.values);
  auto host = host_of(attempt.config, fill);
  if (host.fault) co_return *host.fault;
  if (udp) co_return co_await probe_udp(*this, std::move(*host.address), attempt, tools, fill);
  co_return co_await probe_tcp(*this, std::move(*host.address), attempt, tools, fill);
}

}  // namespace

std::shared_ptr<type_settings const> parse_port(settings_source const& source) {
  auto& config = source.config;
  auto out = std::make_shared<port_settings>();
  auto const port = config.number("port", 1, 65535);
  if (!port && config.take("port") == nullptr) config.refuse("port", "is required");
  out->port = static_cast<std::uint16_t>(port.value_or(0));
  out->udp = config.choice("protocol", {"tcp", "udp"}) == 1;
  out->expect_closed = config.flag("expectClosed", false);
  out->tls = config.flag("tls", false);
  out->send = config.text("send", longest_data);
  out->expect = read_pattern(source.most_pattern_size, config);
  out->family = family_of(config);
  check_port(*out, config);
  return out;
}

}  // namespace svc::checks
