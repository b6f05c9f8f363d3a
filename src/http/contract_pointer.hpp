#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::http {

/// A JSON pointer (RFC 6901) that grows and shrinks with a walk through a value; belongs to one walk.
class pointer_path {
 public:
  explicit pointer_path(std::string_view start = {}) : text_(start) {}

  std::string const& text() const { return text_; }
  std::size_t mark() const { return text_.size(); }
  void back_to(std::size_t mark) { text_.resize(mark); }

  void push(std::size_t index) { text_.append(1, '/').append(std::to_string(index)); }
  void push(std::string_view name) {
    text_.push_back('/');
    for (char const c : shortened(name)) {
      if (c == '~') {
        text_ += "~0";
      } else if (c == '/') {
        text_ += "~1";
      } else {
        text_.push_back(c);
      }
    }
    if (name.size() > max_name) text_ += "...";
  }

 private:
  // A client chooses member names; answers and log lines must not grow with them.
  static constexpr std::size_t max_name = 128;
  static std::string_view shortened(std::string_view name) {
    if (name.size() <= max_name) return name;
    auto cut = max_name;
    while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0U) == 0x80U) --cut;
    return name.substr(0, cut);
  }

  std::string text_;
};

/// Stops the startup with a fault of the document and its pointer.
[[noreturn]] inline void refuse_contract(pointer_path const& where, std::string_view reason) {
  throw std::runtime_error("contract: " + (where.text().empty() ? std::string("/") : where.text()) + ": " +
                           std::string(reason));
}

}  // namespace svc::http
