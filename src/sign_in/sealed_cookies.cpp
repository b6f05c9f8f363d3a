#include "svc/sign_in/sealed_cookies.hpp"

#include "svc/core/random.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::sign_in {
namespace {

constexpr std::string_view purpose = "svc cookies 1";

// A value before its encoding: version, id of the master key, expiry in Unix seconds (both authenticated), sealed
// bytes.
constexpr std::uint8_t cookie_version = 1;
constexpr std::size_t key_id_size = 8, expiry_size = 8;
constexpr std::size_t front_size = 1 + key_id_size + expiry_size;
constexpr std::uint8_t device_version = 1;

std::int64_t read_seconds(byte_view bytes) {
  std::uint64_t seconds = 0;
  for (auto const byte : bytes.first(expiry_size)) seconds = seconds << 8U | byte;
  return static_cast<std::int64_t>(seconds);
}

void write_seconds(std::int64_t seconds, byte_vector& out) {
  for (int shift = 56; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(seconds) >> static_cast<unsigned>(shift)));
}

/// Returns the data that binds sealed bytes to the front of their value and to the cookie's name.
std::string bound_data(byte_view front, std::string_view cookie) {
  return std::string(as_text(front)).append(cookie);
}

}  // namespace

std::string cookie_sealer::seal(std::string_view cookie, std::string_view content, timestamp expires) const {
  if (content.size() > longest_content) throw std::invalid_argument("the content of a cookie is too long");
  sealer const& key = keys_.current();
  byte_vector value{cookie_version};
  auto const id = from_hex(key.id()).value();
  value.insert(value.end(), id.begin(), id.end());
  write_seconds(expires.micros / 1'000'000, value);
  auto const sealed = seal_bytes(key.derived_key(purpose), content, bound_data(value, cookie));
  value.insert(value.end(), sealed.begin(), sealed.end());
  return to_base64url(value);
}

std::optional<secret_string> cookie_sealer::open(std::string_view cookie, std::string_view value,
                                                 timestamp now) const {
  if (value.size() > longest_value) return std::nullopt;
  auto const bytes = from_base64url(value);
  if (!bytes || bytes->size() < front_size || bytes->front() != cookie_version) return std::nullopt;
  auto const front = byte_view(*bytes).first(front_size);
  auto const seconds = read_seconds(front.last(expiry_size));
  if (seconds <= now.micros / 1'000'000) return std::nullopt;
  sealer const* const key = keys_.key_of(to_hex(front.subspan(1, key_id_size)));
  if (key == nullptr) return std::nullopt;
  return open_bytes(key->derived_key(purpose), byte_view(*bytes).subspan(front_size), bound_data(front, cookie));
}

device_content device_content::generate() {
  device_content made;
  random_bytes(made.id_);
  return made;
}

std::optional<device_content> device_content::read(std::string_view content) {
  auto bytes = as_bytes(content);
  constexpr std::size_t each = sizeof(id_bytes);
  if (bytes.size() < 1 + each || (bytes.size() - 1) % each != 0 || bytes.front() != device_version)
    return std::nullopt;
  bytes = bytes.subspan(1);
  if (bytes.size() / each > most_accounts + 1) return std::nullopt;
  device_content out;
  std::copy_n(bytes.begin(), each, out.id_.begin());
  for (bytes = bytes.subspan(each); !bytes.empty(); bytes = bytes.subspan(each))
    std::copy_n(bytes.begin(), each, out.accounts_.emplace_back().begin());
  return out;
}

std::string device_content::write() const {
  std::string out(1, static_cast<char>(device_version));
  out.append(as_text(id_));
  for (auto const& account : accounts_) out.append(as_text(account));
  return out;
}

namespace {

/// Half of a digest: as hard to guess as it is short.
std::array<std::uint8_t, 16> half_of(sha256_digest const& digest) {
  std::array<std::uint8_t, 16> half{};
  std::copy_n(digest.begin(), half.size(), half.begin());
  return half;
}

}  // namespace

bool device_content::knows(sha256_digest const& email) const {
  return std::ranges::find(accounts_, half_of(email)) != accounts_.end();
}

void device_content::add(sha256_digest const& email) {
  auto const account = half_of(email);
  std::erase(accounts_, account);
  accounts_.insert(accounts_.begin(), account);
  if (accounts_.size() > most_accounts) accounts_.pop_back();
}

std::string device_content::window_subject(sha256_digest const& email) const {
  std::string both(as_text(id_));
  both.append(as_text(email));
  auto const digest = sha256(both);
  return to_hex(byte_view(digest).first(16));
}

std::string attempt_subject(std::optional<device_content> const& device, sha256_digest const& email) {
  if (device && device->knows(email)) return "device:" + device->window_subject(email);
  return "account:" + to_hex(byte_view(email).first(16));
}

}  // namespace svc::sign_in
