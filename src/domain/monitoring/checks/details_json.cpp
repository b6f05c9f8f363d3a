#include "domain/monitoring/checks/text.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace svc::checks {

namespace json = boost::json;

namespace {

// What certificates say of themselves has no bound of its own; addresses and versions are short.
constexpr std::size_t longest_name = 256, longest_word = 64;

/// Cut, and valid.
json::string harmless(std::string_view text, std::size_t most) {
  return json::string(harmless(beginning(text, most), unwanted::null));
}

template <class Value>
void put_if(json::object& to, char const* name, std::optional<Value> const& value) {
  if (value) to[name] = *value;
}

json::object object_of(timings const& of) {
  json::object out;
  put_if(out, "dnsMs", of.dns_ms);
  put_if(out, "connectMs", of.connect_ms);
  put_if(out, "tlsMs", of.tls_ms);
  put_if(out, "firstByteMs", of.first_byte_ms);
  put_if(out, "transferMs", of.transfer_ms);
  return out;
}

json::object object_of(certificate const& of) {
  return {{"issuer", harmless(of.issuer, longest_name)},
          {"subject", harmless(of.subject, longest_name)},
          {"validFrom", to_rfc3339(of.valid_from)},
          {"validTo", to_rfc3339(of.valid_to)},
          {"fingerprint", harmless(of.fingerprint, longest_word)}};
}

json::array array_of(std::vector<header> const& headers) {
  json::array out;
  for (auto const& each : headers) {
    out.push_back(json::object{{"name", harmless(each.name, longest_headers)},
                               {"value", harmless(each.value, longest_headers)}});
  }
  return out;
}

json::object object_of(ping_facts const& of) {
  json::object out{{"sent", of.sent}, {"received", of.received}, {"lossPercent", of.loss_percent()}};
  put_if(out, "minMs", of.min_ms);
  put_if(out, "maxMs", of.max_ms);
  return out;
}

json::object object_of(dns_facts const& of) {
  json::array answers;
  auto left = longest_answers;
  for (auto const& each : of.answers) {
    if (left == 0) break;
    auto text = harmless(each, left);
    left -= std::min(left, std::max<std::size_t>(text.size(), 1));
    answers.emplace_back(std::move(text));
  }
  return {{"rcode", harmless(of.rcode, longest_word)}, {"answers", std::move(answers)}};
}

void put_all(json::object& to, details const& of) {
  if (of.error) {
    to["error"] = {{"code", row_of(of.error->which).name}, {"message", harmless(of.error->message, longest_message)}};
  }
  if (of.ip_address) to["ipAddress"] = harmless(*of.ip_address, longest_word);
  if (of.http_version) to["httpVersion"] = harmless(*of.http_version, longest_word);
  put_if(to, "redirects", of.redirects);
  put_if(to, "bodyBytes", of.body_bytes);
  if (of.truncated) to["truncated"] = true;
  if (of.assertion) {
    to["failedAssertion"] = {{"index", of.assertion->index},
                             {"actual", harmless(of.assertion->actual, longest_actual)}};
  }
  if (of.tls) to["sslCertificate"] = object_of(*of.tls);
  if (of.ping) to["ping"] = object_of(*of.ping);
  if (of.dns) to["dns"] = object_of(*of.dns);
  if (!of.response_headers.empty()) to["responseHeaders"] = array_of(of.response_headers);
  if (of.body_snippet) to["responseBodySnippet"] = harmless(*of.body_snippet, longest_snippet);
}

}  // namespace

std::string certificate_json(certificate const& of) {
  return json::serialize(object_of(of));
}

std::string details_json(result_of_check const& of) {
  json::object out;
  put_if(out, "statusCode", of.known.status_code);
  if (of.known.phases) out["timings"] = object_of(*of.known.phases);
  if (!of.known.proof.empty()) out["proof"] = of.known.proof;
  if (of.ended != status::up || of.degraded) put_all(out, of.known);
  // What is left without these fits, even if each byte needs an escape of six.
  for (auto const* least_needed : {"responseBodySnippet", "responseHeaders", "sslCertificate", "dns"}) {
    auto text = json::serialize(out);
    if (text.size() <= longest_details) return text;
    out.erase(least_needed);
  }
  return json::serialize(out);
}

}  // namespace svc::checks
