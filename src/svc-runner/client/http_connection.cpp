#include "svc-runner/client/http_connection.hpp"

#include "svc/core/fault_words.hpp"

#include <openssl/x509v3.h>
#include "svc/core/numbers.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>

namespace svc::runner {

namespace {

constexpr std::size_t longest_socket_path = 107;

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         std::stoi(std::string(text)) <= 65535 && text != "0";
}

bool is_host(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

/// Plain HTTP is for loopback only: elsewhere the token would cross a network in the clear.
bool is_loopback(std::string_view host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

}  // namespace

std::string endpoint::authority() const {
  if (!unix_path.empty()) return "localhost";
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

std::optional<endpoint> parse_endpoint(std::string_view url) {
  endpoint out;
  if (url.starts_with("unix:/")) {
    out.tls = false;
    out.unix_path = url.substr(5);
    return out.unix_path.size() <= longest_socket_path ? std::optional(out) : std::nullopt;
  }
  if (url.starts_with("http://")) {
    out.tls = false;
    out.port = "80";
  } else if (!url.starts_with("https://")) {
    return std::nullopt;
  }
  url.remove_prefix(url.find("//") + 2);
  if (url.ends_with('/')) url.remove_suffix(1);
  auto const closing = url.starts_with('[') ? url.find(']') : std::string_view::npos;
  if (url.starts_with('[') && closing == std::string_view::npos) return std::nullopt;
  auto const colon = closing == std::string_view::npos ? url.find(':') : url.find(':', closing);
  auto host = url.substr(0, colon);
  if (closing != std::string_view::npos) {
    if (host.size() != closing + 1) return std::nullopt;
    host = host.substr(1, closing - 1);
  }
  out.host = host;
  if (colon != std::string_view::npos) {
    if (!is_port(url.substr(colon + 1))) return std::nullopt;
    out.port = url.substr(colon + 1);
  }
  if (!is_host(out.host) || (!out.tls && !is_loopback(out.host))) return std::nullopt;
  return out;
}

namespace {

namespace beast_http = boost::beast::http;
using asio::ip::tcp;

constexpr std::size_t largest_answer = 64UL * 1024 * 1024;
constexpr milliseconds longest_retry_after{60'000};

constexpr std::string_view unanswered_plain = "no answer to plain HTTP";

constexpr fault_advice known_faults[] = {
    {unanswered_plain, "if the service speaks TLS there, url must begin with https://"},
    {"wrong version number", "url must name the service's internal listener, with http:// if that has no TLS"},
    {"Connection refused", "start the service there, or correct url"},
    {"No such file or directory", "start the service there, or correct the path in url"},
    {"Permission denied", "let this user open the service's socket (mode in svcd.toml)"},
    {"Host not found", "correct the host in url, or the resolver of this machine"},
};

[[noreturn]] void lose(std::string_view subject, boost::system::error_code const& failure) {
  throw connection_lost(with_advice(std::string(subject) + ": " + failure.message(), known_faults));
}

milliseconds seconds_of(std::string_view text) {
  auto const seconds = std::clamp<std::int64_t>(parse_number<std::int64_t>(text).value_or(0), 0, 3600);
  return std::min(longest_retry_after, milliseconds(seconds * 1000));
}

}  // namespace

asio::ssl::context make_client_tls(std::string const& ca_file) {
  asio::ssl::context out(asio::ssl::context::tls_client);
  SSL_CTX_set_min_proto_version(out.native_handle(), TLS1_2_VERSION);
  out.set_verify_mode(asio::ssl::verify_peer);
  boost::system::error_code bad;
  if (ca_file.empty()) {
    out.set_default_verify_paths(bad);
  } else {
    out.load_verify_file(ca_file, bad);
  }
  if (bad) throw std::runtime_error("ca_file: " + ca_file + ": " + bad.message());
  return out;
}

http_connection::http_connection(asio::io_context& io, endpoint where, asio::ssl::context& tls)
    : io_(io), where_(std::move(where)), tls_(tls), timer_(io.get_executor()) {}

http_connection::~http_connection() = default;

void http_connection::close() {
  open_ = false;
  timer_.cancel();
  boost::system::error_code ignored;
  if (auto* plain = std::get_if<tcp_socket>(&stream_)) plain->close(ignored);
  if (auto* local = std::get_if<unix_socket>(&stream_)) local->close(ignored);
  if (auto* tls = std::get_if<tls_stream>(&stream_)) tls->next_layer().close(ignored);
}

std::shared_ptr<http_connection*> http_connection::guard(deadline until) {
  late_ = false;
  auto alive = std::make_shared<http_connection*>(this);
  timer_.expires_at(until.at());
  timer_.async_wait([weak = std::weak_ptr(alive)](boost::system::error_code ec) {
    auto const held = weak.lock();
    if (ec || !held) return;
    (*held)->late_ = true;
    (*held)->close();
  });
  return alive;
}

task<> http_connection::connect_tcp(tcp_socket& socket) {
  asio::ip::basic_resolver<tcp, executor> resolver(io_.get_executor());
  auto const [unknown, found] = co_await resolver.async_resolve(where_.host, where_.port, awaiting);
  if (unknown) lose("cannot resolve " + where_.host, unknown);
  auto const [ec, entry] = co_await asio::async_connect(socket, found, awaiting);
  if (ec) lose("cannot connect to " + where_.authority(), ec);
  boost::system::error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
}

task<> http_connection::shake_hands(tls_stream& stream) {
  co_await connect_tcp(stream.next_layer());
  auto* const ssl = stream.native_handle();
  boost::system::error_code not_address;
  asio::ip::make_address(where_.host, not_address);
  bool const named = not_address ? SSL_set1_host(ssl, where_.host.c_str()) == 1 &&
                                       SSL_set_tlsext_host_name(ssl, where_.host.c_str()) == 1
                                 : X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), where_.host.c_str()) == 1;
  if (!named) throw connection_lost("cannot be verified over TLS: " + where_.host);
  auto const [ec] = co_await stream.async_handshake(asio::ssl::stream_base::client, awaiting);
  if (!ec) co_return;
  auto const verdict = SSL_get_verify_result(ssl);
  if (verdict != X509_V_OK)
    throw untrusted_service("the certificate of " + where_.authority() +
                            " is not trusted: " + X509_verify_cert_error_string(verdict) +
                            " (ca_file must hold the authority that signed it)");
  lose("no TLS with " + where_.authority(), ec);
}

task<> http_connection::connect() {
  buffer_.clear();
  if (!where_.unix_path.empty()) {
    auto& socket = stream_.emplace<unix_socket>(io_.get_executor());
    auto const [ec] =
        co_await socket.async_connect(asio::local::stream_protocol::endpoint(where_.unix_path), awaiting);
    if (ec) lose("cannot connect to " + where_.unix_path, ec);
  } else if (where_.tls) {
    co_await shake_hands(stream_.emplace<tls_stream>(tcp_socket(io_.get_executor()), tls_));
  } else {
    co_await connect_tcp(stream_.emplace<tcp_socket>(io_.get_executor()));
  }
  open_ = true;
}

template <class Stream>
task<http_reply> http_connection::exchange(Stream& stream, std::string target, std::string body,
                                           secret_string const& token) {
  beast_http::request<beast_http::string_body> request{beast_http::verb::post, target, 11, std::move(body)};
  request.set(beast_http::field::host, where_.authority());
  request.set(beast_http::field::authorization, "Bearer " + std::string(token.reveal()));
  request.set(beast_http::field::content_type, "application/json");
  request.set(beast_http::field::user_agent, "svc-runner");
  request.prepare_payload();
  auto const [unsent, sent] = co_await beast_http::async_write(stream, request, awaiting);
  if (unsent) lose("the request was not sent", unsent);
  beast_http::response_parser<beast_http::string_body> parser;
  parser.body_limit(largest_answer);
  auto const [ec, n] = co_await beast_http::async_read(stream, buffer_, parser, awaiting);
  if (ec) lose(where_.tls || !where_.unix_path.empty() ? "no answer" : unanswered_plain, ec);
  auto& message = parser.get();
  http_reply out{.status = static_cast<int>(message.result_int()),
                 .body = std::move(message.body()),
                 .retry_after = seconds_of(message[beast_http::field::retry_after])};
  if (!message.keep_alive()) close();
  co_return out;
}

task<http_reply> http_connection::post(std::string target, std::string body, secret_string const& token,
                                       deadline until) {
  auto const watched = guard(until);
  std::string reason;
  try {
    if (!open_) co_await connect();
    http_reply out;
    if (auto* tls = std::get_if<tls_stream>(&stream_)) {
      out = co_await exchange(*tls, std::move(target), std::move(body), token);
    } else if (auto* plain = std::get_if<tcp_socket>(&stream_)) {
      out = co_await exchange(*plain, std::move(target), std::move(body), token);
    } else {
      out = co_await exchange(std::get<unix_socket>(stream_), std::move(target), std::move(body), token);
    }
    timer_.cancel();
    co_return out;
  } catch (untrusted_service const&) {
    close();
    throw;
  } catch (connection_lost const& e) {
    reason = late_ ? "no answer in time" : e.what();
  }
  close();
  throw connection_lost(reason);
}

}  // namespace svc::runner
