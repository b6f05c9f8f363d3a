#include "egress/http/curl_failure.hpp"

#include <doctest/doctest.h>

#include <openssl/x509_vfy.h>

#include <cerrno>

using namespace svc::egress;

TEST_CASE("libcurl's results and their failures") {
  using enum http_phase;
  struct {
    std::string name;
    curl_end end;
    failure wanted;
  } const cases[] = {
      {"good", {.code = CURLE_OK, .phase = answer}, failure::none},
      {"the head was cut", {.code = CURLE_OK, .phase = answer, .head_complete = false}, failure::connect_reset},
      {"enough was read", {.code = CURLE_WRITE_ERROR, .phase = answer, .truncated = true}, failure::none},
      {"head too large", {.code = CURLE_WRITE_ERROR, .phase = answer, .head_too_large = true}, failure::http_invalid},
      {"a coding that is not supported",
       {.code = CURLE_WRITE_ERROR, .phase = answer, .fault = "odd"},
       failure::http_invalid},
      {"blocked before connecting", {.code = CURLE_COULDNT_CONNECT, .blocked = true}, failure::address_blocked},
      {"blocked at the peer",
       {.code = CURLE_ABORTED_BY_CALLBACK, .phase = first_byte, .blocked = true},
       failure::address_blocked},
      {"aborted otherwise", {.code = CURLE_ABORTED_BY_CALLBACK}, failure::internal},
      // connecting
      {"refused", {.code = CURLE_COULDNT_CONNECT, .os_error = ECONNREFUSED}, failure::connect_refused},
      {"reset", {.code = CURLE_COULDNT_CONNECT, .os_error = ECONNRESET}, failure::connect_reset},
      {"no route", {.code = CURLE_COULDNT_CONNECT, .os_error = EHOSTUNREACH}, failure::connect_unreachable},
      {"no network", {.code = CURLE_COULDNT_CONNECT, .os_error = ENETUNREACH}, failure::connect_unreachable},
      {"forbidden by a firewall", {.code = CURLE_COULDNT_CONNECT, .os_error = EPERM}, failure::connect_unreachable},
      {"the kernel gave up", {.code = CURLE_COULDNT_CONNECT, .os_error = ETIMEDOUT}, failure::connect_timeout},
      {"no descriptors", {.code = CURLE_COULDNT_CONNECT, .os_error = EMFILE}, failure::internal},
      {"no reason", {.code = CURLE_COULDNT_CONNECT}, failure::connect_unreachable},
      // time
      {"no connection in time", {.code = CURLE_OPERATION_TIMEDOUT, .phase = connect}, failure::connect_timeout},
      {"no TLS in time", {.code = CURLE_OPERATION_TIMEDOUT, .phase = handshake}, failure::tls_timeout},
      {"no byte in time", {.code = CURLE_OPERATION_TIMEDOUT, .phase = first_byte}, failure::first_byte_timeout},
      {"no end in time", {.code = CURLE_OPERATION_TIMEDOUT, .phase = answer}, failure::body_timeout},
      // TLS
      {"expired",
       {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_error = X509_V_ERR_CERT_HAS_EXPIRED},
       failure::certificate_expired},
      {"early",
       {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_error = X509_V_ERR_CERT_NOT_YET_VALID},
       failure::certificate_not_yet_valid},
      {"revoked",
       {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_error = X509_V_ERR_CERT_REVOKED},
       failure::certificate_revoked},
      {"revoked, says the staple", {.code = CURLE_SSL_INVALIDCERTSTATUS}, failure::certificate_revoked},
      {"revoked, and the handshake ended for it",
       {.code = CURLE_SSL_CONNECT_ERROR, .phase = handshake, .verify_error = X509_V_ERR_CERT_REVOKED},
       failure::certificate_revoked},
      {"self-signed",
       {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_error = X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT},
       failure::certificate_untrusted},
      {"unknown issuer",
       {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_error = X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY},
       failure::certificate_untrusted},
      {"another name",
       {.code = CURLE_PEER_FAILED_VERIFICATION, .verify_error = X509_V_OK},
       failure::certificate_wrong_host},
      {"no TLS there", {.code = CURLE_SSL_CONNECT_ERROR, .phase = handshake}, failure::tls_failed},
      {"reset in the handshake",
       {.code = CURLE_SSL_CONNECT_ERROR, .phase = handshake, .os_error = ECONNRESET},
       failure::connect_reset},
      {"reset in the handshake, in words",
       {.code = CURLE_SSL_CONNECT_ERROR, .phase = handshake, .text = "OpenSSL SSL_connect: Connection reset by peer"},
       failure::connect_reset},
      {"client certificate wanted", {.code = CURLE_SSL_CLIENTCERT, .phase = first_byte}, failure::tls_failed},
      {"client certificate unusable", {.code = CURLE_SSL_CERTPROBLEM}, failure::target_invalid},
      // the answer
      {"nothing came", {.code = CURLE_GOT_NOTHING, .phase = first_byte}, failure::connect_reset},
      {"reset while sending",
       {.code = CURLE_SEND_ERROR, .phase = first_byte, .os_error = EPIPE},
       failure::connect_reset},
      {"reset in the body",
       {.code = CURLE_RECV_ERROR, .phase = answer, .os_error = ECONNRESET},
       failure::connect_reset},
      {"too short", {.code = CURLE_PARTIAL_FILE, .phase = answer}, failure::body_incomplete},
      {"malformed chunks",
       {.code = CURLE_RECV_ERROR,
        .phase = answer,
        .text = "Illegal or missing hexadecimal sequence in chunked-encoding"},
       failure::http_invalid},
      {"not HTTP", {.code = CURLE_UNSUPPORTED_PROTOCOL, .phase = answer}, failure::http_invalid},
      {"odd HTTP", {.code = CURLE_WEIRD_SERVER_REPLY, .phase = answer}, failure::http_invalid},
      {"broken gzip", {.code = CURLE_BAD_CONTENT_ENCODING, .phase = answer}, failure::http_invalid},
      {"broken HTTP/2", {.code = CURLE_HTTP2, .phase = answer}, failure::http_invalid},
      {"HTTP/2 stream ended", {.code = CURLE_HTTP2_STREAM, .phase = answer}, failure::http_invalid},
      {"a line of 100 KiB", {.code = CURLE_OUT_OF_MEMORY, .phase = answer}, failure::http_invalid},
      {"memory", {.code = CURLE_OUT_OF_MEMORY, .phase = connect}, failure::internal},
      {"URL", {.code = CURLE_URL_MALFORMAT}, failure::target_invalid},
      {"never asked to resolve", {.code = CURLE_COULDNT_RESOLVE_HOST}, failure::internal},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(code_of(failure_of(c.end)) == code_of(c.wanted));
  }
}

TEST_CASE("each failure has a sentence, and details where libcurl or OpenSSL has some") {
  for (std::size_t i = 1; i < failure_count; ++i) CHECK_FALSE(sentence_of(static_cast<failure>(i), {}).empty());
  CHECK(sentence_of(failure::none, {}).empty());
  CHECK(sentence_of(failure::certificate_untrusted, {.verify_error = X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT}) ==
        "the certificate is not trusted: self-signed certificate");
  std::string const long_text(1000, 'x');
  CHECK(sentence_of(failure::tls_failed, {.text = long_text}).size() < 300);
  CHECK(sentence_of(failure::address_blocked, {.text = "10.0.0.1"}).find("10.0.0.1") == std::string::npos);
}
