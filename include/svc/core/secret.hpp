#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace svc {

/// Text that must reach no log, metric or error: no stream operator, no formatter, wiped when it dies.
class secret_string {
 public:
  secret_string() = default;
  explicit secret_string(std::string text) : text_(std::move(text)) {}
  secret_string(secret_string const&) = default;
  secret_string& operator=(secret_string const&) = default;
  secret_string(secret_string&&) noexcept = default;
  secret_string& operator=(secret_string&&) noexcept = default;
  ~secret_string();

  /// Each call is a place where the secret leaves its box; keep them few.
  std::string_view reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  std::string text_;
};

}  // namespace svc
