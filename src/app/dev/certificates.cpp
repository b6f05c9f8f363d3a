#include "app/dev/certificates.hpp"

#include "app/dev/data_directory.hpp"
#include "svc/core/random.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

namespace svc::app::dev {
namespace {

constexpr int authority_days = 3650;
constexpr int server_days = 397;  // the longest that browsers accept
constexpr int renew_days = 30;
constexpr char const* server_names = "DNS:localhost,IP:127.0.0.1,IP:::1";

struct deleter {
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
};
template <class T>
using owned = std::unique_ptr<T, deleter>;

struct identity {
  owned<X509> certificate;
  owned<EVP_PKEY> key;
};

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL could not make a certificate");
}

template <class Write>
std::string to_pem(Write write) {
  owned<BIO> const out(BIO_new(BIO_s_mem()));
  require(out != nullptr && write(out.get()) == 1);
  char* bytes = nullptr;
  auto const size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

/// Returns `std::nullopt` if a file is missing or broken, the key is not that of the certificate, or the certificate
/// expires soon.
std::optional<identity> load(std::string const& certificate_file, std::string const& key_file) {
  auto const certificate_text = read_file(certificate_file);
  auto const key_text = read_file(key_file);
  if (!certificate_text || !key_text) return std::nullopt;
  owned<BIO> const a(BIO_new_mem_buf(certificate_text->data(), static_cast<int>(certificate_text->size())));
  owned<BIO> const b(BIO_new_mem_buf(key_text->data(), static_cast<int>(key_text->size())));
  identity out{owned<X509>(PEM_read_bio_X509(a.get(), nullptr, nullptr, nullptr)),
               owned<EVP_PKEY>(PEM_read_bio_PrivateKey(b.get(), nullptr, nullptr, nullptr))};
  if (!out.certificate || !out.key || X509_check_private_key(out.certificate.get(), out.key.get()) != 1)
    return std::nullopt;
  int days = 0;
  int seconds = 0;
  bool const lasts =
      ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(out.certificate.get())) == 1 && days >= renew_days;
  if (!lasts) return std::nullopt;
  return out;
}

void extend(X509* certificate, X509* issuer, int id, char const* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  owned<X509_EXTENSION> const extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  require(extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1);
}

/// A certificate without extensions or signature, issued by `issuer` or, when that is null, by itself.
identity draft(char const* name, X509* issuer, int days) {
  identity out{owned<X509>(X509_new()), owned<EVP_PKEY>(EVP_EC_gen("P-256"))};
  auto* const c = out.certificate.get();
  require(c != nullptr && out.key != nullptr);
  std::array<std::uint8_t, 16> serial{};
  random_bytes(serial);
  serial[0] &= 0x7f;
  BIGNUM* const number = BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr);
  require(number != nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(c));
  BN_free(number);
  X509_set_version(c, X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(c), -3600);
  X509_time_adj_ex(X509_getm_notAfter(c), days, 0, nullptr);
  X509_set_pubkey(c, out.key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_UTF8,
                             reinterpret_cast<unsigned char const*>(name), -1, -1, 0);
  X509_set_issuer_name(c, X509_get_subject_name(issuer != nullptr ? issuer : c));
  return out;
}

identity make_authority() {
  auto out = draft("svcd development authority", nullptr, authority_days);
  auto* const c = out.certificate.get();
  extend(c, c, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(c, c, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(c, c, NID_subject_key_identifier, "hash");
  require(X509_sign(c, out.key.get(), EVP_sha256()) > 0);
  return out;
}

identity make_server(identity const& identity) {
  auto out = draft("svcd development server", identity.certificate.get(), server_days);
  auto* const c = out.certificate.get();
  extend(c, identity.certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  extend(c, identity.certificate.get(), NID_key_usage, "critical,digitalSignature");
  extend(c, identity.certificate.get(), NID_ext_key_usage, "serverAuth");
  extend(c, identity.certificate.get(), NID_subject_key_identifier, "hash");
  extend(c, identity.certificate.get(), NID_authority_key_identifier, "keyid:always");
  extend(c, identity.certificate.get(), NID_subject_alt_name, server_names);
  require(X509_sign(c, identity.key.get(), EVP_sha256()) > 0);
  return out;
}

/// An interrupted call may leave files that do not match, which `load` rejects.
void save(identity const& identity, std::string const& certificate_file, std::string const& key_file) {
  write_file(key_file, to_pem([&](BIO* out) {
               return PEM_write_bio_PrivateKey(out, identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
             }));
  write_file(certificate_file, to_pem([&](BIO* out) { return PEM_write_bio_X509(out, identity.certificate.get()); }),
             true);
}

}  // namespace

certificate_files ensure_certificates(std::string const& directory) {
  std::filesystem::create_directories(directory);
  certificate_files const files{directory + "/ca.pem", directory + "/ca-key.pem", directory + "/server.pem",
                                directory + "/server-key.pem"};
  auto authority = load(files.authority, files.authority_key);
  if (!authority) {
    authority = make_authority();
    save(*authority, files.authority, files.authority_key);
  }
  auto const server = load(files.certificate, files.key);
  bool const issued_by_it = server && X509_verify(server->certificate.get(), authority->key.get()) == 1;
  if (!issued_by_it) save(make_server(*authority), files.certificate, files.key);
  return files;
}

}  // namespace svc::app::dev
