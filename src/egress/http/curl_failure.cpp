#include "egress/http/curl_failure.hpp"

#include <openssl/x509_vfy.h>

#include <cerrno>
#include <string>

namespace svc::egress {

namespace {

constexpr std::size_t longest_detail = 200;

failure failure_of_certificate(int verify_error) {
  switch (verify_error) {
    case X509_V_OK:
      return failure::certificate_wrong_host;
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return failure::certificate_expired;
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return failure::certificate_not_yet_valid;
    case X509_V_ERR_CERT_REVOKED:
      return failure::certificate_revoked;
    default:
      return failure::certificate_untrusted;
  }
}

/// A connection that ended while bytes were sent or awaited.
failure failure_of_stream(curl_end const& end) {
  if (end.phase == http_phase::connect) return failure_of_errno(end.os_error, failure::connect_reset);
  // 7.88 says so of malformed chunks, without an errno.
  if (end.text.find("chunk") != std::string_view::npos) return failure::http_invalid;
  return end.phase == http_phase::handshake && end.os_error == 0 ? failure::tls_failed : failure::connect_reset;
}

bool says_reset(std::string_view text) {
  return text.find("reset by peer") != std::string_view::npos || text.find("Broken pipe") != std::string_view::npos;
}

}  // namespace

failure timeout_in(http_phase phase) {
  switch (phase) {
    case http_phase::connect:
      return failure::connect_timeout;
    case http_phase::handshake:
      return failure::tls_timeout;
    case http_phase::first_byte:
      return failure::first_byte_timeout;
    case http_phase::answer:
      return failure::body_timeout;
  }
  return failure::internal;
}

failure failure_of(curl_end const& end) {
  // 7.88 takes a head that the end of the connection cuts.
  if (end.code == CURLE_OK) return end.head_complete ? failure::none : failure::connect_reset;
  if (end.blocked) return failure::address_blocked;
  if (end.head_too_large) return failure::http_invalid;
  switch (end.code) {
    case CURLE_WRITE_ERROR:
      return end.truncated ? failure::none : failure::http_invalid;
    case CURLE_COULDNT_CONNECT:
      return failure_of_errno(end.os_error, failure::connect_unreachable);
    case CURLE_OPERATION_TIMEDOUT:
      return timeout_in(end.phase);
    case CURLE_PEER_FAILED_VERIFICATION:
      return failure_of_certificate(end.verify_error);
    case CURLE_SSL_INVALIDCERTSTATUS:
      return failure::certificate_revoked;
    case CURLE_SSL_CONNECT_ERROR:
      // Our reader of staples ended the handshake.
      if (end.verify_error == X509_V_ERR_CERT_REVOKED) return failure::certificate_revoked;
      return end.os_error == ECONNRESET || says_reset(end.text) ? failure::connect_reset : failure::tls_failed;
    case CURLE_SSL_CERTPROBLEM:
      return failure::target_invalid;
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_SHUTDOWN_FAILED:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_ENGINE_INITFAILED:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
      return failure::tls_failed;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return failure_of_stream(end);
    case CURLE_GOT_NOTHING:
      return failure::connect_reset;
    case CURLE_PARTIAL_FILE:
      return failure::body_incomplete;
    // "Received HTTP/0.9 when not allowed" is the former.
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_FILESIZE_EXCEEDED:
      return failure::http_invalid;
    case CURLE_OUT_OF_MEMORY:
      // Also said of a single header line of 100 KiB.
      return end.phase == http_phase::answer ? failure::http_invalid : failure::internal;
    case CURLE_URL_MALFORMAT:
      return failure::target_invalid;
    default:
      return failure::internal;
  }
}

namespace {

std::string with_detail(std::string sentence, std::string_view detail) {
  if (detail.empty()) return sentence;
  return sentence.append(": ").append(detail.substr(0, longest_detail));
}

/// Our own reason is the better one.
std::string_view reason_of(curl_end const& end) {
  return end.fault.empty() ? end.text : end.fault;
}

std::string_view verify_text(curl_end const& end) {
  if (end.verify_error == X509_V_ERR_APPLICATION_VERIFICATION) return "a key in its chain is too large";
  return end.verify_error == X509_V_OK ? std::string_view() : X509_verify_cert_error_string(end.verify_error);
}

}  // namespace

std::string sentence_of(failure failure, curl_end const& end) {
  switch (failure) {
    case failure::none:
      return {};
    case failure::dns_not_found:
      return "DNS knows no address of this name";
    case failure::dns_failed:
      return "the DNS servers fail for this name, though they answer others";
    case failure::dns_timeout:
      return "the DNS servers are silent about this name, though they answer others";
    case failure::connect_refused:
      return "the connection was refused";
    case failure::connect_reset:
      return "the connection was closed before the whole answer had come";
    case failure::connect_unreachable:
      return "there is no way to the address";
    case failure::tls_failed:
      return with_detail("TLS could not be established", reason_of(end));
    case failure::certificate_expired:
      return with_detail("the certificate has expired", verify_text(end));
    case failure::certificate_not_yet_valid:
      return with_detail("the certificate is not valid yet", verify_text(end));
    case failure::certificate_untrusted:
      return with_detail("the certificate is not trusted", verify_text(end));
    case failure::certificate_wrong_host:
      return "the certificate is for other names";
    case failure::certificate_revoked:
      return "the certificate is revoked";
    case failure::http_invalid:
      return end.head_too_large ? "the head of the answer is larger than 256 KiB"
                                : with_detail("the answer is not valid HTTP", reason_of(end));
    case failure::body_incomplete:
      return "the body is shorter than announced";
    case failure::redirect_limit:
      return "there were more redirects than allowed";
    case failure::redirect_refused:
      return "a redirect leads to an address that is not followed";
    case failure::connect_timeout:
      return "there was no connection in time";
    case failure::tls_timeout:
      return "TLS was not established in time";
    case failure::first_byte_timeout:
      return "there was no answer in time";
    case failure::body_timeout:
      return "the answer was not complete in time";
    case failure::address_blocked:
      return "the address is not open to checks and messages; the operator can open it (outgoing_allow_cidrs)";
    case failure::target_invalid:
      return with_detail("the request cannot be sent as it is configured", end.fault);
    case failure::resolver_unreachable:
      return "the DNS servers of this location do not answer";
    case failure::cancelled:
      return "the attempt was cancelled";
    case failure::internal:
      return with_detail("an error of the service itself", end.text);
  }
  return {};
}

}  // namespace svc::egress
