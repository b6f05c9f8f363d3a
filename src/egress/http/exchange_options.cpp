// Options that libcurl gets before a request.
#include "egress/http/exchange.hpp"
#include "egress/http/multi.hpp"
#include "svc/core/ascii.hpp"

#include <algorithm>
#include <new>

namespace svc::egress {

namespace {

void append(curl_slist*& list, std::string const& line) {
  auto* const longer = curl_slist_append(list, line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  list = longer;
}

/// Returns the URL for libcurl. If the caller chose a name for the first origin's certificate, the URL contains that
/// name, and `Host` contains the true one. libcurl takes SNI and the verified name from the URL.
std::string url_for_curl(http_hop const& hop, std::string const& server_name) {
  if (server_name.empty()) return hop.url.to_string();
  auto renamed = hop.url;
  renamed.where.host = host{server_name, std::nullopt};
  return renamed.to_string();
}

bool is_accept_encoding(std::string const& line) {
  return iequals(std::string_view(line).substr(0, line.find_first_of(":;")), "accept-encoding");
}

bool names_host(http_request const& request) {
  return std::ranges::any_of(request.fields,
                             [](request_field const& field) { return lower_case(field.name) == "host"; });
}

curl_blob blob_of(std::string const& text) {
  // The text is not copied, because libcurl only reads it.
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

}  // namespace

/// Sets the options that apply to every request.
void exchange::set_rules() {
  set_option(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set_option(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  set_option(easy_, CURLOPT_PROXY, "");
  set_option(easy_, CURLOPT_NOPROXY, "*");
  set_option(easy_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set_option(easy_, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set_option(easy_, CURLOPT_HTTP09_ALLOWED, 0L);
  set_option(easy_, CURLOPT_NOSIGNAL, 1L);
  set_option(easy_, CURLOPT_FRESH_CONNECT, 1L);
  set_option(easy_, CURLOPT_FORBID_REUSE, 1L);
  set_option(easy_, CURLOPT_PATH_AS_IS, 1L);
  set_option(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // libcurl would decode up to five layers of any coding that it knows, even codings that were not requested;
  // `gzip_body` decodes one.
  set_option(easy_, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  set_option(easy_, CURLOPT_ERRORBUFFER, text_.data());
}

/// Gives libcurl the resolved addresses through a DNS cache of this request. In the multi handle's cache, which all
/// requests would share, they would stay for ever.
void exchange::set_place(std::vector<ip_address> const& addresses) {
  auto const& name = hop_.with_credentials ? request_.tls.server_name : std::string();
  set_option(easy_, CURLOPT_URL, url_for_curl(hop_, name).c_str());
  if (hop_.url.where.host.address && name.empty()) return;
  if (curl_share_setopt(share_, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) != CURLSHE_OK) throw std::bad_alloc();
  std::string line =
      (name.empty() ? hop_.url.where.host.name : name) + ":" + std::to_string(hop_.url.where.port) + ":";
  for (auto const& address : addresses) {
    if (line.back() != ':') line += ',';
    line += address.v4 ? address.to_string() : "[" + address.to_string() + "]";
  }
  append(pinned_, line);
  set_option(easy_, CURLOPT_SHARE, share_);
  set_option(easy_, CURLOPT_RESOLVE, pinned_);
}

void exchange::set_request(std::string const& user_agent) {
  set_option(easy_, CURLOPT_USERAGENT, user_agent.c_str());
  auto const lines = field_lines(request_, hop_);
  usable_ = usable_ && lines.has_value();
  if (!lines) return;
  for (auto const& line : *lines) append(lines_, line);
  if (std::ranges::none_of(*lines, is_accept_encoding)) append(lines_, "Accept-Encoding: gzip");
  if (hop_.with_credentials && !request_.tls.server_name.empty() && !names_host(request_))
    append(lines_, "Host: " + hop_.url.authority());
  set_option(easy_, CURLOPT_HTTPHEADER, lines_);
  if (hop_.method == "HEAD") {
    set_option(easy_, CURLOPT_NOBODY, 1L);
    return;
  }
  bool const sends = hop_.with_body && (!request_.body.empty() || hop_.method == "POST" || hop_.method == "PUT" ||
                                        hop_.method == "PATCH");
  if (sends) {
    set_option(easy_, CURLOPT_POST, 1L);
    set_option(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set_option(easy_, CURLOPT_POSTFIELDS, request_.body.data());
  }
  if (hop_.method != (sends ? "POST" : "GET")) set_option(easy_, CURLOPT_CUSTOMREQUEST, hop_.method.c_str());
}

void exchange::set_tls() {
  auto const& choice = request_.tls;
  set_option(easy_, CURLOPT_SSLVERSION,
             static_cast<long>(choice.only_tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2));
  set_option(easy_, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  set_option(easy_, CURLOPT_SSL_VERIFYPEER, choice.verify ? 1L : 0L);
  set_option(easy_, CURLOPT_SSL_VERIFYHOST, choice.verify ? 2L : 0L);
  // `certificate_check` verifies the chain with our own authorities, so libcurl loads none.
  set_option(easy_, CURLOPT_CAINFO, static_cast<char const*>(nullptr));
  set_option(easy_, CURLOPT_CAPATH, static_cast<char const*>(nullptr));
  set_option(easy_, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  set_option(easy_, CURLOPT_SSL_CTX_FUNCTION, &exchange::set_up_tls);
  set_option(easy_, CURLOPT_SSL_CTX_DATA, this);
  if (choice.certificate.empty() || !hop_.with_credentials) return;
  auto const certificate = blob_of(choice.certificate), key = blob_of(choice.key);
  set_option(easy_, CURLOPT_SSLCERT_BLOB, &certificate);
  set_option(easy_, CURLOPT_SSLKEY_BLOB, &key);
}

}  // namespace svc::egress
