#pragma once

#include "svc/core/account.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

/// The most bytes of memory that bodies being received and handled may hold.
struct body_bytes {
  std::size_t process = 256UL * 1024 * 1024;
  std::size_t worker = 128UL * 1024 * 1024;
  std::size_t user = 32UL * 1024 * 1024;  ///< over all workers
};

/// Terms of the account that the bodies of all workers share. Its owners are users. No user holds more than what is
/// left: the one that holds most is refused first, and however many share the budget, something is left for the next
/// one.
account_terms terms_of(body_bytes const& most);

/// One worker's part of the budget. Worker-local; outlives every share.
class body_budget {
 public:
  /// `worker`: the most bytes of this worker. No user holds more of the worker than what is left of that.
  body_budget(account& all, std::size_t worker) : all_(all), worker_(worker) {}
  body_budget(body_budget const&) = delete;
  body_budget& operator=(body_budget const&) = delete;

  std::size_t held() const { return held_; }
  std::uint64_t refused() const { return refused_; }

 private:
  friend class body_share;
  bool grow(uuid user, std::size_t bytes);
  void shrink(uuid user, std::size_t bytes);

  account& all_;
  std::size_t const worker_;
  std::size_t held_ = 0;
  std::uint64_t refused_ = 0;
};

/// What one body holds of its user's bytes; given back at the end. Worker-local.
class body_share {
 public:
  body_share(body_budget& budget, uuid user) : budget_(&budget), user_(user) {}
  body_share(body_share&& other) noexcept;
  body_share& operator=(body_share&&) = delete;
  ~body_share();

  /// Holds `bytes` from now on; false: not granted, nothing has changed. Less is always granted.
  bool hold(std::size_t bytes);
  std::size_t held() const { return held_; }

 private:
  body_budget* budget_;
  uuid user_;
  std::size_t held_ = 0;
};

/// A body as it was received, in pieces that were made as its bytes came: memory is taken for what has arrived, not
/// for what was announced, and bytes are never moved. Worker-local.
class body_text {
 public:
  static constexpr std::size_t piece_size = 64UL * 1024;
  static constexpr std::size_t first_size = 1024;  ///< most bodies are smaller
  /// What a connection holds while it sends a body, whatever its size: buffers and coroutines.
  static constexpr std::size_t waiting = 32UL * 1024;

  explicit body_text(body_share share) : share_(std::move(share)) {}

  /// Before the first byte; false: the budget has no room for another body.
  bool begin() { return share_.hold(waiting); }
  /// False: the budget does not allow so many.
  bool append(std::string_view bytes);
  /// The body is complete.
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

  /// The share outlives the text, because the value made from it is no smaller.
  body_share take_share() { return std::move(share_); }

 private:
  struct piece {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity;
    std::size_t size = 0;
    std::string_view text() const { return {bytes.get(), size}; }
  };
  /// Adds a piece for at least some of the `wanted` bytes; false: the budget does not allow it.
  bool add_piece(std::size_t wanted);

  body_share share_;
  std::vector<piece> pieces_{};
  std::size_t first_ = 0;  ///< the first piece that is left
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace svc::http
