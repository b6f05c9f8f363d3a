// The service's own command-line client, as the service hands it out: a script that installs it, and the program for
// each architecture with its SHA-256.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

/// The program for one architecture, as Debian names it: amd64, arm64. A value.
struct client_program {
  std::string architecture;
  std::string bytes;
};

/// One file below `/cli`. Immutable, shared by all workers.
struct client_file {
  std::string name;
  std::shared_ptr<std::string const> bytes;
  std::string etag;  ///< with its quotes
  std::string_view content_type;
};

/// The files below `/cli`. Made at the start, then immutable and shared by all workers. Empty if the service does not
/// serve its client.
class client_files {
 public:
  client_files() = default;
  explicit client_files(std::vector<client_file> files) : files_(std::move(files)) {}

  /// Returns the file of that name; null if there is none.
  client_file const* find(std::string_view name) const;
  /// Returns the names, for a refusal.
  std::string names() const;
  bool empty() const { return files_.empty(); }

 private:
  std::vector<client_file> files_;
};

/// The files of these programs: `install.sh`, and `svc-linux-ARCH` and `svc-linux-ARCH.sha256` of each. The script
/// names the service by `public_url`. Without a program there is no file at all.
client_files make_client_files(std::vector<client_program> programs, std::string_view public_url,
                               std::string_view version);

}  // namespace svc::api
