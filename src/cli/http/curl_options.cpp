#include "cli/http/curl_options.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/build_info.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace svc::cli {
namespace {

bool has_field(request const& r, std::string_view name) {
  return std::any_of(r.fields.begin(), r.fields.end(), [&](auto const& f) { return lower_case(f.first) == name; });
}

void add_fields(request const& r, secret_string const* bearer, field_list& field_list) {
  for (auto const& [name, value] : r.fields) {
    // libcurl leaves out a field that is given as "Name:"; "Name;" means a field with an empty value.
    field_list.add(value.empty() ? name + ";" : name + ": " + value);
  }
  if (!has_field(r, "content-type")) field_list.add(r.body ? "Content-Type: application/json" : "Content-Type:");
  // A body of a few KiB is sent at once: waiting for "100 Continue" costs a round trip.
  field_list.add("Expect:");
  if (bearer == nullptr) return;
  constexpr std::string_view name = "Authorization: Bearer ";
  std::string line;
  line.reserve(name.size() + bearer->reveal().size());
  line.append(name).append(bearer->reveal());
  field_list.add(line);
  wipe(line);
}

void set_method(CURL* easy, request const& r) {
  if (r.method == "GET" && !r.body) return require_option(curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L));
  if (r.method == "HEAD") return require_option(curl_easy_setopt(easy, CURLOPT_NOBODY, 1L));
  bool const has_content = r.body || r.method == "POST" || r.method == "PUT" || r.method == "PATCH";
  if (has_content) {
    std::string_view const body = r.body ? std::string_view(*r.body) : std::string_view("");
    require_option(curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size())));
    require_option(curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data()));
  }
  require_option(curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, r.method.c_str()));
}

}  // namespace

field_list::~field_list() {
  for (auto* each = head_; each != nullptr; each = each->next) wipe(each->data, std::strlen(each->data));
  curl_slist_free_all(head_);
}

void field_list::add(std::string const& line) {
  auto* const longer = curl_slist_append(head_, line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  head_ = longer;
}

void require_option(CURLcode taken) {
  if (taken != CURLE_OK)
    throw std::runtime_error(std::string("libcurl refuses an option: ") + curl_easy_strerror(taken));
}

void set_rules(CURL* easy, settings const& settings) {
  auto const agent = "svc/" + std::string(this_build().version);
  require_option(curl_easy_setopt(easy, CURLOPT_USERAGENT, agent.c_str()));
  require_option(curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https"));
  require_option(curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1)));
  require_option(curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L));
  require_option(curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L));
  require_option(curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED)));
  require_option(curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2)));
  require_option(curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L));
  require_option(curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L));
  if (!settings.ca_file.empty()) {
    require_option(curl_easy_setopt(easy, CURLOPT_CAINFO, settings.ca_file.c_str()));
    // Uses the file's authorities instead of the system's, not in addition to them.
    require_option(curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr));
  }
  require_option(curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip"));
  require_option(curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L));
  // A name server that does not answer must not hold up the end of the program.
  require_option(curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L));
  // A connection that idled longer may be closed by the service at the moment when it is used again.
  require_option(curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, 10L));
}

void set_proxy(CURL* easy, std::string const& proxy) {
  // Both are always set: without them libcurl reads the environment by its own rules.
  require_option(curl_easy_setopt(easy, CURLOPT_NOPROXY, ""));
  require_option(curl_easy_setopt(easy, CURLOPT_PROXY, proxy.c_str()));
  require_option(curl_easy_setopt(easy, CURLOPT_PROXYAUTH, static_cast<long>(CURLAUTH_BASIC)));
  require_option(curl_easy_setopt(easy, CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE)));
  require_option(curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L));
}

void set_request(CURL* easy, settings const& settings, request const& r, secret_string const* bearer,
                 field_list& fields) {
  require_option(curl_easy_setopt(easy, CURLOPT_URL, (settings.url.text + r.target).c_str()));
  set_method(easy, r);
  add_fields(r, bearer, fields);
  if (!settings.trace_parent.empty() && !has_field(r, "traceparent"))
    fields.add("traceparent: " + settings.trace_parent);
  require_option(curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields.get()));
}

}  // namespace svc::cli
