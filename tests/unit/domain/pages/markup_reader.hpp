#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::test {

/// One tag of a document, with its decoded attributes.
struct markup_tag {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes{};
  bool closes = false;

  std::string attribute(std::string_view wanted) const {
    for (auto const& [key, value] : attributes)
      if (key == wanted) return value;
    return {};
  }
};

struct markup_document {
  std::vector<markup_tag> tags{};
  std::string text{};     ///< decoded text outside of script and style
  std::string problem{};  ///< the first thing that a strict reader refuses; empty if there is none

  /// Names of tags and attributes in their order; equal for two pages that differ only in texts.
  std::string shape() const {
    std::string out;
    for (auto const& tag : tags) {
      out.append(tag.closes ? "</" : "<").append(tag.name);
      for (auto const& [key, value] : tag.attributes) out.append(" ").append(key);
      out += ">";
    }
    return out;
  }
};

/// Reads HTML or XML of the strict kind that pages write: quoted attributes, escaped texts, balanced elements.
class markup_reader {
 public:
  static markup_document read(std::string_view text) {
    markup_reader reader(text);
    while (!reader.left_.empty() && reader.out_.problem.empty()) reader.step();
    if (!reader.open_.empty() && reader.out_.problem.empty()) reader.refuse("open element " + reader.open_.back());
    return std::move(reader.out_);
  }

 private:
  explicit markup_reader(std::string_view text) : left_(text) {}

  void refuse(std::string const& problem) { out_.problem = problem + " before: " + std::string(left_.substr(0, 60)); }

  void step() {
    if (left_.front() != '<') {
      auto const end = std::min(left_.find('<'), left_.size());
      auto const text = decoded(left_.substr(0, end));
      if (!text) return refuse("text is not escaped");
      out_.text += *text;
      left_.remove_prefix(end);
      return;
    }
    if (left_.starts_with("<!doctype") || left_.starts_with("<?xml")) {
      left_.remove_prefix(left_.find('>') + 1);
      return;
    }
    read_tag();
  }

  void read_tag() {
    left_.remove_prefix(1);
    markup_tag tag;
    tag.closes = left_.starts_with('/');
    if (tag.closes) left_.remove_prefix(1);
    tag.name = word();
    if (tag.name.empty()) return refuse("no name of a tag");
    bool empty = false;
    while (!left_.empty() && left_.front() != '>') {
      if (left_.front() == '/') {
        empty = true;
        left_.remove_prefix(1);
      } else if (left_.front() == ' ') {
        left_.remove_prefix(1);
        if (!read_attribute(tag)) return;
      } else {
        return refuse("tag " + tag.name);
      }
    }
    if (left_.empty()) return refuse("end of text in a tag");
    left_.remove_prefix(1);
    finish(std::move(tag), empty);
  }

  bool read_attribute(markup_tag& tag) {
    auto const name = word();
    if (name.empty()) return refuse("no name of an attribute"), false;
    if (left_.starts_with("=\"")) {
      auto const end = left_.find('"', 2);
      auto const value = end == left_.npos ? std::nullopt : decoded(left_.substr(2, end - 2));
      if (!value) return refuse("value of an attribute"), false;
      tag.attributes.emplace_back(name, *value);
      left_.remove_prefix(end + 1);
    } else {
      tag.attributes.emplace_back(name, "");
    }
    return true;
  }

  void finish(markup_tag tag, bool empty) {
    static constexpr std::array<std::string_view, 5> void_elements{"meta", "link", "input", "br", "img"};
    bool const is_void = std::ranges::find(void_elements, tag.name) != void_elements.end() && !open_.empty() &&
                         open_.front() == "html";
    if (tag.closes) {
      if (open_.empty() || open_.back() != tag.name) return refuse("closes " + tag.name);
      open_.pop_back();
    } else if (!empty && !is_void) {
      open_.push_back(tag.name);
    }
    bool const raw = !tag.closes && (tag.name == "script" || tag.name == "style");
    auto const end = "</" + tag.name;
    out_.tags.push_back(std::move(tag));
    if (raw) left_.remove_prefix(std::min(left_.find(end), left_.size()));
  }

  std::string word() {
    std::size_t size = 0;
    while (size < left_.size() && (std::isalnum(static_cast<unsigned char>(left_[size])) != 0 || left_[size] == '-' ||
                                   left_[size] == ':' || left_[size] == '_'))
      ++size;
    std::string out(left_.substr(0, size));
    left_.remove_prefix(size);
    return out;
  }

  /// Returns the text without references, or nothing if it has a bare mark or a control.
  static std::optional<std::string> decoded(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> references{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
    std::string out;
    while (!text.empty()) {
      auto const c = text.front();
      if (c == '<' || c == '>' || c == '"' || (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F)
        return std::nullopt;
      std::size_t size = 1;
      char plain = c;
      if (c == '&') {
        auto const found =
            std::ranges::find_if(references, [&](auto const& each) { return text.starts_with(each.first); });
        if (found == references.end()) return std::nullopt;
        size = found->first.size();
        plain = found->second;
      }
      out += plain;
      text.remove_prefix(size);
    }
    return out;
  }

  std::string_view left_;
  std::vector<std::string> open_{};
  markup_document out_{};
};

}  // namespace svc::test
