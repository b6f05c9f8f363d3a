#include "support/throwaway_ca.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <memory>
#include <stdexcept>

namespace svc::test {
namespace {

template <class T, void (*Free)(T*)>
struct closer {
  void operator()(T* p) const { Free(p); }
};
using key_ptr = std::unique_ptr<EVP_PKEY, closer<EVP_PKEY, EVP_PKEY_free>>;
using certificate_ptr = std::unique_ptr<X509, closer<X509, X509_free>>;

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL could not make a certificate");
}

template <class Write>
std::string pem(Write write) {
  BIO* const bio = BIO_new(BIO_s_mem());
  bool const good = write(bio) == 1;
  char* bytes = nullptr;
  auto const size = BIO_get_mem_data(bio, &bytes);
  std::string text(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  require(good);
  return text;
}

std::string pem_of(X509* c) {
  return pem([c](BIO* bio) { return PEM_write_bio_X509(bio, c); });
}

std::string pem_of(EVP_PKEY* key) {
  return pem([key](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

void extend(X509* certificate, int id, std::string const& value) {
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, value.c_str());
  require(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

certificate_ptr draft(std::string const& name, EVP_PKEY* key, X509_NAME* issuer, long serial) {
  certificate_ptr c(X509_new());
  require(c != nullptr);
  X509_set_version(c.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(c.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(c.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(c.get()), 86400);
  X509_set_pubkey(c.get(), key);
  auto const* const text = reinterpret_cast<unsigned char const*>(name.c_str());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(c.get()), "CN", MBSTRING_UTF8, text, -1, -1, 0);
  X509_set_issuer_name(c.get(), issuer != nullptr ? issuer : X509_get_subject_name(c.get()));
  return c;
}

}  // namespace

throwaway_ca make_throwaway_ca(std::string const& names, std::chrono::seconds ends_in,
                               std::chrono::seconds begins_in) {
  key_ptr const authority_key(EVP_EC_gen("P-256"));
  key_ptr const key(EVP_EC_gen("P-256"));
  require(authority_key && key);
  // Each has a unique name: of two authorities with one name, OpenSSL tries only the first.
  static std::atomic<int> made = 0;
  auto const authority = draft("throw-away CA " + std::to_string(++made), authority_key.get(), nullptr, 1);
  extend(authority.get(), NID_basic_constraints, "critical,CA:TRUE");
  extend(authority.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  require(X509_sign(authority.get(), authority_key.get(), EVP_sha256()) > 0);
  auto const server = draft("server", key.get(), X509_get_subject_name(authority.get()), 2);
  X509_gmtime_adj(X509_getm_notBefore(server.get()), static_cast<long>(begins_in.count()));
  X509_gmtime_adj(X509_getm_notAfter(server.get()), static_cast<long>(ends_in.count()));
  extend(server.get(), NID_subject_alt_name, names);
  require(X509_sign(server.get(), authority_key.get(), EVP_sha256()) > 0);
  return {pem_of(authority.get()), pem_of(server.get()), pem_of(key.get())};
}

throwaway_ca make_self_signed(std::string const& names) {
  key_ptr const key(EVP_EC_gen("P-256"));
  require(key != nullptr);
  auto const server = draft("self-signed", key.get(), nullptr, 3);
  extend(server.get(), NID_subject_alt_name, names);
  require(X509_sign(server.get(), key.get(), EVP_sha256()) > 0);
  return {pem_of(server.get()), pem_of(server.get()), pem_of(key.get())};
}

}  // namespace svc::test
