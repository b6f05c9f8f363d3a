#include "app/process/dashboard_directory.hpp"

#include "svc/core/log.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace svc::app {
namespace {

namespace fs = std::filesystem;

/// A folder with more files is not a bundle.
constexpr int most_files = 2000;

/// Adds the plain files of one folder. Stops when there are more bytes than a bundle may have, which the caller
/// notices by their sum.
void add_files(fs::path const& folder, std::string const& prefix, site::bundle_files& files) {
  std::size_t total = 0;
  int count = 0;
  std::error_code failed;
  for (fs::directory_iterator each(folder, failed), end; !failed && each != end; each.increment(failed)) {
    std::error_code other;
    if (!each->is_regular_file(other) || other) continue;
    if (++count > most_files || total > site::largest_bundle) return;
    std::ifstream file(each->path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    total += bytes.size();
    files.emplace(prefix + each->path().filename().string(), std::move(bytes));
  }
}

/// Reads the files of a bundle. Never throws for what the directory holds: a missing directory has no files.
site::bundle_files read_bundle_files(std::string const& directory) {
  site::bundle_files files;
  add_files(directory, "", files);
  add_files(fs::path(directory) / "assets", "assets/", files);
  return files;
}

/// The pages of a directory, read again when its manifest has changed. Worker-local. Reading blocks the worker for a
/// few milliseconds, which only their developer notices.
class directory_pages {
 public:
  explicit directory_pages(std::string directory) : directory_(std::move(directory)) {}

  site::bundle_ptr find() {
    auto const present = stamp_of(fs::path(directory_) / "manifest.json");
    if (present == read_) return bundle_;
    read_ = present;
    auto made = site::make_bundle(read_bundle_files(directory_));
    if (made.bundle)
      log::info("pages were read", {{"directory", directory_}, {"bundle", made.bundle->name()}});
    else
      log::warn("pages cannot be served", {{"directory", directory_}, {"why", made.problem}});
    // An unfinished build keeps the previous pages.
    if (made.bundle) bundle_ = std::move(made.bundle);
    return bundle_;
  }

 private:
  /// Time and size of a file. The time alone may be the same for two builds within a few milliseconds.
  using stamp = std::pair<fs::file_time_type, std::uintmax_t>;

  static stamp stamp_of(fs::path const& file) {
    std::error_code no_time, no_size;
    auto const time = fs::last_write_time(file, no_time);
    auto const size = fs::file_size(file, no_size);
    return {no_time ? fs::file_time_type::min() : time, no_size ? 0 : size};
  }

  std::string directory_;
  std::optional<stamp> read_{};
  site::bundle_ptr bundle_{};
};

}  // namespace

site::bundle_ptr embedded_pages(configuration const& config) {
  if (!config.dashboard.enabled || !config.dashboard.directory.empty()) return nullptr;
  auto files = site::embedded_files();
  if (files.empty()) {
    log::info("this build has no dashboard");
    return nullptr;
  }
  auto made = site::make_bundle(std::move(files));
  if (made.bundle)
    log::info("the dashboard is served", {{"bundle", made.bundle->name()}});
  else
    log::error("the dashboard of this build cannot be served", {{"why", made.problem}});
  return made.bundle;
}

std::function<site::bundle_ptr()> page_source(configuration const& config, site::bundle_ptr const& embedded) {
  if (config.dashboard.directory.empty()) return [embedded] { return embedded; };
  return [pages = std::make_shared<directory_pages>(config.dashboard.directory)] { return pages->find(); };
}

bool serves_pages(configuration const& config) {
  return config.dashboard.enabled && (!config.dashboard.directory.empty() || !site::embedded_name().empty());
}

std::string link_of_messages(configuration const& config) {
  auto const& link = config.notifications.link;
  if (!link.empty() || config.public_url.empty() || !serves_pages(config)) return link;
  return config.public_url + "/app/go/{type}/{id}";
}

std::string dashboard_version() {
  auto const name = site::embedded_name();
  return name.empty() ? "without dashboard" : "dashboard " + name;
}

}  // namespace svc::app
