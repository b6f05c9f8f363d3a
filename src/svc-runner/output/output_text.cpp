#include "svc-runner/output/output_text.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <utility>

namespace svc::runner {

void output_queue::add(output_stream stream, std::string text) {
  bytes_ += text.size();
  lines_.push_back({++last_seq_, stream, std::move(text)});
}

std::vector<output_line> output_queue::batch() const {
  std::vector<output_line> out;
  std::size_t size = 0;
  for (auto const& line : lines_) {
    size += line.text.size();
    if (out.size() == most_lines || (!out.empty() && size > most_bytes)) break;
    out.push_back(line);
  }
  return out;
}

void output_queue::acknowledge(std::int64_t through) {
  while (!lines_.empty() && lines_.front().seq <= through) {
    bytes_ -= lines_.front().text.size();
    lines_.pop_front();
  }
}

namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// Returns the position at which to cut a text of more than `most` bytes without cutting a character.
std::size_t cut_position(std::string_view text, std::size_t most) {
  auto end = most;
  // A character has at most three bytes after its first.
  while (end > most - 3 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return end;
}

}  // namespace

std::string clean_text(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    auto const size = utf8_sequence(bytes);
    if (size == 0 || bytes.front() == '\0') {
      out.append(replacement);
      bytes.remove_prefix(1);
    } else {
      out.append(bytes.substr(0, size));
      bytes.remove_prefix(size);
    }
  }
  return out;
}

std::vector<std::string> line_splitter::cut(std::string const& shown, bool last) {
  std::vector<std::string> out;
  auto const emit = [&out](std::string_view line) { out.push_back(clean_text(line)); };
  open_.append(shown);
  std::string_view rest = open_;
  for (;;) {
    auto const feed = rest.find('\n');
    auto line = rest.substr(0, feed);
    if (line.size() > longest_line) {
      auto const end = cut_position(line, longest_line);
      emit(line.substr(0, end));
      rest.remove_prefix(end);
      continue;
    }
    if (feed == std::string_view::npos) break;
    rest.remove_prefix(feed + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    emit(line);
  }
  if (last && !rest.empty()) {
    emit(rest);
    rest = {};
  }
  open_ = std::string(rest);
  return out;
}

output_budget::verdict output_budget::spend(std::size_t bytes) {
  if (full_) return verdict::drop;
  ++used_lines_;
  used_bytes_ += bytes + 1;
  if (used_lines_ <= lines_ && used_bytes_ <= bytes_) return verdict::keep;
  full_ = true;
  return verdict::last;
}

std::string output_budget::marker() const {
  return "[svc-runner: output limit reached (" + std::to_string(lines_) + " lines, " + std::to_string(bytes_ / 1024) +
         " KiB); the rest is not kept]";
}

}  // namespace svc::runner
