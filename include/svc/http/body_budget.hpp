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

/// Limits of the memory for bodies that are received or handled.
struct body_bytes {
  std::size_t process = 256UL * 1024 * 1024;
  std::size_t worker = 128UL * 1024 * 1024;
  std::size_t user = 32UL * 1024 * 1024;  ///< summed over all workers
};

/// Returns the terms of the account that the bodies of all workers share; its owners are users. No user may hold more
/// than what remains free. The largest holder is therefore refused first, and some memory always remains for the next
/// user.
account_terms terms_of(body_bytes const& most);

/// One worker's part of the budget. Worker-local; outlives every share.
class body_budget {
 public:
  /// `worker` is the limit of this worker in bytes. No user may hold more of it than what remains free.
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

/// The bytes that one body holds of its user's budget; the destructor releases them. Worker-local.
class body_share {
 public:
  body_share(body_budget& budget, uuid user) : budget_(&budget), user_(user) {}
  body_share(body_share&& other) noexcept;
  body_share& operator=(body_share&&) = delete;
  ~body_share();

  /// Changes the number of held bytes to `bytes`. Returns false, and changes nothing, if the budget refuses. A
  /// smaller number is always granted.
  bool hold(std::size_t bytes);
  std::size_t held() const { return held_; }

 private:
  body_budget* budget_;
  uuid user_;
  std::size_t held_ = 0;
};

/// A received body, stored in pieces that are allocated as its bytes arrive. Memory is taken for received bytes, not
/// for the announced size, and bytes are never moved. Worker-local.
class body_text {
 public:
  static constexpr std::size_t piece_size = 64UL * 1024;
  static constexpr std::size_t first_size = 1024;  ///< most bodies are smaller
  /// Memory of a connection while it sends a body of any size: buffers and coroutines.
  static constexpr std::size_t waiting = 32UL * 1024;

  explicit body_text(body_share share) : share_(std::move(share)) {}

  /// Call it before the first byte. Returns false if the budget has no room for another body.
  bool begin() { return share_.hold(waiting); }
  /// Returns false if the budget does not allow that many bytes.
  bool append(std::string_view bytes);
  /// Marks the body as complete.
  void finish() { share_.hold(capacity_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Returns the bytes of allocated memory.
  std::size_t capacity() const { return capacity_; }

  /// These functions give the bytes in order, piece by piece; each piece lives until `drop`.
  std::size_t pieces() const { return pieces_.size() - first_; }
  std::string_view front() const { return pieces() == 0 ? std::string_view() : pieces_[first_].text(); }
  void drop() { pieces_[first_++].bytes.reset(); }
  /// Returns all remaining bytes.
  std::string joined() const;

  /// Moves the share out. The share outlives the text, because the value made from the text is no smaller.
  body_share take_share() { return std::move(share_); }

 private:
  struct piece {
    std::unique_ptr<char[]> bytes;
    std::size_t capacity;
    std::size_t size = 0;
    std::string_view text() const { return {bytes.get(), size}; }
  };
  /// Adds a piece for at least some of the `wanted` bytes. Returns false if the budget does not allow it.
  bool add_piece(std::size_t wanted);

  body_share share_;
  std::vector<piece> pieces_{};
  std::size_t first_ = 0;  ///< index of the first remaining piece
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace svc::http
