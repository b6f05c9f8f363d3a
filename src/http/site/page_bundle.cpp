#include "svc/http/site/page_bundle.hpp"

#include "svc/core/hash.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace svc::embedded {
extern std::span<std::pair<std::string_view, std::string_view> const> const dashboard;
}

namespace svc::site {
namespace {

namespace json = boost::json;

constexpr std::string_view assets_folder = "assets/";
constexpr std::size_t longest_name = 128;
/// The fewest characters of a hash in a name, because caches keep such a file for a year.
constexpr std::size_t shortest_hash = 8;
/// The longest nonce and theme, for the size of the index page.
constexpr std::string_view nonce_of_usual_length = "AAAAAAAAAAAAAAAAAAAAAA==";
constexpr std::string_view longest_theme = "system";

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> media_types{{
    {"css", "text/css; charset=utf-8"},
    {"js", "text/javascript; charset=utf-8"},
    {"json", "application/json"},
    {"png", "image/png"},
    {"svg", "image/svg+xml"},
    {"txt", "text/plain; charset=utf-8"},
    {"webp", "image/webp"},
}};

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns the media type of `{name}-{hash}.{ext}`; empty for other names.
std::string_view media_type_of(std::string_view name) {
  auto const dot = name.rfind('.');
  auto const dash = name.rfind('-', dot);
  if (name.size() > longest_name || dot == name.npos || dash == name.npos || dash == 0) return {};
  auto const hash = name.substr(dash + 1, dot - dash - 1);
  if (hash.size() < shortest_hash || !std::ranges::all_of(hash, is_alphanumeric)) return {};
  bool const plain = std::ranges::all_of(
      name, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~'; });
  auto const found = std::ranges::find(media_types, name.substr(dot + 1), [](auto const& row) { return row.first; });
  return plain && found != media_types.end() ? found->second : std::string_view();
}

bool is_bundle_name(std::string_view text) {
  return text.size() >= shortest_hash && text.size() <= 64 && std::ranges::all_of(text, is_alphanumeric);
}

struct manifest {
  std::string bundle, entry;
};

/// Only the two members that the service needs; the others describe the files for people.
std::optional<manifest> read_manifest(std::string_view text) {
  boost::system::error_code wrong;
  auto const document = json::parse(text, wrong);
  if (wrong || !document.is_object()) return std::nullopt;
  auto const text_at = [&](std::string_view name) {
    auto const* const found = document.get_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  return manifest{text_at("bundle"), text_at("entry")};
}

}  // namespace

/// The steps of `make_bundle`. Lives as long as the call.
struct bundle_maker {
  bundle_files files;
  page_bundle out{};
  std::string problem{};

  bool refuse(std::string sentence) {
    problem = std::move(sentence);
    return false;
  }

  std::shared_ptr<std::string const> take(std::string_view path) {
    auto const found = files.find(path);
    if (found == files.end()) return nullptr;
    return std::make_shared<std::string const>(std::move(files.extract(found).mapped()));
  }

  page_file file_of(std::string const& path, std::string_view content_type) {
    page_file file{.content_type = content_type, .plain = take(path)};
    file.gzip = take(path + ".gz");
    file.brotli = take(path + ".br");
    if (file.plain) file.tag = to_hex(byte_view(sha256(*file.plain)).first(16));
    return file;
  }

  bool check_size() {
    std::size_t total = 0;
    for (auto const& [path, bytes] : files) total += bytes.size();
    return total <= largest_bundle || refuse("its files have " + std::to_string(total) + " bytes; at most " +
                                             std::to_string(largest_bundle) + " are allowed");
  }

  bool read_names() {
    auto const found = take("manifest.json");
    if (!found) return refuse("it has no manifest.json");
    auto const read = read_manifest(*found);
    if (!read || !is_bundle_name(read->bundle))
      return refuse("manifest.json does not name the bundle by 8 to 64 letters and digits");
    if (!read->entry.starts_with(assets_folder) || !files.contains(read->entry))
      return refuse("manifest.json names an entry that is not in assets");
    out.name_ = read->bundle;
    return true;
  }

  bool read_index() {
    using placeholder = page_bundle::part::placeholder;
    auto const page = take("index.html");
    if (!page) return refuse("it has no index.html");
    std::string_view rest = *page;
    for (;;) {
      auto const start = rest.find("{{");
      auto& part = out.index_.emplace_back(page_bundle::part{std::string(rest.substr(0, start))});
      if (start == rest.npos) break;
      rest.remove_prefix(start + 2);
      if (rest.starts_with("nonce}}")) part.next = placeholder::nonce;
      if (rest.starts_with("theme}}")) part.next = placeholder::theme;
      if (part.next == placeholder::none) return refuse("index.html has a placeholder other than nonce and theme");
      rest.remove_prefix(std::string_view("theme}}").size());
    }
    auto const size = out.index(nonce_of_usual_length, longest_theme).size();
    return size <= largest_index || refuse("the index page has " + std::to_string(size) + " bytes; at most " +
                                           std::to_string(largest_index) + " are allowed");
  }

  bool read_assets() {
    out.boot_ = file_of("boot.js", "text/javascript; charset=utf-8");
    if (!out.boot_.plain) return refuse("it has no boot.js");
    std::vector<std::string> paths;
    for (auto const& [path, bytes] : files)
      if (path.starts_with(assets_folder) && !path.ends_with(".br") && !path.ends_with(".gz")) paths.push_back(path);
    for (auto const& path : paths) {
      auto const name = path.substr(assets_folder.size());
      auto const content_type = media_type_of(name);
      if (content_type.empty())
        return refuse(path +
                      " is not named {name}-{hash}.{ext} with a known ext and a hash of at least 8 characters");
      out.assets_.emplace(name, file_of(path, content_type));
    }
    return true;
  }
};

page_file const* page_bundle::asset(std::string_view name) const {
  auto const found = assets_.find(name);
  return found == assets_.end() ? nullptr : &found->second;
}

std::string page_bundle::index(std::string_view nonce, std::string_view theme) const {
  std::string out;
  out.reserve(largest_index);
  for (auto const& part : index_) {
    out += part.text;
    if (part.next == part::placeholder::nonce) out += nonce;
    if (part.next == part::placeholder::theme) out += theme;
  }
  return out;
}

made_bundle make_bundle(bundle_files files) {
  bundle_maker made{std::move(files)};
  if (!made.check_size() || !made.read_names() || !made.read_index() || !made.read_assets())
    return {.problem = std::move(made.problem)};
  return {.bundle = std::make_shared<page_bundle const>(std::move(made.out))};
}

std::string bundle_name(std::string_view manifest) {
  auto const read = read_manifest(manifest);
  return read && is_bundle_name(read->bundle) ? read->bundle : std::string();
}

bundle_files embedded_files() {
  bundle_files files;
  for (auto const& [path, bytes] : embedded::dashboard) files.emplace(path, bytes);
  return files;
}

std::string embedded_name() {
  for (auto const& [path, bytes] : embedded::dashboard)
    if (path == "manifest.json") return bundle_name(bytes);
  return {};
}

}  // namespace svc::site
