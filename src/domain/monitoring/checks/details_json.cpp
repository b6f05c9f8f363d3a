#include "domain/monitoring/checks/text.hpp"
#include "svc/domain/monitoring/checks/result.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace svc::checks {

namespace json = boost::json;

namespace {

// Certificates contain names of any length, so the details cut them. Addresses and versions are short.
constexpr std::size_t longest_name = 256, longest_word = 64;

/// Returns valid text that is cut to `most` bytes.
json::string harmless(std::string_view text, std::size_t most) {
  return json::string(harmless(beginning(text, most), unwanted_characters::null));
}

template <class Value>
void put_if(json::object& object, char const* name, std::optional<Value> const& value) {
  if (value) object[name] = *value;
}

json::object object_of(timings const& timings) {
  json::object out;
  put_if(out, "dnsMs", timings.dns_ms);
  put_if(out, "connectMs", timings.connect_ms);
  put_if(out, "tlsMs", timings.tls_ms);
  put_if(out, "firstByteMs", timings.first_byte_ms);
  put_if(out, "transferMs", timings.transfer_ms);
  return out;
}

json::object object_of(certificate const& certificate) {
  return {{"issuer", harmless(certificate.issuer, longest_name)},
          {"subject", harmless(certificate.subject, longest_name)},
          {"validFrom", to_rfc3339(certificate.valid_from)},
          {"validTo", to_rfc3339(certificate.valid_to)},
          {"fingerprint", harmless(certificate.fingerprint, longest_word)}};
}

json::array array_of(std::vector<header> const& headers) {
  json::array out;
  for (auto const& each : headers) {
    out.push_back(json::object{{"name", harmless(each.name, longest_headers)},
                               {"value", harmless(each.value, longest_headers)}});
  }
  return out;
}

json::object object_of(ping_facts const& facts) {
  json::object out{{"sent", facts.sent}, {"received", facts.received}, {"lossPercent", facts.loss_percent()}};
  put_if(out, "minMs", facts.min_ms);
  put_if(out, "maxMs", facts.max_ms);
  return out;
}

json::object object_of(dns_facts const& facts) {
  json::array answers;
  auto left = longest_answers;
  for (auto const& each : facts.answers) {
    if (left == 0) break;
    auto text = harmless(each, left);
    left -= std::min(left, std::max<std::size_t>(text.size(), 1));
    answers.emplace_back(std::move(text));
  }
  return {{"rcode", harmless(facts.rcode, longest_word)}, {"answers", std::move(answers)}};
}

void put_all(json::object& object, details const& details) {
  if (details.error) {
    object["error"] = {{"code", row_of(details.error->which).name},
                       {"message", harmless(details.error->message, longest_message)}};
  }
  if (details.ip_address) object["ipAddress"] = harmless(*details.ip_address, longest_word);
  if (details.http_version) object["httpVersion"] = harmless(*details.http_version, longest_word);
  put_if(object, "redirects", details.redirects);
  put_if(object, "bodyBytes", details.body_bytes);
  if (details.truncated) object["truncated"] = true;
  if (details.assertion) {
    object["failedAssertion"] = {{"index", details.assertion->index},
                                 {"actual", harmless(details.assertion->actual, longest_actual)}};
  }
  if (details.tls) object["sslCertificate"] = object_of(*details.tls);
  if (details.ping) object["ping"] = object_of(*details.ping);
  if (details.dns) object["dns"] = object_of(*details.dns);
  if (!details.response_headers.empty()) object["responseHeaders"] = array_of(details.response_headers);
  if (details.body_snippet) object["responseBodySnippet"] = harmless(*details.body_snippet, longest_snippet);
}

}  // namespace

std::string certificate_json(certificate const& certificate) {
  return json::serialize(object_of(certificate));
}

std::string details_json(result_of_check const& result) {
  json::object out;
  put_if(out, "statusCode", result.known.status_code);
  if (result.known.phases) out["timings"] = object_of(*result.known.phases);
  if (!result.known.proof.empty()) out["proof"] = result.known.proof;
  if (result.ended != status::up || result.degraded) put_all(out, result.known);
  // The members that remain without these four always fit, even if each byte needs an escape of six bytes.
  for (auto const* least_needed : {"responseBodySnippet", "responseHeaders", "sslCertificate", "dns"}) {
    auto text = json::serialize(out);
    if (text.size() <= longest_details) return text;
    out.erase(least_needed);
  }
  return json::serialize(out);
}

}  // namespace svc::checks
