#include "egress/http/certificate.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/file_problem.hpp"

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <new>
#include <span>
#include <stdexcept>

namespace svc::egress {

namespace {

constexpr std::size_t longest_subject = 512;

struct free_bio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using bio_ptr = std::unique_ptr<BIO, free_bio>;
struct free_store_context {
  void operator()(X509_STORE_CTX* context) const { X509_STORE_CTX_free(context); }
};

X509_STORE* new_store() {
  auto* const store = X509_STORE_new();
  if (store == nullptr) throw std::bad_alloc();
  // As libcurl does: whatever is in the store is trusted, an intermediate certificate too.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return store;
}

std::string text_of(X509_NAME const* name) {
  bio_ptr const bio(BIO_new(BIO_s_mem()));
  if (!bio || X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) < 0) return {};
  char* bytes = nullptr;
  auto const size = static_cast<std::size_t>(BIO_get_mem_data(bio.get(), &bytes));
  return {bytes, std::min(size, longest_subject)};
}

timestamp time_of(ASN1_TIME const* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return {};
  return {static_cast<std::int64_t>(timegm(&parts)) * 1'000'000};
}

/// X509_V_OK or why not.
int verify_against(X509_STORE* store, X509_STORE_CTX* context) {
  std::unique_ptr<X509_STORE_CTX, free_store_context> const mine(X509_STORE_CTX_new());
  if (!mine || X509_STORE_CTX_init(mine.get(), store, X509_STORE_CTX_get0_cert(context),
                                   X509_STORE_CTX_get0_untrusted(context)) != 1)
    return X509_V_ERR_OUT_OF_MEM;
  X509_STORE_CTX_set_default(mine.get(), "ssl_server");
  X509_STORE_CTX_set_depth(mine.get(), most_intermediates);
  if (X509_verify_cert(mine.get()) == 1) return X509_V_OK;
  int const error = X509_STORE_CTX_get_error(mine.get());
  return error == X509_V_OK ? X509_V_ERR_UNSPECIFIED : error;
}

struct free_ocsp {
  void operator()(OCSP_RESPONSE* response) const { OCSP_RESPONSE_free(response); }
  void operator()(OCSP_BASICRESP* basicresp) const { OCSP_BASICRESP_free(basicresp); }
};

/// Whether an OCSP answer calls this certificate revoked. Its signature does not matter: it comes from the verified
/// server itself, which gains nothing by calling its own certificate revoked.
bool says_revoked(std::span<unsigned char const> answer, X509* certificate) {
  auto const* cursor = answer.data();
  std::unique_ptr<OCSP_RESPONSE, free_ocsp> const whole(
      d2i_OCSP_RESPONSE(nullptr, &cursor, static_cast<long>(answer.size())));
  std::unique_ptr<OCSP_BASICRESP, free_ocsp> const basic(whole ? OCSP_response_get1_basic(whole.get()) : nullptr);
  ERR_clear_error();
  if (!basic || certificate == nullptr) return false;
  for (int i = 0; i < OCSP_resp_count(basic.get()); ++i) {
    auto* const single = OCSP_resp_get0(basic.get(), i);
    ASN1_INTEGER* serial = nullptr;
    // OpenSSL takes the id as mutable and does not change it.
    OCSP_id_get0_info(nullptr, nullptr, nullptr, &serial, const_cast<OCSP_CERTID*>(OCSP_SINGLERESP_get0_id(single)));
    bool const same = ASN1_INTEGER_cmp(serial, X509_get0_serialNumber(certificate)) == 0;
    int const status = OCSP_single_get0_status(single, nullptr, nullptr, nullptr, nullptr);
    if (same && status == V_OCSP_CERTSTATUS_REVOKED) return true;
  }
  return false;
}

}  // namespace

trust_store::trust_store(std::initializer_list<std::string> files) : store_(new_store()) {
  for (auto const& file : files) {
    if (file.empty() || X509_STORE_load_file(store_, file.c_str()) == 1) continue;
    ERR_clear_error();
    X509_STORE_free(store_);
    throw std::runtime_error(file + " " +
                             file_problem(file).value_or("must be a PEM file with certificates of authorities"));
  }
  ERR_clear_error();
}

trust_store::~trust_store() {
  X509_STORE_free(store_);
}

checks::certificate facts_of(X509* certificate) {
  checks::certificate out;
  out.issuer = text_of(X509_get_issuer_name(certificate));
  out.subject = text_of(X509_get_subject_name(certificate));
  out.valid_from = time_of(X509_get0_notBefore(certificate));
  out.valid_to = time_of(X509_get0_notAfter(certificate));
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) == 1)
    out.fingerprint = to_hex(std::span(digest).first(size));
  return out;
}

certificate_check::certificate_check(std::shared_ptr<trust_store const> base, std::string const& more, bool verify)
    : base_(std::move(base)), verify_(verify) {
  if (more.empty()) return;
  more_ = new_store();
  bio_ptr const bio(BIO_new_mem_buf(more.data(), static_cast<int>(more.size())));
  std::size_t count = 0;
  while (X509* const certificate = bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr) {
    count += X509_STORE_add_cert(more_, certificate) == 1 ? 1 : 0;
    X509_free(certificate);
  }
  ERR_clear_error();
  usable_ = count > 0;
}

certificate_check::~certificate_check() {
  X509_STORE_free(more_);
}

bool certificate_check::attach(SSL_CTX* context) {
  SSL_CTX_set_cert_verify_callback(context, &certificate_check::verify, this);
  SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
  SSL_CTX_set_tlsext_status_cb(context, &certificate_check::take_staple);
  SSL_CTX_set_tlsext_status_arg(context, this);
  return limits_.attach(context);
}

int certificate_check::verify(X509_STORE_CTX* context, void* check) {
  return static_cast<certificate_check*>(check)->run(context);
}

/// Called after the chain was verified; zero ends the handshake. Only `revoked` counts, and nothing else that may be
/// wrong with a staple: servers staple old and foreign answers, and browsers go on.
int certificate_check::take_staple(SSL* connection, void* check) {
  auto& subject = *static_cast<certificate_check*>(check);
  unsigned char const* bytes = nullptr;
  long const size = SSL_get_tlsext_status_ocsp_resp(connection, &bytes);
  if (!subject.verify_ || size <= 0 ||
      !says_revoked({bytes, static_cast<std::size_t>(size)}, SSL_get0_peer_certificate(connection)))
    return 1;
  subject.error_ = X509_V_ERR_CERT_REVOKED;
  return 0;
}

int certificate_check::run(X509_STORE_CTX* context) {
  if (X509* const leaf = X509_STORE_CTX_get0_cert(context)) facts_ = facts_of(leaf);
  bool const too_large = has_large_key(context);
  error_ = too_large ? X509_V_ERR_APPLICATION_VERIFICATION : verify_against(base_->get(), context);
  if (error_ != X509_V_OK && more_ != nullptr && !too_large) {
    if (int const other = verify_against(more_, context); other == X509_V_OK) error_ = other;
  }
  X509_STORE_CTX_set_error(context, error_);
  // Without verification libcurl does not look at the outcome.
  return error_ == X509_V_OK || !verify_ ? 1 : 0;
}

}  // namespace svc::egress
