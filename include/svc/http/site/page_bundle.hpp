// The files of the dashboard, as `web/build.mjs` writes them into a folder.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::site {

/// The most bytes of a bundle's files in all encodings. A served bundle stays in memory.
inline constexpr std::size_t largest_bundle = 3UL * 1024 * 1024;
/// The most bytes of the index page as it is sent.
inline constexpr std::size_t largest_index = 2048;

/// The contents of the files by their paths in the folder, such as `assets/main-AB12CD34.js.br`.
using bundle_files = std::map<std::string, std::string, std::less<>>;

/// One file in the forms in which it is served. Immutable. `gzip` or `brotli` is null if that form does not exist.
struct page_file {
  std::string_view content_type{};  ///< static text
  std::string tag{};                ///< the entity tag of the plain form, without quotes
  std::shared_ptr<std::string const> plain{}, gzip{}, brotli{};
};

/// The files of the dashboard. Immutable and shared by all workers.
class page_bundle {
 public:
  /// The hash of all files, which names this version of the pages.
  std::string const& name() const { return name_; }
  /// The script with the fixed address.
  page_file const& boot() const { return boot_; }
  /// The file `assets/NAME`; null if there is none.
  page_file const* asset(std::string_view name) const;
  /// Returns the index page with these values at its placeholders.
  std::string index(std::string_view nonce, std::string_view theme) const;

 private:
  friend struct bundle_maker;

  /// Text of the index page, and the placeholder after it.
  struct part {
    enum class placeholder { none, nonce, theme };
    std::string text;
    placeholder next = placeholder::none;
  };

  std::string name_;
  std::vector<part> index_;
  page_file boot_;
  std::map<std::string, page_file, std::less<>> assets_;
};

using bundle_ptr = std::shared_ptr<page_bundle const>;

/// A bundle, or one sentence that says what is wrong with its files.
struct made_bundle {
  bundle_ptr bundle{};
  std::string problem{};
};

/// Checks the files and makes the bundle. Total: any files give a bundle or a problem. Files that no page needs are
/// left out.
made_bundle make_bundle(bundle_files files);

/// Returns the name that a bundle's manifest gives it; empty if the manifest cannot be read.
std::string bundle_name(std::string_view manifest);

/// Returns the files that the build has embedded; none if the service was built without its dashboard.
bundle_files embedded_files();
/// Returns the name of the embedded bundle; empty if there is none.
std::string embedded_name();

}  // namespace svc::site
