// Any bytes are a host, a URL, a redirect's target or none of these; what is taken is in one form, which reads back
// as itself, and no other reader finds another host in it.
#include "check.hpp"
#include "svc/egress/url.hpp"

#include <curl/curl.h>

#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::egress;

namespace {

/// The host that libcurl, which connects, reads in it.
std::string host_of_curl(std::string const& url) {
  CURLU* const handle = curl_url();
  char* text = nullptr;
  std::string out;
  if (curl_url_set(handle, CURLUPART_URL, url.c_str(), CURLU_PATH_AS_IS) == CURLUE_OK &&
      curl_url_get(handle, CURLUPART_HOST, &text, 0) == CURLUE_OK)
    out = text;
  curl_free(text);
  curl_url_cleanup(handle);
  return out;
}

template <class T>
bool equal(result<T> const& a, result<T> const& b) {
  return a && b && *a == *b;
}

void check_url(result<http_url> const& url) {
  if (!url) return;
  auto const text = url->to_string();
  if (text.size() <= longest_url) check(equal(parse_http_url(text), url), "a URL reads back");
  check(host_of_curl(text) == url->where.host.in_url(), "libcurl reads the same host");
  check(!is_bad_port(url->where.port), "no port of another protocol");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  if (auto const host = parse_host(text)) {
    check(equal(parse_host(host->in_url()), host), "a host reads back");
    check(host->address.has_value() || !ip_address::parse(host->name), "an address is known as one");
  }
  static_cast<void>(parse_bare_host(text));
  static_cast<void>(parse_dns_name(text));
  check_url(parse_http_url(text));
  if (auto const base = parse_http_url("https://a.example:8443/x/y?z")) check_url(resolve_location(*base, text));
  return 0;
}
