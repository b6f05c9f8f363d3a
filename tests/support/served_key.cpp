// Preloaded into Debian 12's OpenSMTPD, so that its TLS works: its processes that speak with clients have a key only
// in name, by which they ask another process to sign. That name lies in a copy of the key, which OpenSSL 3 drops
// ("missing private key", OpenSMTPD's issues 1171 and 1239). They are given the key of TEST_SERVED_KEY
// instead.
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

EVP_PKEY* read_key() {
  char const* const name = std::getenv("TEST_SERVED_KEY");
  std::FILE* const file = name == nullptr ? nullptr : std::fopen(name, "r");
  if (file == nullptr) return nullptr;
  auto* const key = PEM_read_PrivateKey(file, nullptr, nullptr, nullptr);
  std::fclose(file);
  return key;
}

/// Before the process gives up its rights and its view of the files.
EVP_PKEY* const served_key = read_key();

}  // namespace

extern "C" int SSL_CTX_use_PrivateKey(SSL_CTX* context, EVP_PKEY* key) {
  using use = int (*)(SSL_CTX*, EVP_PKEY*);
  auto const next = reinterpret_cast<use>(::dlsym(RTLD_NEXT, "SSL_CTX_use_PrivateKey"));
  return next(context, served_key != nullptr ? served_key : key);
}
