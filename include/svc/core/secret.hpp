#pragma once

#include <openssl/crypto.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Containers of secrets whose memory is wiped before it is freed: one that is released, grown or moved from leaves
// nothing behind. Not covered: secrets on their way (request and answer bodies; what libpq, OpenSSL, Boost.JSON and
// Boost.Beast keep of them; in a runner, the environment that is handed to a script), the kernel's buffers, and
// swapped pages.

namespace svc {

inline void wipe(void* data, std::size_t size) {
  if (size > 0) OPENSSL_cleanse(data, size);
}
/// Wipes also what a short string stores inside itself. Leaves it empty.
inline void wipe(std::string& text) {
  // Up to its capacity, where longer texts may have stood.
  text.resize(text.capacity());
  wipe(text.data(), text.size());
  text.clear();
}

/// Wipes memory before it frees it.
template <class T>
class wiping_allocator {
 public:
  using value_type = T;

  wiping_allocator() = default;
  template <class Other>
  explicit(false) wiping_allocator(wiping_allocator<Other> const& /*other*/) {}

  T* allocate(std::size_t count) { return std::allocator<T>{}.allocate(count); }
  void deallocate(T* data, std::size_t count) {
    wipe(data, count * sizeof(T));
    std::allocator<T>{}.deallocate(data, count);
  }
  friend bool operator==(wiping_allocator const& /*a*/, wiping_allocator const& /*b*/) { return true; }
};

/// Keys.
using secret_bytes = std::vector<std::uint8_t, wiping_allocator<std::uint8_t>>;

/// Text that must reach no log, metric or error: no stream operator, no formatter.
class secret_string {
 public:
  secret_string() = default;
  /// Takes the secret out of `text`, and wipes that.
  explicit secret_string(std::string&& text) : text_(text.begin(), text.end()) { wipe(text); }
  /// Copies.
  explicit secret_string(std::string_view text) : text_(text.begin(), text.end()) {}
  explicit secret_string(char const* text) : secret_string(std::string_view(text)) {}
  /// `size` zero bytes, for a writer that knows how much will come.
  explicit secret_string(std::size_t size) : text_(size) {}

  /// Each call is a place where the secret leaves its container; keep them few.
  std::string_view reveal() const { return {text_.data(), text_.size()}; }
  char* data() { return text_.data(); }
  /// Never grows beyond what was made.
  void shorten(std::size_t size) { text_.resize(size); }
  bool empty() const { return text_.empty(); }

 private:
  // A vector, because a short std::string is stored inside the object and is copied by a move.
  std::vector<char, wiping_allocator<char>> text_{};
};

}  // namespace svc
