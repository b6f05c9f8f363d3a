#include "svc/net/tls_context.hpp"

#include "net/unique_fd.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/file_problem.hpp"

#include <fcntl.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>

namespace svc::net {
namespace {

constexpr std::size_t key_size = 80;
/// Rotations leave two or three keys; many more mean that nobody removes old ones.
constexpr std::size_t most_keys = 16;
/// Room for line ends and empty lines.
constexpr std::size_t most_bytes = most_keys * (2 * key_size + 16);

/// Bytes of keys, wiped by the destructor.
template <class Bytes>
struct wiped {
  Bytes bytes{};
  ~wiped() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
};

std::optional<ticket_key> key_of(std::string_view line) {
  wiped<byte_vector> const all{from_hex(line, true).value_or(byte_vector())};
  if (all.bytes.size() != key_size) return std::nullopt;
  ticket_key key;
  auto source = all.bytes.begin();
  for (auto const part :
       {std::span<unsigned char>(key.name), std::span<unsigned char>(key.aes), std::span<unsigned char>(key.hmac)}) {
    std::copy_n(source, part.size(), part.begin());
    source += static_cast<std::ptrdiff_t>(part.size());
  }
  return key;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

[[noreturn]] void refuse(std::string const& path, std::string const& reason) {
  throw std::runtime_error(path + " " + reason);
}

/// Checks the open file, so that nobody can replace it between the check and the reading.
void check_owner(int descriptor, std::string const& path) {
  struct stat found{};
  if (::fstat(descriptor, &found) != 0 || !S_ISREG(found.st_mode)) refuse(path, "is not a regular file");
  if (found.st_uid != 0 && found.st_uid != ::geteuid()) refuse(path, "must belong to this user or to root");
  mode_t const forbidden = found.st_uid == 0 ? 0037 : 0077;
  if ((found.st_mode & forbidden) != 0) refuse(path, "must be readable by its owner only (chmod 600)");
}

// The return values of OpenSSL's callback.
constexpr int failed = -1, unknown = 0, good = 1, good_and_renewed = 2;

/// Returns the index of the keys in a context's ex_data; freeing the context frees the keys.
int keys_index() {
  static int const position = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr,
      [](void*, void* keys, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<shared_ticket_keys*>(keys); });
  return position;
}

ticket_keys const& keys_of(SSL* ssl) {
  return **static_cast<shared_ticket_keys*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), keys_index()));
}

bool authenticate(EVP_MAC_CTX* mac, ticket_key const& key) {
  char digest[] = "SHA256";
  // OpenSSL only reads these values.
  OSSL_PARAM const settings[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, const_cast<unsigned char*>(key.hmac.data()),
                                        key.hmac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, settings) == 1;
}

int seal(ticket_key const& key, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  std::copy(key.name.begin(), key.name.end(), name);
  auto const* const aes = EVP_aes_256_cbc();
  if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(aes)) != 1) return failed;
  bool const ready = EVP_EncryptInit_ex(cipher, aes, nullptr, key.aes.data(), iv) == 1 && authenticate(mac, key);
  return ready ? good : failed;
}

/// Opens a ticket. `once` means that the ticket must not be used again, so the client gets another one.
int open(ticket_keys const& keys, bool once, unsigned char const* name, unsigned char const* iv,
         EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac) {
  auto const key = std::ranges::find_if(
      keys, [name](ticket_key const& k) { return std::equal(k.name.begin(), k.name.end(), name); });
  if (key == keys.end()) return unknown;
  bool const ready =
      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->aes.data(), iv) == 1 && authenticate(mac, *key);
  if (!ready) return failed;
  return key == keys.begin() && !once ? good : good_and_renewed;
}

int on_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac,
              int sealing) {
  auto const& keys = keys_of(ssl);
  if (sealing == 1) return seal(keys.front(), name, iv, cipher, mac);
  // A ticket that is used twice lets an observer recognize the client (RFC 8446 C.4). TLS 1.2 sends tickets in the
  // clear anyway, and intends them to be reused (RFC 5077 3.3).
  return open(keys, SSL_version(ssl) >= TLS1_3_VERSION, name, iv, cipher, mac);
}

}  // namespace

ticket_key::~ticket_key() {
  for (auto const part :
       {std::span<unsigned char>(name), std::span<unsigned char>(aes), std::span<unsigned char>(hmac)})
    OPENSSL_cleanse(part.data(), part.size());
}

std::optional<ticket_keys> parse_ticket_keys(std::string_view text) {
  ticket_keys keys;
  keys.reserve(most_keys);
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto key = key_of(line);
    if (!key || keys.size() == most_keys) return std::nullopt;
    // If two keys had the same name, the second could never open its tickets.
    if (std::ranges::find(keys, key->name, &ticket_key::name) != keys.end()) return std::nullopt;
    keys.push_back(*key);
  }
  if (keys.empty()) return std::nullopt;
  return keys;
}

shared_ticket_keys load_ticket_keys(std::string const& path) {
  // O_NONBLOCK: a named pipe at this path must not block the service.
  unique_fd const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) refuse(path, file_problem(path).value_or("cannot be opened"));
  check_owner(file.get(), path);
  wiped<std::string> text{std::string(most_bytes + 1, '\0')};
  std::size_t size = 0;
  ssize_t got = 0;
  while (size < text.bytes.size() &&
         (got = ::read(file.get(), text.bytes.data() + size, text.bytes.size() - size)) > 0)
    size += static_cast<std::size_t>(got);
  if (got < 0) refuse(path, "cannot be read");
  auto keys = size > most_bytes ? std::nullopt : parse_ticket_keys(std::string_view(text.bytes).substr(0, size));
  if (!keys)
    refuse(path, "must hold lines of 160 hexadecimal characters (openssl rand -hex 80), at most 16, all different");
  return std::make_shared<ticket_keys const>(*std::move(keys));
}

shared_ticket_keys random_ticket_keys() {
  auto made = std::make_shared<ticket_keys>(1);
  auto& key = made->front();
  for (auto const part :
       {std::span<unsigned char>(key.name), std::span<unsigned char>(key.aes), std::span<unsigned char>(key.hmac)}) {
    if (RAND_priv_bytes(part.data(), static_cast<int>(part.size())) != 1)
      throw std::runtime_error("no random bytes for TLS session tickets");
  }
  return made;
}

void use_ticket_keys(SSL_CTX* context, shared_ticket_keys keys) {
  auto held = std::make_unique<shared_ticket_keys>(std::move(keys));
  if (SSL_CTX_set_ex_data(context, keys_index(), held.get()) != 1) throw std::runtime_error("TLS session tickets");
  static_cast<void>(held.release());  // the context owns the keys now
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, on_ticket);
}

}  // namespace svc::net
