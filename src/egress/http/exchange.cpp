#include "egress/http/exchange.hpp"

#include "egress/http/multi.hpp"
#include "svc/core/ascii.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace svc::egress {

namespace {

constexpr std::size_t largest_head = 256 * 1024;
constexpr std::string_view odd_transfer = "its Transfer-Encoding is another than one \"chunked\"",
                           odd_content = "its Content-Encoding is another than one \"gzip\"",
                           odd_gzip = "its body is not one gzip stream";

template <class T>
T info_of(CURL* easy, CURLINFO which) {
  T out{};
  curl_easy_getinfo(easy, which, &out);
  return out;
}

/// Returns the time between two moments; zero if one was not reached.
microseconds between(std::optional<steady::time_point> start, std::optional<steady::time_point> end) {
  if (!start || !end) return microseconds::zero();
  return std::chrono::duration_cast<microseconds>(*end - *start);
}

std::string_view trimmed(std::string_view text) {
  auto const blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string version_of(long version) {
  switch (version) {
    case CURL_HTTP_VERSION_1_0:
      return "1.0";
    case CURL_HTTP_VERSION_1_1:
      return "1.1";
    case CURL_HTTP_VERSION_2_0:
      return "2";
    default:
      return {};
  }
}

}  // namespace

exchange::exchange(http_request const& request, http_hop const& hop, std::vector<ip_address> const& addresses,
                   address_policy const& policy, std::shared_ptr<trust_store const> const& trust,
                   std::string const& user_agent)
    : request_(request),
      hop_(hop),
      policy_(policy),
      check_(trust, request.tls.authorities, request.tls.verify),
      easy_(curl_easy_init()),
      share_(curl_share_init()) {
  if (easy_ == nullptr || share_ == nullptr) throw std::bad_alloc();
  usable_ = check_.usable();
  set_rules();
  set_place(addresses);
  set_request(user_agent);
  set_tls();
  set_callbacks();
}

exchange::~exchange() {
  // The handle uses the share and the lists until its cleanup.
  curl_easy_cleanup(easy_);
  curl_share_cleanup(share_);
  curl_slist_free_all(pinned_);
  curl_slist_free_all(lines_);
}

void exchange::set_callbacks() {
  set_option(easy_, CURLOPT_HEADERFUNCTION, &exchange::take_head);
  set_option(easy_, CURLOPT_HEADERDATA, this);
  set_option(easy_, CURLOPT_WRITEFUNCTION, &exchange::take_body);
  set_option(easy_, CURLOPT_WRITEDATA, this);
  set_option(easy_, CURLOPT_RESOLVER_START_FUNCTION, &exchange::before_resolving);
  set_option(easy_, CURLOPT_RESOLVER_START_DATA, this);
  set_option(easy_, CURLOPT_OPENSOCKETFUNCTION, &exchange::open_socket);
  set_option(easy_, CURLOPT_OPENSOCKETDATA, this);
  set_option(easy_, CURLOPT_PREREQFUNCTION, &exchange::before_request);
  set_option(easy_, CURLOPT_PREREQDATA, this);
}

void exchange::begin(steady::duration left) {
  begun_ = steady::now();
  auto const whole = std::chrono::ceil<milliseconds>(left).count();
  set_option(easy_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(whole, 1)));
}

/// libcurl calls this for each host that it does not find in its cache: addresses, and names if the pinning failed.
/// libcurl must not resolve names itself.
int exchange::before_resolving(void* /*state*/, void* /*reserved*/, void* self) noexcept {
  auto const& subject = *static_cast<exchange const*>(self);
  bool const renamed = subject.hop_.with_credentials && !subject.request_.tls.server_name.empty();
  return subject.hop_.url.where.host.address && !renamed ? 0 : 1;
}

