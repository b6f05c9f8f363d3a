#pragma once

#include <string>
#include <string_view>

namespace svc::redis {

/// A Lua script of `schema/redis/`, embedded. Immutable; one object per script for the whole process.
class script {
 public:
  script(std::string_view name, std::string_view body);

  std::string_view name() const { return name_; }
  std::string_view body() const { return body_; }
  /// SHA-1 of the body in lower-case hex, as EVALSHA wants it.
  std::string_view sha() const { return sha_; }

 private:
  std::string_view name_;
  std::string_view body_;
  std::string sha_;
};

}  // namespace svc::redis
