#include "border/corpora.hpp"

#include "svc/core/bytes.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace svc::test {
namespace {

namespace fs = std::filesystem;

std::string read_file(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<std::string> corpora_directory(char const* subject) {
  char const* const set = std::getenv("SVC_CORPORA_DIR");
  if (set != nullptr && *set != '\0') return set;
  std::printf("SVC_CORPORA_DIR is not set: %s not played\n", subject);
  return std::nullopt;
}

std::vector<corpus_case> http_corpus(std::string const& directory, std::string const& file) {
  std::vector<corpus_case> out;
  auto const all = boost::json::parse(read_file(fs::path(directory) / "http" / file));
  for (auto const& value : all.as_array()) {
    auto const& c = value.as_object();
    auto const* const payload = c.if_contains("payload");
    std::string bytes;
    if (payload != nullptr && payload->is_string()) bytes = as_text(*from_hex(payload->get_string()));
    out.push_back({std::string(c.at("id").as_string()), std::string(c.at("expect").as_string()), std::move(bytes)});
  }
  return out;
}

void for_each_json(std::string const& directory,
                   std::function<void(std::string const& name, std::string const& text)> const& each) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(fs::path(directory) / "json" / "test_parsing"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (auto const& file : files) each(file.filename().string(), read_file(file));
}

}  // namespace svc::test
