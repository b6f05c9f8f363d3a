#include "monitoring/checks/probe.hpp"

#include "svc/domain/monitoring/checks/assertion.hpp"

#include <re2/re2.h>

namespace svc::checks {

namespace {

using checks::code;

constexpr std::string_view no_icmp_error = "no_icmp_error", no_reply = "no_reply";

/// `expect` of one attempt. What came is searched again with each piece, so a target that sends many small ones could
/// make that expensive: all searches together have the budget of one turn.
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
  checks::judging budget_{std::string_view(), checks::judging::most_steps_of_turn};
  bool gave_up_ = false;
};

checks::failure unlike_expected(std::string_view came, bool gave_up = false) {
  auto const bytes = "What came (" + std::to_string(came.size()) + " bytes) ";
  return {code::assertion_failed,
          bytes + (gave_up ? "was in too many pieces to be searched for expect." : "does not match expect.")};
}

/// A port where connections fail, however they do.
bool is_closed(egress::failure why) {
  return why == egress::failure::connect_refused || why == egress::failure::connect_timeout ||
         why == egress::failure::connect_unreachable || why == egress::failure::connect_reset;
}

checks::result_of_check judge_stream(port_config const& how, egress::stream_answer const& got, bool gave_up,
                                     filler const& fill) {
  if (how.expect_closed) {
    if (got.why == egress::failure::none) return failed_with(checks::failure(code::port_open), fill);
    return is_closed(got.why) ? checks::result_of_check() : failed_with(got.why, got.message, fill);
  }
  if (got.why == egress::failure::none) return {};
  // Something came, and it was not that.
  bool const other = got.connected && !got.received.empty() && got.why != egress::failure::cancelled;
  return other ? failed_with(unlike_expected(got.received, gave_up), fill) : failed_with(got.why, got.message, fill);
}

checks::result_of_check judge_datagram(port_config const& how, egress::datagram_answer const& got,
                                       filler const& fill) {
  bool const silent = got.why == egress::failure::first_byte_timeout;
  if (how.expect_closed) {
    if (got.why == egress::failure::none) return failed_with(checks::failure(code::port_open), fill);
    if (!silent && !is_closed(got.why)) return failed_with(got.why, {}, fill);
    checks::result_of_check out;
    if (silent) out.known.proof = no_reply;
    return out;
  }
  if (got.why == egress::failure::none)
    return !how.expect || expectation(*how.expect).met_by(got.reply) ? checks::result_of_check()
                                                                     : failed_with(unlike_expected(got.reply), fill);
  if (!silent) return failed_with(got.why, {}, fill);
  if (how.expect || how.send) return failed_with(checks::failure(code::udp_no_reply), fill);
  checks::result_of_check out;
  out.known.proof = no_icmp_error;
  return out;
}

task<checks::result_of_check> probe_tcp(port_config const& how, egress::host at, attempt_of one, probe_tools with,
                                        filler const& fill) {
  egress::stream_request what{.at = std::move(at),
                              .port = how.port,
                              .family = how.family,
                              .tls = how.tls,
                              .send = how.send.value_or(""),
                              .address_age = one.address_age,
                              .gate = one.gate};
  std::optional<expectation> expect;
  if (how.expect) {
    expect.emplace(*how.expect);
    what.enough = [&expect](std::string_view came) { return expect->met_by(came); };
  }
  auto const got = co_await with.streams.talk(std::move(what), one.until);
  auto out = judge_stream(how, got, expect && expect->gave_up(), fill);
  out.response_time_ms = in_ms(got.timings.total);
  out.known.phases = timings_of(got.timings);
  if (!got.address.empty()) out.known.ip_address = got.address;
  out.known.tls = got.certificate;
  co_return out;
}

task<checks::result_of_check> probe_udp(port_config const& how, egress::host at, attempt_of one, probe_tools with,
                                        filler const& fill) {
  auto const got = co_await with.datagrams.ask({.at = std::move(at),
                                                .port = how.port,
                                                .family = how.family,
                                                .payload = how.send.value_or(""),
                                                .address_age = one.address_age,
                                                .gate = one.gate},
                                               one.until);
  auto out = judge_datagram(how, got, fill);
  out.known.phases = checks::timings{.dns_ms = phase_ms(got.dns)};
  if (got.why == egress::failure::none) {
    out.response_time_ms = in_ms(got.dns + got.first_byte);
    out.known.phases->first_byte_ms = phase_ms(got.first_byte);
  }
  if (!got.address.empty()) out.known.ip_address = got.address;
  co_return out;
}

}  // namespace

task<checks::result_of_check> probe_port(port_config const& how, attempt_of one, probe_tools with) {
  filler fill(one.values);
  auto host = host_of(one.what, fill);
  if (host.fault) co_return *host.fault;
  if (how.udp) co_return co_await probe_udp(how, std::move(*host.at), one, with, fill);
  co_return co_await probe_tcp(how, std::move(*host.at), one, with, fill);
}

}  // namespace svc::checks
