#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

// Texts of tenants in the formats of a page. Each function removes controls and characters that reorder text.

namespace svc::pages {

/// Returns one line, escaped for HTML and XML, in an element or in a quoted attribute.
std::string escaped_line(std::string_view text);
/// Returns a body as HTML: blank lines make paragraphs, single line ends `<br>`, and http(s) addresses links.
std::string paragraphs(std::string_view body);
/// Returns a body as plain text with `\n`, at most one blank line in a row and none at its ends.
std::string plain_body(std::string_view body);
/// Returns HTML as text of an XML element. The HTML is that of `paragraphs`.
std::string escaped_markup(std::string_view html);

/// Builds a document from trusted parts and texts of tenants.
class markup {
 public:
  /// Appends trusted markup.
  markup& raw(std::string_view trusted) {
    out_ += trusted;
    return *this;
  }
  /// Appends any text as one escaped line.
  markup& text(std::string_view any) {
    out_ += escaped_line(any);
    return *this;
  }
  markup& body(std::string_view any) {
    out_ += paragraphs(any);
    return *this;
  }
  template <std::integral Number>
  markup& number(Number count) {
    out_ += std::to_string(count);
    return *this;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace svc::pages
