#pragma once

#include "svc/http/framing_guard.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::net {

/// The received bytes: `[pinned head][unread bytes][room]`. The head stays where it is while its request is served,
/// since the request's views point into it. Only `next_message` moves bytes.
class input_buffer {
 public:
  /// After the largest head there is still room to read a body in useful pieces.
  static constexpr std::size_t capacity = http::framing_guard::max_head + 4096;

  std::string_view unread() const { return {bytes_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t n) { begin_ += n; }
  /// Pins the bytes consumed since the last `next_message` as the head, which is kept until the next call of it.
  void pin() { pinned_ = begin_; }

  /// Returns the space to read into. It is never empty while the unread part is empty or smaller than a head.
  std::span<char> room() {
    if (begin_ == end_) begin_ = end_ = pinned_;
    return {bytes_.data() + end_, capacity - end_};
  }
  void commit(std::size_t n) { end_ += n; }
  std::span<char> scratch() { return bytes_; }

  /// Drops the head; all views become invalid.
  void next_message() {
    if (begin_ != 0) std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = pinned_ = 0;
  }
  void clear() { begin_ = end_ = pinned_ = 0; }

 private:
  std::size_t begin_ = 0, end_ = 0, pinned_ = 0;
  std::array<char, capacity> bytes_;
};

/// Buffers that a session needs only while it is busy; an idle session has none. Worker-local.
struct request_buffers {
  input_buffer input;
  std::string output;
  http::framing_guard guard;
  http::request request;
};

/// Buffers that wait for their next session. Worker-local; keeps a bounded number.
class request_buffer_pool {
 public:
  std::unique_ptr<request_buffers> take() {
    if (free_.empty()) return std::unique_ptr<request_buffers>(new request_buffers);  // not value-initialised: 20 KiB
    auto taken = std::move(free_.back());
    free_.pop_back();
    return taken;
  }

  void give_back(std::unique_ptr<request_buffers> used) {
    if (!used || free_.size() >= kept) return;
    used->input.clear();
    used->output.clear();
    if (used->output.capacity() > largest_output) used->output.shrink_to_fit();
    used->request.fields.clear();
    free_.push_back(std::move(used));
  }

 private:
  static constexpr std::size_t kept = 64;
  static constexpr std::size_t largest_output = 64UL * 1024;

  std::vector<std::unique_ptr<request_buffers>> free_;
};

}  // namespace svc::net