/// Asks the guard a second time, now about the address that libcurl connects to. The gate has already admitted the
/// first address.
curl_socket_t exchange::open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) noexcept {
  auto& subject = *static_cast<exchange*>(self);
  auto const target = address_of(&address->addr);
  if (!target || !subject.policy_.allows(*target)) {
    subject.blocked_ = true;
    return CURL_SOCKET_BAD;
  }
  if (subject.request_.gate && !subject.request_.gate->try_enter(*target, subject.hop_.url.where.port)) {
    subject.held_back_.push_back(*target);
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// Asks the guard a third time, about the peer's address from the kernel, before the first byte of the request.
int exchange::before_request(void* self, char* peer, char* /*local*/, int /*port*/, int /*local_port*/) noexcept {
  auto& subject = *static_cast<exchange*>(self);
  auto const address = ip_address::parse(peer);
  subject.blocked_ = !address || !subject.policy_.allows(*address);
  if (!subject.blocked_) subject.ready_ = steady::now();
  if (!subject.connected_) subject.connected_ = subject.ready_;
  return subject.blocked_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/// libcurl calls this once the TCP connection exists.
CURLcode exchange::set_up_tls(CURL* /*easy*/, void* context, void* self) noexcept {
  auto& subject = *static_cast<exchange*>(self);
  subject.connected_ = steady::now();
  // CURLE_SSL_CERTPROBLEM reports that this side's certificate cannot be used.
  return subject.check_.attach(static_cast<SSL_CTX*>(context)) ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

std::size_t exchange::take_head(char* bytes, std::size_t unit, std::size_t size, void* self) noexcept {
  return static_cast<exchange*>(self)->take_line({bytes, unit * size});
}

std::size_t exchange::take_line(std::string_view line) {
  if (!answered_) answered_ = steady::now();
  head_bytes_ += line.size();
  if (head_bytes_ > largest_head) {
    head_too_large_ = true;
    return 0;
  }
  // An interim answer (RFC 9110 15.2) may have arrived before this status line.
  if (line.starts_with("HTTP/")) {
    fields_.clear();
    codings_ = {};
    head_complete_ = false;
  }
  // Trailers do not belong to the head.
  if (head_complete_) return line.size();
  head_complete_ = trimmed(line).empty();
  auto const colon = line.find(':');
  if (colon == std::string_view::npos || line.starts_with("HTTP/")) return line.size();
  fields_.emplace_back(lower_case(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
  codings_.add(fields_.back().first, fields_.back().second);
  // libcurl decodes transfer codings itself, so unsupported ones are refused before the body.
  return codings_.transfer_supported() ? line.size() : refuse(odd_transfer);
}

std::size_t exchange::take_body(char* bytes, std::size_t unit, std::size_t size, void* self) noexcept {
  return static_cast<exchange*>(self)->take_part({bytes, unit * size});
}

std::size_t exchange::refuse(std::string_view fault) {
  fault_ = fault;
  return 0;
}

std::size_t exchange::take_part(std::string_view part) {
  // An answer without a body may name any coding.
  if (!codings_.content_supported()) return refuse(odd_content);
  if (codings_.gzip()) return take_gzip(part);
  auto const taken = std::min(part.size(), request_.most_body_bytes - body_.size());
  body_.append(part.substr(0, taken));
  truncated_ = taken < part.size();
  // Fewer bytes than offered make libcurl close the connection.
  return taken;
}

std::size_t exchange::take_gzip(std::string_view part) {
  if (!gzip_) gzip_.emplace(request_.most_body_bytes);
  auto const now = gzip_->take(part, body_);
  if (now == gzip_body::state::broken) return refuse(odd_gzip);
  truncated_ = now == gzip_body::state::full;
  return truncated_ ? 0 : part.size();
}

http_phase exchange::phase() const {
  if (answered_) return http_phase::answer;
  if (ready_) return http_phase::first_byte;
  return connected_ ? http_phase::handshake : http_phase::connect;
}

curl_end exchange::end_of(CURLcode code) const {
  return {.code = code,
          .phase = phase(),
          .os_error = static_cast<int>(info_of<long>(easy_, CURLINFO_OS_ERRNO)),
          .verify_error = check_.error(),
          .blocked = blocked_,
          .head_too_large = head_too_large_,
          .head_complete = head_complete_,
          .truncated = truncated_,
          .text = text_.data(),
          .fault = fault_.empty() ? check_.fault() : fault_};
}

void exchange::report(http_answer& answer) {
  answer.status = static_cast<int>(info_of<long>(easy_, CURLINFO_RESPONSE_CODE));
  answer.fields = std::move(fields_);
  answer.body = std::move(body_);
  answer.truncated = truncated_;
  answer.certificate = check_.facts();
  answer.http_version = version_of(info_of<long>(easy_, CURLINFO_HTTP_VERSION));
  auto const* const peer = info_of<char const*>(easy_, CURLINFO_PRIMARY_IP);
  answer.address = peer == nullptr || blocked_ ? "" : peer;

  auto const end = steady::now();
  answer.timings.connect += between(begun_, connected_);
  if (hop_.url.where.secure) answer.timings.tls += between(connected_, ready_);
  answer.timings.first_byte += between(ready_, answered_);
  answer.timings.transfer += between(answered_, end);
}

void exchange::only_connect() {
  // No answer will arrive in this mode.
  head_complete_ = true;
  set_option(easy_, CURLOPT_CONNECT_ONLY, 1L);
  set_option(easy_, CURLOPT_FORBID_REUSE, 0L);
  // The protocol on this connection is not HTTP.
  set_option(easy_, CURLOPT_SSL_ENABLE_ALPN, 0L);
}

curl_socket_t exchange::socket() const {
  return info_of<curl_socket_t>(easy_, CURLINFO_ACTIVESOCKET);
}

std::optional<std::ptrdiff_t> exchange::write(std::string_view bytes) {
  std::size_t done = 0;
  auto const said = curl_easy_send(easy_, bytes.data(), bytes.size(), &done);
  if (said == CURLE_AGAIN) return std::nullopt;
  return said == CURLE_OK ? static_cast<std::ptrdiff_t>(done) : -1;
}

std::optional<std::ptrdiff_t> exchange::read(std::span<char> into) {
  std::size_t done = 0;
  auto const said = curl_easy_recv(easy_, into.data(), into.size(), &done);
  if (said == CURLE_AGAIN) return std::nullopt;
  return said == CURLE_OK ? static_cast<std::ptrdiff_t>(done) : -1;
}

}  // namespace svc::egress
