#include "http/public_pages/copy_form.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/numbers.hpp"
#include "svc/http/deflate.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::public_pages {
namespace {

/// The first word of a copy. Another version of the program that needs another form takes another word.
constexpr std::string_view copy_mark = "svc-page-1";
constexpr int copy_level = 6;
constexpr std::size_t piece_of_copy = 64UL * 1024;
/// The line before the snapshot: ids, a number, a domain and 24 ranges.
constexpr std::size_t most_line = 2048;
constexpr std::size_t most_cidrs_in_copy = 24;
constexpr std::string_view no_value = "-";

std::string joined_ranges(std::vector<cidr> const& ranges) {
  std::string out;
  for (auto const& each : ranges) out.append(out.empty() ? "" : ",").append(each.to_string());
  return out.empty() ? std::string(no_value) : out;
}

std::string line_of(published_page const& page) {
  std::string out(copy_mark);
  out.append(" ").append(page.project.to_string());
  out.append(" ").append(std::to_string(page.version));
  out.append(" ").append(page.domain.empty() ? no_value : std::string_view(page.domain));
  return out.append(" ").append(joined_ranges(page.allowed)).append("\n");
}

std::string_view take_word(std::string_view& line) {
  auto const word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

std::optional<std::vector<cidr>> ranges_of(std::string_view text) {
  std::vector<cidr> out;
  if (text == no_value) return out;
  while (!text.empty()) {
    auto const word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    auto const range = cidr::parse(word);
    if (!range || out.size() == most_cidrs_in_copy) return std::nullopt;
    out.push_back(*range);
  }
  return out;
}

/// Reads the line into `out`. Returns false for another line.
bool read_line(std::string_view line, published_page& out) {
  if (take_word(line) != copy_mark) return false;
  auto const project = uuid::parse(take_word(line));
  auto const version = parse_number<std::int64_t>(take_word(line));
  auto const domain = take_word(line);
  auto ranges = ranges_of(take_word(line));
  if (!project || !version || domain.empty() || !ranges || !line.empty()) return false;
  out.project = *project;
  out.version = *version;
  out.domain = domain == no_value ? std::string() : std::string(domain);
  out.allowed = std::move(*ranges);
  return true;
}

/// The bounds of a smaller copy: bytes of texts, and number of closed incidents.
struct copy_bounds {
  std::size_t text, incidents;
};
constexpr std::array<copy_bounds, 6> smaller_copies{{{128UL * 1024, pages::most_incidents},
                                                     {64UL * 1024, pages::most_incidents},
                                                     {16UL * 1024, pages::most_incidents},
                                                     {16UL * 1024, 100},
                                                     {4UL * 1024, 20},
                                                     {0, 0}}};

/// Keeps the open incidents and the newest others.
void keep_newest_incidents(pages::page_snapshot& snapshot, std::size_t most) {
  std::size_t kept = 0;
  std::erase_if(snapshot.incidents, [&](auto const& each) { return !pages::is_open(each) && ++kept > most; });
  if (snapshot.maintenance.size() > most)
    snapshot.maintenance.erase(snapshot.maintenance.begin(),
                               snapshot.maintenance.end() - static_cast<std::ptrdiff_t>(most));
}

/// The size of the text is the last field of gzip (RFC 1952 2.3.1).
std::size_t size_in(std::string_view gzip) {
  std::size_t out = 0;
  for (int i = 1; i <= 4; ++i)
    out = (out << 8) | static_cast<unsigned char>(gzip[gzip.size() - static_cast<unsigned>(i)]);
  return out;
}

}  // namespace

bool copy_writer::step() {
  if (!encoder_) {
    begin();
    return true;
  }
  auto const piece = std::string_view(text_).substr(position_, piece_of_copy);
  encoder_->add(piece);
  position_ += piece.size();
  if (position_ < text_.size()) return true;
  auto packed = encoder_->finish();
  encoder_.reset();
  if (packed.size() <= most_copy_bytes) {
    copy_ = std::move(packed);
    return false;
  }
  return ++attempt_ <= smaller_copies.size();
}

/// Writes the text of the next attempt: the whole page first, then always less of it.
void copy_writer::begin() {
  if (attempt_ == 1) smaller_ = page_.snapshot;
  if (attempt_ > 0) {
    auto const& bounds = smaller_copies.at(attempt_ - 1);
    keep_newest_incidents(smaller_, bounds.incidents);
    pages::bound_snapshot(smaller_, bounds.text);
  }
  text_ = line_of(page_) + pages::write_snapshot(attempt_ == 0 ? page_.snapshot : smaller_);
  position_ = 0;
  encoder_.emplace(http::deflate_format::gzip, copy_level);
}

std::optional<std::string> write_copy(published_page const& page) {
  copy_writer writer(page);
  while (writer.step()) {
  }
  return writer.take();
}

page_ptr read_copy(std::string_view gzip) {
  constexpr std::size_t least_gzip = 18;
  if (gzip.size() < least_gzip || gzip.size() > most_copy_bytes) return nullptr;
  auto const size = size_in(gzip);
  if (size > pages::most_snapshot_bytes + most_line) return nullptr;
  auto const text = http::inflated(as_bytes(gzip), size, http::deflate_format::gzip);
  auto const end = text ? text->find('\n') : std::string::npos;
  if (end == std::string::npos || end > most_line) return nullptr;
  auto out = std::make_shared<published_page>();
  if (!read_line(std::string_view(*text).substr(0, end), *out)) return nullptr;
  auto snapshot = pages::read_snapshot(std::string_view(*text).substr(end + 1));
  if (!snapshot) return nullptr;
  out->snapshot = std::move(*snapshot);
  return out;
}

std::string name_in_redis(page_name const& name) {
  constexpr std::array<std::string_view, 3> kinds{"i:", "s:", "d:"};
  return std::string(kinds[static_cast<std::size_t>(name.kind)]) + name.text;
}

std::vector<std::string> names_in_redis(published_page const& page) {
  std::vector<std::string> out{name_in_redis({name_kind::slug, page.snapshot.page.slug})};
  if (!page.domain.empty()) out.push_back(name_in_redis({name_kind::domain, page.domain}));
  return out;
}

}  // namespace svc::public_pages
