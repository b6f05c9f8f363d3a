#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc::http {

/// gzip (RFC 1952) in steps, so that a worker can serve others between them. One body, worker-local.
class gzip_encoder {
 public:
  explicit gzip_encoder(int level);  ///< 1 (fast) to 9 (small)
  ~gzip_encoder();
  gzip_encoder(gzip_encoder const&) = delete;
  gzip_encoder& operator=(gzip_encoder const&) = delete;

  void add(std::string_view piece);
  /// The whole encoded body; nothing may be added behind it.
  std::string finish();

 private:
  struct stream;
  void run(std::string_view piece, int flush);

  std::unique_ptr<stream> stream_;
  std::string out_;
};

/// In one step.
std::string gzip(std::string_view text, int level);

}  // namespace svc::http
