#include "svc/core/master_keys.hpp"

#include "svc/core/file_problem.hpp"
#include "svc/core/log.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace svc {
namespace {

constexpr std::size_t key_size = 32;
/// A rotation needs two; a file with more than this was never tidied up.
constexpr std::size_t most_keys = 16;
constexpr std::size_t most_bytes = most_keys * 80;
constexpr milliseconds look_interval{200};

/// A buffer of a key's text, wiped at the end.
struct wiped_text {
  std::string text{};
  ~wiped_text() { wipe(text); }
};

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

/// The keys of the lines; none when one of them is not a key or there are too many.
std::vector<sealer> keys_of_lines(std::string_view text) {
  std::vector<sealer> keys;
  while (!text.empty()) {
    auto const end = std::min(text.find('\n'), text.size());
    auto const line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    auto key = from_hex(line, true);
    if (!key || key->size() != key_size || keys.size() == most_keys) return {};
    keys.emplace_back(secret_bytes(key->begin(), key->end()));
    wipe(key->data(), key->size());
  }
  return keys;
}

std::vector<sealer> read_keys(std::string const& path) {
  if (auto const problem = file_problem(path)) throw std::runtime_error(path + " " + *problem);
  std::ifstream file(path, std::ios::binary);
  wiped_text read;
  read.text.reserve(most_bytes + 1);
  for (char c; read.text.size() <= most_bytes && file.get(c);) read.text += c;
  if (read.text.empty()) throw std::runtime_error(path + " is empty");
  std::vector<sealer> keys;
  if (read.text.size() == key_size)
    keys.emplace_back(secret_bytes(read.text.begin(), read.text.end()));
  else if (read.text.size() <= most_bytes)
    keys = keys_of_lines(read.text);
  if (keys.empty()) {
    throw std::runtime_error(path + " must hold lines of 64 hexadecimal characters, at most 16, or 32 bytes");
  }
  return keys;
}

}  // namespace

master_keys master_keys::from_file(std::string path) {
  master_keys made(read_keys(path));
  made.path_ = std::move(path);
  return made;
}

std::vector<std::string> master_keys::ids() const {
  std::vector<std::string> out;
  for (sealer const& key : keys_) out.push_back(key.id());
  return out;
}

sealer const* master_keys::find(std::string_view id) const {
  auto const found = std::ranges::find(keys_, id, &sealer::id);
  return found == keys_.end() ? nullptr : &*found;
}

void master_keys::read_again() {
  if (path_.empty()) return;
  try {
    keys_ = read_keys(path_);
  } catch (std::runtime_error const& e) {
    log::error("the master key file cannot be used; the keys read before stay", {{"reason", e.what()}});
  }
}

sealer::data_key master_keys::make_data_key(std::string_view aad) {
  read_again();
  return current().make_data_key(aad);
}

sealer const* master_keys::key_of(std::string_view id) {
  sealer const* key = find(id);
  if (key == nullptr && steady::now() >= next_look_) {
    next_look_ = steady::now() + look_interval;
    read_again();
    key = find(id);
  }
  return key;
}

std::optional<secret_bytes> master_keys::unwrap(std::string_view id, byte_view wrapped, std::string_view aad) {
  sealer const* const key = key_of(id);
  return key == nullptr ? std::nullopt : key->unwrap(wrapped, aad);
}

}  // namespace svc
