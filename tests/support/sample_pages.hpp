#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace svc::support {

/// The files of a small bundle, in the form that web/build.mjs writes. The compressed forms hold other bytes than the
/// plain ones, so that a test sees which it got.
inline std::map<std::string, std::string, std::less<>> sample_pages(std::string const& name = "0123456789abcdef") {
  return {
      {"manifest.json", R"({"bundle":")" + name +
                            R"(","entry":"assets/main-AB12CD34.js","files":[{"path":"boot.js","sizes":{"br":4}}]})"},
      {"index.html",
       "<!doctype html>\n<html data-theme=\"{{theme}}\">\n<meta nonce=\"{{nonce}}\">\n"
       "<meta name=\"svc-entry\" content=\"/app/assets/main-AB12CD34.js\">\n"
       "<script type=\"module\" src=\"/app/boot.js\"></script>\n"},
      {"boot.js", "boot of " + name},
      {"boot.js.br", "brotli of boot of " + name},
      {"boot.js.gz", "gzip of boot of " + name},
      {"assets/main-AB12CD34.js", "main of " + name + std::string(100'000, ' ')},
      {"assets/main-AB12CD34.js.br", "brotli of main of " + name},
      {"assets/main-AB12CD34.js.gz", "gzip of main of " + name},
      {"assets/main-EF56AB78.css", "styles"},
      {"assets/main-EF56AB78.css.gz", "gzip of styles"},
      {"assets/mark-0A1B2C3D.svg", "<svg/>"},
  };
}

/// Writes a bundle into a folder as web/build.mjs does: the manifest comes last.
inline void write_pages(std::filesystem::path const& folder, std::map<std::string, std::string, std::less<>> files) {
  std::filesystem::create_directories(folder / "assets");
  auto const manifest = files.extract("manifest.json");
  for (auto const& [path, bytes] : files) std::ofstream(folder / path, std::ios::binary) << bytes;
  if (manifest) std::ofstream(folder / "manifest.json", std::ios::binary) << manifest.mapped();
}

}  // namespace svc::support
