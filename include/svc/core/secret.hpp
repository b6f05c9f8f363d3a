#pragma once

#include <openssl/crypto.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Containers of secrets whose memory is wiped before it is freed: no bytes remain when one is released, grown
// or moved from. Not covered are secrets on their way: bodies of requests and answers, copies in libpq,
// OpenSSL, Boost.JSON and Boost.Beast, and the environment that a runner hands to a script. Nor are the
// kernel's buffers and swapped pages.

namespace svc {

inline void wipe(void* data, std::size_t size) {
  if (size > 0) OPENSSL_cleanse(data, size);
}
/// Also wipes the bytes that a short string stores inside itself. Leaves it empty.
inline void wipe(std::string& text) {
  // Wipes up to the capacity, because the string may have held a longer text.
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
  /// Copies the secret from `text` and wipes `text`.
  explicit secret_string(std::string&& text) : text_(text.begin(), text.end()) { wipe(text); }
  /// Copies.
  explicit secret_string(std::string_view text) : text_(text.begin(), text.end()) {}
  explicit secret_string(char const* text) : secret_string(std::string_view(text)) {}
  /// Holds `size` zero bytes, for a writer that knows the largest size.
  explicit secret_string(std::size_t size) : text_(size) {}

  /// Each call lets the secret leave its container, so keep calls few.
  std::string_view reveal() const { return {text_.data(), text_.size()}; }
  char* data() { return text_.data(); }
  /// Never call it with more than the present size.
  void shorten(std::size_t size) { text_.resize(size); }
  bool empty() const { return text_.empty(); }

 private:
  // A vector, because a short std::string is stored inside the object and is copied by a move.
  std::vector<char, wiping_allocator<char>> text_{};
};

}  // namespace svc
