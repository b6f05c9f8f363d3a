#pragma once

#include "svc/http/body_budget.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

/// A body as it was received, in pieces that were made as its bytes came: memory is taken for what has arrived, not
/// for what was announced, and never moved. Worker-local.
class body_text {
 public:
  static constexpr std::size_t piece_size = 64UL * 1024;
  static constexpr std::size_t first_size = 1024;  ///< most bodies are smaller
  /// What a connection holds for as long as it sends a body, whatever that is: its desk, its coroutines.
  static constexpr std::size_t waiting = 32UL * 1024;

  explicit body_text(body_share share) : share_(std::move(share)) {}

  /// Before the first byte; false: the budget has no room for another body.
  bool begin() { return share_.hold(waiting); }
  /// False: the budget does not allow so many.
  bool append(std::string_view bytes);
  /// All has come.
  void finish() { share_.hold(capacity_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Bytes of memory.
  std::size_t capacity() const { return capacity_; }

  /// The bytes in their order, piece by piece; each lives until `drop`.
  std::size_t pieces() const { return pieces_.size() - first_; }
  std::string_view front() const { return pieces() == 0 ? std::string_view() : pieces_[first_].text(); }
  void drop() { pieces_[first_++].bytes.reset(); }
  /// All that is left.
  std::string joined() const;

  /// What is held outlives the text, because what is made of it is no smaller.
  body_share take_share() { return std::move(share_); }

 private:
  struct piece {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity;
    std::size_t size = 0;
    std::string_view text() const { return {bytes.get(), size}; }
  };
  /// One more piece, for at least some of so many bytes.
  bool add_piece(std::size_t wanted);

  body_share share_;
  std::vector<piece> pieces_{};
  std::size_t first_ = 0;  ///< that is left
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace svc::http
