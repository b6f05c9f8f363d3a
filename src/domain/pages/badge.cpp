#include "domain/pages/frame.hpp"
#include "svc/core/harmless_text.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>

namespace svc::pages {
namespace {

constexpr std::size_t longest_label = 40;
constexpr std::size_t padding = 7;

/// Colours with a contrast of 4.5:1 to white text.
std::string_view colour_of(component_status status) {
  constexpr std::array<std::string_view, component_status_count> colours{"#036e43", "#51565c", "#7641a7",
                                                                         "#7c5500", "#984a1a", "#b71727"};
  return colours.at(static_cast<std::size_t>(status));
}

/// Returns the first characters of one line; a longer text ends with `…`.
std::string label_of(std::string_view text) {
  auto out = one_line(text);
  if (code_points(out) <= longest_label) return out;
  std::size_t end = 0;
  for (std::size_t count = 1; count < longest_label; ++count)
    end += std::max<std::size_t>(utf8_sequence(std::string_view(out).substr(end)), 1);
  return out.substr(0, end) + "…";
}

/// Returns about the width of a text in 11 px; wide characters count twice.
std::size_t width_of(std::string_view text) {
  std::size_t out = 2 * padding;
  for (; !text.empty();) {
    auto const size = std::max<std::size_t>(utf8_sequence(text), 1);
    out += size >= 3 ? 12 : 7;
    text.remove_prefix(size);
  }
  return out;
}

void add_words(markup& out, std::size_t left, std::size_t width, std::string_view words) {
  out.raw("<text x=\"").number(left + padding).raw("\" y=\"14\" textLength=\"").number(width - 2 * padding);
  out.raw("\" lengthAdjust=\"spacingAndGlyphs\">").text(words).raw("</text>");
}

std::string badge(std::string_view label, std::string_view word, std::string_view colour) {
  auto const left = width_of(label), right = width_of(word), all = left + right;
  markup out;
  out.raw("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"")
      .number(all)
      .raw("\" height=\"20\" role=\"img\" aria-label=\"");
  out.text(label).raw(": ").text(word).raw("\"><title>").text(label).raw(": ").text(word).raw("</title>");
  out.raw("<rect width=\"").number(all).raw("\" height=\"20\" rx=\"4\" fill=\"#32373d\"/>");
  out.raw("<path d=\"M").number(left).raw(" 0h").number(right - 4).raw("a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-");
  out.number(right - 4).raw("z\" fill=\"").raw(colour).raw("\"/>");
  out.raw("<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">");
  add_words(out, 0, left, label);
  add_words(out, left, right, word);
  out.raw("</g></svg>\n");
  return out.take();
}

}  // namespace

std::string badge_svg(page_view const& view) {
  auto const status = status_table(view.snapshot, view.now).worst();
  auto const& texts = texts_of(view.snapshot.page.language);
  return badge(label_of(view.snapshot.page.name), word_of(texts, status), colour_of(status));
}

std::string missing_badge_svg() {
  return badge("status", word_of(texts_of(page_language::en), component_status::unknown),
               colour_of(component_status::unknown));
}

}  // namespace svc::pages
